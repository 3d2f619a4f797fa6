"""Normalisation within a sample."""

import torch
from torch.nn import functional as F
from torch.nn import init
from torch.nn.modules._shared import empty_parameter, show
from torch.nn.modules.module import Module


class LayerNorm(Module):
    """Over the last dimensions, of the shape `normalized_shape` (Ba et al. 2016)."""

    def __init__(self, normalized_shape, eps=1e-5, elementwise_affine=True, bias=True, device=None,
                 dtype=None):
        super().__init__()
        single = isinstance(normalized_shape, int)
        self.normalized_shape = (normalized_shape,) if single else tuple(normalized_shape)
        self.eps, self.elementwise_affine = eps, elementwise_affine
        shape = self.normalized_shape
        self.register_parameter("weight", empty_parameter(shape, device,
                                                          dtype) if elementwise_affine else None)
        self.register_parameter("bias", empty_parameter(shape, device,
                                                        dtype) if elementwise_affine and bias else None)
        self.reset_parameters()

    def reset_parameters(self):
        if self.elementwise_affine:
            init.ones_(self.weight)
            if self.bias is not None:
                init.zeros_(self.bias)

    def forward(self, input):
        return F.layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)

    def extra_repr(self):
        text = f"{self.normalized_shape}, " + show(self, "eps", "elementwise_affine")
        return text + f", bias={self.bias is not None}"


class RMSNorm(Module):
    """By the root mean square of the last dimensions (Zhang and Sennrich 2019)."""

    def __init__(self, normalized_shape, eps=None, elementwise_affine=True, device=None, dtype=None):
        super().__init__()
        single = isinstance(normalized_shape, int)
        self.normalized_shape = (normalized_shape,) if single else tuple(normalized_shape)
        self.eps, self.elementwise_affine = eps, elementwise_affine
        affine = empty_parameter(self.normalized_shape, device, dtype) if elementwise_affine else None
        self.register_parameter("weight", affine)
        self.reset_parameters()

    def reset_parameters(self):
        if self.elementwise_affine:
            init.ones_(self.weight)

    def forward(self, input):
        return F.rms_norm(input, self.normalized_shape, self.weight, self.eps)

    def extra_repr(self):
        return f"{self.normalized_shape}, " + show(self, "eps", "elementwise_affine")


class GroupNorm(Module):
    """Over groups of channels (Wu and He 2018)."""

    def __init__(self, num_groups, num_channels, eps=1e-5, affine=True, device=None, dtype=None, *,
                 bias=True):
        super().__init__()
        if num_channels % num_groups != 0:
            raise ValueError(f"num_channels ({num_channels}) must be divisible by num_groups ({num_groups})")
        self.num_groups, self.num_channels, self.eps, self.affine = num_groups, num_channels, eps, affine
        self.register_parameter("weight", empty_parameter(num_channels, device, dtype) if affine else None)
        self.register_parameter("bias", empty_parameter(num_channels, device,
                                                        dtype) if affine and bias else None)
        self.reset_parameters()

    def reset_parameters(self):
        if self.affine:
            init.ones_(self.weight)
            if self.bias is not None:
                init.zeros_(self.bias)

    def forward(self, input):
        return F.group_norm(input, self.num_groups, self.weight, self.bias, self.eps)

    def extra_repr(self):
        text = f"{self.num_groups}, {self.num_channels}, " + show(self, "eps", "affine")
        return text + f", bias={self.bias is not None}"


class LocalResponseNorm(Module):
    """By the squares of neighbouring channels (Krizhevsky et al. 2012)."""

    def __init__(self, size, alpha=1e-4, beta=0.75, k=1.0):
        super().__init__()
        self.size, self.alpha, self.beta, self.k = size, alpha, beta, k

    def forward(self, input):
        return F.local_response_norm(input, self.size, self.alpha, self.beta, self.k)

    def extra_repr(self):
        return f"{self.size}, " + show(self, "alpha", "beta", "k")


class CrossMapLRN2d(LocalResponseNorm):
    """LocalResponseNorm whose window is centred on the channel: for an even size it is one channel
    smaller."""

    def __init__(self, size, alpha=1e-4, beta=0.75, k=1):
        super().__init__(size, alpha, beta, k)

    def forward(self, input):
        half = (self.size - 1) // 2
        square = F.pad((input * input).unsqueeze(1), (0, 0, 0, 0, half, half))
        total = F.avg_pool3d(square, (2 * half + 1, 1, 1), stride=1).squeeze(1) * (2 * half + 1)
        return input / (self.k + total * (self.alpha / self.size)) ** self.beta


__all__ = ["LayerNorm", "RMSNorm", "GroupNorm", "LocalResponseNorm", "CrossMapLRN2d"]
_ = torch
