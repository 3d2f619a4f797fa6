"""The softmax family as modules."""

from __future__ import annotations

from torch.nn import functional as F
from torch.nn.modules._shared import show
from torch.nn.modules.module import Module

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from typing import Any

    from torch import Tensor


class Softmax(Module):
    """`exp(x)` divided by its sum along `dim`: positive numbers that sum to 1.

    Args:
        dim (int or None): the dimension to normalise; leaving it out is deprecated

    Shape:
        any, which stays

    Example:
        >>> nn.Softmax(dim=0)(torch.tensor([0., 1., 2.]))
        tensor([0.0900, 0.2447, 0.6652])
    """

    def __init__(self, dim: int | None = None) -> None:
        super().__init__()
        self.dim = dim

    def __setstate__(self, state: Any) -> None:
        super().__setstate__(state)
        self.__dict__.setdefault("dim", None)

    def forward(self, input: Tensor) -> Tensor:
        return F.softmax(input, self.dim, _stacklevel=5)

    def extra_repr(self) -> str:
        return show(self, "dim")


class Softmin(Softmax):
    """Softmax of `-x`: the smallest elements get the largest shares.

    Args:
        dim (int or None): the dimension to normalise; leaving it out is deprecated

    Shape:
        any, which stays

    Example:
        >>> nn.Softmin(dim=0)(torch.tensor([0., 1., 2.]))
        tensor([0.6652, 0.2447, 0.0900])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.softmin(input, self.dim, _stacklevel=5)


class LogSoftmax(Softmax):
    """The logarithm of the softmax along `dim`, without overflow or loss of accuracy.

    Args:
        dim (int or None): the dimension to normalise; leaving it out is deprecated

    Shape:
        any, which stays

    Example:
        >>> nn.LogSoftmax(dim=0)(torch.tensor([0., 1., 2.]))
        tensor([-2.4076, -1.4076, -0.4076])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.log_softmax(input, self.dim, _stacklevel=5)


class Softmax2d(Module):
    """Softmax over the channels of an image, at each place.

    Shape:
        (N, C, H, W) or (C, H, W), which stays

    Raises:
        ValueError: other numbers of dimensions

    Example:
        >>> nn.Softmax2d()(torch.zeros(1, 2, 1, 1)).flatten()
        tensor([0.5000, 0.5000])
    """

    def forward(self, input: Tensor) -> Tensor:
        if input.dim() not in (3, 4):
            raise ValueError(f"Softmax2d: expected input to be 3D or 4D, got {input.dim()}D instead")
        return F.softmax(input, -3, _stacklevel=5)


__all__ = ["Softmax", "Softmin", "LogSoftmax", "Softmax2d"]
