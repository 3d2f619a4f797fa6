"""Losses of margins and embeddings, as modules."""

from __future__ import annotations

from torch.nn import functional as F
from torch.nn.modules.distance import PairwiseDistance
from torch.nn.modules.loss import _Loss, _WeightedLoss

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from collections.abc import Callable

    from torch import Tensor


class MarginRankingLoss(_Loss):
    """`max(0, -target * (input1 - input2) + margin)`: which of two should be larger, target being 1 or -1.

    Args:
        margin (float, default 0.0): the least difference that costs nothing
        size_average (bool or None): older forms of `reduction`; give that instead
        reduce (bool or None): older forms of `reduction`; give that instead
        reduction (str, default "mean"): 'none': one value for each element; 'mean': their mean; 'sum': their sum

    Shape:
        three of the same shape to (), or to that shape with reduction 'none'

    Example:
        >>> nn.MarginRankingLoss()(torch.tensor([1.]), torch.tensor([3.]), torch.tensor([1.]))
        tensor(2.)
    """

    def __init__(
        self, margin: float = 0.0, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean",
    ) -> None:  # fmt: skip
        super().__init__(size_average, reduce, reduction)
        self.margin = margin

    def forward(self, input1: Tensor, input2: Tensor, target: Tensor) -> Tensor:
        return F.margin_ranking_loss(input1, input2, target, margin=self.margin, reduction=self.reduction)


class CosineEmbeddingLoss(MarginRankingLoss):
    """`1 - cos` where the target is 1, `max(0, cos - margin)` where it is -1, cos being that of the angle between two vectors.

    Args:
        margin (float, default 0.0): a cosine up to which the others cost nothing, from -1 to 1
        size_average (bool or None): older forms of `reduction`; give that instead
        reduce (bool or None): older forms of `reduction`; give that instead
        reduction (str, default "mean"): 'none': one value for each element; 'mean': their mean; 'sum': their sum

    Shape:
        two of (N, D), and targets (N), to (), or to (N) with reduction 'none'

    Example:
        >>> x = torch.tensor([[1., 0.]])
        >>> nn.CosineEmbeddingLoss()(x, torch.tensor([[0., 1.]]), torch.tensor([1.]))
        tensor(1.)
    """

    def forward(self, input1: Tensor, input2: Tensor, target: Tensor) -> Tensor:
        return F.cosine_embedding_loss(input1, input2, target, margin=self.margin, reduction=self.reduction)


class HingeEmbeddingLoss(_Loss):
    """The input, a distance, where the target is 1, `max(0, margin - input)` where it is -1.

    Args:
        margin (float, default 1.0): the least difference that costs nothing
        size_average (bool or None): older forms of `reduction`; give that instead
        reduce (bool or None): older forms of `reduction`; give that instead
        reduction (str, default "mean"): 'none': one value for each element; 'mean': their mean; 'sum': their sum

    Shape:
        two of the same shape to (), or to that shape with reduction 'none'

    Example:
        >>> nn.HingeEmbeddingLoss()(torch.tensor([0.2, 0.3]), torch.tensor([1., -1.]))
        tensor(0.4500)
    """

    def __init__(
        self, margin: float = 1.0, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean",
    ) -> None:  # fmt: skip
        super().__init__(size_average, reduce, reduction)
        self.margin = margin

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.hinge_embedding_loss(input, target, margin=self.margin, reduction=self.reduction)


class MultiLabelMarginLoss(_Loss):
    """Sum of `max(0, 1 - (x[right] - x[wrong]))` over all pairs of a right and a wrong class, over the classes.

    Args:
        size_average (bool or None): older forms of `reduction`; give that instead
        reduce (bool or None): older forms of `reduction`; give that instead
        reduction (str, default "mean"): 'none': one value for each element; 'mean': their mean; 'sum': their sum

    Shape:
        scores (N, C), and the numbers of the right classes, then -1, (N, C), to (), or to (N) with reduction 'none'

    Example:
        >>> nn.MultiLabelMarginLoss()(torch.tensor([[0.1, 0.9]]), torch.tensor([[1, -1]]))
        tensor(0.1000)
    """

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.multilabel_margin_loss(input, target, reduction=self.reduction)


class SoftMarginLoss(_Loss):
    """`log(1 + exp(-target * input))`, target being 1 or -1.

    Args:
        size_average (bool or None): older forms of `reduction`; give that instead
        reduce (bool or None): older forms of `reduction`; give that instead
        reduction (str, default "mean"): 'none': one value for each element; 'mean': their mean; 'sum': their sum

    Shape:
        two of the same shape to (), or to that shape with reduction 'none'

    Example:
        >>> nn.SoftMarginLoss()(torch.tensor([2., -1.]), torch.tensor([1., 1.]))
        tensor(0.7201)
    """

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.soft_margin_loss(input, target, reduction=self.reduction)


class MultiLabelSoftMarginLoss(_WeightedLoss):
    """BCEWithLogitsLoss, averaged over the classes, the last dimension.

    Args:
        weight (Tensor or None): a factor for each class, (C)
        size_average (bool or None): older forms of `reduction`; give that instead
        reduce (bool or None): older forms of `reduction`; give that instead
        reduction (str, default "mean"): 'none': one value for each element; 'mean': their mean; 'sum': their sum

    Shape:
        two of (N, C) to (), or to (N) with reduction 'none'

    Example:
        >>> nn.MultiLabelSoftMarginLoss()(torch.tensor([[2., -1.]]), torch.tensor([[1., 0.]]))
        tensor(0.2201)
    """

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.multilabel_soft_margin_loss(input, target, self.weight, reduction=self.reduction)


