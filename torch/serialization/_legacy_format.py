"""Files from before the zip format: pickles one after the other, then the raw storages."""

import contextlib
import inspect
import pickle
import struct
import sys
import warnings

import torch
from torch import _C
from torch.serialization import _archive
from torch.serialization._compatibility import SourceChangeWarning
from torch.serialization._locations import location_tag
from torch.serialization._pickle_limits import brief

MAGIC_NUMBER = 0x1950A86A20F9469CFC6C
PROTOCOL_VERSION = 1001


def save(obj, file, pickle_module, pickle_protocol):
    """Write `obj` in the old format."""
    storages, keys = {}, {}

    def persistent_id(value):
        kind, name, dtype = describe_storage(value)
        if kind is None:
            return None
        key = keys.setdefault(kind._cdata, str(kind._cdata))
        storages[key] = (kind, dtype)
        location = location_tag(kind)
        return ("storage", name, key, location, kind.nbytes() // dtype.itemsize, None)

    for value in (
        MAGIC_NUMBER,
        PROTOCOL_VERSION,
        {
            "protocol_version": PROTOCOL_VERSION,
            "little_endian": sys.byteorder == "little",
            "type_sizes": {"short": 2, "int": 4, "long": 4},
        },
    ):
        pickle_module.dump(value, file, protocol=pickle_protocol)

    class Pickler(pickle_module.Pickler):
        def persistent_id(self, value):
            return persistent_id(value)

    Pickler(file, protocol=pickle_protocol).dump(obj)
    order = sorted(storages)
    pickle_module.dump(order, file, protocol=pickle_protocol)
    for key in order:
        storage, dtype = storages[key]
        storage = storage.cpu()
        file.write(struct.pack("<q", storage.nbytes() // dtype.itemsize))
        file.write(_archive.storage_bytes(storage))


STORAGES = torch.UntypedStorage, torch.storage.TypedStorage


def describe_storage(value):
    """(untyped storage, class that names its kind, dtype), or Nones for anything else."""
    if isinstance(value, torch.UntypedStorage):
        return value, torch.UntypedStorage, torch.uint8
    if isinstance(value, torch.storage.TypedStorage):
        return value._untyped_storage, getattr(torch, value.pickle_storage_type()), value.dtype
    return None, None, None


def storage_dtype(kind):
    """dtype of the elements of a storage class that a file names."""
    if kind is torch.UntypedStorage:
        return torch.uint8
    dtype = getattr(kind, "_fixed_dtype", None)
    if dtype is None:
        raise pickle.UnpicklingError(f"a file names {brief(kind)} in the place of a storage class")
    return dtype


def check_pid(pid, min_length):
    """The parts of a storage's persistent id, checked, because files cannot be trusted."""
    if not isinstance(pid, tuple) or len(pid) < min_length:
        raise pickle.UnpicklingError(
            f"bad persistent id of {len(pid) if isinstance(pid, tuple) else 1} parts: "
            f"{[brief(part) for part in pid] if isinstance(pid, tuple) else brief(pid)}"
        )
    tag, kind, key, location, count, *rest = pid
    tag, key, location = (part.decode() if isinstance(part, bytes) else part for part in (tag, key, location))
    if tag != "storage":
        raise RuntimeError(f"Unknown typename for persistent_load, expected 'storage' but got {brief(tag)}")
    if not isinstance(key, (str, int)) or not isinstance(location, str) or not isinstance(count, int) or not 0 <= count < 1 << 60:
        raise pickle.UnpicklingError(f"bad persistent id: {[brief(part) for part in pid]}")
    return storage_dtype(kind), str(key), location, count, rest


def load(file, restore, make_unpickler, load_plain):
    """Read what `save` wrote. The bytes of storages come after the pickles, so tensors are filled last."""
    placed, raw = {}, {}
    here = file.tell()
    with torch._utils.storages_unfilled() as left_over:
        result = _load(file, restore, make_unpickler, load_plain, placed, raw)
    if not left_over():
        return result
    # Now that the values are read, rebuild the tensors that depend on them (a conjugate bit, indices to check).
    end = file.tell()
    file.seek(here)
    for _ in range(3):
        load_plain(file)
    result = _run(file, make_unpickler, restore, placed, raw, 0)
    file.seek(end)
    return result


def _load(file, restore, make_unpickler, load_plain, placed, raw):
    try:
        magic = load_plain(file)
    except (UnicodeDecodeError, AttributeError, IndexError, ValueError) as problem:
        raise pickle.UnpicklingError(f"not a checkpoint: {problem}") from None
    if not isinstance(magic, int) or magic != MAGIC_NUMBER:
        raise RuntimeError("Invalid magic number; corrupt file?")
    protocol = load_plain(file)
    if protocol != PROTOCOL_VERSION:
        raise RuntimeError(f"Invalid protocol version: {protocol}")
    load_plain(file)
    here = file.tell()
    end = file.seek(0, 2)
    file.seek(here)
    result = _run(file, make_unpickler, restore, placed, raw, end)
    order = load_plain(file)
    if not isinstance(order, list) or not all(str(key) in raw for key in order):
        raise RuntimeError("the list of storages does not match those that the file uses: corrupt file")
    for key in map(str, order):
        size = file.read(8)
        target = raw[key]
        if len(size) != 8:
            raise RuntimeError(f"unexpected EOF, expected {8 - len(size)} more bytes. The file might be corrupted.")
        count = struct.unpack("<q", size)[0]
        if count * placed[key][1].itemsize != target.nbytes():
            raise RuntimeError(f"a storage of {target.nbytes()} bytes is given with {count} elements: corrupt file")
        data = file.read(target.nbytes())
        if len(data) != target.nbytes():
            raise RuntimeError(f"unexpected EOF, expected {target.nbytes() - len(data)} more bytes. The file might be corrupted.")
        _archive.storage_bytes(target)[:] = data
        if placed[key][0] is not target and not placed[key][0].device.type == "meta":
            placed[key][0].copy_(target)
    return result


def _run(file, make_unpickler, restore, placed, raw, room):
    """Run the pickle of the object. Storages that are not in `placed` are created, at most `room` bytes of them."""

    def persistent_load(pid):
        nonlocal room
        if isinstance(pid, tuple) and len(pid) == 4 and pid[0] in ("module", b"module"):
            return _module_class(*pid[1:])
        dtype, key, location, count, rest = check_pid(pid, 5)
        if key not in placed:
            nbytes = count * dtype.itemsize
            room -= nbytes
            if room < 0:
                raise RuntimeError(f"unexpected EOF, expected {-room} more bytes. The file might be corrupted.")
            raw[key] = _C.UntypedStorage(nbytes)
            placed[key] = restore(raw[key], location), dtype
        storage, dtype = placed[key]
        if rest and rest[0] is not None:
            _, start, length = rest[0]
            start, stop = start * dtype.itemsize, (start + length) * dtype.itemsize
            if not 0 <= start <= stop <= storage.nbytes():
                raise pickle.UnpicklingError(f"bad view of a storage: {brief(rest[0])}")
            storage = storage[start:stop]
        return torch.storage.TypedStorage(wrap_storage=storage, dtype=dtype, _internal=True)

    return make_unpickler(file, persistent_load).load()


def _module_class(kind, source_file, source):
    """The class of a module, which these files mention with its source text."""
    if not isinstance(kind, type):
        raise pickle.UnpicklingError(f"a file names {brief(kind)} in the place of a module's class")
    if source and not kind.__module__.startswith("torch."):
        with contextlib.suppress(OSError, TypeError):
            if inspect.getsource(kind) != source:
                warnings.warn(
                    f"the source code of {kind.__module__}.{kind.__qualname__} is not what it was when the "
                    f"file was saved (it came from {source_file})",
                    SourceChangeWarning,
                    stacklevel=2,
                )
    return kind
