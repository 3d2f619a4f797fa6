"""Pooling as modules."""

from __future__ import annotations

from torch.nn import functional as F
from torch.nn.functional import pooling
from torch.nn.modules._shared import repeat, show
from torch.nn.modules.module import Module

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from torch import Tensor
    from torch.nn.common_types import _size_1_t, _size_2_t, _size_any_t


class _MaxPoolNd(Module):
    def __init__(
        self, kernel_size: _size_any_t, stride: _size_any_t | None = None, padding: _size_any_t = 0,
        dilation: _size_any_t = 1, return_indices: bool = False, ceil_mode: bool = False,
    ) -> None:  # fmt: skip
        super().__init__()
        self.kernel_size, self.stride = kernel_size, kernel_size if stride is None else stride
        self.padding, self.dilation = padding, dilation
        self.return_indices, self.ceil_mode = return_indices, ceil_mode

    # With return_indices the result is a pair of tensors. Type checkers need not distinguish it from a tensor: both unpack.
    def forward(self, input: Tensor) -> Tensor:
        result: Tensor = self._operator(
            input, self.kernel_size, self.stride, self.padding, self.dilation, self.ceil_mode, self.return_indices
        )
        return result

    def extra_repr(self) -> str:
        return show(self, "kernel_size", "stride", "padding", "dilation", "ceil_mode")


class MaxPool1d(_MaxPoolNd):
    """The largest value of each window.

    Args:
        kernel_size (int or tuple): length of a window
        stride (int or tuple or None): distance between windows; None: their size
        padding (int or tuple, default 0): places added on both sides, which are never the largest; at most half a
            window
        dilation (int or tuple, default 1): distance between the elements of a window
        return_indices (bool, default False): return (maxima, their places in the flattened channel)
        ceil_mode (bool, default False): windows may begin inside and end outside

    Shape:
        (N, C, L) or (C, L), each size becoming `(size + 2 * padding - dilation * (kernel - 1) - 1) // stride + 1`

    Example:
        >>> nn.MaxPool1d(2)(torch.ones(1, 2, 4)).shape
        torch.Size([1, 2, 2])
    """

    _operator = staticmethod(F.max_pool1d)


class MaxPool2d(_MaxPoolNd):
    """The largest value of each window.

    Args:
        kernel_size (int or tuple): height and width of a window
        stride (int or tuple or None): distance between windows; None: their size
        padding (int or tuple, default 0): places added on both sides, which are never the largest; at most half a
            window
        dilation (int or tuple, default 1): distance between the elements of a window
        return_indices (bool, default False): return (maxima, their places in the flattened channel)
        ceil_mode (bool, default False): windows may begin inside and end outside

    Shape:
        (N, C, H, W) or (C, H, W), each size becoming `(size + 2 * padding - dilation * (kernel - 1) - 1) // stride + 1`

    Example:
        >>> nn.MaxPool2d(2)(torch.ones(1, 2, 4, 4)).shape
        torch.Size([1, 2, 2, 2])
    """

    _operator = staticmethod(F.max_pool2d)


class MaxPool3d(_MaxPoolNd):
    """The largest value of each window.

    Args:
        kernel_size (int or tuple): depth, height and width of a window
        stride (int or tuple or None): distance between windows; None: their size
        padding (int or tuple, default 0): places added on both sides, which are never the largest; at most half a
            window
        dilation (int or tuple, default 1): distance between the elements of a window
        return_indices (bool, default False): return (maxima, their places in the flattened channel)
        ceil_mode (bool, default False): windows may begin inside and end outside

    Shape:
        (N, C, D, H, W) or (C, D, H, W), each size becoming `(size + 2 * padding - dilation * (kernel - 1) - 1) //
            stride + 1`

    Example:
        >>> nn.MaxPool3d(2)(torch.ones(1, 2, 4, 4, 4)).shape
        torch.Size([1, 2, 2, 2, 2])
    """

    _operator = staticmethod(F.max_pool3d)


class _MaxUnpoolNd(Module):
    def __init__(self, kernel_size: _size_any_t, stride: _size_any_t | None = None, padding: _size_any_t = 0) -> None:
        super().__init__()
        self.kernel_size = repeat(kernel_size, self._dims)
        self.stride = self.kernel_size if stride is None else repeat(stride, self._dims)
        self.padding = repeat(padding, self._dims)

    def forward(self, input: Tensor, indices: Tensor, output_size: Sequence[int] | None = None) -> Tensor:
        return self._operator(input, indices, self.kernel_size, self.stride, self.padding, output_size)

    def extra_repr(self) -> str:
        return show(self, "kernel_size", "stride", "padding")


