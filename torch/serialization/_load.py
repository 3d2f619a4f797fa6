"""`torch.load`: reads the archives of `_save`, and the files from before them."""

from __future__ import annotations

import io
import os
import pickle
import sys

import torch
from torch import _environment
from torch._logging import _switches
from torch.serialization import _archive, _layout, _legacy_format  # noqa: F401  (_layout registers itself)
from torch.serialization._locations import _get_restore_location
from torch.serialization._options import config

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import IO, Any

_ADVICE = (
    "Weights only load failed. `torch.load` loads only tensors and plain data, unless weights_only=False says "
    "that the file is trusted: then it can run any code. Do that only with files from a source you trust.\n"
    "\n"
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
    mmap = bool(config.mmap_default if mmap is None else mmap)
    if mmap and not path:
        raise ValueError("f must be a file path in order to use the mmap argument")
    if not path:
        for name in ("seek", "tell", "read", "readline"):
            if not hasattr(f, name):
                raise AttributeError(
                    f"{type(f).__name__!r} object has no attribute '{name}'. You can only torch.load from a file "
                    "that is seekable. Please pre-load the data into a buffer like io.BytesIO and try to load "
                    "from it instead."
                )
    pickle_load_args.setdefault("encoding", "utf-8")
    restore = _fake_location(map_location) or _get_restore_location(map_location)
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
            return _legacy_format.load(file, restore, make, plain)
        except pickle.UnpicklingError as problem:
            if weights_only:
                raise pickle.UnpicklingError(_ADVICE + str(problem)) from None
            raise


class _Window(io.RawIOBase):
    """The rest of a file from its current position, as a file object."""

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
        from torch.serialization._weights_only_unpickler import Unpickler

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
        from torch.serialization._weights_only_unpickler import load as plain

        return plain
    return lambda file: pickle_module.load(file, **arguments)


def _mapping(path: Any) -> Any:
    """The file mapped into memory, privately: writes change only this process's copy."""
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
        dtype, key, location, count, _ = _legacy_format.check_pid(pid, 5)
        if key not in loaded:
            if isinstance(restore, _FakeLocation):
                loaded[key] = restore.storage(count * dtype.itemsize, location, dtype)
                return loaded[key]
            storage = _storage(reader, f"data/{key}", count * dtype.itemsize, location)
            if swap and dtype.itemsize > 1 and not config.skip_data:
                storage.byteswap(dtype)
            placed = restore(storage, location)
            if _switches.serialization:
                _switches.serialization("loaded storage %s: %d bytes of %s for %s", key, placed.nbytes(), dtype, location)
            loaded[key] = torch.storage.TypedStorage(wrap_storage=placed, dtype=dtype, _internal=True)
        found = loaded[key]
        if found.dtype != dtype and found.nbytes() < count * dtype.itemsize:
            raise RuntimeError(f"storage {key} has {found.nbytes()} bytes, but {count} elements of {dtype} are expected")
        typed = torch.storage.TypedStorage(wrap_storage=found._untyped_storage, dtype=dtype, _internal=True)
        if isinstance(restore, _FakeLocation):
            typed._fake_device = found._fake_device
        return typed

    data = io.BytesIO(reader.read("data.pkl"))
    return make(data, persistent_load).load()


class _FakeLocation:
    """Storages without memory, for the device that `map_location` names: of files that are loaded under FakeTensorMode."""

    def __init__(self, map_location: Any) -> None:
        if map_location is not None and not isinstance(map_location, (dict, str, bytes, torch.device)):
            raise NotImplementedError("torch.load() under FakeTensorMode: map_location must be a device or a dictionary")
        self.map_location = map_location

    def storage(self, nbytes: int, location: str, dtype: torch.dtype) -> Any:
        place = self.map_location
        if isinstance(place, dict):
            place = place.get(location, location)
        place = location if place is None else place.decode("ascii") if isinstance(place, bytes) else str(place)
        untyped = torch.UntypedStorage(nbytes, device="meta")
        typed = torch.storage.TypedStorage(wrap_storage=untyped, dtype=dtype, _internal=True)
        typed._fake_device = torch.device(place)
        return typed


def _fake_location(map_location: Any) -> _FakeLocation | None:
    if not torch._C._len_torch_dispatch_stack() or not torch._C._get_dispatch_mode(torch._C._TorchDispatchModeKey.FAKE):
        return None
    return _FakeLocation(map_location)


def _storage(reader: Any, record: str, nbytes: int, location: str) -> Any:
    if location == "meta":
        return torch.UntypedStorage(nbytes, device="meta")
    if config.skip_data:
        if nbytes > reader.size(record):
            raise RuntimeError(f"record {record} has {reader.size(record)} bytes, but {nbytes} are expected")
        return torch.UntypedStorage(nbytes)
    return reader.storage(record, nbytes)


class _opened:
    """A path opened for reading, or a readable and seekable object, which stays open."""

    def __init__(self, f: Any) -> None:
        self.path = isinstance(f, (str, os.PathLike))
        self.given = f

    def __enter__(self) -> Any:
        self.file = open(self.given, "rb") if self.path else self.given
        return self.file

    def __exit__(self, *problem: object) -> None:
        if self.path:
            self.file.close()


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
    from torch.serialization._weights_only_unpickler import unsafe_globals

    with _opened(f) as file:
        if not _archive.is_archive(file):
            raise ValueError("Expected input to be a checkpoint returned by torch.save")
        return unsafe_globals(_archive.Reader(file).read("data.pkl"))
