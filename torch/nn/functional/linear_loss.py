"""A linear layer and the cross entropy of its scores, which are never there all at once."""

from __future__ import annotations

import torch
from torch.nn.functional._common import handle_torch_function
from torch.nn.functional._common import has_torch_function_variadic as _overridden
from torch.nn.functional.loss import cross_entropy

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from torch import Tensor
    from torch.nn.modules.linear_cross_entropy_options import LinearCrossEntropyOptions

__all__ = ["linear_cross_entropy"]

_MAX_SCORES = 1 << 22  # of a chunk: 16 MiB of float32


def _denominator(target: Tensor, weight: Tensor | None, ignore_index: int, dtype: torch.dtype) -> Tensor | int:
    """What a mean divides by."""
    if target.is_floating_point():
        return len(target)
    kept = target != ignore_index
    if weight is None:
        return kept.sum().to(dtype)
    return torch.where(kept, weight[torch.where(kept, target, 0)], 0).sum()


def linear_cross_entropy(
    input: Tensor, linear_weight: Tensor, target: Tensor, *, linear_bias: Tensor | None = None, weight: Tensor | None = None,
    reduction: str = "mean", ignore_index: int | None = None, label_smoothing: float = 0.0,
    options: LinearCrossEntropyOptions | None = None,
) -> Tensor:  # fmt: skip
    """`cross_entropy(linear(input, linear_weight, linear_bias), target)` without a matrix of all scores.

    Many samples are worked on in chunks, and backward computes the scores of each chunk again. Second derivatives need one chunk.

    Args:
        input (Tensor): samples (N, in_features) or (in_features)
        linear_weight (Tensor): (C, in_features)
        target (Tensor): class numbers (N) or (), int64, or probabilities (N, C) or (C)
        linear_bias (Tensor or None): (C)
        weight (Tensor or None): a factor for each class, (C)
        reduction (str, default "mean"): 'none'; 'mean', weighed by `weight`; 'sum'
        ignore_index (int or None): targets of this number add nothing; None: -100
        label_smoothing (float, default 0.0): this share of the target is spread over all classes, from 0 to 1
        options (LinearCrossEntropyOptions or None): the size of the chunks

    Returns:
        one number, or (N) for reduction 'none'

    Raises:
        RuntimeError: the shapes do not fit

    Example:
        >>> samples, matrix = torch.eye(2), torch.tensor([[2., 0.], [0., 0.], [0., 3.]])
        >>> F.linear_cross_entropy(samples, matrix, torch.tensor([0, 2]))
        tensor(0.1672)
    """
    overridable = input, linear_weight, target, linear_bias, weight
    if _overridden(*overridable):
        return handle_torch_function(
            linear_cross_entropy, overridable, input, linear_weight, target, linear_bias=linear_bias, weight=weight,
            reduction=reduction, ignore_index=ignore_index, label_smoothing=label_smoothing, options=options,
        )  # fmt: skip
    if input.dim() not in (1, 2):
        raise RuntimeError(f"linear_cross_entropy: expected input with 1 or 2 dimensions, got shape {tuple(input.shape)}")
    if linear_weight.dim() != 2 or linear_weight.shape[1] != input.shape[-1]:
        raise RuntimeError(
            f"linear_cross_entropy: expected linear_weight of shape (C, {input.shape[-1]}), got {tuple(linear_weight.shape)}"
        )
    ignored = -100 if ignore_index is None else ignore_index
    classes = linear_weight.shape[0]
    chunk = options.batch_chunk_size if options is not None else None
    chunk = max(1, _MAX_SCORES // max(1, classes)) if chunk is None else chunk
    at_once = options is not None and options.chunking_method is None
    if at_once or input.dim() == 1 or len(input) <= chunk or target.requires_grad or reduction not in ("none", "mean", "sum"):
        scores = torch.nn.functional.linear(input, linear_weight, linear_bias)
        return cross_entropy(scores, target, weight, ignore_index=ignored, reduction=reduction, label_smoothing=label_smoothing)
    if len(target) != len(input):
        raise RuntimeError(f"linear_cross_entropy: expected a target for each of {len(input)} samples, got {len(target)}")

    def loss(scores: Tensor, target: Tensor) -> Tensor:
        return cross_entropy(scores, target, weight, ignore_index=ignored, reduction="none", label_smoothing=label_smoothing)

    from torch.nn.functional._chunked_loss import ChunkedLoss

    losses = ChunkedLoss.apply(input, linear_weight, linear_bias, target, chunk, loss)
    if reduction == "none":
        return losses
    total = losses.sum()
    return total if reduction == "sum" else total / _denominator(target, weight, ignored, losses.dtype)
