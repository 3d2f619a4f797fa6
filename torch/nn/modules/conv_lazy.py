"""Convolutions that take in_channels from their first input."""

from __future__ import annotations

import torch
from torch.nn.modules.conv import Conv1d, Conv2d, Conv3d, ConvTranspose1d, ConvTranspose2d, ConvTranspose3d, _ConvNd
from torch.nn.modules.lazy import LazyModuleMixin
from torch.nn.parameter import UninitializedParameter, is_lazy

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from typing import Any

    from torch import Tensor
    from torch.nn.common_types import _size_1_t, _size_2_t, _size_3_t
    from torch.types import Device


class _LazyConv(LazyModuleMixin, _ConvNd):
    """Mixin for convolutions: in_channels comes from the first input."""

    def _defer(
        self,
        out_channels: int,
        bias: bool,
        device: Device,
        dtype: torch.dtype | None,
        kernel_size: Any,
        *args: Any,
        **kwargs: Any,
    ) -> None:
        """Set up everything except the parameters, whose shapes are not known yet."""
        super().__init__(0, 0, kernel_size, *args, bias=False, **kwargs)
        self.out_channels = out_channels
        self.weight = UninitializedParameter(device=device, dtype=dtype)
        if bias:
            self.bias = UninitializedParameter(device=device, dtype=dtype)

    def reset_parameters(self) -> None:
        if not is_lazy(self.weight) and self.in_channels != 0:
            super().reset_parameters()

    def initialize_parameters(self, input: Tensor, *args: Any, **kwargs: Any) -> None:
        """Gives weight and bias shapes and values.

        Args:
            input (Tensor): the first input
            *args (Any): not read
            **kwargs (Any): not read

        Raises:
            RuntimeError: `input` has the wrong number of dimensions

        Example:
            >>> m = nn.LazyConv1d(2, 3)
            >>> m.initialize_parameters(torch.ones(1, 4, 5))
            >>> m.weight.shape
            torch.Size([2, 4, 3])
        """
        if not is_lazy(self.weight):  # it was loaded
            self.in_channels = self.weight.shape[0] if self.transposed else self.weight.shape[1] * self.groups
            return
        if input.dim() not in (self._dims + 1, self._dims + 2):
            raise RuntimeError(
                f"Expected {self._dims + 1}D (unbatched) or {self._dims + 2}D (batched) input to "
                f"{type(self).__name__}, but got input of size: {input.shape}"
            )
        self.in_channels = input.shape[-self._dims - 1]
        ends = (self.out_channels, self.in_channels // self.groups)
        if self.transposed:
            ends = (self.in_channels, self.out_channels // self.groups)
        self.weight.materialize((*ends, *self.kernel_size))
        if self.bias is not None:
            self.bias.materialize((self.out_channels,))
        self.cls_to_become.reset_parameters(self)


class LazyConv1d(_LazyConv, Conv1d):
    """`Conv1d` that takes `in_channels` from its first input, and then is one.

    Args:
        out_channels (int): channels of the result
        kernel_size (int or 1-tuple): length of the kernel
        stride (int or 1-tuple, default 1): how far the kernel moves from one element of the result to the next
        padding (str or int or 1-tuple, default 0): elements added on both sides; 'valid': none; 'same': as many as keep
            the size, with stride 1
        dilation (int or 1-tuple, default 1): distance between the elements of the kernel
        groups (int, default 1): channels are cut into so many groups that do not mix
        bias (bool, default True): whether a number is added to each channel
        padding_mode (str, default "zeros"): what is added: 'zeros', 'reflect', 'replicate' or 'circular'
        device (device or None): where the parameters are made; None: the default device
        dtype (dtype or None): their type; None: the default dtype

    Shape:
        (N, C, L) or (C, L) to (N, out_channels, L) likewise, each size becoming `(size + 2 * padding - dilation *
            (kernel - 1) - 1) // stride + 1`

    Example:
        >>> nn.LazyConv1d(4, 3, padding=1)(torch.ones(1, 2, 6)).shape
        torch.Size([1, 4, 6])
    """

    cls_to_become = Conv1d

    def __init__(
        self,
        out_channels: int,
        kernel_size: _size_1_t,
        stride: _size_1_t = 1,
        padding: str | _size_1_t = 0,
        dilation: _size_1_t = 1,
        groups: int = 1,
        bias: bool = True,
        padding_mode: str = "zeros",
        device: Device = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        self._defer(out_channels, bias, device, dtype, kernel_size, stride, padding, dilation, groups, padding_mode=padding_mode)


class LazyConv2d(_LazyConv, Conv2d):
    """`Conv2d` that takes `in_channels` from its first input, and then is one.

    Args:
        out_channels (int): channels of the result
        kernel_size (int or pair): height and width of the kernel
        stride (int or pair, default 1): how far the kernel moves from one element of the result to the next
        padding (str or int or pair, default 0): elements added on both sides; 'valid': none; 'same': as many as keep
            the size, with stride 1
        dilation (int or pair, default 1): distance between the elements of the kernel
        groups (int, default 1): channels are cut into so many groups that do not mix
        bias (bool, default True): whether a number is added to each channel
        padding_mode (str, default "zeros"): what is added: 'zeros', 'reflect', 'replicate' or 'circular'
        device (device or None): where the parameters are made; None: the default device
        dtype (dtype or None): their type; None: the default dtype

    Shape:
        (N, C, H, W) or (C, H, W) to (N, out_channels, H, W) likewise, each size becoming `(size + 2 * padding -
            dilation * (kernel - 1) - 1) // stride + 1`

    Example:
        >>> nn.LazyConv2d(4, 3, padding=1)(torch.ones(1, 2, 6, 6)).shape
        torch.Size([1, 4, 6, 6])
    """

    cls_to_become = Conv2d

    def __init__(
        self,
        out_channels: int,
        kernel_size: _size_2_t,
        stride: _size_2_t = 1,
        padding: str | _size_2_t = 0,
        dilation: _size_2_t = 1,
        groups: int = 1,
        bias: bool = True,
        padding_mode: str = "zeros",
        device: Device = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        self._defer(out_channels, bias, device, dtype, kernel_size, stride, padding, dilation, groups, padding_mode=padding_mode)


class LazyConv3d(_LazyConv, Conv3d):
    """`Conv3d` that takes `in_channels` from its first input, and then is one.

    Args:
        out_channels (int): channels of the result
        kernel_size (int or triple): depth, height and width of the kernel
        stride (int or triple, default 1): how far the kernel moves from one element of the result to the next
        padding (str or int or triple, default 0): elements added on both sides; 'valid': none; 'same': as many as keep
            the size, with stride 1
        dilation (int or triple, default 1): distance between the elements of the kernel
        groups (int, default 1): channels are cut into so many groups that do not mix
        bias (bool, default True): whether a number is added to each channel
        padding_mode (str, default "zeros"): what is added: 'zeros', 'reflect', 'replicate' or 'circular'
        device (device or None): where the parameters are made; None: the default device
        dtype (dtype or None): their type; None: the default dtype

    Shape:
        (N, C, D, H, W) or (C, D, H, W) to (N, out_channels, D, H, W) likewise, each size becoming `(size + 2 * padding
            - dilation * (kernel - 1) - 1) // stride + 1`

    Example:
        >>> nn.LazyConv3d(4, 3, padding=1)(torch.ones(1, 2, 6, 6, 6)).shape
        torch.Size([1, 4, 6, 6, 6])
    """

    cls_to_become = Conv3d

    def __init__(
        self,
        out_channels: int,
        kernel_size: _size_3_t,
        stride: _size_3_t = 1,
        padding: str | _size_3_t = 0,
        dilation: _size_3_t = 1,
        groups: int = 1,
        bias: bool = True,
        padding_mode: str = "zeros",
        device: Device = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        self._defer(out_channels, bias, device, dtype, kernel_size, stride, padding, dilation, groups, padding_mode=padding_mode)


class LazyConvTranspose1d(_LazyConv, ConvTranspose1d):
    """`ConvTranspose1d` that takes `in_channels` from its first input, and then is one.

    Args:
        out_channels (int): channels of the result
        kernel_size (int or 1-tuple): length of the kernel
        stride (int or 1-tuple, default 1): how far the kernel moves from one element of the result to the next
        padding (int or 1-tuple, default 0): so much is cut off both sides of the result, less what `dilation * (kernel
            - 1)` adds
        output_padding (int or 1-tuple, default 0): elements added on one side of each dimension of the result, below
            stride or dilation
        groups (int, default 1): channels are cut into so many groups that do not mix
        bias (bool, default True): whether a number is added to each channel
        dilation (int or 1-tuple, default 1): distance between the elements of the kernel
        padding_mode (str, default "zeros"): only 'zeros'
        device (device or None): where the parameters are made; None: the default device
        dtype (dtype or None): their type; None: the default dtype

    Shape:
        (N, C, L) or (C, L) to (N, out_channels, L) likewise, each size becoming `(size - 1) * stride - 2 * padding +
            dilation * (kernel - 1) + output_padding + 1`

    Example:
        >>> nn.LazyConvTranspose1d(4, 3, stride=2)(torch.ones(1, 2, 6)).shape
        torch.Size([1, 4, 13])
    """

    cls_to_become = ConvTranspose1d

    def __init__(
        self,
        out_channels: int,
        kernel_size: _size_1_t,
        stride: _size_1_t = 1,
        padding: _size_1_t = 0,
        output_padding: _size_1_t = 0,
        groups: int = 1,
        bias: bool = True,
        dilation: _size_1_t = 1,
        padding_mode: str = "zeros",
        device: Device = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        self._defer(
            out_channels,
            bias,
            device,
            dtype,
            kernel_size,
            stride,
            padding,
            output_padding,
            groups,
            dilation=dilation,
            padding_mode=padding_mode,
        )


class LazyConvTranspose2d(_LazyConv, ConvTranspose2d):
    """`ConvTranspose2d` that takes `in_channels` from its first input, and then is one.

    Args:
        out_channels (int): channels of the result
        kernel_size (int or pair): height and width of the kernel
        stride (int or pair, default 1): how far the kernel moves from one element of the result to the next
        padding (int or pair, default 0): so much is cut off both sides of the result, less what `dilation * (kernel -
            1)` adds
        output_padding (int or pair, default 0): elements added on one side of each dimension of the result, below
            stride or dilation
        groups (int, default 1): channels are cut into so many groups that do not mix
        bias (bool, default True): whether a number is added to each channel
        dilation (int or pair, default 1): distance between the elements of the kernel
        padding_mode (str, default "zeros"): only 'zeros'
        device (device or None): where the parameters are made; None: the default device
        dtype (dtype or None): their type; None: the default dtype

    Shape:
        (N, C, H, W) or (C, H, W) to (N, out_channels, H, W) likewise, each size becoming `(size - 1) * stride - 2 *
            padding + dilation * (kernel - 1) + output_padding + 1`

    Example:
        >>> nn.LazyConvTranspose2d(4, 3, stride=2)(torch.ones(1, 2, 6, 6)).shape
        torch.Size([1, 4, 13, 13])
    """

    cls_to_become = ConvTranspose2d

    def __init__(
        self,
        out_channels: int,
        kernel_size: _size_2_t,
        stride: _size_2_t = 1,
        padding: _size_2_t = 0,
        output_padding: _size_2_t = 0,
        groups: int = 1,
        bias: bool = True,
        dilation: _size_2_t = 1,
        padding_mode: str = "zeros",
        device: Device = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        self._defer(
            out_channels,
            bias,
            device,
            dtype,
            kernel_size,
            stride,
            padding,
            output_padding,
            groups,
            dilation=dilation,
            padding_mode=padding_mode,
        )


class LazyConvTranspose3d(_LazyConv, ConvTranspose3d):
    """`ConvTranspose3d` that takes `in_channels` from its first input, and then is one.

    Args:
        out_channels (int): channels of the result
        kernel_size (int or triple): depth, height and width of the kernel
        stride (int or triple, default 1): how far the kernel moves from one element of the result to the next
        padding (int or triple, default 0): so much is cut off both sides of the result, less what `dilation * (kernel -
            1)` adds
        output_padding (int or triple, default 0): elements added on one side of each dimension of the result, below
            stride or dilation
        groups (int, default 1): channels are cut into so many groups that do not mix
        bias (bool, default True): whether a number is added to each channel
        dilation (int or triple, default 1): distance between the elements of the kernel
        padding_mode (str, default "zeros"): only 'zeros'
        device (device or None): where the parameters are made; None: the default device
        dtype (dtype or None): their type; None: the default dtype

    Shape:
        (N, C, D, H, W) or (C, D, H, W) to (N, out_channels, D, H, W) likewise, each size becoming `(size - 1) * stride
            - 2 * padding + dilation * (kernel - 1) + output_padding + 1`

    Example:
        >>> nn.LazyConvTranspose3d(4, 3, stride=2)(torch.ones(1, 2, 6, 6, 6)).shape
        torch.Size([1, 4, 13, 13, 13])
    """

    cls_to_become = ConvTranspose3d

    def __init__(
        self,
        out_channels: int,
        kernel_size: _size_3_t,
        stride: _size_3_t = 1,
        padding: _size_3_t = 0,
        output_padding: _size_3_t = 0,
        groups: int = 1,
        bias: bool = True,
        dilation: _size_3_t = 1,
        padding_mode: str = "zeros",
        device: Device = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        self._defer(
            out_channels,
            bias,
            device,
            dtype,
            kernel_size,
            stride,
            padding,
            output_padding,
            groups,
            dilation=dilation,
            padding_mode=padding_mode,
        )


__all__ = [
    "LazyConv1d", "LazyConv2d", "LazyConv3d", "LazyConvTranspose1d", "LazyConvTranspose2d",
    "LazyConvTranspose3d",
]  # fmt: skip
