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
    if storage.device.type == "cuda":
        return torch.UntypedStorage._new_shared_cuda, storage._share_cuda_()
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


def _describe_cuda(tensor):
    """The arguments of `rebuild_cuda_tensor`. Programs may change the device, the seventh."""
    message = tensor.untyped_storage()._share_cuda_()
    device, handle, nbytes, offset, counters, counter, event, must_wait = message
    return (
        type(tensor), tensor.size(), tensor.stride(), tensor.storage_offset(), torch.UntypedStorage, tensor.dtype,
        device, handle, nbytes, offset, tensor.requires_grad, counters, counter, event, must_wait,
    )  # fmt: skip


def rebuild_cuda_tensor(
    tensor_cls, tensor_size, tensor_stride, tensor_offset, storage_cls, dtype, storage_device, storage_handle,
    storage_size_bytes, storage_offset_bytes, requires_grad, ref_counter_handle, ref_counter_offset, event_handle,
    event_sync_required,
):  # fmt: skip
    """Rebuilds the tensor on a GPU that `reduce_tensor` pickled."""
    storage = storage_cls._new_shared_cuda(
        storage_device, storage_handle, storage_size_bytes, storage_offset_bytes, ref_counter_handle, ref_counter_offset,
        event_handle, event_sync_required,
    )  # fmt: skip
    metadata = tensor_offset, tensor_size, tensor_stride, dtype, requires_grad
    return rebuild_tensor(tensor_cls, storage, metadata)


def reduce_event(event):
    """(function, arguments) for the pickler, of an event of torch.cuda that was made with interprocess=True."""
    handle = event.ipc_handle()
    return rebuild_event, (event.device, handle)


def rebuild_event(device, handle):
    """Rebuilds the event that `reduce_event` pickled."""
    return torch.cuda.Event.from_ipc_handle(device, handle)


def refuse_history(tensor):
    if tensor.requires_grad and not tensor.is_leaf:
        raise RuntimeError(
            "Cowardly refusing to serialize non-leaf tensor which requires_grad: no gradient can flow to "
            "another process. To send the values alone, send tensor.detach()."
        )


def _rebuild_with_bits(function, arguments, is_conj, is_neg, requires_grad):
    """Rebuilds a tensor whose elements are conjugated, or negated, when they are read."""
    tensor = function(*arguments).detach()
    if is_conj:
        tensor = tensor.conj()
    if is_neg:
        tensor = torch._neg_view(tensor)
    return tensor.requires_grad_(requires_grad)


def reduce_tensor(tensor):
    """(function, arguments) for the pickler."""
    refuse_history(tensor)
    function, arguments = _reduce_plain(tensor)
    if tensor.layout is torch.strided and not tensor.is_meta and (tensor.is_conj() or tensor.is_neg()):
        return _rebuild_with_bits, (function, arguments, tensor.is_conj(), tensor.is_neg(), tensor.requires_grad)
    return function, arguments


def _reduce_plain(tensor):
    if tensor.layout is not torch.strided or tensor.is_meta:
        return tensor.__reduce_ex__(4)
    if tensor._backward_hooks:
        from torch.serialization._tensor_pickle import warn_about_hooks

        warn_about_hooks(tensor)
    if tensor.is_cuda:
        return rebuild_cuda_tensor, _describe_cuda(tensor)
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
