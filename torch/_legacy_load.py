"""Files from before the zip format: pickles one after the other, then the raw storages."""

import pickle
import struct
import sys

import torch
from torch import _C, _archive

MAGIC = 0x1950A86A20F9469CFC6C
PROTOCOL = 1001


def save(obj, file, pickle_module, pickle_protocol):
    """Write `obj` in the old format."""
    storages, keys = {}, {}

    def persistent_id(value):
        kind, name, dtype = describe_storage(value)
        if kind is None:
            return None
        key = keys.setdefault(kind._cdata, str(kind._cdata))
        storages[key] = (kind, dtype)
        location = torch.serialization.location_tag(kind)
        return ("storage", name, key, location, kind.nbytes() // dtype.itemsize, None)

    for value in (MAGIC, PROTOCOL, {"protocol_version": PROTOCOL, "little_endian": sys.byteorder == "little",
                                    "type_sizes": {"short": 2, "int": 4, "long": 4}}):
        pickle_module.dump(value, file, protocol=pickle_protocol)

    class Pickler(pickle_module.Pickler):
        def persistent_id(self, value):
            return persistent_id(value)

    Pickler(file, protocol=pickle_protocol).dump(obj)
    order = sorted(storages)
    pickle_module.dump(order, file, protocol=pickle_protocol)
    file.flush() if hasattr(file, "flush") else None
    for key in order:
        storage, dtype = storages[key]
        storage = storage.cpu()
        file.write(struct.pack("<q", storage.nbytes() // dtype.itemsize))
        file.write(_archive.storage_bytes(storage))


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
        raise pickle.UnpicklingError(f"a file names {kind!r} in the place of a storage class")
    return dtype


def check_pid(pid, least):
    """The parts of a storage's persistent id, checked: a file can say anything."""
    if not isinstance(pid, tuple) or len(pid) < least:
        raise pickle.UnpicklingError(f"bad persistent id {pid!r}")
    tag, kind, key, location, count, *rest = pid
    tag, key, location = (part.decode() if isinstance(part, bytes) else part for part in (tag, key, location))
    if tag != "storage":
        raise RuntimeError(f"Unknown typename for persistent_load, expected 'storage' but got '{tag}'")
    if (
        not isinstance(key, (str, int))
        or not isinstance(location, str)
        or not isinstance(count, int)
        or not 0 <= count < 1 << 60
    ):
        raise pickle.UnpicklingError(f"bad persistent id {pid!r}")
    return storage_dtype(kind), str(key), location, count, rest


def load(file, restore, make_unpickler, load_plain):
    """Read what `save` wrote. The bytes of each storage follow after the pickles: tensors are filled then."""
    with torch._utils.sparse_checks_deferred():
        return _load(file, restore, make_unpickler, load_plain)


def _load(file, restore, make_unpickler, load_plain):
    try:
        magic = load_plain(file)
    except (UnicodeDecodeError, AttributeError, IndexError, ValueError) as problem:
        raise pickle.UnpicklingError(f"not a checkpoint: {problem}") from None
    if not isinstance(magic, int) or magic != MAGIC:
        raise RuntimeError("Invalid magic number; corrupt file?")
    protocol = load_plain(file)
    if protocol != PROTOCOL:
        raise RuntimeError(f"Invalid protocol version: {protocol}")
    load_plain(file)
    placed, raw = {}, {}
    here = file.tell()
    end = file.seek(0, 2)
    file.seek(here)

    def persistent_load(pid):
        dtype, key, location, count, rest = check_pid(pid, 5)
        if key not in placed:
            nbytes = count * dtype.itemsize
            if nbytes > end:
                raise RuntimeError(f"unexpected EOF, expected {nbytes - end} more bytes. The file might be "
                                   "corrupted.")
            raw[key] = _C.UntypedStorage(nbytes)
            placed[key] = restore(raw[key], location), dtype
        storage, dtype = placed[key]
        if rest and rest[0] is not None:
            _, start, length = rest[0]
            start, stop = start * dtype.itemsize, (start + length) * dtype.itemsize
            if not 0 <= start <= stop <= storage.nbytes():
                raise pickle.UnpicklingError(f"bad view of a storage: {rest[0]!r}")
            storage = storage[start:stop]
        return torch.storage.TypedStorage(wrap_storage=storage, dtype=dtype, _internal=True)

    result = make_unpickler(file, persistent_load).load()
    order = load_plain(file)
    if not isinstance(order, list) or not all(str(key) in raw for key in order):
        raise RuntimeError("the list of storages does not match those that the file uses: corrupt file")
    for key in map(str, order):
        size = file.read(8)
        target = raw[key]
        if len(size) != 8:
            raise RuntimeError(f"unexpected EOF, expected {8 - len(size)} more bytes. The file might be "
                               "corrupted.")
        count = struct.unpack("<q", size)[0]
        if count * placed[key][1].itemsize != target.nbytes():
            raise RuntimeError(f"a storage of {target.nbytes()} bytes is given with {count} elements: "
                               "corrupt file")
        data = file.read(target.nbytes())
        if len(data) != target.nbytes():
            raise RuntimeError(f"unexpected EOF, expected {target.nbytes() - len(data)} more bytes. The "
                               "file might be corrupted.")
        _archive.storage_bytes(target)[:] = data
        if placed[key][0] is not target and not placed[key][0].device.type == "meta":
            placed[key][0].copy_(target)
    return result
