"""Batched tensors from outside: what they hold, and how they print."""

from __future__ import annotations

from torch import Tensor
from torch._C import _functorch as _C
from torch._tensor_str import tensor_text


def debug_unwrap(tensor: Tensor, *, recurse: bool = True) -> Tensor:
    """What a batched tensor holds, to look at while debugging. Computing with it gives results for other shapes.

    Args:
        tensor (Tensor): any tensor
        recurse (bool, default True): unwrap all levels, not only the innermost

    Returns:
        Tensor: the value; its leading dimensions are the batches, outermost first

    Example:
        >>> def f(x):
        ...     print(torch.func.debug_unwrap(x).shape)
        ...     return x
        >>> y = torch.vmap(f)(torch.zeros(3, 2))
        torch.Size([3, 2])
    """
    if not isinstance(tensor, Tensor):
        raise TypeError(f"debug_unwrap: expected a Tensor, got {type(tensor).__name__}")
    value = _C._value_of(tensor)
    while recurse and _C._level_of(value):
        value = _C._value_of(value)
    return value


def text(tensor: Tensor) -> str:
    """How a batched tensor prints: its level, its batch dimension and its value."""
    value = tensor_text(_C._value_of(tensor))
    lines = value.replace("\n", "\n    ")
    return f"BatchedTensor(lvl={_C._level_of(tensor)}, bdim=0, value=\n    {lines}\n)"
