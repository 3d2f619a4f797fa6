"""Normalisation within a sample."""

from __future__ import annotations

import torch
from torch.nn import functional as F
from torch.nn import init
from torch.nn.modules._shared import empty_parameter, show
from torch.nn.modules.module import Module

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from collections.abc import Sequence

    from torch import Tensor
    from torch.nn.parameter import Parameter
    from torch.types import Device
else:  # typing.get_type_hints() of classes needs them
    from torch.nn.parameter import Parameter


def _fill(weight: Tensor | None, bias: Tensor | None) -> None:
    """What a norm begins with: factors of 1, terms of 0."""
    for parameter, fill in ((weight, init.ones_), (bias, init.zeros_)):
        if parameter is not None:
            fill(parameter)


class LayerNorm(Module):
    """`(x - mean) / sqrt(var + eps) * weight + bias` over the last dimensions (Ba et al. 2016).

    Args:
        normalized_shape (int or Sequence[int]): sizes of the last dimensions, or of the last one
        eps (float, default 1e-5): added to the variance
        elementwise_affine (bool, default True): whether a factor and a number for each element are trained
        bias (bool, default True): whether there is a number besides the factor
        device (device or None): where the parameters are made; None: the default device
        dtype (dtype or None): their type; None: the default dtype

    Shape:
        (*, *normalized_shape), which stays

    Attributes:
        weight, bias: of normalized_shape, 1 and 0 at first, or None

    Raises:
        RuntimeError: the last dimensions have other sizes

    Example:
        >>> nn.LayerNorm(2)(torch.tensor([[1., 3.]])).detach()
        tensor([[-1.0000,  1.0000]])
    """

    normalized_shape: tuple[int, ...]
    weight: Parameter | None
    bias: Parameter | None

    def __init__(
        self,
        normalized_shape: int | Sequence[int],
        eps: float = 1e-5,
        elementwise_affine: bool = True,
        bias: bool = True,
        device: Device = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        single = isinstance(normalized_shape, int)
        self.normalized_shape = (normalized_shape,) if single else tuple(normalized_shape)
        self.eps, self.elementwise_affine = eps, elementwise_affine
        shape = self.normalized_shape
        self.register_parameter("weight", empty_parameter(shape, device, dtype) if elementwise_affine else None)
        self.register_parameter("bias", empty_parameter(shape, device, dtype) if elementwise_affine and bias else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Sets weight to 1 and bias to 0.

        Example:
            >>> nn.LayerNorm(2).reset_parameters()
        """
        _fill(self.weight, self.bias)

    def forward(self, input: Tensor) -> Tensor:
        return F.layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        text = f"{self.normalized_shape}, " + show(self, "eps", "elementwise_affine")
        return text + f", bias={self.bias is not None}"


class RMSNorm(Module):
    """`x / sqrt(mean(x ** 2) + eps) * weight` over the last dimensions (Zhang and Sennrich 2019).

    Args:
        normalized_shape (int or Sequence[int]): sizes of the last dimensions, or of the last one
        eps (float or None): added to the mean square; None: the machine epsilon of the type
        elementwise_affine (bool, default True): whether a factor for each element is trained
        device (device or None): where the parameters are made; None: the default device
        dtype (dtype or None): their type; None: the default dtype

    Shape:
        (*, *normalized_shape), which stays

    Attributes:
        weight: of normalized_shape, 1 at first, or None

    Raises:
        RuntimeError: the last dimensions have other sizes

    Example:
        >>> nn.RMSNorm(2)(torch.tensor([[3., 4.]])).detach()
        tensor([[0.8485, 1.1314]])
    """

    normalized_shape: tuple[int, ...]
    weight: Parameter | None

    def __init__(
        self,
        normalized_shape: int | Sequence[int],
        eps: float | None = None,
        elementwise_affine: bool = True,
        device: Device = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        single = isinstance(normalized_shape, int)
        self.normalized_shape = (normalized_shape,) if single else tuple(normalized_shape)
        self.eps, self.elementwise_affine = eps, elementwise_affine
        affine = empty_parameter(self.normalized_shape, device, dtype) if elementwise_affine else None
        self.register_parameter("weight", affine)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Sets weight to 1.

        Example:
            >>> nn.RMSNorm(2).reset_parameters()
        """
        if self.elementwise_affine:
            init.ones_(self.weight)

    def forward(self, x: Tensor) -> Tensor:
        return F.rms_norm(x, self.normalized_shape, self.weight, self.eps)

    def extra_repr(self) -> str:
        return f"{self.normalized_shape}, " + show(self, "eps", "elementwise_affine")


class GroupNorm(Module):
    """Normalises over groups of neighbouring channels and all positions of a sample (Wu and He 2018).

    Args:
        num_groups (int): groups; they divide num_channels
        num_channels (int): channels, C
        eps (float, default 1e-5): added to the variance
        affine (bool, default True): whether a factor and a number for each channel are trained
        device (device or None): where the parameters are made; None: the default device
        dtype (dtype or None): their type; None: the default dtype
        bias (bool, default True): whether there is a number besides the factor

    Shape:
        (N, C, ...), which stays

    Attributes:
        weight, bias: (C), 1 and 0 at first, or None

    Raises:
        ValueError: num_groups does not divide num_channels

    Example:
        >>> nn.GroupNorm(2, 4)(torch.tensor([[1., 3., 0., 8.]])).detach()
        tensor([[-1.0000,  1.0000, -1.0000,  1.0000]])
    """

    weight: Parameter | None
    bias: Parameter | None

    def __init__(
        self,
        num_groups: int,
        num_channels: int,
        eps: float = 1e-5,
        affine: bool = True,
        device: Device = None,
        dtype: torch.dtype | None = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__()
        if num_channels % num_groups != 0:
            raise ValueError(f"num_channels ({num_channels}) must be divisible by num_groups ({num_groups})")
        self.num_groups, self.num_channels, self.eps, self.affine = num_groups, num_channels, eps, affine
        self.register_parameter("weight", empty_parameter(num_channels, device, dtype) if affine else None)
        self.register_parameter("bias", empty_parameter(num_channels, device, dtype) if affine and bias else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Sets weight to 1 and bias to 0.

        Example:
            >>> nn.GroupNorm(1, 2).reset_parameters()
        """
        _fill(self.weight, self.bias)

    def forward(self, input: Tensor) -> Tensor:
        return F.group_norm(input, self.num_groups, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        text = f"{self.num_groups}, {self.num_channels}, " + show(self, "eps", "affine")
        return text + f", bias={self.bias is not None}"


class LocalResponseNorm(Module):
    """`x / (k + alpha * m) ** beta`, m being the mean of squares over neighbouring channels (Krizhevsky et al. 2012).

    Args:
        size (int): number of channels in the mean
        alpha (float, default 1e-4): factor of the mean
        beta (float, default 0.75): exponent
        k (float, default 1.0): what is added

    Shape:
        (N, C, L...), which stays

    Example:
        >>> nn.LocalResponseNorm(2, alpha=1.0)(torch.ones(1, 2, 2))
        tensor([[[0.7378, 0.7378],
                 [0.5946, 0.5946]]])
    """

    def __init__(self, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0) -> None:
        super().__init__()
        self.size, self.alpha, self.beta, self.k = size, alpha, beta, k

    def forward(self, input: Tensor) -> Tensor:
        return F.local_response_norm(input, self.size, self.alpha, self.beta, self.k)

    def extra_repr(self) -> str:
        return f"{self.size}, " + show(self, "alpha", "beta", "k")


class CrossMapLRN2d(LocalResponseNorm):
    """LocalResponseNorm whose window is centred on the channel: for an even size it is one channel smaller.

    Args:
        size (int): number of channels in the mean
        alpha (float, default 1e-4): factor of the mean
        beta (float, default 0.75): exponent
        k (float, default 1): what is added

    Shape:
        (N, C, H, W), which stays

    Example:
        >>> nn.CrossMapLRN2d(3, alpha=1.0)(torch.ones(1, 2, 1, 1)).shape
        torch.Size([1, 2, 1, 1])
    """

    def __init__(self, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1) -> None:
        super().__init__(size, alpha, beta, k)

    def forward(self, input: Tensor) -> Tensor:
        half = (self.size - 1) // 2
        square = F.pad((input * input).unsqueeze(1), (0, 0, 0, 0, half, half))
        total = F.avg_pool3d(square, (2 * half + 1, 1, 1), stride=1).squeeze(1) * (2 * half + 1)
        # PyTorch's running sum never drops the first channel, and models are trained with that.
        keeps_first = torch.arange(input.size(1), device=input.device) > half
        total = total + input[:, :1] * input[:, :1] * keeps_first.to(input.dtype).view(-1, 1, 1)
        return input / (self.k + total * (self.alpha / self.size)) ** self.beta


__all__ = ["LayerNorm", "RMSNorm", "GroupNorm", "LocalResponseNorm", "CrossMapLRN2d"]
_ = torch
