"""Losses of classification and regression."""

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
)
from torch.nn.functional._common import has_torch_function_variadic as _overridden

__all__ = ["cross_entropy", "nll_loss", "mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss",
           "binary_cross_entropy",
           "binary_cross_entropy_with_logits", "kl_div", "ctc_loss", "poisson_nll_loss", "gaussian_nll_loss"]


def cross_entropy(input, target, weight=None, size_average=None, ignore_index=-100, reduce=None,
                  reduction="mean",
                  label_smoothing=0.0):
    """-log softmax(input) at `target`: class numbers, or probabilities of the input's shape. Classes are
    dimension 1."""
    if _overridden(input, target, weight):
        return handle_torch_function(cross_entropy, (input, target, weight), input, target, weight=weight,
                                     size_average=size_average, ignore_index=ignore_index, reduce=reduce,
                                     reduction=reduction, label_smoothing=label_smoothing)
    code = reduction_code(reduction, size_average, reduce)
    return _nn.cross_entropy_loss(input, target, weight, code, ignore_index, label_smoothing)


@overridable(3)
def nll_loss(input, target, weight=None, size_average=None, ignore_index=-100, reduce=None, reduction="mean"):
    """-input at the class numbers `target`, for an input of log-probabilities."""
    return _nn.nll_loss_nd(input, target, weight, reduction_code(reduction, size_average, reduce),
                           ignore_index)


def _elementwise(operator, input, target, code, weight):
    """Broadcast, compare, weigh, reduce: a weighted mean divides by the sum of the weights."""
    input, target = _VF.broadcast_tensors((input, target))
    if weight is None:
        return operator(input, target, code)
    if weight.size() != input.size():
        raise ValueError("Weights and input must have the same size.")
    weighed = operator(input, target, 0) * weight
    return weighed.sum() / weight.sum() if code == 1 else apply_reduction(weighed, code)


def mse_loss(input, target, size_average=None, reduce=None, reduction="mean", weight=None):
    """(input - target) ** 2."""
    if _overridden(input, target, weight):
        return handle_torch_function(mse_loss, (input, target, weight), input, target,
                                     size_average=size_average,
                                     reduce=reduce, reduction=reduction, weight=weight)
    warn_sizes(input, target)
    return _elementwise(_nn.mse_loss, input, target, reduction_code(reduction, size_average, reduce), weight)


@overridable(2)
def l1_loss(input, target, size_average=None, reduce=None, reduction="mean", weight=None):
    """abs(input - target)."""
    warn_sizes(input, target)
    return _elementwise(_nn.l1_loss, input, target, reduction_code(reduction, size_average, reduce), weight)


@overridable(2)
def smooth_l1_loss(input, target, size_average=None, reduce=None, reduction="mean", beta=1.0):
    """d ** 2 / (2 * beta) below `beta`, d - beta / 2 above, for d = abs(input - target)."""
    warn_sizes(input, target)
    code = reduction_code(reduction, size_average, reduce)
    input, target = _VF.broadcast_tensors((input, target))
    return _nn.l1_loss(input, target, code) if beta == 0.0 else _nn.smooth_l1_loss(input, target, code, beta)


@overridable(2)
def huber_loss(input, target, reduction="mean", delta=1.0, weight=None):
    """d ** 2 / 2 below `delta`, delta * (d - delta / 2) above, for d = abs(input - target)."""
    warn_sizes(input, target)
    return _elementwise(lambda a, b, code: _nn.huber_loss(a, b, code, delta), input, target,
                        reduction_code(reduction),
                        weight)


@overridable(3)
def binary_cross_entropy(input, target, weight=None, size_average=None, reduce=None, reduction="mean"):
    """-(t log p + (1 - t) log(1 - p)) for probabilities p; logarithms go down to -100."""
    code = reduction_code(reduction, size_average, reduce)
    if target.size() != input.size():
        raise ValueError(f"Using a target size ({target.size()}) that is different to the input size "
                         f"({input.size()}) is "
                         "deprecated. Please ensure they have the same size.")
    weight = None if weight is None else weight.expand(_VF.broadcast_tensors((target, weight))[0].size())
    return _nn.binary_cross_entropy(input, target, weight, code)


@overridable(3)
def binary_cross_entropy_with_logits(input, target, weight=None, size_average=None, reduce=None,
                                     reduction="mean",
                                     pos_weight=None):
    """binary_cross_entropy of sigmoid(input), computed safely; `pos_weight` multiplies the terms of positive
    targets."""
    code = reduction_code(reduction, size_average, reduce)
    if target.size() != input.size():
        raise ValueError(f"Target size ({target.size()}) must be the same as input size ({input.size()})")
    return _VF.binary_cross_entropy_with_logits(input, target, weight, pos_weight, code)


@overridable(2)
def kl_div(input, target, size_average=None, reduce=None, reduction="mean", log_target=False):
    """target * (log target - input), for an input of log-probabilities. "batchmean" divides the sum by the
    batch."""
    if size_average is not None or reduce is not None:
        code = reduction_code(reduction, size_average, reduce)
    elif reduction == "batchmean":
        code = 2
    else:
        if reduction == "mean":
            warnings.warn("kl_div: reduction='mean' divides by the number of elements; "
                          "reduction='batchmean' divides by the "
                          "batch, as the definition of the divergence does.", stacklevel=3)
        code = reduction_code(reduction)
    loss = _VF.kl_div(input, target, code, log_target=log_target)
    return loss / input.size(0) if reduction == "batchmean" and input.dim() else loss


@overridable(2)
def ctc_loss(log_probs, targets, input_lengths, target_lengths, blank=0, reduction="mean",
             zero_infinity=False):
    """Connectionist temporal classification (Graves et al. 2006) of log-probabilities (time, batch,
    classes)."""
    return _VF.ctc_loss(log_probs, targets, input_lengths, target_lengths, blank, reduction_code(reduction),
                        zero_infinity)


@overridable(2)
def poisson_nll_loss(input, target, log_input=True, full=False, size_average=None, eps=1e-8, reduce=None,
                     reduction="mean"):
    """exp(input) - target * input, or for a plain input: input - target * log(input + eps)."""
    return _VF.poisson_nll_loss(input, target, log_input, full, eps, reduction_code(reduction, size_average,
                                                                                    reduce))


@overridable(3)
def gaussian_nll_loss(input, target, var, full=False, eps=1e-6, reduction="mean"):
    """(log var + (input - target) ** 2 / var) / 2, with `var` at least `eps`."""
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
