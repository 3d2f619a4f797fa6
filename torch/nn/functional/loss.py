"""Losses of classification and regression."""

from __future__ import annotations

import math
import warnings

import torch
from torch._operators import NN as _nn
from torch._operators import VF as _VF
from torch.nn.functional._common import (
    apply_reduction,
    handle_torch_function,
    overridable,
    reduction_code,
    warn_sizes,
)  # fmt: skip
from torch.nn.functional._common import has_torch_function_variadic as _overridden

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from collections.abc import Sequence

    from torch import Tensor

__all__ = [
    "cross_entropy",
    "nll_loss",
    "mse_loss",
    "l1_loss",
    "smooth_l1_loss",
    "huber_loss",
    "binary_cross_entropy",
    "binary_cross_entropy_with_logits",
    "kl_div",
    "ctc_loss",
    "poisson_nll_loss",
    "gaussian_nll_loss",
]


def cross_entropy(
    input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: bool | None = None, ignore_index: int = -100,
    reduce: bool | None = None, reduction: str = "mean", label_smoothing: float = 0.0,
) -> Tensor:  # fmt: skip
    """`-log softmax(input)` at the right class: the loss of classification.

    Args:
        input (Tensor): scores (N, C, ...) or (C); no softmax before it
        target (Tensor): class numbers (N, ...), int64, or probabilities of the shape of `input`
        weight (Tensor or None): a factor for each class, (C)
        size_average (bool or None): older forms of `reduction`; give that instead
        ignore_index (int, default -100): targets of this number add nothing
        reduce (bool or None): older forms of `reduction`; give that instead
        reduction (str, default "mean"): 'none'; 'mean', weighed by `weight`; 'sum'
        label_smoothing (float, default 0.0): this share of the target is spread over all classes, from 0 to 1

    Returns:
        one number, or (N, ...) for reduction 'none'

    Raises:
        IndexError: a class number is outside 0 to C - 1
        RuntimeError, ValueError: the shapes do not fit

    Example:
        >>> scores = torch.tensor([[2., 0., 0.], [0., 0., 3.]])
        >>> F.cross_entropy(scores, torch.tensor([0, 2]))
        tensor(0.1672)
    """
    if _overridden(input, target, weight):
        return handle_torch_function(
            cross_entropy,
            (input, target, weight),
            input,
            target,
            weight=weight,
            size_average=size_average,
            ignore_index=ignore_index,
            reduce=reduce,
            reduction=reduction,
            label_smoothing=label_smoothing,
        )
    code = reduction_code(reduction, size_average, reduce)
    return _nn.cross_entropy_loss(input, target, weight, code, ignore_index, label_smoothing)


@overridable(3)
def nll_loss(
    input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: bool | None = None, ignore_index: int = -100,
    reduce: bool | None = None, reduction: str = "mean",
) -> Tensor:  # fmt: skip
    """Minus the log-probability of the right class.

    Args:
        input (Tensor): log-probabilities (N, C, ...) or (C)
        target (Tensor): class numbers (N, ...), int64
        weight (Tensor or None): a factor for each class, (C)
        size_average (bool or None): older forms of `reduction`; give that instead
        ignore_index (int, default -100): targets of this number add nothing
        reduce (bool or None): older forms of `reduction`; give that instead
        reduction (str, default "mean"): 'none'; 'mean', weighed by `weight`; 'sum'

    Returns:
        one number, or (N, ...) for reduction 'none'

    Raises:
        IndexError: a class number is outside 0 to C - 1

    Example:
        >>> F.nll_loss(torch.tensor([[0.25, 0.75]]).log(), torch.tensor([1]))
        tensor(0.2877)
    """
    return _nn.nll_loss_nd(input, target, weight, reduction_code(reduction, size_average, reduce), ignore_index)


def _elementwise(operator, input, target, code, weight):
    """Broadcast, compare, weigh, reduce: a weighted mean divides by the sum of the weights."""
    input, target = _VF.broadcast_tensors((input, target))
    if weight is None:
        return operator(input, target, code)
    if weight.size() != input.size():
        raise ValueError("Weights and input must have the same size.")
    weighed = operator(input, target, 0) * weight
    return weighed.sum() / weight.sum() if code == 1 else apply_reduction(weighed, code)


