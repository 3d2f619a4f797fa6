"""Functions that make masked tensors."""

from __future__ import annotations

import torch
from torch.masked.maskedtensor.core import MaskedTensor

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from typing import Any

    from torch import Tensor

__all__ = ["as_masked_tensor", "masked_tensor"]


class _Constructor(torch.autograd.Function):
    """Data on its way into a masked tensor; on the way back, the gradient is 0 where the data are masked out."""

    @staticmethod
    def forward(ctx: Any, data: Tensor, mask: Tensor) -> Tensor:
        ctx.save_for_backward(mask)
        return data.view_as(data)

    @staticmethod
    def backward(ctx: Any, grad_output: Tensor) -> tuple[Tensor, None]:
        (mask,) = ctx.saved_tensors
        return grad_output.masked_fill(~mask, 0), None


def masked_tensor(data: Tensor, mask: Tensor, requires_grad: bool = False) -> MaskedTensor:
    """A masked tensor with copies of data and mask, which is a leaf for autograd.

    Args:
        data (Tensor): the elements
        mask (Tensor): bools of the same shape, True where an element is there
        requires_grad (bool, default False): whether gradients are recorded

    Returns:
        a MaskedTensor

    Raises:
        TypeError: an argument is no Tensor, or of another dtype
        ValueError: the shapes differ

    Example:
        >>> x = torch.masked.masked_tensor(torch.arange(3.0), torch.tensor([True, False, True]))
        >>> x.mean()
        MaskedTensor(  1.0000, True)
    """
    return MaskedTensor(data, mask, requires_grad)


def as_masked_tensor(data: Tensor, mask: Tensor) -> MaskedTensor:
    """A masked tensor that shares the data, and passes gradients on to them.

    Args:
        data (Tensor): the elements
        mask (Tensor): bools of the same shape, True where an element is there

    Returns:
        a MaskedTensor

    Raises:
        TypeError: an argument is no Tensor, or of another dtype
        ValueError: the shapes differ

    Example:
        >>> x = torch.ones(3, requires_grad=True)
        >>> torch.masked.as_masked_tensor(x, torch.tensor([True, False, True])).sum().backward()
        >>> x.grad
        tensor([1., 0., 1.])
    """
    MaskedTensor._validate(data, mask)
    return MaskedTensor._from_values(_Constructor.apply(data, mask), mask)