class MultiMarginLoss(_WeightedLoss):
    """Sum over the wrong classes of `max(0, margin - x[right] + x[wrong]) ** p`, over the number of classes.

    Args:
        p (int, default 1): 1 or 2
        margin (float, default 1.0): the least difference that costs nothing
        weight (Tensor or None): a factor for each class, (C)
        size_average (bool or None): older forms of `reduction`; give that instead
        reduce (bool or None): older forms of `reduction`; give that instead
        reduction (str, default "mean"): 'none': one value for each element; 'mean': their mean; 'sum': their sum

    Shape:
        scores (N, C), class numbers (N), to (), or to (N) with reduction 'none'

    Raises:
        ValueError: `p` is neither 1 nor 2, or `weight` is not 1-D

    Example:
        >>> nn.MultiMarginLoss()(torch.tensor([[0.1, 0.9]]), torch.tensor([1]))
        tensor(0.1000)
    """

    def __init__(
        self, p: int = 1, margin: float = 1.0, weight: Tensor | None = None, size_average: bool | None = None,
        reduce: bool | None = None, reduction: str = "mean",
    ) -> None:  # fmt: skip
        super().__init__(weight, size_average, reduce, reduction)
        if p not in (1, 2):
            raise ValueError("only p == 1 and p == 2 supported")
        if weight is not None and weight.dim() != 1:
            raise ValueError(f"MultiMarginLoss: expected weight to be None or 1D tensor, got {weight.dim()}D instead")
        self.p, self.margin = p, margin

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.multi_margin_loss(input, target, p=self.p, margin=self.margin, weight=self.weight, reduction=self.reduction)


class TripletMarginLoss(_Loss):
    """`max(0, d(anchor, positive) - d(anchor, negative) + margin)`, d being the p-norm of the difference.

    Args:
        margin (float, default 1.0): the least difference that costs nothing
        p (float, default 2.0): order of the norm
        eps (float, default 1e-6): added to the difference
        swap (bool, default False): take the distance from positive to negative where that is smaller (Balntas et al.
            2016)
        size_average (bool or None): older forms of `reduction`; give that instead
        reduce (bool or None): older forms of `reduction`; give that instead
        reduction (str, default "mean"): 'none': one value for each element; 'mean': their mean; 'sum': their sum

    Shape:
        three of (N, D) or (D) to (), or to (N) with reduction 'none'

    Raises:
        ValueError: `margin` is not above 0

    Example:
        >>> a = torch.zeros(1, 2)
        >>> nn.TripletMarginLoss()(a, a + 3, a + 1)
        tensor(3.8284)
    """

    def __init__(
        self, margin: float = 1.0, p: float = 2.0, eps: float = 1e-6, swap: bool = False, size_average: bool | None = None,
        reduce: bool | None = None, reduction: str = "mean",
    ) -> None:  # fmt: skip
        super().__init__(size_average, reduce, reduction)
        if margin <= 0:
            raise ValueError(f"TripletMarginLoss: expected margin to be greater than 0, got {margin} instead")
        self.margin, self.p, self.eps, self.swap = margin, p, eps, swap

    def forward(self, anchor: Tensor, positive: Tensor, negative: Tensor) -> Tensor:
        return F.triplet_margin_loss(
            anchor, positive, negative, margin=self.margin, p=self.p, eps=self.eps, swap=self.swap, reduction=self.reduction
        )


class TripletMarginWithDistanceLoss(_Loss):
    """TripletMarginLoss by a distance of the caller's.

    Args:
        distance_function (Callable[[Tensor, Tensor], Tensor] or None): gives the distance of two tensors; None:
            PairwiseDistance
        margin (float, default 1.0): the least difference that costs nothing
        swap (bool, default False): take the distance from positive to negative where that is smaller (Balntas et al.
            2016)
        reduction (str, default "mean"): 'none': one value for each element; 'mean': their mean; 'sum': their sum

    Shape:
        three of the same shape to (), or to what the distance gives with reduction 'none'

    Raises:
        ValueError: `margin` is not above 0

    Example:
        >>> a = torch.zeros(1, 2)
        >>> nn.TripletMarginWithDistanceLoss(distance_function=lambda x, y: (x - y).abs().sum(-1))(a, a + 3, a + 1)
        tensor(5.)
    """

    def __init__(
        self, *, distance_function: Callable[[Tensor, Tensor], Tensor] | None = None, margin: float = 1.0, swap: bool = False,
        reduction: str = "mean",
    ) -> None:  # fmt: skip
        super().__init__(reduction=reduction)
        if margin <= 0:
            raise ValueError(f"TripletMarginWithDistanceLoss: expected margin to be greater than 0, got {margin} instead")
        self.distance_function = PairwiseDistance() if distance_function is None else distance_function
        self.margin, self.swap = margin, swap

    def forward(self, anchor: Tensor, positive: Tensor, negative: Tensor) -> Tensor:
        return F.triplet_margin_with_distance_loss(
            anchor, positive, negative, distance_function=self.distance_function, margin=self.margin, swap=self.swap,
            reduction=self.reduction,
        )  # fmt: skip


__all__ = [
    "MarginRankingLoss", "CosineEmbeddingLoss", "HingeEmbeddingLoss", "MultiLabelMarginLoss",
    "SoftMarginLoss", "MultiLabelSoftMarginLoss", "MultiMarginLoss", "TripletMarginLoss",
    "TripletMarginWithDistanceLoss",
]  # fmt: skip
