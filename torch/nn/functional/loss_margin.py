"""Losses of rankings, margins and embeddings."""

from __future__ import annotations

from torch._operators import NN as _nn
from torch._operators import VF as _VF
from torch.nn.functional._common import apply_reduction, overridable, reduction_code

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from collections.abc import Callable

    from torch import Tensor

__all__ = [
    "margin_ranking_loss",
    "hinge_embedding_loss",
    "multilabel_margin_loss",
    "soft_margin_loss",
    "multilabel_soft_margin_loss",
    "cosine_embedding_loss",
    "multi_margin_loss",
    "triplet_margin_loss",
    "triplet_margin_with_distance_loss",
]


@overridable(3)
def margin_ranking_loss(
    input1: Tensor, input2: Tensor, target: Tensor, margin: float = 0, size_average: bool | None = None,
    reduce: bool | None = None, reduction: str = "mean",
) -> Tensor:  # fmt: skip
    """`max(0, -target * (input1 - input2) + margin)`: which of two should be larger.

    Args:
        input1 (Tensor): scores, of the same shape
        input2 (Tensor): scores, of the same shape
        target (Tensor): 1 where `input1` should be the larger, -1 where `input2`
        margin (float, default 0): the least difference that costs nothing
        size_average (bool or None): older forms of `reduction`; give that instead
        reduce (bool or None): older forms of `reduction`; give that instead
        reduction (str, default "mean"): 'none': one value for each element; 'mean': their mean; 'sum': their sum

    Returns:
        one number, or the shape of the inputs for reduction 'none'

    Raises:
        RuntimeError: the numbers of dimensions differ

    Example:
        >>> F.margin_ranking_loss(torch.tensor([1.]), torch.tensor([3.]), torch.tensor([1.]))
        tensor(2.)
    """
    code = reduction_code(reduction, size_average, reduce)
    if not input1.dim() == input2.dim() == target.dim():
        raise RuntimeError(
            "margin_ranking_loss : All input tensors should have same dimension but got "
            "sizes: input1: "
            f"{input1.size()}, input2: {input2.size()}, target: {target.size()} "
        )
    return _VF.margin_ranking_loss(input1, input2, target, margin, code)


