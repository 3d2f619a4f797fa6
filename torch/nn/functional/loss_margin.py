"""Losses of rankings, margins and embeddings."""

from torch._operators import NN as _nn
from torch._operators import VF as _VF
from torch.nn.functional._common import apply_reduction, overridable, reduction_code

__all__ = ["margin_ranking_loss", "hinge_embedding_loss", "multilabel_margin_loss", "soft_margin_loss",
           "multilabel_soft_margin_loss", "cosine_embedding_loss", "multi_margin_loss", "triplet_margin_loss",
           "triplet_margin_with_distance_loss"]


@overridable(3)
def margin_ranking_loss(input1, input2, target, margin=0, size_average=None, reduce=None, reduction="mean"):
    """max(0, -target * (input1 - input2) + margin), for targets 1 and -1."""
    code = reduction_code(reduction, size_average, reduce)
    if not input1.dim() == input2.dim() == target.dim():
        raise RuntimeError("margin_ranking_loss : All input tensors should have same dimension but got "
                           "sizes: input1: "
                           f"{input1.size()}, input2: {input2.size()}, target: {target.size()} ")
    return _VF.margin_ranking_loss(input1, input2, target, margin, code)


@overridable(2)
def hinge_embedding_loss(input, target, margin=1.0, size_average=None, reduce=None, reduction="mean"):
    """input for target 1, max(0, margin - input) for target -1."""
    return _VF.hinge_embedding_loss(input, target, margin, reduction_code(reduction, size_average, reduce))


@overridable(2)
def multilabel_margin_loss(input, target, size_average=None, reduce=None, reduction="mean"):
    """Margin of every class of the target against every other class."""
    return _nn.multilabel_margin_loss(input, target, reduction_code(reduction, size_average, reduce))


@overridable(2)
def soft_margin_loss(input, target, size_average=None, reduce=None, reduction="mean"):
    """log(1 + exp(-target * input))."""
    return _nn.soft_margin_loss(input, target, reduction_code(reduction, size_average, reduce))


@overridable(3)
def multilabel_soft_margin_loss(input, target, weight=None, size_average=None, reduce=None, reduction="mean"):
    """Binary cross entropy with logits, averaged over the classes, the last dimension."""
    code = reduction_code(reduction, size_average, reduce)
    loss = -(target * _nn.log_sigmoid(input) + (1 - target) * _nn.log_sigmoid(-input))
    loss = loss if weight is None else loss * weight
    return apply_reduction(loss.sum(-1) / input.size(-1), code)


@overridable(3)
def cosine_embedding_loss(input1, input2, target, margin=0, size_average=None, reduce=None, reduction="mean"):
    """1 - cos for target 1, max(0, cos - margin) for target -1."""
    return _VF.cosine_embedding_loss(input1, input2, target, margin, reduction_code(reduction, size_average,
                                                                                    reduce))


@overridable(2)
def multi_margin_loss(input, target, p=1, margin=1.0, weight=None, size_average=None, reduce=None,
                      reduction="mean"):
    """Mean over the other classes of max(0, margin - input[target] + input[class]) ** p."""
    code = reduction_code(reduction, size_average, reduce)
    if p not in (1, 2):
        raise ValueError("only p == 1 and p == 2 supported")
    if weight is not None and weight.dim() != 1:
        raise ValueError("weight must be one-dimensional")
    return _nn.multi_margin_loss(input, target, p, margin, weight, code)


@overridable(3)
def triplet_margin_loss(anchor, positive, negative, margin=1.0, p=2, eps=1e-6, swap=False, size_average=None,
                        reduce=None, reduction="mean"):
    """max(0, d(anchor, positive) - d(anchor, negative) + margin)."""
    code = reduction_code(reduction, size_average, reduce)
    if margin <= 0:
        raise ValueError(f"margin must be greater than 0, got {margin}")
    return _VF.triplet_margin_loss(anchor, positive, negative, margin, p, eps, swap, code)


@overridable(3)
def triplet_margin_with_distance_loss(anchor, positive, negative, *, distance_function=None, margin=1.0,
                                      swap=False,
                                      reduction="mean"):
    """triplet_margin_loss by a distance of the caller's."""
    code = reduction_code(reduction)
    distance = _VF.pairwise_distance if distance_function is None else distance_function
    if margin <= 0:
        raise ValueError(f"margin must be greater than 0, got {margin}")
    if not anchor.ndim == positive.ndim == negative.ndim:
        raise RuntimeError("The anchor, positive, and negative tensors are expected to have the same number "
                           "of dimensions, "
                           f"but got: anchor {anchor.ndim}D, positive {positive.ndim}D, and negative "
                           f"{negative.ndim}D inputs")
    near, far = distance(anchor, positive), distance(anchor, negative)
    if swap:
        far = _VF.minimum(far, distance(positive, negative))
    return apply_reduction((margin + near - far).clamp_min(0), code)
