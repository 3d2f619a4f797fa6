"""`torch.save` and `torch.load`.

A checkpoint is a zip archive: `data.pkl` is the pickled object, in which every storage is a persistent id
("storage", class, key, location, number of elements), and `data/<key>` is that storage's bytes."""

from __future__ import annotations

import contextlib
import copyreg
import io
import os
import pickle
import sys
import threading

import torch
from torch import _archive, _atomic_file, _environment, _lazy, _legacy_load, _safe_globals
from torch._locations import default_restore_location, location_tag, register_package  # noqa: F401
from torch._locations import restorer as _get_restore_location
from torch._logging import _switches
from torch._pickle_limits import brief as _brief

TYPE_CHECKING = False  # a type checker takes it for true
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import IO, Any

DEFAULT_PROTOCOL = 2
MAGIC_NUMBER, PROTOCOL_VERSION = _legacy_load.MAGIC, _legacy_load.PROTOCOL
FileLike = MAP_LOCATION = object


class SourceChangeWarning(Warning):
    """Kept for programs that filter it.

    Example:
        >>> issubclass(torch.serialization.SourceChangeWarning, Warning)
        True
    """


def _get_layout(name: Any) -> torch.layout:
    """The layout of that name: how pickles refer to layouts."""
    layout = getattr(torch, name.rpartition(".")[2], None) if isinstance(name, str) else None
    if not isinstance(layout, torch.layout):
        raise pickle.UnpicklingError(f"unknown layout {_brief(name)}")
    return layout


copyreg.pickle(torch.layout, lambda layout: (_get_layout, (str(layout),)))


class _Settings(threading.local):
    mmap_default = False
    crc = True
    endianness = None
    skip_data = False


_settings = _Settings()
config = _settings


def set_default_mmap_options(flags: int) -> _Restore:
    """Set how `load` maps files, for programs that do.

    Args:
        flags (int): of the module mmap; kept, but a mapped file is always private to the process

    Returns:
        a context manager that puts the flags back

    Example:
        >>> import mmap
        >>> with torch.serialization.set_default_mmap_options(mmap.MAP_PRIVATE):
        ...     pass
    """
    return _Restore("mmap_flags", flags)


def get_default_mmap_options() -> int:
    """The flags that `set_default_mmap_options` was given.

    Returns:
        the flags, mmap.MAP_PRIVATE at the start

    Example:
        >>> import mmap
        >>> torch.serialization.get_default_mmap_options() == mmap.MAP_PRIVATE
        True
    """
    import mmap

    return getattr(_settings, "mmap_flags", mmap.MAP_PRIVATE)


class _Restore:
    """A setting, which a `with` block puts back at its end."""

    def __init__(self, name: str, value: Any) -> None:
        self.name, self.before = name, getattr(_settings, name, None)
        setattr(_settings, name, value)

    def __enter__(self) -> _Restore:
        return self

    def __exit__(self, *problem: object) -> None:
        setattr(_settings, self.name, self.before)


def set_crc32_options(compute_crc32: bool) -> None:
    """Set whether `save` is to compute checksums.

    Args:
        compute_crc32 (bool): kept for programs that ask; files always have them

    Example:
        >>> torch.serialization.set_crc32_options(True)
    """
    _settings.crc = compute_crc32


def get_crc32_options() -> bool:
    """What `set_crc32_options` was given.

    Returns:
        True at the start

    Example:
        >>> torch.serialization.get_crc32_options()
        True
    """
    return _settings.crc


def set_default_load_endianness(endianness: Any) -> None:
    """Set the byte order of files that do not name theirs.

    Args:
        endianness (LoadEndianness or None): kept for programs that ask; such files are read in the machine's order

    Example:
        >>> torch.serialization.set_default_load_endianness(None)
    """
    _settings.endianness = endianness


def get_default_load_endianness() -> Any:
    """What `set_default_load_endianness` was given.

    Returns:
        None at the start

    Example:
        >>> torch.serialization.get_default_load_endianness() is None
        True
    """
    return _settings.endianness


