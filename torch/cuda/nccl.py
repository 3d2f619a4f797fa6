"""What NCCL there is. Collectives between the GPUs of several processes are those of torch.distributed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from torch._missing_device import MissingDevice

_device = MissingDevice(__name__, globals(), RuntimeError, "use torch.distributed, with one process for each GPU")
_device.refuses("all_gather all_reduce broadcast init_rank reduce reduce_scatter unique_id")


def version() -> tuple[int, ...]:
    """The version of NCCL that is installed.

    Returns:
        its major, minor and patch numbers

    Raises:
        RuntimeError: torch was built without CUDA, or NCCL is not installed

    Example:
        >>> torch.cuda.nccl.version()
        Traceback (most recent call last):
        RuntimeError: ...
    """
    from torch.distributed import _nccl

    module = _nccl.extension()
    if module is None:
        raise RuntimeError("torch.cuda.nccl.version(): this build of torch has no NCCL")
    return tuple(map(int, module.version().split(".")))


def is_available(tensors: Sequence[Any]) -> bool:
    """Whether NCCL can work on tensors together.

    Args:
        tensors (Sequence[Tensor]): one for each GPU

    Returns:
        whether this build has NCCL, and the tensors are contiguous and on different GPUs

    Example:
        >>> torch.cuda.nccl.is_available([torch.ones(1)])
        False
    """
    from torch.distributed import _nccl

    if _nccl.extension() is None:
        return False
    places = [t.device for t in tensors]
    return len(set(places)) == len(places) and all(t.is_cuda and t.is_contiguous() for t in tensors)
