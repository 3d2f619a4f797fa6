"""The names that a file may mention when only weights are to be loaded."""

from __future__ import annotations

import functools
from collections import Counter, OrderedDict

import torch

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

_added = {}
_own: dict[str, Any] = {}
BLOCKED = frozenset(("sys", "os", "posix", "nt"))


def name_of(obj: Any) -> str:
    """Dotted name under which a pickle mentions an object; additions may be (object, name)."""
    if isinstance(obj, tuple):
        if len(obj) != 2 or not isinstance(obj[1], str):
            raise ValueError(f"a safe global must be a callable or a pair (callable, name), got {obj!r}")
        return obj[1]
    return f"{obj.__module__}.{obj.__qualname__}"


def add_safe_globals(safe_globals: Iterable[Any]) -> None:
    """Let files name these classes and functions when only weights are loaded.

    Args:
        safe_globals (Iterable): the objects, or pairs (object, dotted name in files)

    Raises:
        ValueError: a pair has no name

    Example:
        >>> import pathlib
        >>> torch.serialization.add_safe_globals([pathlib.PurePosixPath])
        >>> torch.serialization.get_safe_globals()
        [<class 'pathlib.PurePosixPath'>]
        >>> torch.serialization.clear_safe_globals()
    """
    for obj in safe_globals:
        _added[name_of(obj)] = obj[0] if isinstance(obj, tuple) else obj


def get_safe_globals() -> list[Any]:
    """What `add_safe_globals` was given.

    Returns:
        the objects

    Example:
        >>> torch.serialization.get_safe_globals()
        []
    """
    return list(_added.values())


def clear_safe_globals() -> None:
    """Forget what `add_safe_globals` was given.

    Example:
        >>> torch.serialization.clear_safe_globals()
        >>> torch.serialization.get_safe_globals()
        []
    """
    _added.clear()


class safe_globals:
    """A block in which files may name more classes and functions.

    Args:
        objects (Iterable): what `add_safe_globals` takes

    Example:
        >>> import io, pathlib
        >>> file = io.BytesIO()
        >>> torch.save(pathlib.PurePosixPath("a"), file)
        >>> with torch.serialization.safe_globals([pathlib.PurePosixPath]):
        ...     torch.load(io.BytesIO(file.getvalue()))
        PurePosixPath('a')
    """

    def __init__(self, objects: Iterable[Any]) -> None:
        self.objects = objects

    def __enter__(self) -> None:
        self.before = dict(_added)
        add_safe_globals(self.objects)

    def __exit__(self, *problem: object) -> None:
        _added.clear()
        _added.update(self.before)


def _encode(text, encoding="latin1"):
    """`_codecs.encode`, as pickles of bytes by old protocols call it."""
    if not isinstance(text, str) or encoding not in ("latin1", "latin-1"):
        raise ValueError(f"_codecs.encode: expected text and latin1, got {type(text).__name__} and {encoding!r}")
    return text.encode("latin1")


def _bytearray(*args):
    """bytearray of data from the file, never of just a length."""
    if args and not isinstance(args[0], (bytes, bytearray, str, list, tuple)):
        raise ValueError(f"bytearray: expected bytes, got {type(args[0]).__name__}")
    return bytearray(*args)


def _functions():
    from torch import _utils
    from torch.serialization import _layout, _tensor_pickle

    names = (
        "_rebuild_parameter _rebuild_parameter_with_state _rebuild_tensor _rebuild_tensor_v2 _rebuild_tensor_v3 "
        "_rebuild_meta_tensor_no_storage _rebuild_sparse_tensor _rebuild_device_tensor_from_numpy"
    ).split()
    table = {f"torch._utils.{name}": getattr(_utils, name) for name in names}
    table["torch._tensor._rebuild_from_type_v2"] = _tensor_pickle._rebuild_from_type_v2
    table["torch.serialization._get_layout"] = _layout._get_layout
    return table


def _storages():
    from torch.storage import _DTYPES

    table = {f"torch.{name}": getattr(torch, name) for name in _DTYPES}
    table["torch.storage.UntypedStorage"] = table["torch.UntypedStorage"] = torch.UntypedStorage
    table["torch.storage.TypedStorage"] = torch.TypedStorage
    return table


@functools.lru_cache(None)
def _fixed():
    """{dotted name: object} of what any file may mention."""
    table = {
        "collections.OrderedDict": OrderedDict,
        "collections.Counter": Counter,
        "builtins.set": set,
        "__builtin__.set": set,
        "builtins.frozenset": frozenset,
        "builtins.complex": complex,
        "builtins.bytearray": _bytearray,
        "__builtin__.bytearray": _bytearray,
        "_codecs.encode": _encode,
        "torch.Size": torch.Size,
        "torch.Tensor": torch.Tensor,
        "torch.device": torch.device,
        "torch.nn.parameter.Parameter": torch.nn.Parameter,
        "torch.nn.Parameter": torch.nn.Parameter,
        **_functions(),
        **_storages(),
        **{f"torch.return_types.{t.__name__}": t for t in torch.return_types.all_return_types},
    }
    for name in dir(torch._C):
        if isinstance(value := getattr(torch._C, name), torch.dtype):
            table[f"torch.{name}"] = value
    return table


@functools.lru_cache(None)
def _fixed_ids():
    return frozenset(map(id, _fixed().values()))


def is_allowed(obj: Any) -> bool:
    """Whether a file may mention the object."""
    return id(obj) in _fixed_ids() or was_added(obj)


def allow_own(objects: Iterable[Any]) -> None:
    """Allows classes and functions of a part of the library that was just loaded; the caller's list is another one."""
    _own.update({f"{o.__module__}.{o.__qualname__}": o for o in objects})


def was_added(obj: Any) -> bool:
    """NEWOBJ and BUILD may create and fill only classes that the caller, or a part of the library, has allowed."""
    return any(obj is known for table in (_added, _own) for known in table.values())


def find(module: str, name: str) -> Any:
    """The object that a file names, or None if files may not name it."""
    full = f"{module}.{name}"
    found = _added.get(full) or _own.get(full)
    return _fixed().get(full) if found is None else found


def python2_name(module: str, name: str) -> tuple[str, str]:
    """Names of Python 2 in their present form."""
    import _compat_pickle

    if (module, name) in _compat_pickle.NAME_MAPPING:
        return _compat_pickle.NAME_MAPPING[module, name]
    return _compat_pickle.IMPORT_MAPPING.get(module, module), name
