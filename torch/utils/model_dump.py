"""What is in the file of a saved model: its pickles as JSON, its storages, and the other files of the archive.

PyTorch's page for browsers is not here: `get_inline_skeleton` and what needs it raise an error.
"""

from __future__ import annotations

import json
import sys
import zipfile
from typing import Any, NoReturn

from torch.utils.show_pickle import DumpUnpickler, FakeClass, FakeObject

__all__ = ["burn_in_info", "get_info_and_burn_skeleton", "get_inline_skeleton", "get_model_info", "get_storage_info",
           "hierarchical_pickle"]  # fmt: skip

DEFAULT_EXTRA_FILE_SIZE_LIMIT = 16 * 1024


def get_storage_info(storage: Any) -> list[Any]:
    """What a pickle says of a storage.

    Args:
        storage (FakeObject): the stand-in that `DumpUnpickler` makes of it

    Returns:
        the type of its elements, its key, its place, and how many elements it has

    Raises:
        AssertionError: it is no storage

    Example:
        >>> from torch.utils.model_dump import get_storage_info
        >>> from torch.utils.show_pickle import FakeClass, FakeObject
        >>> pid = "storage", FakeClass("torch", "FloatStorage"), "0", "cpu", 4
        >>> get_storage_info(FakeObject("pers", "obj", (pid,)))
        ['torch.FloatStorage', '0', 'cpu', 4]
    """
    pid = storage.args[0] if isinstance(storage, FakeObject) and (storage.module, storage.name) == ("pers", "obj") else None
    if not isinstance(pid, tuple) or len(pid) != 5 or pid[0] != "storage" or not isinstance(pid[1], FakeClass):
        raise AssertionError(f"get_storage_info: this is no storage: {storage!r}")
    return [f"{pid[1].module}.{pid[1].name}", *pid[2:]]


def _tensor(made_by: FakeObject) -> list[Any] | None:
    """The storage, and whatever else a tensor is rebuilt from; None if the object is no tensor."""
    if made_by.module != "torch._utils" or not made_by.name.startswith("_rebuild"):
        return None
    if made_by.name == "_rebuild_parameter":
        data, requires_grad = made_by.args[:2]
        return [*(_tensor(data) or [None]), requires_grad]
    storage, offset, size, stride, *rest = made_by.args
    return [get_storage_info(storage), offset, size, stride, *rest[:1]]


def hierarchical_pickle(data: Any) -> Any:
    """The content of a pickle as JSON can hold it.

    Args:
        data (Any): what `DumpUnpickler` read

    Returns:
        numbers, texts and lists; other things are dictionaries that say what they are

    Raises:
        TypeError: something that no pickle holds

    Example:
        >>> from torch.utils.model_dump import hierarchical_pickle
        >>> hierarchical_pickle({"a": (1, None)})
        {'__is_dict__': True, 'keys': ['a'], 'values': [{'__tuple_values__': [1, None]}]}
    """
    if data is None or isinstance(data, (bool, int, float, str)):
        return data
    if isinstance(data, list):
        return [hierarchical_pickle(each) for each in data]
    if isinstance(data, tuple):
        return {"__tuple_values__": hierarchical_pickle(list(data))}
    if isinstance(data, dict):
        return {"__is_dict__": True, "keys": hierarchical_pickle(list(data)), "values": hierarchical_pickle(list(data.values()))}
    if isinstance(data, FakeObject):
        tensor = _tensor(data)
        if tensor is not None:
            return {"__tensor_v2__": hierarchical_pickle(tensor)}
        content = data.state if data.state is not None else list(data.args) + data.items
        return {"__module_type__": f"{data.module}.{data.name}", "state": hierarchical_pickle(content)}
    if isinstance(data, FakeClass):
        return {"__module_type__": f"{data.module}.{data.name}", "state": None}
    if isinstance(data, (bytes, bytearray, set, frozenset, complex)):
        return {"__module_type__": f"builtins.{type(data).__name__}", "state": repr(data)}
    raise TypeError(f"hierarchical_pickle: a pickle holds no {type(data).__name__}")


