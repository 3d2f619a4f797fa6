"""Convolutions and transposed convolutions."""

# ruff: noqa: F822  (the lazy classes are made in a loop)
import math

import torch
from torch.nn import functional as F
from torch.nn import init
from torch.nn.modules._shared import empty_parameter, repeat
from torch.nn.modules.module import Module
from torch.nn.parameter import UninitializedParameter, is_lazy

_PADDING_MODES = ("zeros", "reflect", "replicate", "circular")


class _ConvNd(Module):
    """What all convolutions share: settings, parameters and their initial values."""

    _dims = 0

    def __init__(self, in_channels, out_channels, kernel_size, stride, padding, dilation, transposed,
                 output_padding,
                 groups, bias, padding_mode, device=None, dtype=None):
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
            raise ValueError(f"padding_mode must be one of {set(_PADDING_MODES)}, but got "
                             f"padding_mode='{padding_mode}'")
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

    def _both_sides(self):
        """Padding as `F.pad` takes it: pairs, the last dimension first."""
        if not isinstance(self.padding, str):
            return [edge for edge in reversed(self.padding) for _ in range(2)]
        pairs = []
        for step, size in zip(reversed(self.dilation), reversed(self.kernel_size)):
            total = step * (size - 1) if self.padding == "same" else 0
            pairs += [total // 2, total - total // 2]
        return pairs

    def reset_parameters(self):
        """Both uniform in +-1 / sqrt(in_channels * kernel elements / groups)."""
        init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        if self.bias is not None:
            fan_in, _ = init._calculate_fan_in_and_fan_out(self.weight)
            if fan_in != 0:
                init.uniform_(self.bias, -1 / math.sqrt(fan_in), 1 / math.sqrt(fan_in))

    def extra_repr(self):
        text = (f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}, "
                f"stride={self.stride}")
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

    def __setstate__(self, state):
        super().__setstate__({"padding_mode": "zeros", **state})


class _Conv(_ConvNd):
    """A convolution of `_dims` dimensions."""

    def __init__(self, in_channels, out_channels, kernel_size, stride=1, padding=0, dilation=1, groups=1,
                 bias=True,
                 padding_mode="zeros", device=None, dtype=None):
        n = self._dims
        super().__init__(in_channels, out_channels, repeat(kernel_size, n), repeat(stride, n),
                         padding if isinstance(padding, str) else repeat(padding, n), repeat(dilation, n),
                         False,
                         repeat(0, n), groups, bias, padding_mode, device, dtype)

    def _conv_forward(self, input, weight, bias):
        if self.padding_mode != "zeros":
            input = F.pad(input, self._reversed_padding_repeated_twice, mode=self.padding_mode)
            return self._operator(input, weight, bias, self.stride, repeat(0, self._dims), self.dilation,
                                  self.groups)
        return self._operator(input, weight, bias, self.stride, self.padding, self.dilation, self.groups)

    def forward(self, input):
        return self._conv_forward(input, self.weight, self.bias)


class Conv1d(_Conv):
    """Cross-correlation of (N, C, L) or (C, L) with (out_channels, in_channels / groups, kernel)."""

    _dims, _operator = 1, staticmethod(F.conv1d)


class Conv2d(_Conv):
    """Cross-correlation of (N, C, H, W) or (C, H, W)."""

    _dims, _operator = 2, staticmethod(F.conv2d)


class Conv3d(_Conv):
    """Cross-correlation of (N, C, D, H, W) or (C, D, H, W)."""

    _dims, _operator = 3, staticmethod(F.conv3d)