def mse_loss(
    input: Tensor, target: Tensor, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean",
    weight: Tensor | None = None,
) -> Tensor:  # fmt: skip
    """`(input - target) ** 2`.

    Args:
        input (Tensor): predictions, of any shape
        target (Tensor): what they should be, of the same shape
        size_average (bool or None): older forms of `reduction`; give that instead
        reduce (bool or None): older forms of `reduction`; give that instead
        reduction (str, default "mean"): 'none': one value for each element; 'mean': their mean; 'sum': their sum
        weight (Tensor or None): a factor for each element; the mean is then divided by their sum

    Returns:
        one number, or the shape of `input` for reduction 'none'

    Example:
        >>> F.mse_loss(torch.tensor([1., 2.]), torch.tensor([1., 4.]))
        tensor(2.)
    """
    if _overridden(input, target, weight):
        return handle_torch_function(
            mse_loss,
            (input, target, weight),
            input,
            target,
            size_average=size_average,
            reduce=reduce,
            reduction=reduction,
            weight=weight,
        )
    warn_sizes(input, target)
    return _elementwise(_nn.mse_loss, input, target, reduction_code(reduction, size_average, reduce), weight)


@overridable(2)
def l1_loss(
    input: Tensor, target: Tensor, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean",
    weight: Tensor | None = None,
) -> Tensor:  # fmt: skip
    """`abs(input - target)`.

    Args:
        input (Tensor): predictions, of any shape
        target (Tensor): what they should be, of the same shape
        size_average (bool or None): older forms of `reduction`; give that instead
        reduce (bool or None): older forms of `reduction`; give that instead
        reduction (str, default "mean"): 'none': one value for each element; 'mean': their mean; 'sum': their sum
        weight (Tensor or None): a factor for each element; the mean is then divided by their sum

    Returns:
        one number, or the shape of `input` for reduction 'none'

    Example:
        >>> F.l1_loss(torch.tensor([1., 2.]), torch.tensor([1., 4.]))
        tensor(1.)
    """
    warn_sizes(input, target)
    return _elementwise(_nn.l1_loss, input, target, reduction_code(reduction, size_average, reduce), weight)


@overridable(2)
def smooth_l1_loss(
    input: Tensor, target: Tensor, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean",
    beta: float = 1.0,
) -> Tensor:  # fmt: skip
    """With `d = abs(input - target)`: `d ** 2 / (2 * beta)` below `beta`, `d - beta / 2` above (Girshick 2015).

    Args:
        input (Tensor): predictions, of any shape
        target (Tensor): what they should be, of the same shape
        size_average (bool or None): older forms of `reduction`; give that instead
        reduce (bool or None): older forms of `reduction`; give that instead
        reduction (str, default "mean"): 'none': one value for each element; 'mean': their mean; 'sum': their sum
        beta (float, default 1.0): where the square becomes a line; 0 is l1_loss

    Returns:
        one number, or the shape of `input` for reduction 'none'

    Example:
        >>> F.smooth_l1_loss(torch.tensor([0.5, 3.]), torch.zeros(2), reduction="none")
        tensor([0.1250, 2.5000])
    """
    warn_sizes(input, target)
    code = reduction_code(reduction, size_average, reduce)
    input, target = _VF.broadcast_tensors((input, target))
    return _nn.l1_loss(input, target, code) if beta == 0.0 else _nn.smooth_l1_loss(input, target, code, beta)


@overridable(2)
def huber_loss(
    input: Tensor, target: Tensor, reduction: str = "mean", delta: float = 1.0, weight: Tensor | None = None,
) -> Tensor:  # fmt: skip
    """With `d = abs(input - target)`: `d ** 2 / 2` below `delta`, `delta * (d - delta / 2)` above (Huber 1964).

    Args:
        input (Tensor): predictions, of any shape
        target (Tensor): what they should be, of the same shape
        reduction (str, default "mean"): 'none': one value for each element; 'mean': their mean; 'sum': their sum
        delta (float, default 1.0): where the square becomes a line
        weight (Tensor or None): a factor for each element; the mean is then divided by their sum

    Returns:
        one number, or the shape of `input` for reduction 'none'

    Example:
        >>> F.huber_loss(torch.tensor([0.5, 3.]), torch.zeros(2), reduction="none")
        tensor([0.1250, 2.5000])
    """
    warn_sizes(input, target)
    return _elementwise(lambda a, b, code: _nn.huber_loss(a, b, code, delta), input, target, reduction_code(reduction), weight)