class skip_data:
    """A block in which files are written and read without tensor data.

    `save` keeps room for the data, and `load` leaves it unset.

    Args:
        materialize_fake_tensors (bool, default False): accepted for compatibility

    Example:
        >>> import io
        >>> file = io.BytesIO()
        >>> with torch.serialization.skip_data():
        ...     torch.save(torch.ones(3), file)
        >>> torch.load(io.BytesIO(file.getvalue()))
        tensor([0., 0., 0.])
    """

    def __init__(self, materialize_fake_tensors: bool = False) -> None:
        self.materialize_fake_tensors = materialize_fake_tensors

    def __enter__(self) -> None:
        self.before, _settings.skip_data = _settings.skip_data, True

    def __exit__(self, *problem: object) -> None:
        _settings.skip_data = self.before


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
    _safe_globals.add(safe_globals)


def get_safe_globals() -> list[Any]:
    """What `add_safe_globals` was given.

    Returns:
        the objects

    Example:
        >>> torch.serialization.get_safe_globals()
        []
    """
    return _safe_globals.added()


def clear_safe_globals() -> None:
    """Forget what `add_safe_globals` was given.

    Example:
        >>> torch.serialization.clear_safe_globals()
        >>> torch.serialization.get_safe_globals()
        []
    """
    _safe_globals.clear()


safe_globals = _safe_globals.scope


def get_unsafe_globals_in_checkpoint(f: str | os.PathLike[str] | IO[bytes]) -> list[str]:
    """Names in a checkpoint that `weights_only=True` would refuse.

    Args:
        f (str, PathLike or file): a path, or an object that can be read and sought

    Returns:
        the dotted names

    Raises:
        ValueError: it is no checkpoint

    Example:
        >>> import io, pathlib
        >>> file = io.BytesIO()
        >>> torch.save(pathlib.PurePosixPath("a"), file)
        >>> torch.serialization.get_unsafe_globals_in_checkpoint(io.BytesIO(file.getvalue()))
        ['pathlib.PurePosixPath']
    """
    from torch._weights_only_unpickler import unsafe_globals

    with _opened(f) as file:
        if not _archive.is_archive(file):
            raise ValueError("Expected input to be a checkpoint returned by torch.save")
        return unsafe_globals(_archive.Reader(file).read("data.pkl"))


class _opened:
    """A path opened for reading, or an object that can be read and sought, left open."""

    def __init__(self, f: Any) -> None:
        self.path = isinstance(f, (str, os.PathLike))
        self.given = f

    def __enter__(self) -> Any:
        self.file = open(self.given, "rb") if self.path else self.given
        return self.file

    def __exit__(self, *problem: object) -> None:
        if self.path:
            self.file.close()


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
            _legacy_load.save(obj, out, pickle_module, pickle_protocol)


def _save_archive(
    obj: object,
    out: Any,
    name: str,
    pickle_module: Any,
    pickle_protocol: int,
    record_byteorder: bool,
) -> tuple[int, int, int]:
    """Write the archive. Gives the numbers of its storages, of their bytes, and of the pickle's bytes."""
    data, storages = _pickled(obj, pickle_module, pickle_protocol)
    writer = _archive.Writer(out, name)
    try:
        writer.write("data.pkl", data)
        writer.write(".format_version", "1")
        writer.write(".storage_alignment", str(_archive.ALIGNMENT))
        if record_byteorder:
            writer.write("byteorder", sys.byteorder)
        for key, storage in storages.items():
            content = bytes(storage.nbytes()) if _settings.skip_data else _archive.storage_bytes(storage.cpu())
            writer.write(f"data/{key}", content)
        writer.close()
    except BaseException:
        writer.abandon()
        raise
    return len(storages), sum(storage.nbytes() for storage in storages.values()), len(data)


