"""Normalisation by statistics of the batch, or of each instance."""

from __future__ import annotations

import sys

import torch
from torch.nn import functional as F
from torch.nn import init
from torch.nn.modules._shared import empty_parameter, show
from torch.nn.modules.module import Module

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from typing import Any

    from torch import Tensor
    from torch.nn.parameter import Parameter
    from torch.types import Device
else:  # typing.get_type_hints() of classes needs them
    from torch import Tensor
    from torch.nn.parameter import Parameter


class _NormBase(Module):
    """Settings, parameters and running statistics."""

    _version = 2
    _accepted: tuple[int, ...]
    num_features: int
    weight: Parameter | None
    bias: Parameter | None
    running_mean: Tensor | None
    running_var: Tensor | None
    num_batches_tracked: Tensor | None

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        device: Device = None,
        dtype: torch.dtype | None = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__()
        self.num_features, self.eps, self.momentum = num_features, eps, momentum
        self.affine, self.track_running_stats = affine, track_running_stats
        self.register_parameter("weight", empty_parameter(num_features, device, dtype) if affine else None)
        self.register_parameter("bias", empty_parameter(num_features, device, dtype) if affine and bias else None)
        track = track_running_stats
        self.register_buffer("running_mean", torch.zeros(num_features, device=device, dtype=dtype) if track else None)
        self.register_buffer("running_var", torch.ones(num_features, device=device, dtype=dtype) if track else None)
        count = torch.tensor(0, dtype=torch.long, device=device) if track else None
        self.register_buffer("num_batches_tracked", count)
        self.reset_parameters()

    def reset_running_stats(self) -> None:
        """Forgets the statistics: mean 0, variance 1, no batches seen.

        Example:
            >>> nn.BatchNorm1d(2).reset_running_stats()
        """
        if not self.track_running_stats:
            return
        for buffer, value in ((self.running_mean, 0), (self.running_var, 1), (self.num_batches_tracked, 0)):
            buffer.fill_(value)

    def reset_parameters(self) -> None:
        """Sets weight to 1, bias to 0, and forgets the statistics.

        Example:
            >>> nn.BatchNorm1d(2).reset_parameters()
        """
        self.reset_running_stats()
        for parameter, fill in ((self.weight, init.ones_), (self.bias, init.zeros_)):
            if parameter is not None:
                fill(parameter)

    def _check_input_dim(self, input: Tensor) -> None:
        if input.dim() not in self._accepted:
            names = " or ".join(f"{dims}D" for dims in self._accepted)
            raise ValueError(f"expected {names} input (got {input.dim()}D input)")

    def extra_repr(self) -> str:
        text = f"{self.num_features}, " + show(self, "eps", "momentum", "affine")
        return text + f", bias={self.bias is not None}, " + show(self, "track_running_stats")

    def _load_from_state_dict(
        self,
        state_dict: Any,
        prefix: str,
        local_metadata: Any,
        strict: bool,
        missing_keys: list[str],
        unexpected_keys: list[str],
        error_msgs: list[str],
    ) -> None:
        version = local_metadata.get("version")
        key = prefix + "num_batches_tracked"
        if (version is None or version < 2) and self.track_running_stats and key not in state_dict:
            own = self.num_batches_tracked  # files older than this buffer
            state_dict[key] = own if own is not None and not own.is_meta else torch.tensor(0, dtype=torch.long)
        super()._load_from_state_dict(state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs)


class _BatchNorm(_NormBase):
    def forward(self, input: Tensor) -> Tensor:
        self._check_input_dim(input)
        training = self.training
        factor = 0.0 if self.momentum is None else self.momentum
        mean, var = self.running_mean, self.running_var
        if training and self.track_running_stats and self.num_batches_tracked is not None:
            self.num_batches_tracked.add_(1)
            if self.momentum is None:  # a plain average over all batches so far
                factor = 1.0 / float(self.num_batches_tracked)
        elif mean is None and var is None:
            training = True
        if training and not self.track_running_stats:
            mean = var = None
        return F.batch_norm(input, mean, var, self.weight, self.bias, training, factor, self.eps)


class BatchNorm1d(_BatchNorm):
    """`(x - mean) / sqrt(var + eps) * weight + bias` for each channel, over batch and positions (Ioffe and Szegedy 2015).

    In training the statistics are the batch's, and the running ones move towards them.

    Args:
        num_features (int): channels, C
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

    Attributes:
        weight, bias: (C), 1 and 0 at first, or None
        running_mean, running_var: (C), or None

    Raises:
        ValueError: another number of dimensions, or one value for each channel in training

    Example:
        >>> nn.BatchNorm1d(3)(torch.ones(2, 3, 2)).shape
        torch.Size([2, 3, 2])
    """

    _accepted = (2, 3)