def get_model_info(
    path_or_file: Any, title: str | None = None, extra_file_size_limit: int = DEFAULT_EXTRA_FILE_SIZE_LIMIT
) -> dict[str, Any]:
    """What is in a zip archive that `torch.save` or `torch.jit.save` wrote.

    Args:
        path_or_file (str or file): the archive
        title (str, optional): the title; by default the path
        extra_file_size_limit (int, default 16384): the most bytes of a text file that are read

    Returns:
        a dictionary that JSON can hold: "zip_files", "model_data" (of `data.pkl`), "extra_pickles", "extra_files_jsons" and more

    Example:
        >>> import io
        >>> from torch.utils.model_dump import get_model_info
        >>> file = io.BytesIO()
        >>> torch.save({"a": 1}, file)
        >>> get_model_info(file)["model_data"]
        {'__is_dict__': True, 'keys': ['a'], 'values': [1]}
    """
    is_path = not hasattr(path_or_file, "read")
    name = str(path_or_file) if is_path else "<file>"
    pickles: dict[str, Any] = {}
    texts: dict[str, Any] = {}
    jsons: dict[str, Any] = {}
    with zipfile.ZipFile(path_or_file) as archive:
        rows = archive.infolist()
        prefix = rows[0].filename.partition("/")[0] if rows else ""
        for row in rows:
            inner = row.filename.removeprefix(prefix + "/")
            if inner.endswith(".pkl"):
                with archive.open(row) as file:
                    pickles[inner] = hierarchical_pickle(DumpUnpickler(file, catch_invalid_utf8=True).load())
            elif row.file_size <= extra_file_size_limit and inner.startswith(("extra/", "code/")):
                text = archive.read(row).decode("utf-8", "replace")
                if inner.endswith(".json"):
                    jsons[inner] = json.loads(text)
                else:
                    texts[inner] = text
        files = [
            {"filename": row.filename, "compression": row.compress_type, "compressed_size": row.compress_size,
             "file_size": row.file_size} for row in rows
        ]  # fmt: skip
        version = archive.read(f"{prefix}/version").decode().strip() if f"{prefix}/version" in archive.namelist() else ""
    return {
        "title": name if title is None else title, "file_size": sum(row.compress_size for row in rows), "version": version,
        "zip_files": files, "interned_strings": [], "code_files": texts, "model_data": pickles.pop("data.pkl", None),
        "constants": pickles.pop("constants.pkl", None), "extra_files_jsons": jsons, "extra_pickles": pickles,
    }  # fmt: skip


def _no_page(name: str) -> NoReturn:
    raise NotImplementedError(f"torch.utils.model_dump.{name} needs PyTorch's page for browsers; get_model_info has the data")


def get_inline_skeleton() -> str:
    """PyTorch's page for browsers, which is not here.

    Raises:
        NotImplementedError: always

    Example:
        >>> from torch.utils.model_dump import get_inline_skeleton
        >>> get_inline_skeleton()
        Traceback (most recent call last):
        NotImplementedError: ...
    """
    _no_page("get_inline_skeleton")


def burn_in_info(skeleton: str, info: dict[str, Any]) -> str:
    """Put the data of a model into a page that has the text `BURNED_IN_MODEL_INFO = null`.

    Args:
        skeleton (str): the page
        info (dict): of `get_model_info`

    Returns:
        the page with the data

    Raises:
        ValueError: the page has no place for it

    Example:
        >>> from torch.utils.model_dump import burn_in_info
        >>> burn_in_info("BURNED_IN_MODEL_INFO = null", {"a": 1})
        'BURNED_IN_MODEL_INFO = {"a": 1}'
    """
    place = "BURNED_IN_MODEL_INFO = null"
    if place not in skeleton:
        raise ValueError(f"burn_in_info: the page has no text {place!r}")
    return skeleton.replace(place, "BURNED_IN_MODEL_INFO = " + json.dumps(info, sort_keys=True).replace("/", "\\/"))


def get_info_and_burn_skeleton(path_or_bytesio: Any, **kwargs: Any) -> str:
    """A page with the data of a model, which needs PyTorch's page.

    Args:
        path_or_bytesio (str or file): the archive
        **kwargs (Any): as for `get_model_info`

    Raises:
        NotImplementedError: always

    Example:
        >>> from torch.utils.model_dump import get_info_and_burn_skeleton
        >>> get_info_and_burn_skeleton("model.pt")
        Traceback (most recent call last):
        NotImplementedError: ...
    """
    _no_page("get_info_and_burn_skeleton")


def main(argv: list[str], *, stdout: Any = None) -> None:
    """The program: `python -m torch.utils.model_dump --style=json MODEL` prints what is in a file.

    Args:
        argv (list of str): the program's name and its arguments
        stdout (file, optional): where to write

    Raises:
        NotImplementedError: another style, which needs PyTorch's page
    """
    import argparse

    parse = argparse.ArgumentParser(prog="model_dump")
    parse.add_argument("--style", choices=["json", "html"], default="json")
    parse.add_argument("--title")
    parse.add_argument("model")
    args = parse.parse_args(argv[1:])
    if args.style != "json":
        _no_page("main --style=html")
    print(json.dumps(get_model_info(args.model, title=args.title)), file=sys.stdout if stdout is None else stdout)


if __name__ == "__main__":
    main(sys.argv)