def _pickled(obj: object, pickle_module: Any, protocol: int) -> tuple[bytes, dict[str, Any]]:
    """(pickle of `obj`, storages by key): tensors that share a storage share it in the file."""
    keys, storages, dtypes = {}, {}, {}

    def persistent_id(value):
        storage, kind, dtype = _legacy_load.describe_storage(value)
        if storage is None:
            return None
        address = storage.data_ptr()
        if address and dtypes.setdefault(address, dtype) != dtype:
            raise RuntimeError("Cannot save multiple tensors or storages that view the same data as different types")
        location = sys.intern(location_tag(storage))  # one memo entry for all storages
        key = keys.setdefault(storage._cdata, str(len(keys)))
        storages[key] = storage
        return ("storage", kind, key, location, storage.nbytes() // dtype.itemsize)

    class Pickler(pickle_module.Pickler):
        def persistent_id(self, value):
            return persistent_id(value)

    out = io.BytesIO()
    Pickler(out, protocol=protocol).dump(obj)
    return out.getvalue(), storages


_ADVICE = (
    "Weights only load failed. `torch.load` loads only tensors and plain data, unless "
    "weights_only=False says that the "
    "file is trusted: then it can run any code. Do that only with files from a source you trust.\n\n"
)


def load(
    f: str | os.PathLike[str] | IO[bytes],
    map_location: Any = None,
    pickle_module: Any = None,
    *,
    weights_only: bool | None = None,
    mmap: bool | None = None,
    **pickle_load_args: Any,
) -> Any:
    """Read what `save` wrote.

    Args:
        f (str, PathLike or file): a path, or an object that can be read and sought
        map_location (device, str, dict or function, optional): a device for all storages, a dictionary of locations, or a
            function (storage, location) -> storage
        pickle_module (module, optional): what unpickles, where not only weights are loaded
        weights_only (bool, default True): refuse files that name anything but tensors and plain data; False runs the pickle,
            which can do whatever its author wished
        mmap (bool, default False): map the storages onto the file instead of reading them
        **pickle_load_args (Any): passed to the unpickler

    Returns:
        the object

    Raises:
        pickle.UnpicklingError: the file is damaged, or names what is refused
        RuntimeError: the file is no checkpoint, or lies about sizes

    Example:
        >>> import io
        >>> file = io.BytesIO()
        >>> torch.save(torch.arange(3), file)
        >>> torch.load(io.BytesIO(file.getvalue()), map_location="cpu")
        tensor([0, 1, 2])
    """
    if weights_only is None:
        forced = _environment.flag("TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD")
        weights_only = not forced and pickle_module is None
    if weights_only and pickle_module is not None:
        raise RuntimeError("Can not safely load weights when explicit pickle_module is specified")
    path = isinstance(f, (str, os.PathLike))
    mmap = bool(_settings.mmap_default if mmap is None else mmap)
    if mmap and not path:
        raise ValueError("f must be a file path in order to use the mmap argument")
    if not path:
        for name in ("seek", "tell", "read", "readline"):
            if not hasattr(f, name):
                raise AttributeError(
                    f"{type(f).__name__!r} object has no attribute '{name}'. You can only "
                    "torch.load from a file "
                    "that is seekable. Please pre-load the data into a buffer like "
                    "io.BytesIO and try to load "
                    "from it instead."
                )
    pickle_load_args.setdefault("encoding", "utf-8")
    restore = _get_restore_location(map_location)
    make = _unpickler_factory(weights_only, pickle_module or pickle, pickle_load_args)
    if _switches.serialization:
        _switches.serialization("load %s: weights_only=%s, mmap=%s, map_location=%s", f, weights_only, mmap, map_location)
    with _opened(f) as file:
        try:
            if _archive.is_archive(file):
                return _load_archive(_at_start(file), f, restore, make, mmap, weights_only)
            if mmap:
                raise RuntimeError(
                    "mmap can only be used with files saved with "
                    "`torch.save(_use_new_zipfile_serialization=True)`"
                    ", please torch.save your checkpoint with this option in order to use "
                    "mmap."
                )
            if not file.read(1):
                raise EOFError("Ran out of input: the file is empty")
            file.seek(-1, 1)
            plain = _plain_loader(weights_only, pickle_module or pickle, pickle_load_args)
            return _legacy_load.load(file, restore, make, plain)
        except pickle.UnpicklingError as problem:
            if weights_only:
                raise pickle.UnpicklingError(_ADVICE + str(problem)) from None
            raise


class _Window(io.RawIOBase):
    """The rest of a file from where it stands, as a file of its own."""

    def __init__(self, file: Any, start: int) -> None:
        self.file, self.start = file, start

    def read(self, size: int = -1) -> bytes:
        return self.file.read(size)

    def readinto(self, target: Any) -> int:
        data = self.file.read(len(target))
        target[: len(data)] = data
        return len(data)

    def seek(self, offset: int, whence: int = 0) -> int:
        return self.file.seek(offset + self.start if whence == 0 else offset, whence) - self.start

    def tell(self) -> int:
        return self.file.tell() - self.start

    def seekable(self) -> bool:
        return True


def _at_start(file: Any) -> Any:
    start = file.tell()
    return file if start == 0 else _Window(file, start)


def _unpickler_factory(weights_only: bool, pickle_module: Any, arguments: dict[str, Any]) -> Callable[..., Any]:
    """A function (file, persistent_load) -> unpickler."""
    if weights_only:
        from torch._weights_only_unpickler import Unpickler

        arguments = {"encoding": arguments["encoding"]}
    else:

        class Unpickler(pickle_module.Unpickler):
            def find_class(self, module, name):
                if type(name) is str and "Storage" in name and (module, name) == ("torch.storage", "UntypedStorage"):
                    return torch.UntypedStorage
                return super().find_class(module, name)

    def make(file, persistent_load):
        unpickler = Unpickler(file, **arguments)
        unpickler.persistent_load = persistent_load
        return unpickler

    return make


def _plain_loader(weights_only: bool, pickle_module: Any, arguments: dict[str, Any]) -> Callable[..., Any]:
    if weights_only:
        from torch._weights_only_unpickler import load as plain

        return plain
    return lambda file: pickle_module.load(file, **arguments)


def _mapping(path: Any) -> Any:
    """The file in memory, private: writes go to this process's copy alone."""
    import mmap

    with open(path, "rb") as file:
        return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY)