@overridable(3)
def binary_cross_entropy(
    input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: bool | None = None, reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:  # fmt: skip
    """`-(t * log(p) + (1 - t) * log(1 - p))` for probabilities p and targets t; logarithms stop at -100.

    Args:
        input (Tensor): probabilities, from 0 to 1
        target (Tensor): numbers from 0 to 1, of the same shape
        weight (Tensor or None): factors, which broadcast to the target's shape
        size_average (bool or None): older forms of `reduction`; give that instead
        reduce (bool or None): older forms of `reduction`; give that instead
        reduction (str, default "mean"): 'none': one value for each element; 'mean': their mean; 'sum': their sum

    Returns:
        one number, or the shape of `input` for reduction 'none'

    Raises:
        ValueError: the shapes differ
        RuntimeError: an input is not from 0 to 1

    Example:
        >>> F.binary_cross_entropy(torch.tensor([0.9, 0.2]), torch.tensor([1., 0.]))
        tensor(0.1643)
    """
    code = reduction_code(reduction, size_average, reduce)
    if target.size() != input.size():
        raise ValueError(
            f"Using a target size ({target.size()}) that is different to the input size ({input.size()}) is "
            "deprecated. Please ensure they have the same size."
        )
    weight = None if weight is None else weight.expand(_VF.broadcast_tensors((target, weight))[0].size())
    return _nn.binary_cross_entropy(input, target, weight, code)


@overridable(3)
def binary_cross_entropy_with_logits(
    input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: bool | None = None, reduce: bool | None = None,
    reduction: str = "mean", pos_weight: Tensor | None = None,
) -> Tensor:  # fmt: skip
    """`binary_cross_entropy` of `sigmoid(input)`, computed so that nothing overflows.

    Args:
        input (Tensor): scores of any size
        target (Tensor): numbers from 0 to 1, of the same shape
        weight (Tensor or None): factors, which broadcast to the target's shape
        size_average (bool or None): older forms of `reduction`; give that instead
        reduce (bool or None): older forms of `reduction`; give that instead
        reduction (str, default "mean"): 'none': one value for each element; 'mean': their mean; 'sum': their sum
        pos_weight (Tensor or None): factors of the terms of positive targets, which broadcast likewise

    Returns:
        one number, or the shape of `input` for reduction 'none'

    Raises:
        ValueError: the shapes differ

    Example:
        >>> F.binary_cross_entropy_with_logits(torch.tensor([2., -1.]), torch.tensor([1., 0.]))
        tensor(0.2201)
    """
    code = reduction_code(reduction, size_average, reduce)
    if target.size() != input.size():
        raise ValueError(f"Target size ({target.size()}) must be the same as input size ({input.size()})")
    return _VF.binary_cross_entropy_with_logits(input, target, weight, pos_weight, code)


@overridable(2)
def kl_div(
    input: Tensor, target: Tensor, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean",
    log_target: bool = False,
) -> Tensor:  # fmt: skip
    """`target * (log(target) - input)`: the divergence of Kullback and Leibler (1951), for log-probabilities.

    Args:
        input (Tensor): log-probabilities
        target (Tensor): probabilities, or their logarithms
        size_average (bool or None): older forms of `reduction`; give that instead
        reduce (bool or None): older forms of `reduction`; give that instead
        reduction (str, default "mean"): 'none', 'sum', 'batchmean' (the sum over the batch's size: the divergence) or
            'mean'
        log_target (bool, default False): `target` holds logarithms

    Returns:
        one number, or the shape of `input` for reduction 'none'

    Example:
        >>> p, q = torch.tensor([[0.5, 0.5]]), torch.tensor([[0.25, 0.75]])
        >>> F.kl_div(q.log(), p, reduction="batchmean")
        tensor(0.1438)
    """
    if size_average is not None or reduce is not None:
        code = reduction_code(reduction, size_average, reduce)
    elif reduction == "batchmean":
        code = 2
    else:
        if reduction == "mean":
            warnings.warn(
                "kl_div: reduction='mean' divides by the number of elements; reduction='batchmean' divides by the "
                "batch, as the definition of the divergence does.",
                stacklevel=3,
            )
        code = reduction_code(reduction)
    loss = _VF.kl_div(input, target, code, log_target=log_target)
    return loss / input.size(0) if reduction == "batchmean" and input.dim() else loss


@overridable(2)
def ctc_loss(
    log_probs: Tensor, targets: Tensor, input_lengths: Tensor | Sequence[int], target_lengths: Tensor | Sequence[int],
    blank: int = 0, reduction: str = "mean", zero_infinity: bool = False,
) -> Tensor:  # fmt: skip
    """Connectionist temporal classification (Graves et al. 2006): minus the log-probability of all alignments.

    Args:
        log_probs (Tensor): (T, N, C) or (T, C): time, batch, classes
        targets (Tensor): class numbers, (N, S) or all sequences in one dimension; none is `blank`
        input_lengths (Tensor or Sequence[int]): length of each sequence of `log_probs`, at most T
        target_lengths (Tensor or Sequence[int]): length of each sequence of `targets`
        blank (int, default 0): the class that stands for nothing
        reduction (str, default "mean"): 'none'; 'mean': each loss over its target's length, then the mean; 'sum'
        zero_infinity (bool, default False): count sequences that are too short for their target as 0

    Returns:
        one number, or (N) for reduction 'none'

    Example:
        >>> even = torch.full((3, 1, 2), 0.5).log()
        >>> F.ctc_loss(even, torch.tensor([[1]]), torch.tensor([3]), torch.tensor([1]))
        tensor(0.2877)
    """
    return _VF.ctc_loss(log_probs, targets, input_lengths, target_lengths, blank, reduction_code(reduction), zero_infinity)


@overridable(2)
def poisson_nll_loss(
    input: Tensor, target: Tensor, log_input: bool = True, full: bool = False, size_average: bool | None = None,
    eps: float = 1e-8, reduce: bool | None = None, reduction: str = "mean",
) -> Tensor:  # fmt: skip
    """`exp(input) - target * input`: minus the log-likelihood of counts, up to a constant.

    Args:
        input (Tensor): the logarithm of the expected count, or the count itself
        target (Tensor): counts
        log_input (bool, default True): `input` is a logarithm; else the loss is `input - target * log(input + eps)`
        full (bool, default False): add Stirling's approximation of the constant, for targets above 1
        size_average (bool or None): older forms of `reduction`; give that instead
        eps (float, default 1e-8): keeps the logarithm from 0
        reduce (bool or None): older forms of `reduction`; give that instead
        reduction (str, default "mean"): 'none': one value for each element; 'mean': their mean; 'sum': their sum

    Returns:
        one number, or the shape of `input` for reduction 'none'

    Example:
        >>> F.poisson_nll_loss(torch.tensor([0., 1.]), torch.tensor([1., 2.]))
        tensor(0.8591)
    """
    return _VF.poisson_nll_loss(input, target, log_input, full, eps, reduction_code(reduction, size_average, reduce))


@overridable(3)
def gaussian_nll_loss(
    input: Tensor, target: Tensor, var: Tensor | float, full: bool = False, eps: float = 1e-6, reduction: str = "mean",
) -> Tensor:  # fmt: skip
    """`(log(var) + (input - target) ** 2 / var) / 2`: minus the log-likelihood under a normal distribution.

    Args:
        input (Tensor): expected values
        target (Tensor): what they should be, of the same shape
        var (Tensor or float): variances, of the shape of `input`, or with a last dimension of 1 or none, or one number
        full (bool, default False): add the constant `log(2 * pi) / 2`
        eps (float, default 1e-6): the least variance
        reduction (str, default "mean"): 'none': one value for each element; 'mean': their mean; 'sum': their sum

    Returns:
        one number, or the shape of `input` for reduction 'none'

    Raises:
        ValueError: a variance is negative, or of the wrong shape

    Example:
        >>> F.gaussian_nll_loss(torch.tensor([1., 2.]), torch.tensor([1., 4.]), torch.ones(2))
        tensor(1.)
    """
    if not isinstance(var, torch.Tensor):
        if var < 0:
            raise ValueError("var has negative entry/entries")
        var = torch.full((), var, dtype=input.dtype, device=input.device).expand(input.size())
    elif (var < 0).any():
        raise ValueError("var has negative entry/entries")
    if var.size() != input.size():
        if input.size()[:-1] == var.size():
            var = var.unsqueeze(-1)
        elif not (input.size()[:-1] == var.size()[:-1] and var.size(-1) == 1) and not _broadcasts(var, input):
            raise ValueError("var is of incorrect size")
    code = reduction_code(reduction)
    var = var.clone()
    with torch.no_grad():
        var.clamp_(min=eps)
    loss = 0.5 * (var.log() + (input - target) ** 2 / var)
    return apply_reduction(loss + 0.5 * math.log(2 * math.pi) if full else loss, code)


def _broadcasts(var, input):
    if var.dim() != input.dim():
        return False
    differing = [(a, b) for a, b in zip(var.size(), input.size()) if a != b]
    return len(differing) == 1 and differing[0][0] == 1
