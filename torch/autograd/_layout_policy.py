"""Which strides the first gradient of a leaf gets."""

from __future__ import annotations

from torch._C import _is_grad_layout_enforced, _set_grad_layout_enforced
from torch.autograd.grad_mode import _ContextDecorator

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeVar

    from typing_extensions import Self

    _F = TypeVar("_F", bound=Callable[..., Any])


class enforce_grad_layout_policy(_ContextDecorator):
    """Chooses the strides of the first gradient of a leaf, at once; as a context manager, back again at its end.

    As a rule it gets the strides of the leaf if these are dense, and is contiguous otherwise. That makes optimizers quick, and
    may cost a copy. Without the rule a gradient keeps the strides that backward gave it.

    Args:
        enable (bool, default True): whether the rule holds

    Example:
        >>> x = torch.ones(2, 3, requires_grad=True)
        >>> with torch.autograd.enforce_grad_layout_policy(False):
        ...     (x.t() * torch.ones(3, 2)).sum().backward()
        >>> x.grad.shape
        torch.Size([2, 3])
    """

    __module__ = "torch.autograd.grad_mode"
    __slots__ = ("enable",)

    def __init__(self, enable: bool = True) -> None:
        self.prev, self.enable = _is_grad_layout_enforced(), enable
        _set_grad_layout_enforced(enable)

    def __call__(self, func: _F) -> _F:
        _set_grad_layout_enforced(self.prev)  # a decorator changes only what runs inside the function
        return _ContextDecorator.__call__(self, func)

    def clone(self) -> Self:
        twin = object.__new__(enforce_grad_layout_policy)
        twin.prev, twin.enable = self.prev, self.enable
        return twin

    def __enter__(self) -> None:
        _set_grad_layout_enforced(self.enable)

    def __exit__(self, exc_type: object, exc_value: object, traceback: object) -> None:
        _set_grad_layout_enforced(self.prev)
