"""Pooling as modules."""

from torch.nn import functional as F
from torch.nn.functional import pooling
from torch.nn.modules._shared import repeat, show
from torch.nn.modules.module import Module


class _MaxPoolNd(Module):
    def __init__(self, kernel_size, stride=None, padding=0, dilation=1, return_indices=False,
                 ceil_mode=False):
        super().__init__()
        self.kernel_size, self.stride = kernel_size, kernel_size if stride is None else stride
        self.padding, self.dilation = padding, dilation
        self.return_indices, self.ceil_mode = return_indices, ceil_mode

    def forward(self, input):
        return self._operator(input, self.kernel_size, self.stride, self.padding, self.dilation,
                              self.ceil_mode,
                              self.return_indices)

    def extra_repr(self):
        return show(self, "kernel_size", "stride", "padding", "dilation", "ceil_mode")


class MaxPool1d(_MaxPoolNd):
    _operator = staticmethod(F.max_pool1d)


class MaxPool2d(_MaxPoolNd):
    """Largest value of each window of (N, C, H, W)."""

    _operator = staticmethod(F.max_pool2d)


class MaxPool3d(_MaxPoolNd):
    _operator = staticmethod(F.max_pool3d)


class _MaxUnpoolNd(Module):
    def __init__(self, kernel_size, stride=None, padding=0):
        super().__init__()
        self.kernel_size = repeat(kernel_size, self._dims)
        self.stride = self.kernel_size if stride is None else repeat(stride, self._dims)
        self.padding = repeat(padding, self._dims)

    def forward(self, input, indices, output_size=None):
        return self._operator(input, indices, self.kernel_size, self.stride, self.padding, output_size)

    def extra_repr(self):
        return show(self, "kernel_size", "stride", "padding")


class MaxUnpool1d(_MaxUnpoolNd):
    _dims, _operator = 1, staticmethod(F.max_unpool1d)


class MaxUnpool2d(_MaxUnpoolNd):
    _dims, _operator = 2, staticmethod(F.max_unpool2d)


class MaxUnpool3d(_MaxUnpoolNd):
    _dims, _operator = 3, staticmethod(F.max_unpool3d)


class AvgPool1d(Module):
    def __init__(self, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True):
        super().__init__()
        self.kernel_size = repeat(kernel_size, 1)
        self.stride = repeat(kernel_size if stride is None else stride, 1)
        self.padding = repeat(padding, 1)
        self.ceil_mode, self.count_include_pad = ceil_mode, count_include_pad

    def forward(self, input):
        return F.avg_pool1d(input, self.kernel_size, self.stride, self.padding, self.ceil_mode,
                            self.count_include_pad)

    def extra_repr(self):
        return show(self, "kernel_size", "stride", "padding")


class AvgPool2d(Module):
    _operator = staticmethod(F.avg_pool2d)

    def __init__(self, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True,
                 divisor_override=None):
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

    def forward(self, input):
        return self._operator(input, self.kernel_size, self.stride, self.padding, self.ceil_mode,
                              self.count_include_pad,
                              self.divisor_override)

    def extra_repr(self):
        return show(self, "kernel_size", "stride", "padding")


class AvgPool3d(AvgPool2d):
    _operator = staticmethod(F.avg_pool3d)


class _LPPoolNd(Module):
    def __init__(self, norm_type, kernel_size, stride=None, ceil_mode=False):
        super().__init__()
        self.norm_type, self.kernel_size, self.stride, self.ceil_mode = (
            norm_type,
            kernel_size,
            stride,
            ceil_mode,
        )

    def forward(self, input):
        return self._operator(input, float(self.norm_type), self.kernel_size, self.stride, self.ceil_mode)

    def extra_repr(self):
        return show(self, "norm_type", "kernel_size", "stride", "ceil_mode")


class LPPool1d(_LPPoolNd):
    _operator = staticmethod(F.lp_pool1d)


class LPPool2d(_LPPoolNd):
    _operator = staticmethod(F.lp_pool2d)


class LPPool3d(_LPPoolNd):
    _operator = staticmethod(F.lp_pool3d)


class _AdaptiveAvgPoolNd(Module):
    def __init__(self, output_size):
        super().__init__()
        self.output_size = output_size

    def forward(self, input):
        return self._operator(input, self.output_size)

    def extra_repr(self):
        return show(self, "output_size")


class AdaptiveAvgPool1d(_AdaptiveAvgPoolNd):
    _operator = staticmethod(F.adaptive_avg_pool1d)


class AdaptiveAvgPool2d(_AdaptiveAvgPoolNd):
    _operator = staticmethod(F.adaptive_avg_pool2d)


class AdaptiveAvgPool3d(_AdaptiveAvgPoolNd):
    _operator = staticmethod(F.adaptive_avg_pool3d)


class _AdaptiveMaxPoolNd(Module):
    def __init__(self, output_size, return_indices=False):
        super().__init__()
        self.output_size, self.return_indices = output_size, return_indices

    def forward(self, input):
        return self._operator(input, self.output_size, self.return_indices)

    def extra_repr(self):
        return show(self, "output_size")


class AdaptiveMaxPool1d(_AdaptiveMaxPoolNd):
    _operator = staticmethod(F.adaptive_max_pool1d)


class AdaptiveMaxPool2d(_AdaptiveMaxPoolNd):
    _operator = staticmethod(F.adaptive_max_pool2d)


class AdaptiveMaxPool3d(_AdaptiveMaxPoolNd):
    _operator = staticmethod(F.adaptive_max_pool3d)


class _FractionalMaxPoolNd(Module):
    def __init__(self, kernel_size, output_size=None, output_ratio=None, return_indices=False,
                 _random_samples=None):
        super().__init__()
        if (output_size is None) == (output_ratio is None):
            raise ValueError(f"{type(self).__name__} needs exactly one of output_size and output_ratio, got "
                             f"output_size={output_size}, output_ratio={output_ratio}")
        self.kernel_size = repeat(kernel_size, self._dims)
        self.return_indices = return_indices
        self.register_buffer("_random_samples", _random_samples)
        self.output_size = None if output_size is None else repeat(output_size, self._dims)
        self.output_ratio = None if output_ratio is None else repeat(output_ratio, self._dims)
        if self.output_ratio is not None and not all(0 < ratio < 1 for ratio in self.output_ratio):
            raise ValueError(f"output_ratio must be between 0 and 1 (got {output_ratio})")

    def forward(self, input):
        return self._operator(input, self.kernel_size, self.output_size, self.output_ratio,
                              self.return_indices,
                              _random_samples=self._random_samples)


class FractionalMaxPool2d(_FractionalMaxPoolNd):
    _dims, _operator = 2, staticmethod(pooling.fractional_max_pool2d)


class FractionalMaxPool3d(_FractionalMaxPoolNd):
    _dims, _operator = 3, staticmethod(pooling.fractional_max_pool3d)


__all__ = [
    "MaxPool1d", "MaxPool2d", "MaxPool3d", "MaxUnpool1d", "MaxUnpool2d", "MaxUnpool3d", "AvgPool1d",
    "AvgPool2d", "AvgPool3d", "LPPool1d", "LPPool2d", "LPPool3d", "AdaptiveAvgPool1d", "AdaptiveAvgPool2d",
    "AdaptiveAvgPool3d", "AdaptiveMaxPool1d", "AdaptiveMaxPool2d", "AdaptiveMaxPool3d",
    "FractionalMaxPool2d", "FractionalMaxPool3d",
]  # fmt: skip
