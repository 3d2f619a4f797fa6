"""Variable: since version 0.4 another name for Tensor."""

from __future__ import annotations

import torch

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from typing import Any


class _VariableMeta(type):
    def __instancecheck__(cls, instance):
        return isinstance(instance, torch.Tensor)


class Variable(metaclass=_VariableMeta):
    """Another name for Tensor: a call gives the tensor, without history.

    Args:
        data (Tensor): the tensor
        requires_grad (bool, default False): whether it wants a gradient
        volatile (bool, default False): of no effect

    Example:
        >>> torch.autograd.Variable(torch.ones(2), requires_grad=True)
        tensor([1., 1.], requires_grad=True)
    """

    def __new__(cls, data: torch.Tensor, requires_grad: bool = False, volatile: bool = False) -> Any:
        return data.detach().requires_grad_(requires_grad)
