"""A hook that sends nothing, to measure what sending costs."""

from __future__ import annotations

from typing import Any

import torch
from torch.futures import Future

__all__ = ["noop_hook"]


def noop_hook(_: Any, bucket: Any) -> Future[torch.Tensor]:
    """Leaves the gradients of each process as they are, so that the processes differ afterwards.

    Args:
        _ (object): of no effect
        bucket (GradBucket): the gradients

    Returns:
        a future of them
    """
    done: Future[torch.Tensor] = Future()
    done.set_result(bucket.buffer())
    return done
