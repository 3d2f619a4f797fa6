"""Normalisation that takes num_features from its first input."""

from __future__ import annotations

import torch
from torch.nn.modules.batchnorm import (
    BatchNorm1d,
    BatchNorm2d,
    BatchNorm3d,
    InstanceNorm1d,
    InstanceNorm2d,
    InstanceNorm3d,
    _NormBase,
)
from torch.nn.modules.lazy import LazyModuleMixin
from torch.nn.parameter import UninitializedBuffer, UninitializedParameter, is_lazy

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from typing import Any

    from torch import Tensor
    from torch.types import Device


class _LazyNorm(LazyModuleMixin, _NormBase):
    """Mixin for norms: num_features comes from the first input."""

    def __init__(
        self,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        device: Device = None,
        dtype: torch.dtype | None = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__(0, eps, momentum, False, False, device, dtype)
        self.affine, self.track_running_stats = affine, track_running_stats
        if affine:
            self.weight = UninitializedParameter(device=device, dtype=dtype)
            self.bias = UninitializedParameter(device=device, dtype=dtype) if bias else None
        if track_running_stats:
            self.running_mean = UninitializedBuffer(device=device, dtype=dtype)
            self.running_var = UninitializedBuffer(device=device, dtype=dtype)
            self.num_batches_tracked = torch.tensor(0, dtype=torch.long, device=device)

    def reset_parameters(self) -> None:
        if self.num_features != 0:
            super().reset_parameters()

    def initialize_parameters(self, input: Tensor, *args: Any, **kwargs: Any) -> None:
        """Gives parameters and statistics shapes and values.

        Args:
            input (Tensor): the first input
            *args (Any): not read
            **kwargs (Any): not read

        Example:
            >>> m = nn.LazyBatchNorm1d()
            >>> m.initialize_parameters(torch.ones(2, 4))
            >>> m.weight.shape
            torch.Size([4])
        """
        is_new = self.has_uninitialized_params()  # else they were loaded
        self._check_input_dim(input)
        self.num_features = input.shape[1]
        for tensor in (self.weight, self.bias, self.running_mean, self.running_var):
            if tensor is not None and is_lazy(tensor):
                tensor.materialize((self.num_features,))
        if is_new:
            self.cls_to_become.reset_parameters(self)


class LazyBatchNorm1d(_LazyNorm, BatchNorm1d):
    """`BatchNorm1d` that takes num_features from its first input, and then is one.

    Args:
        eps (float, default 1e-5): added to the variance
        momentum (float or None, default 0.1): share of the new statistics in the running ones; None: a plain average
            over all batches
        affine (bool, default True): whether a factor and a number for each channel are trained
        track_running_stats (bool, default True): keep running statistics, which are used outside of training
        device (device or None): where the parameters are made; None: the default device
        dtype (dtype or None): their type; None: the default dtype
        bias (bool, default True): whether there is a number besides the factor

    Shape:
        (N, C) or (N, C, L), which stays

    Example:
        >>> nn.LazyBatchNorm1d()(torch.ones(2, 3, 2)).shape
        torch.Size([2, 3, 2])
    """

    cls_to_become = BatchNorm1d


class LazyBatchNorm2d(_LazyNorm, BatchNorm2d):
    """`BatchNorm2d` that takes num_features from its first input, and then is one.

    Args:
        eps (float, default 1e-5): added to the variance
        momentum (float or None, default 0.1): share of the new statistics in the running ones; None: a plain average
            over all batches
        affine (bool, default True): whether a factor and a number for each channel are trained
        track_running_stats (bool, default True): keep running statistics, which are used outside of training
        device (device or None): where the parameters are made; None: the default device
        dtype (dtype or None): their type; None: the default dtype
        bias (bool, default True): whether there is a number besides the factor

    Shape:
        (N, C, H, W), which stays

    Example:
        >>> nn.LazyBatchNorm2d()(torch.ones(2, 3, 2, 2)).shape
        torch.Size([2, 3, 2, 2])
    """

    cls_to_become = BatchNorm2d


class LazyBatchNorm3d(_LazyNorm, BatchNorm3d):
    """`BatchNorm3d` that takes num_features from its first input, and then is one.

    Args:
        eps (float, default 1e-5): added to the variance
        momentum (float or None, default 0.1): share of the new statistics in the running ones; None: a plain average
            over all batches
        affine (bool, default True): whether a factor and a number for each channel are trained
        track_running_stats (bool, default True): keep running statistics, which are used outside of training
        device (device or None): where the parameters are made; None: the default device
        dtype (dtype or None): their type; None: the default dtype
        bias (bool, default True): whether there is a number besides the factor

    Shape:
        (N, C, D, H, W), which stays

    Example:
        >>> nn.LazyBatchNorm3d()(torch.ones(2, 3, 2, 2, 2)).shape
        torch.Size([2, 3, 2, 2, 2])
    """

    cls_to_become = BatchNorm3d


class LazyInstanceNorm1d(_LazyNorm, InstanceNorm1d):
    """`InstanceNorm1d` that takes num_features from its first input, and then is one.

    Args:
        eps (float, default 1e-5): added to the variance
        momentum (float or None, default 0.1): share of the new statistics in the running ones; None: a plain average
            over all batches
        affine (bool, default True): whether a factor and a number for each channel are trained
        track_running_stats (bool, default True): keep running statistics, which are used outside of training
        device (device or None): where the parameters are made; None: the default device
        dtype (dtype or None): their type; None: the default dtype
        bias (bool, default True): whether there is a number besides the factor

    Shape:
        (N, C, L) or (C, L), which stays

    Example:
        >>> nn.LazyInstanceNorm1d()(torch.ones(2, 3, 2)).shape
        torch.Size([2, 3, 2])
    """

    cls_to_become = InstanceNorm1d


class LazyInstanceNorm2d(_LazyNorm, InstanceNorm2d):
    """`InstanceNorm2d` that takes num_features from its first input, and then is one.

    Args:
        eps (float, default 1e-5): added to the variance
        momentum (float or None, default 0.1): share of the new statistics in the running ones; None: a plain average
            over all batches
        affine (bool, default True): whether a factor and a number for each channel are trained
        track_running_stats (bool, default True): keep running statistics, which are used outside of training
        device (device or None): where the parameters are made; None: the default device
        dtype (dtype or None): their type; None: the default dtype
        bias (bool, default True): whether there is a number besides the factor

    Shape:
        (N, C, H, W) or (C, H, W), which stays

    Example:
        >>> nn.LazyInstanceNorm2d()(torch.ones(2, 3, 2, 2)).shape
        torch.Size([2, 3, 2, 2])
    """

    cls_to_become = InstanceNorm2d


class LazyInstanceNorm3d(_LazyNorm, InstanceNorm3d):
    """`InstanceNorm3d` that takes num_features from its first input, and then is one.

    Args:
        eps (float, default 1e-5): added to the variance
        momentum (float or None, default 0.1): share of the new statistics in the running ones; None: a plain average
            over all batches
        affine (bool, default True): whether a factor and a number for each channel are trained
        track_running_stats (bool, default True): keep running statistics, which are used outside of training
        device (device or None): where the parameters are made; None: the default device
        dtype (dtype or None): their type; None: the default dtype
        bias (bool, default True): whether there is a number besides the factor

    Shape:
        (N, C, D, H, W) or (C, D, H, W), which stays

    Example:
        >>> nn.LazyInstanceNorm3d()(torch.ones(2, 3, 2, 2, 2)).shape
        torch.Size([2, 3, 2, 2, 2])
    """

    cls_to_become = InstanceNorm3d


__all__ = [
    "LazyBatchNorm1d", "LazyBatchNorm2d", "LazyBatchNorm3d", "LazyInstanceNorm1d", "LazyInstanceNorm2d",
    "LazyInstanceNorm3d",
]  # fmt: skip