@overridable(2)
def hinge_embedding_loss(
    input: Tensor, target: Tensor, margin: float = 1.0, size_average: bool | None = None, reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:  # fmt: skip
    """`input` where the target is 1, `max(0, margin - input)` where it is -1.

    Args:
        input (Tensor): distances
        target (Tensor): 1 for pairs that belong together, -1 for others
        margin (float, default 1.0): how far apart the others should be
        size_average (bool or None): older forms of `reduction`; give that instead
        reduce (bool or None): older forms of `reduction`; give that instead
        reduction (str, default "mean"): 'none': one value for each element; 'mean': their mean; 'sum': their sum

    Returns:
        one number, or the shape of `input` for reduction 'none'

    Example:
        >>> F.hinge_embedding_loss(torch.tensor([0.2, 0.3]), torch.tensor([1., -1.]))
        tensor(0.4500)
    """
    return _VF.hinge_embedding_loss(input, target, margin, reduction_code(reduction, size_average, reduce))


@overridable(2)
def multilabel_margin_loss(
    input: Tensor, target: Tensor, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean",
) -> Tensor:  # fmt: skip
    """Sum of `max(0, 1 - (x[right] - x[wrong]))` over all pairs of a right and a wrong class, over the classes.

    Args:
        input (Tensor): scores (N, C) or (C)
        target (Tensor): the numbers of the right classes, then -1, of the same shape, int64
        size_average (bool or None): older forms of `reduction`; give that instead
        reduce (bool or None): older forms of `reduction`; give that instead
        reduction (str, default "mean"): 'none': one value for each element; 'mean': their mean; 'sum': their sum

    Returns:
        one number, or (N) for reduction 'none'

    Example:
        >>> F.multilabel_margin_loss(torch.tensor([[0.1, 0.9]]), torch.tensor([[1, -1]]))
        tensor(0.1000)
    """
    return _nn.multilabel_margin_loss(input, target, reduction_code(reduction, size_average, reduce))


@overridable(2)
def soft_margin_loss(
    input: Tensor, target: Tensor, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean",
) -> Tensor:  # fmt: skip
    """`log(1 + exp(-target * input))`.

    Args:
        input (Tensor): scores
        target (Tensor): 1 or -1, of the same shape
        size_average (bool or None): older forms of `reduction`; give that instead
        reduce (bool or None): older forms of `reduction`; give that instead
        reduction (str, default "mean"): 'none': one value for each element; 'mean': their mean; 'sum': their sum

    Returns:
        one number, or the shape of `input` for reduction 'none'

    Example:
        >>> F.soft_margin_loss(torch.tensor([2., -1.]), torch.tensor([1., 1.]))
        tensor(0.7201)
    """
    return _nn.soft_margin_loss(input, target, reduction_code(reduction, size_average, reduce))


@overridable(3)
def multilabel_soft_margin_loss(
    input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: bool | None = None, reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:  # fmt: skip
    """`binary_cross_entropy_with_logits`, averaged over the classes, the last dimension.

    Args:
        input (Tensor): scores (N, C)
        target (Tensor): 0 or 1, of the same shape
        weight (Tensor or None): a factor for each class, (C)
        size_average (bool or None): older forms of `reduction`; give that instead
        reduce (bool or None): older forms of `reduction`; give that instead
        reduction (str, default "mean"): 'none': one value for each element; 'mean': their mean; 'sum': their sum

    Returns:
        one number, or (N) for reduction 'none'

    Example:
        >>> F.multilabel_soft_margin_loss(torch.tensor([[2., -1.]]), torch.tensor([[1., 0.]]))
        tensor(0.2201)
    """
    code = reduction_code(reduction, size_average, reduce)
    loss = -(target * _nn.log_sigmoid(input) + (1 - target) * _nn.log_sigmoid(-input))
    loss = loss if weight is None else loss * weight
    return apply_reduction(loss.sum(-1) / input.size(-1), code)


@overridable(3)
def cosine_embedding_loss(
    input1: Tensor, input2: Tensor, target: Tensor, margin: float = 0, size_average: bool | None = None,
    reduce: bool | None = None, reduction: str = "mean",
) -> Tensor:  # fmt: skip
    """`1 - cos` where the target is 1, `max(0, cos - margin)` where it is -1, cos being that of the angle between two vectors.

    Args:
        input1 (Tensor): vectors (N, D), or without N
        input2 (Tensor): vectors (N, D), or without N
        target (Tensor): 1 for pairs that belong together, -1 for others, (N)
        margin (float, default 0): a cosine up to which the others cost nothing, from -1 to 1
        size_average (bool or None): older forms of `reduction`; give that instead
        reduce (bool or None): older forms of `reduction`; give that instead
        reduction (str, default "mean"): 'none': one value for each element; 'mean': their mean; 'sum': their sum

    Returns:
        one number, or (N) for reduction 'none'

    Example:
        >>> x = torch.tensor([[1., 0.]])
        >>> F.cosine_embedding_loss(x, torch.tensor([[0., 1.]]), torch.tensor([1.]))
        tensor(1.)
    """
    return _VF.cosine_embedding_loss(input1, input2, target, margin, reduction_code(reduction, size_average, reduce))


@overridable(2)
def multi_margin_loss(
    input: Tensor, target: Tensor, p: int = 1, margin: float = 1.0, weight: Tensor | None = None,
    size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean",
) -> Tensor:  # fmt: skip
    """Sum over the wrong classes of `max(0, margin - x[right] + x[wrong]) ** p`, over the number of classes.

    Args:
        input (Tensor): scores (N, C) or (C)
        target (Tensor): class numbers (N), int64
        p (int, default 1): 1 or 2
        margin (float, default 1.0): the least difference that costs nothing
        weight (Tensor or None): a factor for each class, (C)
        size_average (bool or None): older forms of `reduction`; give that instead
        reduce (bool or None): older forms of `reduction`; give that instead
        reduction (str, default "mean"): 'none': one value for each element; 'mean': their mean; 'sum': their sum

    Returns:
        one number, or (N) for reduction 'none'

    Raises:
        ValueError: `p` is neither 1 nor 2, or `weight` is not 1-D

    Example:
        >>> F.multi_margin_loss(torch.tensor([[0.1, 0.9]]), torch.tensor([1]))
        tensor(0.1000)
    """
    code = reduction_code(reduction, size_average, reduce)
    if p not in (1, 2):
        raise ValueError("only p == 1 and p == 2 supported")
    if weight is not None and weight.dim() != 1:
        raise ValueError("weight must be one-dimensional")
    return _nn.multi_margin_loss(input, target, p, margin, weight, code)


@overridable(3)
def triplet_margin_loss(
    anchor: Tensor, positive: Tensor, negative: Tensor, margin: float = 1.0, p: float = 2, eps: float = 1e-6,
    swap: bool = False, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean",
) -> Tensor:  # fmt: skip
    """`max(0, d(anchor, positive) - d(anchor, negative) + margin)`, d being the p-norm of the difference.

    Args:
        anchor (Tensor): vectors (N, D), or without N
        positive (Tensor): vectors (N, D), or without N
        negative (Tensor): vectors (N, D), or without N
        margin (float, default 1.0): the least difference that costs nothing
        p (float, default 2): order of the norm
        eps (float, default 1e-6): added to the difference
        swap (bool, default False): take the distance from positive to negative where that is smaller (Balntas et al.
            2016)
        size_average (bool or None): older forms of `reduction`; give that instead
        reduce (bool or None): older forms of `reduction`; give that instead
        reduction (str, default "mean"): 'none': one value for each element; 'mean': their mean; 'sum': their sum

    Returns:
        one number, or (N) for reduction 'none'

    Raises:
        ValueError: `margin` is not above 0

    Example:
        >>> a = torch.zeros(1, 2)
        >>> F.triplet_margin_loss(a, a + 3, a + 1)
        tensor(3.8284)
    """
    code = reduction_code(reduction, size_average, reduce)
    if margin <= 0:
        raise ValueError(f"margin must be greater than 0, got {margin}")
    return _VF.triplet_margin_loss(anchor, positive, negative, margin, p, eps, swap, code)


@overridable(3)
def triplet_margin_with_distance_loss(
    anchor: Tensor, positive: Tensor, negative: Tensor, *,
    distance_function: Callable[[Tensor, Tensor], Tensor] | None = None, margin: float = 1.0, swap: bool = False,
    reduction: str = "mean",
) -> Tensor:  # fmt: skip
    """`triplet_margin_loss` by a distance of the caller's.

    Args:
        anchor (Tensor): vectors (N, D), or without N
        positive (Tensor): vectors (N, D), or without N
        negative (Tensor): vectors (N, D), or without N
        distance_function (Callable[[Tensor, Tensor], Tensor] or None): gives the distance of two tensors; None:
            pairwise_distance
        margin (float, default 1.0): the least difference that costs nothing
        swap (bool, default False): take the distance from positive to negative where that is smaller (Balntas et al.
            2016)
        reduction (str, default "mean"): 'none': one value for each element; 'mean': their mean; 'sum': their sum

    Returns:
        one number, or (N) for reduction 'none'

    Raises:
        ValueError: `margin` is not above 0
        RuntimeError: the numbers of dimensions differ

    Example:
        >>> a = torch.zeros(1, 2)
        >>> F.triplet_margin_with_distance_loss(a, a + 3, a + 1, distance_function=lambda x, y: (x - y).abs().sum(-1))
        tensor(5.)
    """
    code = reduction_code(reduction)
    distance = _VF.pairwise_distance if distance_function is None else distance_function
    if margin <= 0:
        raise ValueError(f"margin must be greater than 0, got {margin}")
    if not anchor.ndim == positive.ndim == negative.ndim:
        raise RuntimeError(
            "The anchor, positive, and negative tensors are expected to have the same number of dimensions, but "
            f"got: anchor {anchor.ndim}D, positive {positive.ndim}D, and negative {negative.ndim}D inputs"
        )
    near, far = distance(anchor, positive), distance(anchor, negative)
    if swap:
        far = _VF.minimum(far, distance(positive, negative))
    return apply_reduction((margin + near - far).clamp_min(0), code)