class _ConvTransposeNd(_ConvNd):
    """The transpose of a convolution: what its gradient does to an image."""

    def __init__(self, in_channels, out_channels, kernel_size, stride=1, padding=0, output_padding=0,
                 groups=1,
                 bias=True, dilation=1, padding_mode="zeros", device=None, dtype=None):
        n = self._dims
        if padding_mode != "zeros":
            raise ValueError(f'Only "zeros" padding mode is supported for {type(self).__name__}')
        super().__init__(in_channels, out_channels, repeat(kernel_size, n), repeat(stride, n), repeat(padding,
                                                                                                      n),
                         repeat(dilation, n), True, repeat(output_padding, n), groups, bias, padding_mode,
                         device, dtype)

    def _output_padding(self, input, output_size):
        """What has to be added at one side so that the output has the size asked for."""
        if output_size is None:
            return self.output_padding
        n, wanted = self._dims, list(output_size)
        if len(wanted) == input.dim() and input.dim() in (n + 1, n + 2):
            wanted = wanted[-n:]
        if len(wanted) != n:
            raise ValueError(f"ConvTranspose{n}D: for {input.dim()}D input, output_size must have {n} or "
                             f"{n + 2} elements "
                             f"(got {len(output_size)})")
        least = [(input.size(d - n) - 1) * self.stride[d] - 2 * self.padding[d]
                 + self.dilation[d] * (self.kernel_size[d] - 1) + 1 for d in range(n)]
        most = [least[d] + self.stride[d] - 1 for d in range(n)]
        if any(not low <= length <= high for low, length, high in zip(least, wanted, most)):
            raise ValueError(f"requested an output size of {wanted}, but valid sizes range from {least} to "
                             f"{most} (for an "
                             f"input of {input.size()[2:]})")
        return [length - low for length, low in zip(wanted, least)]

    def forward(self, input, output_size=None):
        extra = self._output_padding(input, output_size)
        return self._operator(input, self.weight, self.bias, self.stride, self.padding, extra, self.groups,
                              self.dilation)


class ConvTranspose1d(_ConvTransposeNd):
    _dims, _operator = 1, staticmethod(F.conv_transpose1d)


class ConvTranspose2d(_ConvTransposeNd):
    _dims, _operator = 2, staticmethod(F.conv_transpose2d)


class ConvTranspose3d(_ConvTransposeNd):
    _dims, _operator = 3, staticmethod(F.conv_transpose3d)


class _LazyConv:
    """Mixed into a convolution: in_channels comes from the first input."""

    def __init__(self, out_channels, kernel_size, *args, device=None, dtype=None, **kwargs):
        kwargs_bias = kwargs.pop("bias", True)
        super().__init__(0, 0, kernel_size, *args, bias=False, **kwargs)
        self.out_channels = out_channels
        self.weight = UninitializedParameter(device=device, dtype=dtype)
        if kwargs_bias:
            self.bias = UninitializedParameter(device=device, dtype=dtype)
        self._handle = self.register_forward_pre_hook(_LazyConv._infer)

    def reset_parameters(self):
        if not is_lazy(self.weight) and self.in_channels != 0:
            super().reset_parameters()

    def _infer(self, args):
        kind = self.cls_to_become
        if is_lazy(self.weight):
            input = args[0]
            if input.dim() not in (self._dims + 1, self._dims + 2):
                raise RuntimeError(f"Expected {self._dims + 1}D (unbatched) or {self._dims + 2}D (batched) "
                                   "input to "
                                   f"{type(self).__name__}, but got input of size: {input.shape}")
            self.in_channels = input.shape[-self._dims - 1]
            ends = (self.out_channels, self.in_channels // self.groups)
            if self.transposed:
                ends = (self.in_channels, self.out_channels // self.groups)
            self.weight.materialize((*ends, *self.kernel_size))
            if self.bias is not None:
                self.bias.materialize((self.out_channels,))
            kind.reset_parameters(self)
        self._handle.remove()
        del self.__dict__["_handle"]
        self.__class__ = kind


for _kind in (Conv1d, Conv2d, Conv3d, ConvTranspose1d, ConvTranspose2d, ConvTranspose3d):
    _name = "Lazy" + _kind.__name__
    globals()[_name] = type(_name, (_LazyConv, _kind), {
        "cls_to_become": _kind, "__module__": __name__, "__doc__": f"{_kind.__name__} with in_channels from "
                                                                   "its input."})
__all__ = [
    "Conv1d", "Conv2d", "Conv3d", "ConvTranspose1d", "ConvTranspose2d", "ConvTranspose3d", "LazyConv1d",
    "LazyConv2d", "LazyConv3d", "LazyConvTranspose1d", "LazyConvTranspose2d", "LazyConvTranspose3d",
]  # fmt: skip
_ = torch
