"""Dropout as modules."""

from __future__ import annotations

from torch.nn import functional as F
from torch.nn.modules.module import Module

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from torch import Tensor


class _DropoutNd(Module):
    def __init__(self, p: float = 0.5, inplace: bool = False) -> None:
        super().__init__()
        if p < 0 or p > 1:
            raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
        self.p, self.inplace = p, inplace

    def forward(self, input: Tensor) -> Tensor:
        return self._operator(input, self.p, self.training, self.inplace)

    def extra_repr(self) -> str:
        return f"p={self.p}, inplace={self.inplace}"


class Dropout(_DropoutNd):
    """Zeroes each element with probability `p` in training and scales the rest by `1 / (1 - p)` (Srivastava et al. 2014).

    Args:
        p (float, default 0.5): probability of dropping, from 0 to 1
        inplace (bool, default False): write the result into the input

    Shape:
        any, which stays

    Raises:
        ValueError: `p` is not from 0 to 1

    Example:
        >>> nn.Dropout(0.5).eval()(torch.ones(3))
        tensor([1., 1., 1.])
    """

    p: float
    inplace: bool

    _operator = staticmethod(F.dropout)


class Dropout1d(_DropoutNd):
    """Zeroes whole channels with probability `p` in training and scales the rest by `1 / (1 - p)`.

    Args:
        p (float, default 0.5): probability of dropping, from 0 to 1
        inplace (bool, default False): write the result into the input

    Shape:
        (N, C, L) or (C, L), which stays

    Raises:
        ValueError: `p` is not from 0 to 1

    Example:
        >>> nn.Dropout1d(1.0)(torch.ones(1, 2, 2)).count_nonzero()
        tensor(0)
    """

    _operator = staticmethod(F.dropout1d)


class Dropout2d(_DropoutNd):
    """Zeroes whole channels with probability `p` in training and scales the rest by `1 / (1 - p)`.

    Args:
        p (float, default 0.5): probability of dropping, from 0 to 1
        inplace (bool, default False): write the result into the input

    Shape:
        (N, C, H, W), which stays

    Raises:
        ValueError: `p` is not from 0 to 1

    Example:
        >>> nn.Dropout2d(1.0)(torch.ones(1, 2, 2, 2)).count_nonzero()
        tensor(0)
    """

    _operator = staticmethod(F.dropout2d)


class Dropout3d(_DropoutNd):
    """Zeroes whole channels with probability `p` in training and scales the rest by `1 / (1 - p)`.

    Args:
        p (float, default 0.5): probability of dropping, from 0 to 1
        inplace (bool, default False): write the result into the input

    Shape:
        (N, C, D, H, W) or (C, D, H, W), which stays

    Raises:
        ValueError: `p` is not from 0 to 1

    Example:
        >>> nn.Dropout3d(1.0)(torch.ones(1, 2, 2, 2, 2)).count_nonzero()
        tensor(0)
    """

    _operator = staticmethod(F.dropout3d)


class AlphaDropout(_DropoutNd):
    """Dropout that keeps mean and variance of what went through SELU (Klambauer et al. 2017).

    Args:
        p (float, default 0.5): probability of dropping, from 0 to 1
        inplace (bool, default False): write the result into the input

    Shape:
        any, which stays

    Raises:
        ValueError: `p` is not from 0 to 1

    Example:
        >>> nn.AlphaDropout(0.5).eval()(torch.ones(3))
        tensor([1., 1., 1.])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.alpha_dropout(input, self.p, self.training)


class FeatureAlphaDropout(_DropoutNd):
    """AlphaDropout of whole channels, dimension 1.

    Args:
        p (float, default 0.5): probability of dropping, from 0 to 1
        inplace (bool, default False): write the result into the input

    Shape:
        (N, C, ...), which stays

    Raises:
        ValueError: `p` is not from 0 to 1

    Example:
        >>> nn.FeatureAlphaDropout(0.5).eval()(torch.ones(1, 3))
        tensor([[1., 1., 1.]])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.feature_alpha_dropout(input, self.p, self.training)


__all__ = ["Dropout", "Dropout1d", "Dropout2d", "Dropout3d", "AlphaDropout", "FeatureAlphaDropout"]