def _load_archive(
    file: Any,
    path: Any,
    restore: Callable[..., Any],
    make: Callable[..., Any],
    mapped: bool,
    weights_only: bool,
) -> Any:
    reader = _archive.Reader(file, _mapping(path) if mapped else None)
    if "constants.pkl" in reader:
        raise RuntimeError("this file is a TorchScript archive; torch.jit.load of PyTorch reads those")
    order = reader.read("byteorder") if "byteorder" in reader else sys.byteorder.encode()
    if order not in (b"little", b"big"):
        raise ValueError(f"Unknown endianness type: {order!r}")
    swap = order != sys.byteorder.encode()
    loaded = {}

    def persistent_load(pid):
        dtype, key, location, count, _ = _legacy_load.check_pid(pid, 5)
        if key not in loaded:
            storage = _storage(reader, f"data/{key}", count * dtype.itemsize, location)
            if swap and dtype.itemsize > 1 and not _settings.skip_data:
                storage.byteswap(dtype)
            placed = restore(storage, location)
            if _switches.serialization:
                _switches.serialization("loaded storage %s: %d bytes of %s for %s", key, placed.nbytes(), dtype, location)
            loaded[key] = torch.storage.TypedStorage(wrap_storage=placed, dtype=dtype, _internal=True)
        found = loaded[key]
        if found.dtype != dtype and found.nbytes() < count * dtype.itemsize:
            raise RuntimeError(f"storage {key} has {found.nbytes()} bytes, but {count} elements of {dtype} are expected")
        return torch.storage.TypedStorage(wrap_storage=found._untyped_storage, dtype=dtype, _internal=True)

    data = io.BytesIO(reader.read("data.pkl"))
    return make(data, persistent_load).load()


def _storage(reader: Any, record: str, nbytes: int, location: str) -> Any:
    if location == "meta":
        return torch.UntypedStorage(nbytes, device="meta")
    if _settings.skip_data:
        if nbytes > reader.size(record):
            raise RuntimeError(f"record {record} has {reader.size(record)} bytes, but {nbytes} are expected")
        return torch.UntypedStorage(nbytes)
    return reader.storage(record, nbytes)


def normalize_storage_type(storage_type: type) -> type:
    """The storage class of `torch` with the name of a class.

    Args:
        storage_type (type): such as `torch.FloatStorage`

    Returns:
        the class

    Example:
        >>> torch.serialization.normalize_storage_type(torch.FloatStorage)
        <class 'torch.FloatStorage'>
    """
    return getattr(torch, storage_type.__name__)


def check_module_version_greater_or_equal(module: Any, req_version_tuple: Sequence[int], error_if_malformed: bool = True) -> bool:
    """Whether a module is of at least some version.

    Args:
        module (module): with a `__version__`
        req_version_tuple (Sequence[int]): the version
        error_if_malformed (bool, default True): accepted for compatibility

    Returns:
        whether `__version__` is not below it

    Example:
        >>> torch.serialization.check_module_version_greater_or_equal(torch, (1, 0))
        True
    """
    from torch.torch_version import _parts

    return _parts(module.__version__)[0] >= _parts(req_version_tuple)[0]


_lazy.names_what_is_absent(__name__)
