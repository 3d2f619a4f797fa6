"""Losses as modules: settings in the constructor, two tensors or more in the call."""

from __future__ import annotations

from torch.nn import functional as F
from torch.nn.functional._common import legacy_reduction
from torch.nn.modules.module import Module

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from collections.abc import Sequence

    from torch import Tensor
else:  # typing.get_type_hints() of classes needs them
    from torch import Tensor


class _Loss(Module):
    def __init__(self, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean") -> None:
        super().__init__()
        legacy = size_average is not None or reduce is not None
        self.reduction = legacy_reduction(size_average, reduce) if legacy else reduction


class _WeightedLoss(_Loss):
    def __init__(
        self, weight: Tensor | None = None, size_average: bool | None = None, reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None:  # fmt: skip
        super().__init__(size_average, reduce, reduction)
        self.register_buffer("weight", weight)


class L1Loss(_Loss):
    """`abs(input - target)`.

    Args:
        size_average (bool or None): older forms of `reduction`; give that instead
        reduce (bool or None): older forms of `reduction`; give that instead
        reduction (str, default "mean"): 'none': one value for each element; 'mean': their mean; 'sum': their sum

    Shape:
        two of the same shape to (), or to that shape with reduction 'none'

    Example:
        >>> nn.L1Loss()(torch.tensor([1., 2.]), torch.tensor([1., 4.]))
        tensor(1.)
    """

    reduction: str

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.l1_loss(input, target, reduction=self.reduction)


class MSELoss(_Loss):
    """`(input - target) ** 2`.

    Args:
        size_average (bool or None): older forms of `reduction`; give that instead
        reduce (bool or None): older forms of `reduction`; give that instead
        reduction (str, default "mean"): 'none': one value for each element; 'mean': their mean; 'sum': their sum

    Shape:
        two of the same shape to (), or to that shape with reduction 'none'

    Example:
        >>> nn.MSELoss()(torch.tensor([1., 2.]), torch.tensor([1., 4.]))
        tensor(2.)
    """

    reduction: str

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.mse_loss(input, target, reduction=self.reduction)


class SmoothL1Loss(_Loss):
    """With `d = abs(input - target)`: `d ** 2 / (2 * beta)` below `beta`, `d - beta / 2` above (Girshick 2015).

    Args:
        size_average (bool or None): older forms of `reduction`; give that instead
        reduce (bool or None): older forms of `reduction`; give that instead
        reduction (str, default "mean"): 'none': one value for each element; 'mean': their mean; 'sum': their sum
        beta (float, default 1.0): where the square becomes a line; 0 is L1Loss

    Shape:
        two of the same shape to (), or to that shape with reduction 'none'

    Example:
        >>> nn.SmoothL1Loss(reduction="none")(torch.tensor([0.5, 3.]), torch.zeros(2))
        tensor([0.1250, 2.5000])
    """

    def __init__(
        self, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean", beta: float = 1.0,
    ) -> None:  # fmt: skip
        super().__init__(size_average, reduce, reduction)
        self.beta = beta

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.smooth_l1_loss(input, target, reduction=self.reduction, beta=self.beta)


class HuberLoss(_Loss):
    """With `d = abs(input - target)`: `d ** 2 / 2` below `delta`, `delta * (d - delta / 2)` above (Huber 1964).

    Args:
        reduction (str, default "mean"): 'none': one value for each element; 'mean': their mean; 'sum': their sum
        delta (float, default 1.0): where the square becomes a line

    Shape:
        two of the same shape to (), or to that shape with reduction 'none'

    Example:
        >>> nn.HuberLoss(reduction="none")(torch.tensor([0.5, 3.]), torch.zeros(2))
        tensor([0.1250, 2.5000])
    """

    def __init__(self, reduction: str = "mean", delta: float = 1.0) -> None:
        super().__init__(reduction=reduction)
        self.delta = delta

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.huber_loss(input, target, reduction=self.reduction, delta=self.delta)


class CrossEntropyLoss(_WeightedLoss):
    """`-log softmax(input)` at the right class: the loss of classification.

    Args:
        weight (Tensor or None): a factor for each class, (C)
        size_average (bool or None): older forms of `reduction`; give that instead
        ignore_index (int, default -100): targets of this number add nothing
        reduce (bool or None): older forms of `reduction`; give that instead
        reduction (str, default "mean"): 'none': one value for each element; 'mean': their mean; 'sum': their sum
        label_smoothing (float, default 0.0): this share of the target is spread over all classes, from 0 to 1

    Shape:
        scores (N, C, ...) or (C), and class numbers (N, ...) or probabilities of the scores' shape, to () or, with
            reduction 'none', (N, ...)

    Raises:
        IndexError: a class number is outside 0 to C - 1

    Example:
        >>> nn.CrossEntropyLoss()(torch.tensor([[2., 0., 0.]]), torch.tensor([0]))
        tensor(0.2395)
    """

    weight: Tensor | None
    ignore_index: int
    label_smoothing: float

    def __init__(
        self, weight: Tensor | None = None, size_average: bool | None = None, ignore_index: int = -100,
        reduce: bool | None = None, reduction: str = "mean", label_smoothing: float = 0.0,
    ) -> None:  # fmt: skip
        super().__init__(weight, size_average, reduce, reduction)
        self.ignore_index, self.label_smoothing = ignore_index, label_smoothing

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.cross_entropy(
            input,
            target,
            self.weight,
            ignore_index=self.ignore_index,
            reduction=self.reduction,
            label_smoothing=self.label_smoothing,
        )


class NLLLoss(_WeightedLoss):
    """Minus the log-probability of the right class.

    Args:
        weight (Tensor or None): a factor for each class, (C)
        size_average (bool or None): older forms of `reduction`; give that instead
        ignore_index (int, default -100): targets of this number add nothing
        reduce (bool or None): older forms of `reduction`; give that instead
        reduction (str, default "mean"): 'none': one value for each element; 'mean': their mean; 'sum': their sum

    Shape:
        log-probabilities (N, C, ...) or (C), and class numbers (N, ...), to () or, with reduction 'none', (N, ...)

    Raises:
        IndexError: a class number is outside 0 to C - 1

    Example:
        >>> nn.NLLLoss()(torch.tensor([[0.25, 0.75]]).log(), torch.tensor([1]))
        tensor(0.2877)
    """

    weight: Tensor | None

    def __init__(
        self, weight: Tensor | None = None, size_average: bool | None = None, ignore_index: int = -100,
        reduce: bool | None = None, reduction: str = "mean",
    ) -> None:  # fmt: skip
        super().__init__(weight, size_average, reduce, reduction)
        self.ignore_index = ignore_index

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.nll_loss(input, target, self.weight, ignore_index=self.ignore_index, reduction=self.reduction)


class NLLLoss2d(NLLLoss):
    """NLLLoss, under the name of older programs.

    Args:
        weight (Tensor or None): a factor for each class, (C)
        size_average (bool or None): older forms of `reduction`; give that instead
        ignore_index (int, default -100): targets of this number add nothing
        reduce (bool or None): older forms of `reduction`; give that instead
        reduction (str, default "mean"): 'none': one value for each element; 'mean': their mean; 'sum': their sum

    Shape:
        log-probabilities (N, C, H, W) and class numbers (N, H, W) to () or, with reduction 'none', (N, H, W)

    Example:
        >>> nn.NLLLoss2d()(torch.zeros(1, 2, 1, 1), torch.ones(1, 1, 1, dtype=torch.int64))
        tensor(0.)
    """


class BCELoss(_WeightedLoss):
    """`-(t * log(p) + (1 - t) * log(1 - p))` for probabilities p and targets t; logarithms stop at -100.

    Args:
        weight (Tensor or None): factors, which broadcast to the target's shape
        size_average (bool or None): older forms of `reduction`; give that instead
        reduce (bool or None): older forms of `reduction`; give that instead
        reduction (str, default "mean"): 'none': one value for each element; 'mean': their mean; 'sum': their sum

    Shape:
        two of the same shape to (), or to that shape with reduction 'none'

    Raises:
        RuntimeError: an input is not from 0 to 1

    Example:
        >>> nn.BCELoss()(torch.tensor([0.9, 0.2]), torch.tensor([1., 0.]))
        tensor(0.1643)
    """

    weight: Tensor | None

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.binary_cross_entropy(input, target, self.weight, reduction=self.reduction)


class BCEWithLogitsLoss(_Loss):
    """BCELoss of `sigmoid(input)`, computed so that nothing overflows.

    Args:
        weight (Tensor or None): factors, which broadcast to the target's shape
        size_average (bool or None): older forms of `reduction`; give that instead
        reduce (bool or None): older forms of `reduction`; give that instead
        reduction (str, default "mean"): 'none': one value for each element; 'mean': their mean; 'sum': their sum
        pos_weight (Tensor or None): factors of the terms of positive targets, which broadcast likewise

    Shape:
        two of the same shape to (), or to that shape with reduction 'none'

    Example:
        >>> nn.BCEWithLogitsLoss()(torch.tensor([2., -1.]), torch.tensor([1., 0.]))
        tensor(0.2201)
    """

    weight: Tensor | None
    pos_weight: Tensor | None

    def __init__(
        self, weight: Tensor | None = None, size_average: bool | None = None, reduce: bool | None = None,
        reduction: str = "mean", pos_weight: Tensor | None = None,
    ) -> None:  # fmt: skip
        super().__init__(size_average, reduce, reduction)
        self.register_buffer("weight", weight)
        self.register_buffer("pos_weight", pos_weight)

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.binary_cross_entropy_with_logits(
            input, target, self.weight, pos_weight=self.pos_weight, reduction=self.reduction
        )


class KLDivLoss(_Loss):
    """`target * (log(target) - input)`: the divergence of Kullback and Leibler (1951), for log-probabilities.

    Args:
        size_average (bool or None): older forms of `reduction`; give that instead
        reduce (bool or None): older forms of `reduction`; give that instead
        reduction (str, default "mean"): 'none', 'sum', 'batchmean' (the sum over the batch's size: the divergence) or
            'mean'
        log_target (bool, default False): targets are log-probabilities too

    Shape:
        two of the same shape to (), or to that shape with reduction 'none'

    Example:
        >>> p, q = torch.tensor([[0.5, 0.5]]), torch.tensor([[0.25, 0.75]])
        >>> nn.KLDivLoss(reduction="batchmean")(q.log(), p)
        tensor(0.1438)
    """

    def __init__(
        self, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean", log_target: bool = False,
    ) -> None:  # fmt: skip
        super().__init__(size_average, reduce, reduction)
        self.log_target = log_target

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.kl_div(input, target, reduction=self.reduction, log_target=self.log_target)


class PoissonNLLLoss(_Loss):
    """`exp(input) - target * input`: minus the log-likelihood of counts, up to a constant.

    Args:
        log_input (bool, default True): the input is the logarithm of the expected count; else the loss is `input -
            target * log(input + eps)`
        full (bool, default False): add Stirling's approximation of the constant, for targets above 1
        size_average (bool or None): older forms of `reduction`; give that instead
        eps (float, default 1e-8): keeps the logarithm from 0
        reduce (bool or None): older forms of `reduction`; give that instead
        reduction (str, default "mean"): 'none': one value for each element; 'mean': their mean; 'sum': their sum

    Shape:
        two of the same shape to (), or to that shape with reduction 'none'

    Example:
        >>> nn.PoissonNLLLoss()(torch.tensor([0., 1.]), torch.tensor([1., 2.]))
        tensor(0.8591)
    """

    def __init__(
        self, log_input: bool = True, full: bool = False, size_average: bool | None = None, eps: float = 1e-8,
        reduce: bool | None = None, reduction: str = "mean",
    ) -> None:  # fmt: skip
        super().__init__(size_average, reduce, reduction)
        self.log_input, self.full, self.eps = log_input, full, eps

    def forward(self, log_input: Tensor, target: Tensor) -> Tensor:
        return F.poisson_nll_loss(
            log_input, target, log_input=self.log_input, full=self.full, eps=self.eps, reduction=self.reduction
        )


class GaussianNLLLoss(_Loss):
    """`(log(var) + (input - target) ** 2 / var) / 2`: minus the log-likelihood under a normal distribution.

    Args:
        full (bool, default False): add the constant `log(2 * pi) / 2`
        eps (float, default 1e-6): the least variance
        reduction (str, default "mean"): 'none': one value for each element; 'mean': their mean; 'sum': their sum

    Shape:
        two of the same shape, and variances of it, or with a last dimension of 1 or none, to (), or to that shape with
            reduction 'none'

    Raises:
        ValueError: a variance is negative, or of the wrong shape

    Example:
        >>> nn.GaussianNLLLoss()(torch.tensor([1., 2.]), torch.tensor([1., 4.]), torch.ones(2))
        tensor(1.)
    """

    def __init__(self, *, full: bool = False, eps: float = 1e-6, reduction: str = "mean") -> None:
        super().__init__(reduction=reduction)
        self.full, self.eps = full, eps

    def forward(self, input: Tensor, target: Tensor, var: Tensor | float) -> Tensor:
        return F.gaussian_nll_loss(input, target, var, full=self.full, eps=self.eps, reduction=self.reduction)


class CTCLoss(_Loss):
    """Connectionist temporal classification (Graves et al. 2006): minus the log-probability of all alignments.

    Args:
        blank (int, default 0): the class that stands for nothing
        reduction (str, default "mean"): 'none'; 'mean': each loss over its target's length, then the mean; 'sum'
        zero_infinity (bool, default False): count sequences that are too short for their target as 0

    Shape:
        log-probabilities (T, N, C), targets (N, S), lengths (N) and (N) to (), or to (N) with reduction 'none'

    Example:
        >>> even = torch.full((3, 1, 2), 0.5).log()
        >>> nn.CTCLoss()(even, torch.tensor([[1]]), torch.tensor([3]), torch.tensor([1]))
        tensor(0.2877)
    """

    def __init__(self, blank: int = 0, reduction: str = "mean", zero_infinity: bool = False) -> None:
        super().__init__(reduction=reduction)
        self.blank, self.zero_infinity = blank, zero_infinity

    def forward(
        self, log_probs: Tensor, targets: Tensor, input_lengths: Tensor | Sequence[int],
        target_lengths: Tensor | Sequence[int],
    ) -> Tensor:  # fmt: skip
        return F.ctc_loss(log_probs, targets, input_lengths, target_lengths, self.blank, self.reduction, self.zero_infinity)


__all__ = [
    "L1Loss", "MSELoss", "SmoothL1Loss", "HuberLoss", "CrossEntropyLoss", "NLLLoss", "NLLLoss2d", "BCELoss",
    "BCEWithLogitsLoss", "KLDivLoss", "PoissonNLLLoss", "GaussianNLLLoss", "CTCLoss",
]  # fmt: skip