class MaxUnpool1d(_MaxUnpoolNd):
    """Puts maxima back where `MaxPool1d` found them, among zeros: a partial inverse.

    Args:
        kernel_size (int or 1-tuple): length of a window
        stride (int or 1-tuple or None): distance between windows; None: their size
        padding (int or 1-tuple, default 0): what pooling had

    Shape:
        maxima and indices (N, C, L) or (C, L) to the size before pooling; a call's `output_size` says it where pooling
            rounded

    Example:
        >>> maxima, places = nn.MaxPool1d(2, return_indices=True)(torch.ones(1, 2, 4))
        >>> nn.MaxUnpool1d(2)(maxima, places).shape
        torch.Size([1, 2, 4])
    """

    _dims, _operator = 1, staticmethod(F.max_unpool1d)


class MaxUnpool2d(_MaxUnpoolNd):
    """Puts maxima back where `MaxPool2d` found them, among zeros: a partial inverse.

    Args:
        kernel_size (int or pair): height and width of a window
        stride (int or pair or None): distance between windows; None: their size
        padding (int or pair, default 0): what pooling had

    Shape:
        maxima and indices (N, C, H, W) or (C, H, W) to the size before pooling; a call's `output_size` says it where
            pooling rounded

    Example:
        >>> maxima, places = nn.MaxPool2d(2, return_indices=True)(torch.ones(1, 2, 4, 4))
        >>> nn.MaxUnpool2d(2)(maxima, places).shape
        torch.Size([1, 2, 4, 4])
    """

    _dims, _operator = 2, staticmethod(F.max_unpool2d)


class MaxUnpool3d(_MaxUnpoolNd):
    """Puts maxima back where `MaxPool3d` found them, among zeros: a partial inverse.

    Args:
        kernel_size (int or triple): depth, height and width of a window
        stride (int or triple or None): distance between windows; None: their size
        padding (int or triple, default 0): what pooling had

    Shape:
        maxima and indices (N, C, D, H, W) or (C, D, H, W) to the size before pooling; a call's `output_size` says it
            where pooling rounded

    Example:
        >>> maxima, places = nn.MaxPool3d(2, return_indices=True)(torch.ones(1, 2, 4, 4, 4))
        >>> nn.MaxUnpool3d(2)(maxima, places).shape
        torch.Size([1, 2, 4, 4, 4])
    """

    _dims, _operator = 3, staticmethod(F.max_unpool3d)


class AvgPool1d(Module):
    """The average of each window.

    Args:
        kernel_size (int or 1-tuple): length of a window
        stride (int or 1-tuple or None): distance between windows; None: their size
        padding (int or 1-tuple, default 0): elements added on both sides; at most half a window
        ceil_mode (bool, default False): windows may begin inside and end outside
        count_include_pad (bool, default True): count padded zeros in the average

    Shape:
        (N, C, L) or (C, L), each size becoming `(size + 2 * padding - kernel) // stride + 1`

    Example:
        >>> nn.AvgPool1d(2)(torch.ones(1, 2, 4)).shape
        torch.Size([1, 2, 2])
    """

    def __init__(
        self, kernel_size: _size_1_t, stride: _size_1_t | None = None, padding: _size_1_t = 0, ceil_mode: bool = False,
        count_include_pad: bool = True,
    ) -> None:  # fmt: skip
        super().__init__()
        self.kernel_size = repeat(kernel_size, 1)
        self.stride = repeat(kernel_size if stride is None else stride, 1)
        self.padding = repeat(padding, 1)
        self.ceil_mode, self.count_include_pad = ceil_mode, count_include_pad

    def forward(self, input: Tensor) -> Tensor:
        return F.avg_pool1d(input, self.kernel_size, self.stride, self.padding, self.ceil_mode, self.count_include_pad)

    def extra_repr(self) -> str:
        return show(self, "kernel_size", "stride", "padding")


