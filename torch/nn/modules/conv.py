"""Convolutions and transposed convolutions."""

from __future__ import annotations

import math

import torch
from torch.nn import functional as F
from torch.nn import init
from torch.nn.modules._shared import empty_parameter, repeat
from torch.nn.modules.module import Module

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from torch import Tensor
    from torch.nn.common_types import _size_1_t, _size_2_t, _size_3_t
    from torch.nn.parameter import Parameter
    from torch.types import Device
else:  # typing.get_type_hints() of classes needs them
    from collections.abc import Callable

    from torch import Tensor
    from torch.nn.parameter import Parameter


_PADDING_MODES = ("zeros", "reflect", "replicate", "circular")


class _ConvNd(Module):
    """Base class of all convolutions: settings, parameters and their initial values."""

    _dims = 0
    _operator: Callable[..., Tensor]
    weight: Parameter
    bias: Parameter | None
    kernel_size: tuple[int, ...]
    stride: tuple[int, ...]

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        stride: Any,
        padding: Any,
        dilation: Any,
        transposed: bool,
        output_padding: Any,
        groups: int,
        bias: bool,
        padding_mode: str,
        device: Device = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        if groups <= 0:
            raise ValueError("groups must be a positive integer")
        for name, channels in (("in_channels", in_channels), ("out_channels", out_channels)):
            if channels % groups != 0:
                raise ValueError(f"{name} must be divisible by groups")
        if isinstance(padding, str):
            if padding not in ("same", "valid"):
                raise ValueError(f"Invalid padding string {padding!r}, should be one of {{'valid', 'same'}}")
            if padding == "same" and any(step != 1 for step in stride):
                raise ValueError("padding='same' is not supported for strided convolutions")
        if padding_mode not in _PADDING_MODES:
            raise ValueError(f"padding_mode must be one of {set(_PADDING_MODES)}, but got padding_mode='{padding_mode}'")
        self.in_channels, self.out_channels, self.kernel_size = in_channels, out_channels, kernel_size
        self.stride, self.padding, self.dilation, self.transposed = stride, padding, dilation, transposed
        self.output_padding, self.groups, self.padding_mode = output_padding, groups, padding_mode
        self._reversed_padding_repeated_twice = self._both_sides()
        if transposed:
            shape = (in_channels, out_channels // groups, *kernel_size)
        else:
            shape = (out_channels, in_channels // groups, *kernel_size)
        self.weight = empty_parameter(shape, device, dtype)
        self.register_parameter("bias", empty_parameter(out_channels, device, dtype) if bias else None)
        self.reset_parameters()

    def _both_sides(self) -> list[int]:
        """Padding in the format of `F.pad`: pairs, last dimension first."""
        if not isinstance(self.padding, str):
            return [edge for edge in reversed(self.padding) for _ in range(2)]
        pairs = []
        for step, size in zip(reversed(self.dilation), reversed(self.kernel_size)):
            total = step * (size - 1) if self.padding == "same" else 0
            pairs += [total // 2, total - total // 2]
        return pairs

    def reset_parameters(self) -> None:
        """Draws weight and bias anew, uniformly from `+-1 / sqrt(in_channels * kernel elements / groups)`.

        Example:
            >>> nn.Conv1d(1, 1, 3).reset_parameters()
        """
        init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        if self.bias is not None:
            fan_in, _ = init._calculate_fan_in_and_fan_out(self.weight)
            if fan_in != 0:
                init.uniform_(self.bias, -1 / math.sqrt(fan_in), 1 / math.sqrt(fan_in))

    def extra_repr(self) -> str:
        text = f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}, stride={self.stride}"
        if self.padding != (0,) * len(self.kernel_size):
            text += f", padding={self.padding}"
        if self.dilation != (1,) * len(self.dilation):
            text += f", dilation={self.dilation}"
        if self.output_padding != (0,) * len(self.output_padding):
            text += f", output_padding={self.output_padding}"
        if self.groups != 1:
            text += f", groups={self.groups}"
        if self.bias is None:
            text += ", bias=False"
        return text if self.padding_mode == "zeros" else text + f", padding_mode={self.padding_mode}"

    def __setstate__(self, state: Any) -> None:
        super().__setstate__({"padding_mode": "zeros", **state})


class _Conv(_ConvNd):
    """A convolution of `_dims` dimensions."""

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        stride: Any = 1,
        padding: Any = 0,
        dilation: Any = 1,
        groups: int = 1,
        bias: bool = True,
        padding_mode: str = "zeros",
        device: Device = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        n = self._dims
        super().__init__(
            in_channels,
            out_channels,
            repeat(kernel_size, n),
            repeat(stride, n),
            padding if isinstance(padding, str) else repeat(padding, n),
            repeat(dilation, n),
            False,
            repeat(0, n),
            groups,
            bias,
            padding_mode,
            device,
            dtype,
        )

    def _conv_forward(self, input, weight, bias):
        if self.padding_mode != "zeros":
            input = F.pad(input, self._reversed_padding_repeated_twice, mode=self.padding_mode)
            return self._operator(input, weight, bias, self.stride, repeat(0, self._dims), self.dilation, self.groups)
        return self._operator(input, weight, bias, self.stride, self.padding, self.dilation, self.groups)

    def forward(self, input: Tensor) -> Tensor:
        return self._conv_forward(input, self.weight, self.bias)


class Conv1d(_Conv):
    """Convolves a sequence with trained kernels. The kernels are not flipped: it is a cross-correlation.

    Args:
        in_channels (int): channels of the input
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

    Attributes:
        weight: the kernels, (out_channels, in_channels / groups, length)
        bias: (out_channels), or None

    Raises:
        ValueError: `groups` does not divide both numbers of channels, or an unknown padding mode

    Example:
        >>> nn.Conv1d(2, 4, 3, padding=1)(torch.ones(1, 2, 6)).shape
        torch.Size([1, 4, 6])
    """

    _dims, _operator = 1, staticmethod(F.conv1d)

    def __init__(
        self,
        in_channels: int,
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
        super().__init__(
            in_channels, out_channels, kernel_size, stride, padding, dilation, groups, bias, padding_mode, device, dtype
        )


class Conv2d(_Conv):
    """Convolves an image with trained kernels. The kernels are not flipped: it is a cross-correlation.

    Args:
        in_channels (int): channels of the input
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

    Attributes:
        weight: the kernels, (out_channels, in_channels / groups, height and width)
        bias: (out_channels), or None

    Raises:
        ValueError: `groups` does not divide both numbers of channels, or an unknown padding mode

    Example:
        >>> nn.Conv2d(2, 4, 3, padding=1)(torch.ones(1, 2, 6, 6)).shape
        torch.Size([1, 4, 6, 6])
    """

    _dims, _operator = 2, staticmethod(F.conv2d)

    def __init__(
        self,
        in_channels: int,
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
        super().__init__(
            in_channels, out_channels, kernel_size, stride, padding, dilation, groups, bias, padding_mode, device, dtype
        )


class Conv3d(_Conv):
    """Convolves a volume with trained kernels. The kernels are not flipped: it is a cross-correlation.

    Args:
        in_channels (int): channels of the input
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

    Attributes:
        weight: the kernels, (out_channels, in_channels / groups, depth, height and width)
        bias: (out_channels), or None

    Raises:
        ValueError: `groups` does not divide both numbers of channels, or an unknown padding mode

    Example:
        >>> nn.Conv3d(2, 4, 3, padding=1)(torch.ones(1, 2, 6, 6, 6)).shape
        torch.Size([1, 4, 6, 6, 6])
    """

    _dims, _operator = 3, staticmethod(F.conv3d)

    def __init__(
        self,
        in_channels: int,
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
        super().__init__(
            in_channels, out_channels, kernel_size, stride, padding, dilation, groups, bias, padding_mode, device, dtype
        )


class _ConvTransposeNd(_ConvNd):
    """The transpose of a convolution: what its gradient does to an image."""

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        stride: Any = 1,
        padding: Any = 0,
        output_padding: Any = 0,
        groups: int = 1,
        bias: bool = True,
        dilation: Any = 1,
        padding_mode: str = "zeros",
        device: Device = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        n = self._dims
        if padding_mode != "zeros":
            raise ValueError(f'Only "zeros" padding mode is supported for {type(self).__name__}')
        super().__init__(
            in_channels,
            out_channels,
            repeat(kernel_size, n),
            repeat(stride, n),
            repeat(padding, n),
            repeat(dilation, n),
            True,
            repeat(output_padding, n),
            groups,
            bias,
            padding_mode,
            device,
            dtype,
        )

    def _output_padding(self, input: Tensor, output_size: Sequence[int] | None) -> Sequence[int]:
        """The padding to add on one side so that the output has the requested size."""
        if output_size is None:
            return self.output_padding
        n, requested = self._dims, list(output_size)
        if len(requested) == input.dim() and input.dim() in (n + 1, n + 2):
            requested = requested[-n:]
        if len(requested) != n:
            raise ValueError(
                f"ConvTranspose{n}D: for {input.dim()}D input, output_size must have {n} or {n + 2} elements (got "
                f"{len(output_size)})"
            )
        minimum = [
            (input.size(d - n) - 1) * self.stride[d] - 2 * self.padding[d] + self.dilation[d] * (self.kernel_size[d] - 1) + 1
            for d in range(n)
        ]
        maximum = [minimum[d] + self.stride[d] - 1 for d in range(n)]
        if any(not low <= length <= high for low, length, high in zip(minimum, requested, maximum)):
            raise ValueError(
                f"requested an output size of {requested}, but valid sizes range from {minimum} to {maximum} (for an "
                f"input of {input.size()[2:]})"
            )
        return [length - low for length, low in zip(requested, minimum)]

    def forward(self, input: Tensor, output_size: Sequence[int] | None = None) -> Tensor:
        extra = self._output_padding(input, output_size)
        return self._operator(input, self.weight, self.bias, self.stride, self.padding, extra, self.groups, self.dilation)


class ConvTranspose1d(_ConvTransposeNd):
    """The transpose of `Conv1d`: what its gradient does to a sequence; also called deconvolution.

    Args:
        in_channels (int): channels of the input
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

    Attributes:
        weight: the kernels, (in_channels, out_channels / groups, length)
        bias: (out_channels), or None

    Raises:
        ValueError: `groups` does not divide both numbers of channels, or an unknown padding mode

    Example:
        >>> nn.ConvTranspose1d(2, 4, 3, stride=2)(torch.ones(1, 2, 6)).shape
        torch.Size([1, 4, 13])
    """

    _dims, _operator = 1, staticmethod(F.conv_transpose1d)

    def __init__(
        self,
        in_channels: int,
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
        super().__init__(
            in_channels,
            out_channels,
            kernel_size,
            stride,
            padding,
            output_padding,
            groups,
            bias,
            dilation,
            padding_mode,
            device,
            dtype,
        )


class ConvTranspose2d(_ConvTransposeNd):
    """The transpose of `Conv2d`: what its gradient does to an image; also called deconvolution.

    Args:
        in_channels (int): channels of the input
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

    Attributes:
        weight: the kernels, (in_channels, out_channels / groups, height and width)
        bias: (out_channels), or None

    Raises:
        ValueError: `groups` does not divide both numbers of channels, or an unknown padding mode

    Example:
        >>> nn.ConvTranspose2d(2, 4, 3, stride=2)(torch.ones(1, 2, 6, 6)).shape
        torch.Size([1, 4, 13, 13])
    """

    _dims, _operator = 2, staticmethod(F.conv_transpose2d)

    def __init__(
        self,
        in_channels: int,
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
        super().__init__(
            in_channels,
            out_channels,
            kernel_size,
            stride,
            padding,
            output_padding,
            groups,
            bias,
            dilation,
            padding_mode,
            device,
            dtype,
        )


class ConvTranspose3d(_ConvTransposeNd):
    """The transpose of `Conv3d`: what its gradient does to a volume; also called deconvolution.

    Args:
        in_channels (int): channels of the input
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

    Attributes:
        weight: the kernels, (in_channels, out_channels / groups, depth, height and width)
        bias: (out_channels), or None

    Raises:
        ValueError: `groups` does not divide both numbers of channels, or an unknown padding mode

    Example:
        >>> nn.ConvTranspose3d(2, 4, 3, stride=2)(torch.ones(1, 2, 6, 6, 6)).shape
        torch.Size([1, 4, 13, 13, 13])
    """

    _dims, _operator = 3, staticmethod(F.conv_transpose3d)

    def __init__(
        self,
        in_channels: int,
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
        super().__init__(
            in_channels,
            out_channels,
            kernel_size,
            stride,
            padding,
            output_padding,
            groups,
            bias,
            dilation,
            padding_mode,
            device,
            dtype,
        )


__all__ = ["Conv1d", "Conv2d", "Conv3d", "ConvTranspose1d", "ConvTranspose2d", "ConvTranspose3d"]
_ = torch
