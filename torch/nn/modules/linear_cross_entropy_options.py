"""How linear_cross_entropy works in chunks."""

from __future__ import annotations

import dataclasses
from typing import Literal

import torch

__all__ = ["LinearCrossEntropyOptions"]

_CHUNKING = ("auto", None)
_ACCURACY = ("accurate", "balanced", "compact", "auto")


@dataclasses.dataclass(slots=True)
class LinearCrossEntropyOptions:
    """How `linear_cross_entropy` works in chunks of samples.

    Args:
        allow_retain_graph (bool, default False): of no effect: a graph that is kept can always be used again
        batch_chunk_size (int, optional): samples of a chunk; default: as many as make four million scores
        chunking_method (str, default "auto"): None computes all scores at once
        acc_policy (str, default "auto"): "accurate", "balanced" or "compact"; gradients are summed in the dtype of the weights
        acc_dtype (torch.dtype, optional): of these sums; no other than that of the weights

    Example:
        >>> torch.nn.LinearCrossEntropyOptions(batch_chunk_size=256).batch_chunk_size
        256
    """

    allow_retain_graph: bool = False
    batch_chunk_size: int | None = None
    chunking_method: str | None = "auto"
    acc_policy: Literal["accurate", "balanced", "compact", "auto"] = "auto"
    acc_dtype: torch.dtype | None = None

    def __post_init__(self) -> None:
        if self.batch_chunk_size is not None and self.batch_chunk_size < 1:
            raise ValueError(f"LinearCrossEntropyOptions: expected batch_chunk_size of at least 1, got {self.batch_chunk_size}")
        if self.chunking_method not in _CHUNKING:
            raise ValueError(f"LinearCrossEntropyOptions: expected chunking_method 'auto' or None, got {self.chunking_method!r}")
        if self.acc_policy not in _ACCURACY:
            raise ValueError(f"LinearCrossEntropyOptions: expected acc_policy in {_ACCURACY}, got {self.acc_policy!r}")
