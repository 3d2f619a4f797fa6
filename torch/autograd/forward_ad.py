"""Forward-mode differentiation: tensors that carry the derivative along one direction through a computation.

A dual tensor is a tensor, the primal, with a tangent. Operators on dual tensors compute the primal's result and, beside it,
the result's tangent: the Jacobian times the tangent of the input. That takes one pass and keeps no graph, so it is the
cheaper mode for functions with few inputs and many outputs.

    >>> import torch.autograd.forward_ad as fwAD
    >>> with fwAD.dual_level():
    ...     x = fwAD.make_dual(torch.tensor([1., 2.]), torch.tensor([1., 0.]))
    ...     fwAD.unpack_dual(x * x).tangent
    tensor([2., 0.])
"""

from __future__ import annotations

from typing import Any, NamedTuple

import torch
from torch import _C
from torch._C import _is_fwd_grad_enabled
from torch.autograd.grad_mode import _ContextDecorator

__all__ = ["UnpackedDualTensor", "dual_level", "enter_dual_level", "exit_dual_level", "make_dual", "unpack_dual"]

# The level that functions use if none is given; -1 outside of all levels.
_current_level = -1


def enter_dual_level() -> int:
    """Begins a level of forward mode, in which dual tensors can be made. `dual_level` also ends it.

    Returns:
        the number of the level

    Raises:
        RuntimeError: inside a level; levels do not nest

    Example:
        >>> level = torch.autograd.forward_ad.enter_dual_level()
        >>> torch.autograd.forward_ad.exit_dual_level(level=level)
    """
    global _current_level
    level = _C._enter_dual_level()
    _current_level = level
    return level


def exit_dual_level(*, level: int | None = None) -> None:
    """Ends a level: its tensors lose their tangents.

    Args:
        level (int, optional): the level to end, by default the current one

    Raises:
        RuntimeError: there is no such level

    Example:
        >>> level = torch.autograd.forward_ad.enter_dual_level()
        >>> torch.autograd.forward_ad.exit_dual_level()
    """
    global _current_level
    ended = _current_level if level is None else level
    if ended != _current_level or ended < 0:
        raise RuntimeError(f"exit_dual_level: level {ended} is not the current one, which is {_current_level}")
    _C._exit_dual_level(ended)
    _current_level = ended - 1


def make_dual(tensor: torch.Tensor, tangent: torch.Tensor, *, level: int | None = None) -> torch.Tensor:
    """A dual tensor: a view of `tensor` that carries a tangent.

    Args:
        tensor (Tensor): the primal, floating point or complex
        tangent (Tensor): the direction, of the same shape
        level (int, optional): the level, by default the current one

    Raises:
        RuntimeError: outside of a level, or for a primal that is dual already
        ValueError: for a primal or a tangent of another type

    Example:
        >>> with torch.autograd.forward_ad.dual_level():
        ...     torch.autograd.forward_ad.make_dual(torch.ones(2), torch.zeros(2))
        tensor([1., 1.], tangent=tensor([0., 0.]))
    """
    level = _current_level if level is None else level
    if level < 0:
        raise RuntimeError("make_dual: there is no dual level; enter one with `with torch.autograd.forward_ad.dual_level():`")
    for name, given in (("tensor", tensor), ("tangent", tangent)):
        if not (given.is_floating_point() or given.is_complex()):
            raise ValueError(f"make_dual: {name} must be floating point or complex, not {given.dtype}")
    return torch._C._VariableFunctions._make_dual(tensor, tangent, level=level)


class UnpackedDualTensor(NamedTuple):
    """What `unpack_dual` returns: the primal, and the tangent or None.

    Example:
        >>> torch.autograd.forward_ad.UnpackedDualTensor(torch.ones(1), None).tangent is None
        True
    """

    primal: torch.Tensor
    tangent: torch.Tensor | None


def unpack_dual(tensor: torch.Tensor, *, level: int | None = None) -> UnpackedDualTensor:
    """The primal of a tensor, a view without a tangent, and its tangent, or None if it has none.

    Args:
        tensor (Tensor): dual or not
        level (int, optional): the level, by default the current one

    Example:
        >>> with torch.autograd.forward_ad.dual_level():
        ...     dual = torch.autograd.forward_ad.make_dual(torch.ones(2), torch.zeros(2))
        ...     torch.autograd.forward_ad.unpack_dual(dual).tangent
        tensor([0., 0.])
    """
    level = _current_level if level is None else level
    if level < 0:
        return UnpackedDualTensor(tensor, None)
    primal, tangent = torch._C._VariableFunctions._unpack_dual(tensor, level=level)
    return UnpackedDualTensor(primal, tangent)


class dual_level(_ContextDecorator):
    """A level of forward mode, for a `with` statement or as a decorator.

    Example:
        >>> with torch.autograd.forward_ad.dual_level():
        ...     dual = torch.autograd.forward_ad.make_dual(torch.tensor(3.), torch.tensor(1.))
        ...     torch.autograd.forward_ad.unpack_dual(dual**2).tangent
        tensor(6.)
    """

    __slots__ = ()

    def __enter__(self) -> int:
        return enter_dual_level()

    def __exit__(self, exc_type: Any, exc_value: Any, traceback: Any) -> None:
        exit_dual_level()


class _set_fwd_grad_enabled(_ContextDecorator):
    """Switches the computation of tangents on or off in this thread, until the `with` block ends."""

    __slots__ = ("mode",)

    def __init__(self, mode: bool) -> None:
        self.mode = mode
        self.prev = _is_fwd_grad_enabled()
        _C._set_fwd_grad_enabled(mode)

    def clone(self) -> _set_fwd_grad_enabled:
        return type(self)(self.mode)

    def __enter__(self) -> None:
        pass

    def __exit__(self, exc_type: Any, exc_value: Any, traceback: Any) -> None:
        _C._set_fwd_grad_enabled(self.prev)
