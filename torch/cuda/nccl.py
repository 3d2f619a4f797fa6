"""NCCL, which this build has not."""

from __future__ import annotations

from typing import Any

from torch._missing_device import MissingDevice

_device = MissingDevice(__name__, globals(), RuntimeError, "this build of torch has no NCCL")
_device.refuses("all_gather all_reduce broadcast init_rank reduce reduce_scatter unique_id version")


def is_available(tensors: Any) -> bool:
    """Whether NCCL can work on tensors.

    Args:
        tensors (Sequence[Tensor]): on GPUs

    Returns:
        False
    """
    return False
