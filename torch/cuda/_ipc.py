"""Memory of GPUs that processes share (c10/cuda/CUDAIpc.h). torch.multiprocessing sends tensors by it."""

from __future__ import annotations

from typing import Any

import torch
from torch.cuda._runtime import extension, index_of, initialize


def _check_build() -> None:
    if not torch.cuda._BUILT:
        torch.cuda._refuse()


def share_storage(storage: torch.UntypedStorage) -> tuple[Any, ...]:
    """What another process needs to open a storage on a GPU. Its memory is kept until that process is done with it.

    Returns:
        the arguments of `new_shared_storage`: device, handle of the memory, bytes, offset in the memory, counter file, counter,
        handle of an event, whether the receiver must wait for the event
    """
    if storage.device.type != "cuda":
        raise RuntimeError(f"_share_cuda_(): expected a storage on a GPU, got one on {storage.device}")
    return initialize().ipc_send(storage._cdata)


def new_shared_storage(
    device: Any, handle: bytes | None, size: int, offset: int, ref_counter_handle: bytes, ref_counter_offset: int,
    event_handle: bytes, event_sync_required: bool,
) -> torch.UntypedStorage:  # fmt: skip
    """The storage of another process, or of this one, that `share_storage` described."""
    _check_build()
    index = index_of(device, optional=False)
    if handle is None or size == 0:
        return torch.UntypedStorage(0, device=torch.device("cuda", index))
    return initialize().ipc_receive(
        index, handle, size, offset, ref_counter_handle, ref_counter_offset, event_handle, event_sync_required
    )


def release_counter(ref_counter_handle: bytes, ref_counter_offset: int) -> None:
    """For a message that is not opened: the sender need not keep the memory for it."""
    _check_build()
    initialize().ipc_drop(ref_counter_handle, ref_counter_offset)


def ipc_collect() -> None:
    """Frees memory that was sent to other processes, and that they are done with.

    This happens also when the next tensor is sent, and before memory is taken from the GPU.
    """
    if extension().device_count():
        extension().ipc_collect()