class AvgPool2d(Module):
    """The average of each window.

    Args:
        kernel_size (int or pair): height and width of a window
        stride (int or pair or None): distance between windows; None: their size
        padding (int or pair, default 0): elements added on both sides; at most half a window
        ceil_mode (bool, default False): windows may begin inside and end outside
        count_include_pad (bool, default True): count padded zeros in the average
        divisor_override (int or None): divide by this instead of the number of elements

    Shape:
        (N, C, H, W) or (C, H, W), each size becoming `(size + 2 * padding - kernel) // stride + 1`

    Example:
        >>> nn.AvgPool2d(2)(torch.ones(1, 2, 4, 4)).shape
        torch.Size([1, 2, 2, 2])
    """

    _operator = staticmethod(F.avg_pool2d)

    def __init__(
        self, kernel_size: _size_2_t, stride: _size_2_t | None = None, padding: _size_2_t = 0, ceil_mode: bool = False,
        count_include_pad: bool = True, divisor_override: int | None = None,
    ) -> None:  # fmt: skip
        super().__init__()
        self.kernel_size, self.stride, self.padding = (
            kernel_size,
            kernel_size if stride is None else stride,
            padding,
        )
        self.ceil_mode, self.count_include_pad, self.divisor_override = (
            ceil_mode,
            count_include_pad,
            divisor_override,
        )

    def forward(self, input: Tensor) -> Tensor:
        return self._operator(
            input, self.kernel_size, self.stride, self.padding, self.ceil_mode, self.count_include_pad, self.divisor_override
        )

    def extra_repr(self) -> str:
        return show(self, "kernel_size", "stride", "padding")


class AvgPool3d(AvgPool2d):
    """The average of each window.

    Args:
        kernel_size (int or triple): depth, height and width of a window
        stride (int or triple or None): distance between windows; None: their size
        padding (int or triple, default 0): elements added on both sides; at most half a window
        ceil_mode (bool, default False): windows may begin inside and end outside
        count_include_pad (bool, default True): count padded zeros in the average
        divisor_override (int or None): divide by this instead of the number of elements

    Shape:
        (N, C, D, H, W) or (C, D, H, W), each size becoming `(size + 2 * padding - kernel) // stride + 1`

    Example:
        >>> nn.AvgPool3d(2)(torch.ones(1, 2, 4, 4, 4)).shape
        torch.Size([1, 2, 2, 2, 2])
    """

    _operator = staticmethod(F.avg_pool3d)


class _LPPoolNd(Module):
    def __init__(
        self, norm_type: float, kernel_size: _size_any_t, stride: _size_any_t | None = None, ceil_mode: bool = False,
    ) -> None:  # fmt: skip
        super().__init__()
        self.norm_type, self.kernel_size, self.stride, self.ceil_mode = (
            norm_type,
            kernel_size,
            stride,
            ceil_mode,
        )

    def forward(self, input: Tensor) -> Tensor:
        return self._operator(input, float(self.norm_type), self.kernel_size, self.stride, self.ceil_mode)

    def extra_repr(self) -> str:
        return show(self, "norm_type", "kernel_size", "stride", "ceil_mode")


class LPPool1d(_LPPoolNd):
    """`(sum of x ** p) ** (1 / p)` over each window.

    Args:
        norm_type (float): the exponent p
        kernel_size (int or 1-tuple): length of a window
        stride (int or 1-tuple or None): distance between windows; None: their size
        ceil_mode (bool, default False): windows may begin inside and end outside

    Shape:
        (N, C, L) or (C, L), each size becoming `(size - kernel) // stride + 1`

    Example:
        >>> nn.LPPool1d(2, 2)(torch.ones(1, 2, 4)).shape
        torch.Size([1, 2, 2])
    """

    _operator = staticmethod(F.lp_pool1d)


class LPPool2d(_LPPoolNd):
    """`(sum of x ** p) ** (1 / p)` over each window.

    Args:
        norm_type (float): the exponent p
        kernel_size (int or pair): height and width of a window
        stride (int or pair or None): distance between windows; None: their size
        ceil_mode (bool, default False): windows may begin inside and end outside

    Shape:
        (N, C, H, W) or (C, H, W), each size becoming `(size - kernel) // stride + 1`

    Example:
        >>> nn.LPPool2d(2, 2)(torch.ones(1, 2, 4, 4)).shape
        torch.Size([1, 2, 2, 2])
    """

    _operator = staticmethod(F.lp_pool2d)


