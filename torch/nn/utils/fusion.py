"""Batch normalization, in evaluation mode, merged into the layer before it."""

from __future__ import annotations

import copy

import torch

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from typing import TypeVar

    from torch import Tensor
    from torch.nn.modules.batchnorm import _BatchNorm
    from torch.nn.modules.conv import _ConvNd
    from torch.nn.parameter import Parameter

    _C = TypeVar("_C", bound=_ConvNd)
    _L = TypeVar("_L", bound=torch.nn.Linear)

__all__ = ["fuse_conv_bn_eval", "fuse_conv_bn_weights", "fuse_linear_bn_eval", "fuse_linear_bn_weights"]


def _check_eval(name: str, layer: torch.nn.Module, bn: _BatchNorm) -> None:
    if layer.training or bn.training:
        raise AssertionError(f"{name}: both modules must be in evaluation mode")
    if bn.running_mean is None or bn.running_var is None:
        raise AssertionError(f"{name}: the batch normalization has no running statistics")


def _fused(
    weight: Tensor, bias: Tensor | None, mean: Tensor, scale: Tensor, shift: Tensor | None, dim: int
) -> tuple[Parameter, Parameter]:
    """Multiply slices of `dim` by `scale`, and move the bias accordingly."""
    shape = [1] * weight.dim()
    shape[dim] = -1
    start = torch.zeros_like(mean) if bias is None else bias
    moved = (start - mean) * scale
    moved = moved if shift is None else moved + shift
    return (
        torch.nn.Parameter((weight * scale.reshape(shape)).to(weight.dtype), weight.requires_grad),
        torch.nn.Parameter(moved.to(start.dtype if bias is not None else weight.dtype), start.requires_grad),
    )


def fuse_conv_bn_eval(conv: _C, bn: _BatchNorm, transpose: bool = False) -> _C:
    """A convolution that computes `bn(conv(x))`, as these do in evaluation mode.

    Args:
        conv (_C): the convolution
        bn (_BatchNorm): the batch normalization that follows it
        transpose (bool, default False): whether `conv` is a transposed convolution

    Returns:
        a new module; `conv` stays as it is

    Raises:
        AssertionError: one of them is in training mode, or `bn` has no running statistics

    Example:
        >>> conv, bn = nn.Conv2d(3, 4, 3).eval(), nn.BatchNorm2d(4).eval()
        >>> x = torch.ones(1, 3, 5, 5)
        >>> torch.allclose(nn.utils.fuse_conv_bn_eval(conv, bn)(x), bn(conv(x)), atol=1e-6)
        True
    """
    _check_eval("fuse_conv_bn_eval", conv, bn)
    result = copy.deepcopy(conv)
    assert bn.running_mean is not None and bn.running_var is not None
    result.weight, result.bias = fuse_conv_bn_weights(
        result.weight, result.bias, bn.running_mean, bn.running_var, bn.eps, bn.weight, bn.bias, transpose
    )
    return result


def fuse_conv_bn_weights(
    conv_w: Tensor, conv_b: Tensor | None, bn_rm: Tensor, bn_rv: Tensor, bn_eps: float, bn_w: Tensor | None, bn_b: Tensor | None,
    transpose: bool = False,
) -> tuple[Parameter, Parameter]:  # fmt: skip
    """The weight and bias of a convolution that also does the batch normalization after it.

    Args:
        conv_w (Tensor): weight of the convolution
        conv_b (Tensor or None): its bias
        bn_rm (Tensor): running mean of the batch normalization
        bn_rv (Tensor): its running variance
        bn_eps (float): is added to the variance
        bn_w (Tensor or None): its weight
        bn_b (Tensor or None): its bias
        transpose (bool, default False): whether it is a transposed convolution, whose weight has its outputs in dimension 1

    Returns:
        (weight, bias)

    Example:
        >>> ones = torch.ones(2)
        >>> w, b = nn.utils.fuse_conv_bn_weights(torch.ones(2, 1, 1), ones, ones, ones, 0.0, ones * 3, ones)
        >>> w.flatten().tolist(), b.tolist()
        ([3.0, 3.0], [1.0, 1.0])
    """
    scale = torch.rsqrt(bn_rv + bn_eps)
    scale = scale if bn_w is None else bn_w * scale
    return _fused(conv_w, conv_b, bn_rm, scale, bn_b, int(transpose))


def fuse_linear_bn_eval(linear: _L, bn: _BatchNorm) -> _L:
    """A linear layer that computes `bn(linear(x))`, as these do in evaluation mode.

    Args:
        linear (_L): the linear layer
        bn (_BatchNorm): the batch normalization that follows it, with as many features as the layer has outputs, or with one

    Returns:
        a new module; `linear` stays as it is

    Raises:
        AssertionError: one of them is in training mode, or the numbers of features do not fit

    Example:
        >>> linear, bn = nn.Linear(3, 4).eval(), nn.BatchNorm1d(4).eval()
        >>> x = torch.ones(2, 3)
        >>> torch.allclose(nn.utils.fuse_linear_bn_eval(linear, bn)(x), bn(linear(x)), atol=1e-6)
        True
    """
    _check_eval("fuse_linear_bn_eval", linear, bn)
    if bn.num_features not in (linear.out_features, 1):
        raise AssertionError(
            f"fuse_linear_bn_eval: expected a batch normalization of {linear.out_features} features, or of 1, "
            f"but got one of {bn.num_features}"
        )
    result = copy.deepcopy(linear)
    assert bn.running_mean is not None and bn.running_var is not None
    result.weight, result.bias = fuse_linear_bn_weights(
        result.weight, result.bias, bn.running_mean, bn.running_var, bn.eps, bn.weight, bn.bias
    )
    return result


def fuse_linear_bn_weights(
    linear_w: Tensor, linear_b: Tensor | None, bn_rm: Tensor, bn_rv: Tensor, bn_eps: float, bn_w: Tensor, bn_b: Tensor
) -> tuple[Parameter, Parameter]:
    """The weight and bias of a linear layer that also does the batch normalization after it.

    Args:
        linear_w (Tensor): weight of the layer
        linear_b (Tensor or None): its bias
        bn_rm (Tensor): running mean of the batch normalization
        bn_rv (Tensor): its running variance
        bn_eps (float): is added to the variance
        bn_w (Tensor): its weight
        bn_b (Tensor): its bias

    Returns:
        (weight, bias)

    Example:
        >>> ones = torch.ones(2)
        >>> w, b = nn.utils.fuse_linear_bn_weights(torch.ones(2, 1), ones, ones, ones, 0.0, ones * 3, ones)
        >>> w.flatten().tolist(), b.tolist()
        ([3.0, 3.0], [1.0, 1.0])
    """
    return _fused(linear_w, linear_b, bn_rm, bn_w * torch.rsqrt(bn_rv + bn_eps), bn_b, 0)
