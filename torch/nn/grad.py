"""Gradients of convolutions, as functions of their own."""

from __future__ import annotations

import torch

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from collections.abc import Sequence

    from torch import Tensor

__all__ = ["conv1d_input", "conv1d_weight", "conv2d_input", "conv2d_weight", "conv3d_input", "conv3d_weight"]


def _gradient(
    dims: int, which: int, input: Tensor, weight: Tensor, grad_output: Tensor, stride: int | Sequence[int],
    padding: int | Sequence[int], dilation: int | Sequence[int], groups: int,
) -> Tensor:  # fmt: skip
    stride, padding, dilation = ((x,) * dims if isinstance(x, int) else tuple(x) for x in (stride, padding, dilation))
    mask = [which == 0, which == 1, False]
    return torch.ops.aten.convolution_backward(
        grad_output, input, weight, None, stride, padding, dilation, False, [0] * dims, groups, mask
    )[which]


def conv1d_input(
    input_size: Sequence[int], weight: Tensor, grad_output: Tensor, stride: int | Sequence[int] = 1,
    padding: int | Sequence[int] = 0, dilation: int | Sequence[int] = 1, groups: int = 1,
) -> Tensor:  # fmt: skip
    """The gradient of `conv1d` with respect to its input.

    Args:
        input_size (Sequence[int]): shape of the input
        weight (Tensor): the weight
        grad_output (Tensor): gradient of the result
        stride (int or tuple, default 1): that of the convolution
        padding (int or tuple, default 0): that of the convolution
        dilation (int or tuple, default 1): that of the convolution
        groups (int, default 1): those of the convolution

    Returns:
        a tensor of the shape `input_size`

    Example:
        >>> torch.nn.grad.conv1d_input((1, 1, 2), torch.ones((1, 1, 1)), torch.ones((1, 1, 2))).sum()
        tensor(2.)
    """
    input = grad_output.new_empty(1).expand(input_size)
    return _gradient(1, 0, input, weight, grad_output, stride, padding, dilation, groups)


def conv1d_weight(
    input: Tensor, weight_size: Sequence[int], grad_output: Tensor, stride: int | Sequence[int] = 1,
    padding: int | Sequence[int] = 0, dilation: int | Sequence[int] = 1, groups: int = 1,
) -> Tensor:  # fmt: skip
    """The gradient of `conv1d` with respect to its weight.

    Args:
        input (Tensor): the input
        weight_size (Sequence[int]): shape of the weight
        grad_output (Tensor): gradient of the result
        stride (int or tuple, default 1): that of the convolution
        padding (int or tuple, default 0): that of the convolution
        dilation (int or tuple, default 1): that of the convolution
        groups (int, default 1): those of the convolution

    Returns:
        a tensor of the shape `weight_size`

    Example:
        >>> torch.nn.grad.conv1d_weight(torch.ones((1, 1, 2)), (1, 1, 1), torch.ones((1, 1, 2))).sum()
        tensor(2.)
    """
    weight = grad_output.new_empty(1).expand(weight_size)
    return _gradient(1, 1, input, weight, grad_output, stride, padding, dilation, groups)


def conv2d_input(
    input_size: Sequence[int], weight: Tensor, grad_output: Tensor, stride: int | Sequence[int] = 1,
    padding: int | Sequence[int] = 0, dilation: int | Sequence[int] = 1, groups: int = 1,
) -> Tensor:  # fmt: skip
    """The gradient of `conv2d` with respect to its input.

    Args:
        input_size (Sequence[int]): shape of the input
        weight (Tensor): the weight
        grad_output (Tensor): gradient of the result
        stride (int or tuple, default 1): that of the convolution
        padding (int or tuple, default 0): that of the convolution
        dilation (int or tuple, default 1): that of the convolution
        groups (int, default 1): those of the convolution

    Returns:
        a tensor of the shape `input_size`

    Example:
        >>> torch.nn.grad.conv2d_input((1, 1, 2, 2), torch.ones((1, 1, 1, 1)), torch.ones((1, 1, 2, 2))).sum()
        tensor(4.)
    """
    input = grad_output.new_empty(1).expand(input_size)
    return _gradient(2, 0, input, weight, grad_output, stride, padding, dilation, groups)


def conv2d_weight(
    input: Tensor, weight_size: Sequence[int], grad_output: Tensor, stride: int | Sequence[int] = 1,
    padding: int | Sequence[int] = 0, dilation: int | Sequence[int] = 1, groups: int = 1,
) -> Tensor:  # fmt: skip
    """The gradient of `conv2d` with respect to its weight.

    Args:
        input (Tensor): the input
        weight_size (Sequence[int]): shape of the weight
        grad_output (Tensor): gradient of the result
        stride (int or tuple, default 1): that of the convolution
        padding (int or tuple, default 0): that of the convolution
        dilation (int or tuple, default 1): that of the convolution
        groups (int, default 1): those of the convolution

    Returns:
        a tensor of the shape `weight_size`

    Example:
        >>> torch.nn.grad.conv2d_weight(torch.ones((1, 1, 2, 2)), (1, 1, 1, 1), torch.ones((1, 1, 2, 2))).sum()
        tensor(4.)
    """
    weight = grad_output.new_empty(1).expand(weight_size)
    return _gradient(2, 1, input, weight, grad_output, stride, padding, dilation, groups)


def conv3d_input(
    input_size: Sequence[int], weight: Tensor, grad_output: Tensor, stride: int | Sequence[int] = 1,
    padding: int | Sequence[int] = 0, dilation: int | Sequence[int] = 1, groups: int = 1,
) -> Tensor:  # fmt: skip
    """The gradient of `conv3d` with respect to its input.

    Args:
        input_size (Sequence[int]): shape of the input
        weight (Tensor): the weight
        grad_output (Tensor): gradient of the result
        stride (int or tuple, default 1): that of the convolution
        padding (int or tuple, default 0): that of the convolution
        dilation (int or tuple, default 1): that of the convolution
        groups (int, default 1): those of the convolution

    Returns:
        a tensor of the shape `input_size`

    Example:
        >>> torch.nn.grad.conv3d_input((1, 1, 2, 2, 2), torch.ones((1, 1, 1, 1, 1)), torch.ones((1, 1, 2, 2, 2))).sum()
        tensor(8.)
    """
    input = grad_output.new_empty(1).expand(input_size)
    return _gradient(3, 0, input, weight, grad_output, stride, padding, dilation, groups)


def conv3d_weight(
    input: Tensor, weight_size: Sequence[int], grad_output: Tensor, stride: int | Sequence[int] = 1,
    padding: int | Sequence[int] = 0, dilation: int | Sequence[int] = 1, groups: int = 1,
) -> Tensor:  # fmt: skip
    """The gradient of `conv3d` with respect to its weight.

    Args:
        input (Tensor): the input
        weight_size (Sequence[int]): shape of the weight
        grad_output (Tensor): gradient of the result
        stride (int or tuple, default 1): that of the convolution
        padding (int or tuple, default 0): that of the convolution
        dilation (int or tuple, default 1): that of the convolution
        groups (int, default 1): those of the convolution

    Returns:
        a tensor of the shape `weight_size`

    Example:
        >>> torch.nn.grad.conv3d_weight(torch.ones((1, 1, 2, 2, 2)), (1, 1, 1, 1, 1), torch.ones((1, 1, 2, 2, 2))).sum()
        tensor(8.)
    """
    weight = grad_output.new_empty(1).expand(weight_size)
    return _gradient(3, 1, input, weight, grad_output, stride, padding, dilation, groups)