class LPPool3d(_LPPoolNd):
    """`(sum of x ** p) ** (1 / p)` over each window.

    Args:
        norm_type (float): the exponent p
        kernel_size (int or triple): depth, height and width of a window
        stride (int or triple or None): distance between windows; None: their size
        ceil_mode (bool, default False): windows may begin inside and end outside

    Shape:
        (N, C, D, H, W) or (C, D, H, W), each size becoming `(size - kernel) // stride + 1`

    Example:
        >>> nn.LPPool3d(2, 2)(torch.ones(1, 2, 4, 4, 4)).shape
        torch.Size([1, 2, 2, 2, 2])
    """

    _operator = staticmethod(F.lp_pool3d)


class _FractionalMaxPoolNd(Module):
    def __init__(
        self, kernel_size: _size_any_t, output_size: Any = None, output_ratio: Any = None, return_indices: bool = False,
        _random_samples: Tensor | None = None,
    ) -> None:  # fmt: skip
        super().__init__()
        if (output_size is None) == (output_ratio is None):
            raise ValueError(
                f"{type(self).__name__} needs exactly one of output_size and output_ratio, got "
                f"output_size={output_size}, output_ratio={output_ratio}"
            )
        self.kernel_size = repeat(kernel_size, self._dims)
        self.return_indices = return_indices
        self.register_buffer("_random_samples", _random_samples)
        self.output_size = None if output_size is None else repeat(output_size, self._dims)
        self.output_ratio = None if output_ratio is None else repeat(output_ratio, self._dims)
        if self.output_ratio is not None and not all(0 < ratio < 1 for ratio in self.output_ratio):
            raise ValueError(f"output_ratio must be between 0 and 1 (got {output_ratio})")

    def forward(self, input: Tensor) -> Tensor:
        result: Tensor = self._operator(
            input,
            self.kernel_size,
            self.output_size,
            self.output_ratio,
            self.return_indices,
            _random_samples=self._random_samples,
        )
        return result


class FractionalMaxPool2d(_FractionalMaxPoolNd):
    """Maxima of windows whose distances vary at random (Graham 2015).

    Args:
        kernel_size (int or pair): height and width of a window
        output_size (int or pair or None): height and width of the result
        output_ratio (_ratio_2_t or None): size of the result over that of the input, between 0 and 1; give it or
            `output_size`
        return_indices (bool, default False): return (maxima, their places in the flattened channel)

    Shape:
        (N, C, H, W) or (C, H, W) to (N, C, *output_size) or (C, *output_size)

    Raises:
        ValueError: neither or both of `output_size` and `output_ratio`

    Example:
        >>> nn.FractionalMaxPool2d(2, output_ratio=0.5)(torch.ones(1, 1, 6, 6)).shape
        torch.Size([1, 1, 3, 3])
    """

    _dims, _operator = 2, staticmethod(pooling.fractional_max_pool2d)


class FractionalMaxPool3d(_FractionalMaxPoolNd):
    """Maxima of windows whose distances vary at random (Graham 2015).

    Args:
        kernel_size (int or triple): depth, height and width of a window
        output_size (int or triple or None): depth, height and width of the result
        output_ratio (_ratio_3_t or None): size of the result over that of the input, between 0 and 1; give it or
            `output_size`
        return_indices (bool, default False): return (maxima, their places in the flattened channel)

    Shape:
        (N, C, D, H, W) or (C, D, H, W) to (N, C, *output_size) or (C, *output_size)

    Raises:
        ValueError: neither or both of `output_size` and `output_ratio`

    Example:
        >>> nn.FractionalMaxPool3d(2, output_ratio=0.5)(torch.ones(1, 1, 6, 6, 6)).shape
        torch.Size([1, 1, 3, 3, 3])
    """

    _dims, _operator = 3, staticmethod(pooling.fractional_max_pool3d)


__all__ = [
    "MaxPool1d", "MaxPool2d", "MaxPool3d", "MaxUnpool1d", "MaxUnpool2d", "MaxUnpool3d", "AvgPool1d",
    "AvgPool2d", "AvgPool3d", "LPPool1d", "LPPool2d", "LPPool3d", "FractionalMaxPool2d", "FractionalMaxPool3d",
]  # fmt: skip
