"""Pooling: averages and power means of windows."""

from __future__ import annotations

from torch._operators import NN as _nn
from torch._operators import VF as _VF
from torch.nn.functional._common import overridable, repeat

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from typing import Any

    from torch import Tensor
    from torch._C._nn import avg_pool2d as avg_pool2d
    from torch._C._nn import avg_pool3d as avg_pool3d
    from torch._C._VariableFunctions import adaptive_avg_pool1d as adaptive_avg_pool1d
    from torch._C._VariableFunctions import avg_pool1d as avg_pool1d
    from torch.nn.common_types import _size_1_t, _size_2_opt_t, _size_2_t, _size_3_opt_t, _size_3_t, _size_any_t
else:
    avg_pool1d, adaptive_avg_pool1d = _VF.avg_pool1d, _VF.adaptive_avg_pool1d
    avg_pool2d, avg_pool3d = _nn.avg_pool2d, _nn.avg_pool3d

__all__ = [
    "avg_pool1d", "avg_pool2d", "avg_pool3d", "adaptive_avg_pool1d", "adaptive_avg_pool2d", "adaptive_avg_pool3d",
    "lp_pool1d", "lp_pool2d", "lp_pool3d",
]  # fmt: skip


def adaptive_size(output_size: Any, input: Tensor, dims: int) -> list[int]:
    """One number per dimension; None means the input's size."""
    sizes = repeat(output_size, dims)
    return [length if requested is None else requested for requested, length in zip(sizes, input.size()[-len(sizes) :])]


@overridable(1)
def adaptive_avg_pool2d(input: Tensor, output_size: _size_2_opt_t) -> Tensor:
    """Averages of windows that cut an image into `output_size`.

    Args:
        input (Tensor): (N, C, H, W) or (C, H, W)
        output_size (int, None or pair): height and width of the result; None: those of the input

    Returns:
        (N, C, *output_size)

    Example:
        >>> F.adaptive_avg_pool2d(torch.arange(16.).view(1, 4, 4), 2)
        tensor([[[ 2.5000,  4.5000],
                 [10.5000, 12.5000]]])
    """
    return _nn.adaptive_avg_pool2d(input, adaptive_size(output_size, input, 2))


@overridable(1)
def adaptive_avg_pool3d(input: Tensor, output_size: _size_3_opt_t) -> Tensor:
    """Averages of windows that cut a volume into `output_size`.

    Args:
        input (Tensor): (N, C, D, H, W) or (C, D, H, W)
        output_size (int, None or triple): depth, height and width of the result; None: those of the input

    Returns:
        (N, C, *output_size)

    Example:
        >>> F.adaptive_avg_pool3d(torch.ones(1, 4, 4, 4), (1, 2, None)).shape
        torch.Size([1, 1, 2, 4])
    """
    return _nn.adaptive_avg_pool3d(input, adaptive_size(output_size, input, 3))


def _power_mean(
    dims: int,
    average: Any,
    input: Tensor,
    norm_type: float,
    kernel_size: _size_any_t,
    stride: _size_any_t | None,
    ceil_mode: bool,
) -> Tensor:
    mean = average(input.pow(norm_type), kernel_size, kernel_size if stride is None else stride, 0, ceil_mode)
    size = 1
    for length in repeat(kernel_size, dims):
        size *= length
    return (mean.sign() * mean.abs().relu()).mul(size).pow(1.0 / norm_type)


@overridable(1)
def lp_pool1d(
    input: Tensor,
    norm_type: float,
    kernel_size: _size_1_t,
    stride: _size_1_t | None = None,
    ceil_mode: bool = False,
) -> Tensor:
    """`(sum of x ** p) ** (1 / p)` over each window.

    Args:
        input (Tensor): (N, C, L) or (C, L)
        norm_type (float): the exponent p
        kernel_size (int or 1-tuple): length of a window
        stride (int or 1-tuple or None): distance between windows; None: their size
        ceil_mode (bool, default False): windows may begin inside and end outside

    Returns:
        (N, C, number of windows)

    Example:
        >>> F.lp_pool1d(torch.tensor([[3., 4., 6., 8.]]), 2, 2)
        tensor([[ 5., 10.]])
    """
    return _power_mean(1, avg_pool1d, input, norm_type, kernel_size, stride, ceil_mode)


@overridable(1)
def lp_pool2d(
    input: Tensor,
    norm_type: float,
    kernel_size: _size_2_t,
    stride: _size_2_t | None = None,
    ceil_mode: bool = False,
) -> Tensor:
    """`(sum of x ** p) ** (1 / p)` over each window.

    Args:
        input (Tensor): (N, C, H, W) or (C, H, W)
        norm_type (float): the exponent p
        kernel_size (int or pair): height and width of a window
        stride (int or pair or None): distance between windows; None: their size
        ceil_mode (bool, default False): windows may begin inside and end outside

    Returns:
        (N, C, rows, columns of windows)

    Example:
        >>> F.lp_pool2d(torch.tensor([[[1., 1.], [1., 1.]]]), 2, 2)
        tensor([[[2.]]])
    """
    return _power_mean(2, avg_pool2d, input, norm_type, kernel_size, stride, ceil_mode)


@overridable(1)
def lp_pool3d(
    input: Tensor,
    norm_type: float,
    kernel_size: _size_3_t,
    stride: _size_3_t | None = None,
    ceil_mode: bool = False,
) -> Tensor:
    """`(sum of x ** p) ** (1 / p)` over each window.

    Args:
        input (Tensor): (N, C, D, H, W) or (C, D, H, W)
        norm_type (float): the exponent p
        kernel_size (int or triple): depth, height and width of a window
        stride (int or triple or None): distance between windows; None: their size
        ceil_mode (bool, default False): windows may begin inside and end outside

    Returns:
        (N, C, and the number of windows in each dimension)

    Example:
        >>> F.lp_pool3d(torch.ones(1, 2, 2, 2), 3, 2)
        tensor([[[[2.]]]])
    """
    return _power_mean(3, avg_pool3d, input, norm_type, kernel_size, stride, ceil_mode)
