"""Adaptive pooling as modules."""

from __future__ import annotations

from torch.nn import functional as F
from torch.nn.modules._shared import show
from torch.nn.modules.module import Module

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from typing import Any

    from torch import Tensor


class _AdaptiveAvgPoolNd(Module):
    def __init__(self, output_size: Any) -> None:
        super().__init__()
        self.output_size = output_size

    def forward(self, input: Tensor) -> Tensor:
        return self._operator(input, self.output_size)

    def extra_repr(self) -> str:
        return show(self, "output_size")


class AdaptiveAvgPool1d(_AdaptiveAvgPoolNd):
    """Averages of windows that cut the input into `output_size`.

    Args:
        output_size (int or 1-tuple): length of the result

    Shape:
        (N, C, L) or (C, L) to (N, C, *output_size) or (C, *output_size)

    Example:
        >>> nn.AdaptiveAvgPool1d(3)(torch.ones(1, 2, 4)).shape
        torch.Size([1, 2, 3])
    """

    _operator = staticmethod(F.adaptive_avg_pool1d)


class AdaptiveAvgPool2d(_AdaptiveAvgPoolNd):
    """Averages of windows that cut the input into `output_size`.

    Args:
        output_size (int, None or pair): height and width of the result; None: those of the input

    Shape:
        (N, C, H, W) or (C, H, W) to (N, C, *output_size) or (C, *output_size)

    Example:
        >>> nn.AdaptiveAvgPool2d(3)(torch.ones(1, 2, 4, 4)).shape
        torch.Size([1, 2, 3, 3])
    """

    _operator = staticmethod(F.adaptive_avg_pool2d)


class AdaptiveAvgPool3d(_AdaptiveAvgPoolNd):
    """Averages of windows that cut the input into `output_size`.

    Args:
        output_size (int, None or triple): depth, height and width of the result; None: those of the input

    Shape:
        (N, C, D, H, W) or (C, D, H, W) to (N, C, *output_size) or (C, *output_size)

    Example:
        >>> nn.AdaptiveAvgPool3d(3)(torch.ones(1, 2, 4, 4, 4)).shape
        torch.Size([1, 2, 3, 3, 3])
    """

    _operator = staticmethod(F.adaptive_avg_pool3d)


class _AdaptiveMaxPoolNd(Module):
    def __init__(self, output_size: Any, return_indices: bool = False) -> None:
        super().__init__()
        self.output_size, self.return_indices = output_size, return_indices

    def forward(self, input: Tensor) -> Any:
        return self._operator(input, self.output_size, self.return_indices)

    def extra_repr(self) -> str:
        return show(self, "output_size")


class AdaptiveMaxPool1d(_AdaptiveMaxPoolNd):
    """Maxima of windows that cut the input into `output_size`.

    Args:
        output_size (int or 1-tuple): length of the result
        return_indices (bool, default False): return (maxima, their places in the flattened channel)

    Shape:
        (N, C, L) or (C, L) to (N, C, *output_size) or (C, *output_size)

    Example:
        >>> nn.AdaptiveMaxPool1d(3)(torch.ones(1, 2, 4)).shape
        torch.Size([1, 2, 3])
    """

    _operator = staticmethod(F.adaptive_max_pool1d)


class AdaptiveMaxPool2d(_AdaptiveMaxPoolNd):
    """Maxima of windows that cut the input into `output_size`.

    Args:
        output_size (int, None or pair): height and width of the result; None: those of the input
        return_indices (bool, default False): return (maxima, their places in the flattened channel)

    Shape:
        (N, C, H, W) or (C, H, W) to (N, C, *output_size) or (C, *output_size)

    Example:
        >>> nn.AdaptiveMaxPool2d(3)(torch.ones(1, 2, 4, 4)).shape
        torch.Size([1, 2, 3, 3])
    """

    _operator = staticmethod(F.adaptive_max_pool2d)


class AdaptiveMaxPool3d(_AdaptiveMaxPoolNd):
    """Maxima of windows that cut the input into `output_size`.

    Args:
        output_size (int, None or triple): depth, height and width of the result; None: those of the input
        return_indices (bool, default False): return (maxima, their places in the flattened channel)

    Shape:
        (N, C, D, H, W) or (C, D, H, W) to (N, C, *output_size) or (C, *output_size)

    Example:
        >>> nn.AdaptiveMaxPool3d(3)(torch.ones(1, 2, 4, 4, 4)).shape
        torch.Size([1, 2, 3, 3, 3])
    """

    _operator = staticmethod(F.adaptive_max_pool3d)


__all__ = [
    "AdaptiveAvgPool1d", "AdaptiveAvgPool2d", "AdaptiveAvgPool3d", "AdaptiveMaxPool1d", "AdaptiveMaxPool2d",
    "AdaptiveMaxPool3d",
]  # fmt: skip
