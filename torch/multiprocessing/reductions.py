"""Tensors between processes: small ones as bytes in the message, large ones as files in shared memory.

The file is made by the sender and unlinked by the receiver as soon as it is mapped. Its name carries the
process id of the sender, so that whoever watches a dead process can remove what it left."""

import io
import itertools
import mmap
import os
import tempfile
from multiprocessing.reduction import ForkingPickler

import torch
from torch import _archive

_INLINE_BYTES = 1 << 16
_counter = itertools.count()


def _folder():
    return "/dev/shm" if os.path.isdir("/dev/shm") else tempfile.gettempdir()


def _prefix(pid):
    return f"torch_{pid}_"


def remove_leftovers(pids):
    """Remove the files that processes sent and nobody received."""
    prefixes = tuple(_prefix(pid) for pid in pids)
    folder = _folder()
    if not prefixes:
        return
    for name in os.listdir(folder):
        if name.startswith(prefixes):
            try:
                os.unlink(os.path.join(folder, name))
            except OSError:
                pass


def _share(data):
    """A file in shared memory with these bytes, or None where there is no room for one."""
    path = os.path.join(_folder(), f"{_prefix(os.getpid())}{next(_counter)}")
    try:
        handle = os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600)
    except OSError:
        return None
    try:
        # a write into a full file system would kill the process instead
        os.posix_fallocate(handle, 0, len(data))
        done = 0
        while done < len(data):
            done += os.write(handle, data[done:])
        return path
    except OSError:
        os.unlink(path)
        return None
    finally:
        os.close(handle)


def _storage_from_file(path, nbytes):
    handle = os.open(path, os.O_RDWR)
    try:
        os.unlink(path)
        mapped = mmap.mmap(handle, nbytes)
    finally:
        os.close(handle)
    return _archive.storage_over(memoryview(mapped))


def _storage_from_bytes(data):
    storage = torch.UntypedStorage(len(data))
    _archive.storage_bytes(storage)[:] = data
    return storage


def rebuild_tensor(kind, data, nbytes, dtype, size, stride, requires_grad):
    """The tensor that `reduce_tensor` took apart."""
    storage = _storage_from_file(data, nbytes) if isinstance(data, str) else _storage_from_bytes(data)
    tensor = torch.empty((0,), dtype=dtype).set_(storage, 0, torch.Size(size), stride)
    if issubclass(kind, torch.nn.Parameter):
        return kind(tensor, requires_grad)
    tensor.requires_grad_(requires_grad)
    return tensor if kind is torch.Tensor else tensor.as_subclass(kind)


def reduce_tensor(tensor):
    """(function, arguments) for the pickler; only the elements of the tensor travel, not the rest of its
    storage."""
    if tensor.requires_grad and not tensor.is_leaf:
        raise RuntimeError("Cowardly refusing to serialize non-leaf tensor which requires_grad, since "
                           "autograd does not support "
                           "crossing process boundaries.  If you just want to transfer the data, call "
                           "detach() on the tensor "
                           "before serializing (e.g., putting it on the queue).")
    if tensor.layout is not torch.strided or tensor.is_meta:
        return tensor.__reduce_ex__(4)
    with torch.no_grad():
        plain = tensor.detach().as_subclass(torch.Tensor)
        plain = plain.resolve_conj().resolve_neg().contiguous()
    start, nbytes = plain.storage_offset() * plain.element_size(), plain.numel() * plain.element_size()
    view = _archive.storage_bytes(plain.untyped_storage())[start:start + nbytes]
    data = _share(view) if nbytes > _INLINE_BYTES else None
    return rebuild_tensor, (type(tensor), bytes(view) if data is None else data, nbytes, plain.dtype,
                            tuple(plain.size()),
                            plain.stride(), tensor.requires_grad)


def init_reductions():
    """Let Python's multiprocessing send tensors this way."""
    ForkingPickler.register(torch.Tensor, reduce_tensor)
    ForkingPickler.register(torch.nn.Parameter, reduce_tensor)


def dumps(value):
    """The bytes of a message."""
    out = io.BytesIO()
    ForkingPickler(out, 4).dump(value)
    return out.getbuffer()
