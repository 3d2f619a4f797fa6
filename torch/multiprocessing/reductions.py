"""How tensors and storages are sent: as a handle of their shared memory, and a description of its content.

A storage that arrives twice in a process becomes one storage, so that views still share it."""

import multiprocessing
import os
from multiprocessing.reduction import ForkingPickler

import torch
from torch.multiprocessing import _named_memory


class _Handle:
    """A descriptor that the receiver fetches from the sender's resource sharer, or inherits when it is started."""

    def __init__(self, fd):
        self.held = multiprocessing.reduction.DupFd(fd)

    def open(self):
        return self.held.detach()


def rebuild_storage(handle, nbytes):
    """Rebuilds the storage that `reduce_storage` pickled."""
    fd = handle.open()
    try:
        return torch.UntypedStorage._new_shared_fd_cpu(fd, nbytes)
    finally:
        os.close(fd)


def _rebuild_without_memory(nbytes, device):
    return torch.UntypedStorage(nbytes, device=device)


def reduce_storage(storage):
    """(function, arguments) for the pickler. Moves the storage into shared memory."""
    if storage.device.type == "meta" or storage.nbytes() == 0:
        return _rebuild_without_memory, (storage.nbytes(), storage.device)
    fd, nbytes = storage._share_fd_cpu_()
    by_name = torch.multiprocessing.get_sharing_strategy() == "file_system"
    return rebuild_storage, ((_named_memory.Handle if by_name else _Handle)(fd), nbytes)


def rebuild_typed_storage(storage, dtype):
    return torch.storage.TypedStorage(wrap_storage=storage, dtype=dtype, _internal=True)


def reduce_typed_storage(storage):
    return rebuild_typed_storage, (storage._untyped_storage, storage.dtype)


def rebuild_tensor(kind, storage, metadata):
    """Rebuilds the tensor that `reduce_tensor` pickled."""
    offset, size, stride, dtype, requires_grad = metadata
    tensor = torch.empty((0,), dtype=dtype, device=storage.device).set_(storage, offset, size, stride)
    if kind is torch.nn.Parameter:
        return kind(tensor, requires_grad)
    return tensor.requires_grad_(requires_grad)


def refuse_history(tensor):
    if tensor.requires_grad and not tensor.is_leaf:
        raise RuntimeError(
            "Cowardly refusing to serialize non-leaf tensor which requires_grad: no gradient can flow to "
            "another process. To send the values alone, send tensor.detach()."
        )


def reduce_tensor(tensor):
    """(function, arguments) for the pickler."""
    refuse_history(tensor)
    if tensor.layout is not torch.strided or tensor.is_meta:
        return tensor.__reduce_ex__(4)
    if tensor._backward_hooks:
        from torch.serialization._tensor_pickle import warn_about_hooks

        warn_about_hooks(tensor)
    metadata = tensor.storage_offset(), tensor.size(), tensor.stride(), tensor.dtype, tensor.requires_grad
    return rebuild_tensor, (type(tensor), tensor.untyped_storage(), metadata)


def init_reductions():
    """Register these functions with Python's multiprocessing."""
    ForkingPickler.register(torch.Tensor, reduce_tensor)
    ForkingPickler.register(torch.nn.Parameter, reduce_tensor)
    ForkingPickler.register(torch.UntypedStorage, reduce_storage)
    ForkingPickler.register(torch.TypedStorage, reduce_typed_storage)
    for name in torch.storage._DTYPES:
        ForkingPickler.register(getattr(torch, name), reduce_typed_storage)