class BatchNorm2d(_BatchNorm):
    """`(x - mean) / sqrt(var + eps) * weight + bias` for each channel, over batch and positions (Ioffe and Szegedy 2015).

    In training the statistics are the batch's, and the running ones move towards them.

    Args:
        num_features (int): channels, C
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

    Attributes:
        weight, bias: (C), 1 and 0 at first, or None
        running_mean, running_var: (C), or None

    Raises:
        ValueError: another number of dimensions, or one value for each channel in training

    Example:
        >>> nn.BatchNorm2d(3)(torch.ones(2, 3, 2, 2)).shape
        torch.Size([2, 3, 2, 2])
    """

    _accepted = (4,)


class BatchNorm3d(_BatchNorm):
    """`(x - mean) / sqrt(var + eps) * weight + bias` for each channel, over batch and positions (Ioffe and Szegedy 2015).

    In training the statistics are the batch's, and the running ones move towards them.

    Args:
        num_features (int): channels, C
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

    Attributes:
        weight, bias: (C), 1 and 0 at first, or None
        running_mean, running_var: (C), or None

    Raises:
        ValueError: another number of dimensions, or one value for each channel in training

    Example:
        >>> nn.BatchNorm3d(3)(torch.ones(2, 3, 2, 2, 2)).shape
        torch.Size([2, 3, 2, 2, 2])
    """

    _accepted = (5,)


class SyncBatchNorm(_BatchNorm):
    """BatchNorm of any number of dimensions, whose statistics in training are those of the batches of all processes together.

    With one process, or outside of training, it is BatchNorm.

    Args:
        num_features (int): channels, C
        eps (float, default 1e-5): added to the variance
        momentum (float or None, default 0.1): share of the new statistics in the running ones; None: a plain average
            over all batches
        affine (bool, default True): whether a factor and a number for each channel are trained
        track_running_stats (bool, default True): keep running statistics, which are used outside of training
        process_group (Any): the processes; all by default
        device (device or None): where the parameters are made; None: the default device
        dtype (dtype or None): their type; None: the default dtype
        bias (bool, default True): whether there is a number besides the factor

    Shape:
        (N, C, ...), which stays

    Example:
        >>> nn.SyncBatchNorm(2)(torch.ones(3, 2)).shape
        torch.Size([3, 2])
    """

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        process_group: Any = None,
        device: Device = None,
        dtype: torch.dtype | None = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__(num_features, eps, momentum, affine, track_running_stats, device, dtype, bias=bias)
        self.process_group = process_group

    def _check_input_dim(self, input: Tensor) -> None:
        if input.dim() < 2:
            raise ValueError(f"expected at least 2D input (got {input.dim()}D input)")

    def forward(self, input: Tensor) -> Tensor:
        """Normalises with the statistics of all processes.

        Args:
            input (Tensor): (N, C, ...); N may differ between processes

        Returns:
            the normalised input

        Example:
            >>> nn.SyncBatchNorm(2)(torch.ones(3, 2)).shape
            torch.Size([3, 2])
        """
        distributed = sys.modules.get("torch.distributed")
        training = self.training or self.running_mean is None
        if not training or distributed is None or not distributed.is_available() or not distributed.is_initialized():
            return super().forward(input)
        group = self.process_group or distributed.group.WORLD
        if distributed.get_world_size(group) == 1:
            return super().forward(input)
        self._check_input_dim(input)
        from torch.nn.modules._sync_batchnorm import SyncBatchNormFunction

        result, mean, variance, total = SyncBatchNormFunction.apply(input, self.weight, self.bias, self.eps, group)
        if self.training and self.track_running_stats:
            self._update(mean, variance * (total / (total - 1)))
        return result

    @torch.no_grad()
    def _update(self, mean: Tensor, variance: Tensor) -> None:
        factor = 0.0 if self.momentum is None else self.momentum
        if self.num_batches_tracked is not None:
            self.num_batches_tracked.add_(1)
            if self.momentum is None:
                factor = 1.0 / float(self.num_batches_tracked)
        for own, new in ((self.running_mean, mean), (self.running_var, variance)):
            if own is not None:
                own.mul_(1 - factor).add_(new.to(own.dtype), alpha=factor)

    @classmethod
    def convert_sync_batchnorm(cls, module: Any, process_group: Any = None) -> Any:
        """Replaces every batch norm of a module by a SyncBatchNorm with the same parameters.

        Args:
            module (Any): the module
            process_group (Any): the processes; all by default

        Returns:
            the module, or what stands in its place

        Example:
            >>> nn.SyncBatchNorm.convert_sync_batchnorm(nn.Sequential(nn.BatchNorm1d(2)))
            Sequential(
              (0): SyncBatchNorm(2, eps=1e-05, momentum=0.1, affine=True, bias=True, track_running_stats=True)
            )
        """
        result = module
        if isinstance(module, _BatchNorm):
            result = cls(
                module.num_features, module.eps, module.momentum, module.affine, module.track_running_stats, process_group
            )
            if module.affine:
                result.weight, result.bias = module.weight, module.bias
            result.running_mean, result.running_var = module.running_mean, module.running_var
            result.num_batches_tracked, result.training = module.num_batches_tracked, module.training
        for name, child in module.named_children():
            result.add_module(name, cls.convert_sync_batchnorm(child, process_group))
        return result


