"""`torch.save`.

A checkpoint is a zip archive: `data.pkl` is the pickled object, in which every storage is a persistent id
("storage", class, key, location, number of elements), and `data/<key>` is that storage's bytes.
"""

from __future__ import annotations

import contextlib
import io
import os
import pickle
import sys

from torch._logging import _switches
from torch.serialization import _archive, _atomic_file, _layout, _legacy_format  # noqa: F401  (_layout registers itself)
from torch.serialization._locations import location_tag
from torch.serialization._options import config

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from typing import IO, Any

DEFAULT_PROTOCOL = 2


def save(
    obj: object,
    f: str | os.PathLike[str] | IO[bytes],
    pickle_module: Any = pickle,
    pickle_protocol: int = DEFAULT_PROTOCOL,
    _use_new_zipfile_serialization: bool = True,
    _disable_byteorder_record: bool = False,
) -> None:
    """Write an object, and the storages of all tensors in it, to a file.

    The file at a path is replaced only when all is written: a save that fails leaves it as it was.

    Args:
        obj (object): anything that can be pickled; a model is best saved as its `state_dict()`
        f (str, PathLike or file): a path, or an object with `write`
        pickle_module (module, default pickle): what pickles
        pickle_protocol (int, default 2): version of the pickle

    Raises:
        RuntimeError: the folder does not exist, or two tensors see one storage as different dtypes
        AttributeError: `f` is no path and has no `write`

    Example:
        >>> import io
        >>> file = io.BytesIO()
        >>> torch.save({"weight": torch.ones(2)}, file)
        >>> torch.load(io.BytesIO(file.getvalue()))
        {'weight': tensor([1., 1.])}
    """
    path = isinstance(f, (str, os.PathLike))
    if not path and not hasattr(f, "write"):
        raise AttributeError("expected 'f' to be string, path, or a file-like object with a 'write' attribute")
    if path and not os.path.isdir(parent := os.path.dirname(os.path.abspath(f))):
        raise RuntimeError(f"Parent directory {parent} does not exist.")
    with contextlib.nullcontext(f) if not path else _atomic_file.replacing(f) as file:
        out = _atomic_file.Complete(file)
        if _use_new_zipfile_serialization:
            name = os.path.splitext(os.path.basename(os.fspath(f)))[0] if path else "archive"
            sizes = _save_archive(obj, out, name or "archive", pickle_module, pickle_protocol, not _disable_byteorder_record)
            if _switches.serialization:
                _switches.serialization("saved %s: %d storages of %d bytes, a pickle of %d bytes", f, *sizes)
        else:
            _legacy_format.save(obj, out, pickle_module, pickle_protocol)


def _save_archive(
    obj: object,
    out: Any,
    name: str,
    pickle_module: Any,
    pickle_protocol: int,
    record_byteorder: bool,
) -> tuple[int, int, int]:
    """Write the archive. Returns the number of its storages, their bytes, and the bytes of the pickle."""
    data, storages = _pickled(obj, pickle_module, pickle_protocol)
    writer = _archive.Writer(out, name)
    writer.write("data.pkl", data)
    writer.write(".format_version", "1")
    writer.write(".storage_alignment", str(_archive.ALIGNMENT))
    if record_byteorder:
        writer.write("byteorder", sys.byteorder)
    for key, storage in storages.items():
        content = bytes(storage.nbytes()) if config.skip_data else _archive.storage_bytes(storage.cpu())
        writer.write(f"data/{key}", content)
    writer.close()
    return len(storages), sum(storage.nbytes() for storage in storages.values()), len(data)


def _pickled(obj: object, pickle_module: Any, protocol: int) -> tuple[bytes, dict[str, Any]]:
    """(pickle of `obj`, storages by key): tensors that share a storage share it in the file."""
    keys, storages, dtypes = {}, {}, {}

    def identify(value):
        storage, kind, dtype = _legacy_format.describe_storage(value)
        address = storage.data_ptr()
        if address and dtypes.setdefault(address, dtype) != dtype:
            raise RuntimeError("Cannot save multiple tensors or storages that view the same data as different types")
        location = sys.intern(location_tag(storage))  # one memo entry for all storages
        key = keys.setdefault(storage._cdata, str(len(keys)))
        storages[key] = storage
        return ("storage", kind, key, location, storage.nbytes() // dtype.itemsize)

    class Pickler(pickle_module.Pickler):
        def persistent_id(self, value):  # called for every object
            return identify(value) if isinstance(value, _legacy_format.STORAGES) else None

    out = io.BytesIO()
    Pickler(out, protocol=protocol).dump(obj)
    return out.getvalue(), storages
