"""What a DataLoader's worker sends: a pickle, and after it the descriptors of the memory of its large tensors.

They are sent over the worker's own socket. The system frees unreceived descriptors with the socket, and messages that a
worker sent before it died can still be received."""

import io
import os
import socket
import struct
import threading
from multiprocessing.reduction import ForkingPickler

import torch
from torch.multiprocessing.reductions import refuse_history
from torch.serialization import _archive

_INLINE_BYTES = 1 << 16  # smaller tensors are bytes in the pickle, which costs less than a descriptor
_MAX_DESCRIPTORS = 250  # per call; the system's limit is 253
_LENGTH = struct.Struct("=q")
_received = threading.local()


def _storage_from_bytes(data):
    storage = torch.UntypedStorage(len(data))
    _archive.storage_bytes(storage)[:] = data
    return storage


def _storage_from_message(index, nbytes):
    return torch.UntypedStorage._new_shared_fd_cpu(_received.descriptors[index], nbytes, keep_descriptor=False)


class _Pickler(ForkingPickler):
    """Puts tensors into a message. `inline` puts all of them into the pickle itself."""

    def __init__(self, out, inline):
        super().__init__(out, 4)
        self.inline, self.descriptors, self.numbers, self.kept = inline, [], {}, []
        self.dispatch_table = {
            **getattr(self, "dispatch_table", {}),
            torch.Tensor: self.tensor,
            torch.nn.Parameter: self.tensor,
            torch.UntypedStorage: self.storage,
        }

    def storage(self, storage):
        if self.inline or storage.nbytes() <= _INLINE_BYTES or storage.device.type != "cpu":
            if storage.device.type != "cpu":
                return torch.UntypedStorage, (storage.nbytes(),), None
            return _storage_from_bytes, (bytes(_archive.storage_bytes(storage)),)
        key = storage._cdata
        if key not in self.numbers:
            self.numbers[key] = len(self.descriptors)
            # The worker's private memory is copied: it is in the processor's caches, and is reused for the next batch.
            shared = storage.is_shared()
            self.descriptors.append(os.dup(storage._share_fd_cpu_()[0]) if shared else storage._copy_to_fd())
            self.kept.append(storage)
        return _storage_from_message, (self.numbers[key], storage.nbytes())

    def tensor(self, tensor):
        from torch.multiprocessing.reductions import rebuild_tensor

        refuse_history(tensor)
        if tensor.layout is not torch.strided or tensor.is_meta:
            return tensor.__reduce_ex__(4)
        storage, offset, stride = tensor.untyped_storage(), tensor.storage_offset(), tensor.stride()
        nbytes = tensor.numel() * tensor.element_size()
        if nbytes * 2 < storage.nbytes() and not storage.is_shared() and storage._cdata not in self.numbers:
            # Sending a row must not send the whole data set.
            copy = tensor.detach().clone(memory_format=torch.contiguous_format)
            storage, offset, stride = copy.untyped_storage(), 0, copy.stride()
        return rebuild_tensor, (type(tensor), storage, (offset, tensor.size(), stride, tensor.dtype, tensor.requires_grad))


def _pickled(value, inline):
    """(bytes, descriptors)"""
    out = io.BytesIO()
    pickler = _Pickler(out, inline)
    try:
        pickler.dump(value)
    except BaseException:
        _close(pickler.descriptors)
        raise
    return out.getbuffer(), pickler.descriptors


def _close(descriptors):
    for fd in descriptors:
        os.close(fd)


def send(connection, value):
    """Send a value. Errors of pickling are raised before anything is sent."""
    try:
        data, descriptors = _pickled(value, inline=False)
    except (OSError, torch.OutOfMemoryError):  # no shared memory, or no descriptors, are left
        data, descriptors = _pickled(value, inline=True)
    try:
        connection.send_bytes(_LENGTH.pack(len(descriptors)) + bytes(data))
        with socket.socket(fileno=os.dup(connection.fileno())) as end:
            for k in range(0, len(descriptors), _MAX_DESCRIPTORS):
                socket.send_fds(end, [b"d"], descriptors[k : k + _MAX_DESCRIPTORS])
    finally:
        _close(descriptors)


def receive(connection):
    """The next value. EOFError if the other end is gone."""
    data = memoryview(connection.recv_bytes())
    (count,) = _LENGTH.unpack(data[: _LENGTH.size])
    descriptors = []
    try:
        with socket.socket(fileno=os.dup(connection.fileno())) as end:
            while len(descriptors) < count:
                message, got, *_ = socket.recv_fds(end, 1, _MAX_DESCRIPTORS)
                if not message or not got:
                    raise EOFError
                descriptors += got
        _received.descriptors = descriptors
        return ForkingPickler.loads(data[_LENGTH.size :])
    finally:
        _received.descriptors = None
        _close(descriptors)