class _InstanceNorm(_NormBase):
    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = False,
        track_running_stats: bool = False,
        device: Device = None,
        dtype: torch.dtype | None = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__(num_features, eps, momentum, affine, track_running_stats, device, dtype, bias=bias)

    def forward(self, input: Tensor) -> Tensor:
        self._check_input_dim(input)
        channels = -self._spatial - 1
        if input.size(channels) != self.num_features:
            text = (
                f"expected input's size at dim={input.dim() + channels} to match num_features "
                f"({self.num_features}), but got: {input.size(channels)}."
            )
            if self.affine:
                raise ValueError(text)
            import warnings

            warnings.warn(text + " num_features has no meaning without affine.", stacklevel=2)
        single = input.dim() == self._spatial + 1
        result = F.instance_norm(
            input.unsqueeze(0) if single else input,
            self.running_mean,
            self.running_var,
            self.weight,
            self.bias,
            self.training or not self.track_running_stats,
            0.0 if self.momentum is None else self.momentum,
            self.eps,
        )
        return result.squeeze(0) if single else result


class InstanceNorm1d(_InstanceNorm):
    """`(x - mean) / sqrt(var + eps) * weight + bias` for each channel, over the positions of each sample (Ulyanov et al. 2016).

    Args:
        num_features (int): channels, C
        eps (float, default 1e-5): added to the variance
        momentum (float or None, default 0.1): share of the new statistics in the running ones; None: a plain average
            over all batches
        affine (bool, default False): whether a factor and a number for each channel are trained
        track_running_stats (bool, default False): keep running statistics, which are used outside of training
        device (device or None): where the parameters are made; None: the default device
        dtype (dtype or None): their type; None: the default dtype
        bias (bool, default True): whether there is a number besides the factor

    Shape:
        (N, C, L) or (C, L), which stays

    Attributes:
        weight, bias: (C), 1 and 0 at first, or None
        running_mean, running_var: (C), or None

    Raises:
        ValueError: another number of dimensions, or one value for each channel in training

    Example:
        >>> nn.InstanceNorm1d(3)(torch.ones(2, 3, 2)).shape
        torch.Size([2, 3, 2])
    """

    _accepted, _spatial = (2, 3), 1


class InstanceNorm2d(_InstanceNorm):
    """`(x - mean) / sqrt(var + eps) * weight + bias` for each channel, over the positions of each sample (Ulyanov et al. 2016).

    Args:
        num_features (int): channels, C
        eps (float, default 1e-5): added to the variance
        momentum (float or None, default 0.1): share of the new statistics in the running ones; None: a plain average
            over all batches
        affine (bool, default False): whether a factor and a number for each channel are trained
        track_running_stats (bool, default False): keep running statistics, which are used outside of training
        device (device or None): where the parameters are made; None: the default device
        dtype (dtype or None): their type; None: the default dtype
        bias (bool, default True): whether there is a number besides the factor

    Shape:
        (N, C, H, W) or (C, H, W), which stays

    Attributes:
        weight, bias: (C), 1 and 0 at first, or None
        running_mean, running_var: (C), or None

    Raises:
        ValueError: another number of dimensions, or one value for each channel in training

    Example:
        >>> nn.InstanceNorm2d(3)(torch.ones(2, 3, 2, 2)).shape
        torch.Size([2, 3, 2, 2])
    """

    _accepted, _spatial = (3, 4), 2


class InstanceNorm3d(_InstanceNorm):
    """`(x - mean) / sqrt(var + eps) * weight + bias` for each channel, over the positions of each sample (Ulyanov et al. 2016).

    Args:
        num_features (int): channels, C
        eps (float, default 1e-5): added to the variance
        momentum (float or None, default 0.1): share of the new statistics in the running ones; None: a plain average
            over all batches
        affine (bool, default False): whether a factor and a number for each channel are trained
        track_running_stats (bool, default False): keep running statistics, which are used outside of training
        device (device or None): where the parameters are made; None: the default device
        dtype (dtype or None): their type; None: the default dtype
        bias (bool, default True): whether there is a number besides the factor

    Shape:
        (N, C, D, H, W) or (C, D, H, W), which stays

    Attributes:
        weight, bias: (C), 1 and 0 at first, or None
        running_mean, running_var: (C), or None

    Raises:
        ValueError: another number of dimensions, or one value for each channel in training

    Example:
        >>> nn.InstanceNorm3d(3)(torch.ones(2, 3, 2, 2, 2)).shape
        torch.Size([2, 3, 2, 2, 2])
    """

    _accepted, _spatial = (4, 5), 3


__all__ = [
    "BatchNorm1d", "BatchNorm2d", "BatchNorm3d", "SyncBatchNorm", "InstanceNorm1d", "InstanceNorm2d",
    "InstanceNorm3d",
]  # fmt: skip
