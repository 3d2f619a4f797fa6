"""The base class of transforms, and the inverse of one."""

from __future__ import annotations

import weakref

import torch
from torch.distributions import constraints
from torch.distributions.utils import _sum_rightmost

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from torch import Tensor
else:  # typing.get_type_hints() of classes needs them
    from typing import Any


class Transform:
    """A differentiable function of values, with an inverse and the logarithm of its Jacobian determinant.

    Subclasses set `domain`, `codomain` and `bijective`, and define `_call`, `_inverse` and `log_abs_det_jacobian`. Where the
    function is not injective, the inverse gives one of the values.

    Args:
        cache_size (int, default 0): 1: the last pair of argument and result is kept, so that the inverse of that result
            is exact and free

    Example:
        >>> from torch.distributions import ExpTransform
        >>> t = ExpTransform()
        >>> x = torch.tensor([0.0, 2.0])
        >>> t(x), t.inv(t(x)), t.log_abs_det_jacobian(x, t(x))
        (tensor([1.0000, 7.3891]), tensor([0., 2.]), tensor([0., 2.]))
    """

    bijective: Any = False
    domain: Any
    codomain: Any

    def __init__(self, cache_size: int = 0) -> None:
        if cache_size not in (0, 1):
            raise ValueError(f"{type(self).__name__}: cache_size must be 0 or 1, got {cache_size}")
        self._cache_size = cache_size
        self._inv: Any = None
        if cache_size:
            self._cached_x_y: tuple[Any, Any] = (None, None)
        super().__init__()

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_inv": None}

    @property
    def event_dim(self) -> int:
        """How many of the last dimensions make up one value, before and after."""
        if self.domain.event_dim != self.codomain.event_dim:
            raise ValueError(
                f"{type(self).__name__} changes the number of event dimensions: use domain.event_dim or codomain.event_dim"
            )
        return self.domain.event_dim

    @property
    def inv(self) -> Transform:
        """The inverse, as a transform."""
        inverse = None if self._inv is None else self._inv()
        if inverse is None:
            inverse = _InverseTransform(self)
            self._inv = weakref.ref(inverse)
        return inverse

    @property
    def sign(self) -> Any:
        """The sign of the derivative of a monotone function: 1 or -1."""
        raise NotImplementedError(f"{type(self).__name__} does not define sign")

    def with_cache(self, cache_size: int = 1) -> Transform:
        """The same transform with another cache.

        Args:
            cache_size (int, default 1): 0 or 1

        Returns:
            this object if it has such a cache already
        """
        if self._cache_size == cache_size:
            return self
        if type(self).__init__ is Transform.__init__:
            return type(self)(cache_size=cache_size)
        raise NotImplementedError(f"{type(self).__name__} defines __init__, so it must define with_cache(), too")

    def __eq__(self, other: object) -> bool:
        return self is other

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __call__(self, x: Tensor) -> Tensor:
        return self._cached(self._call, x, 0)

    def _inv_call(self, y: Tensor) -> Tensor:
        """The inverse of `y`, from the cache if that has it."""
        return self._cached(self._inverse, y, 1)

    def _cached(self, function: Any, argument: Tensor, place: int) -> Tensor:
        """function(argument); `place` says which of the cached pair the argument is."""
        if self._cache_size == 0:
            return function(argument)
        if self._cached_x_y[place] is argument:
            return self._cached_x_y[1 - place]
        result = function(argument)
        self._cached_x_y = (result, argument) if place else (argument, result)
        return result

    def _call(self, x: Tensor) -> Tensor:
        raise NotImplementedError(f"{type(self).__name__} does not define _call()")

    def _inverse(self, y: Tensor) -> Tensor:
        raise NotImplementedError(f"{type(self).__name__} does not define _inverse()")

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        """Logarithm of the absolute value of the Jacobian determinant.

        Args:
            x (Tensor): arguments of the function
            y (Tensor): its results for them

        Returns:
            a tensor of the shape of `x` without the event's dimensions
        """
        raise NotImplementedError(f"{type(self).__name__} does not define log_abs_det_jacobian()")

    def forward_shape(self, shape: Sequence[int]) -> Sequence[int]:
        """Shape of the result for an argument of some shape.

        Args:
            shape (Size): shape of the argument

        Returns:
            shape of the result
        """
        return shape

    def inverse_shape(self, shape: Sequence[int]) -> Sequence[int]:
        """Shape of the argument for a result of some shape.

        Args:
            shape (Size): shape of the result

        Returns:
            shape of the argument
        """
        return shape

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"


class _InverseTransform(Transform):
    """The inverse of a transform. It shares that transform's cache, and keeps it alive."""

    def __init__(self, transform: Transform) -> None:
        super().__init__(cache_size=transform._cache_size)
        self._inv: Transform = transform

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__

    @property
    def domain(self) -> Any:  # type: ignore[override]
        return self._inv.codomain

    @property
    def codomain(self) -> Any:  # type: ignore[override]
        return self._inv.domain

    @property
    def bijective(self) -> bool:  # type: ignore[override]
        return self._inv.bijective

    @property
    def sign(self) -> Any:
        return self._inv.sign

    @property
    def inv(self) -> Transform:
        return self._inv

    def with_cache(self, cache_size: int = 1) -> Transform:
        return self.inv.with_cache(cache_size).inv

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _InverseTransform) and self._inv == other._inv

    def __call__(self, x: Tensor) -> Tensor:
        return self._inv._inv_call(x)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        return -self._inv.log_abs_det_jacobian(y, x)

    def forward_shape(self, shape: Sequence[int]) -> Sequence[int]:
        return self._inv.inverse_shape(shape)

    def inverse_shape(self, shape: Sequence[int]) -> Sequence[int]:
        return self._inv.forward_shape(shape)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._inv!r})"


class EqualByType(Transform):
    """A transform without parameters: all objects of the class are equal."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, type(self))


class RealFunction(EqualByType):
    """An increasing bijection of numbers, applied to every entry."""

    domain: Any = constraints.real
    codomain: Any = constraints.real
    bijective = True

    @property
    def sign(self) -> Any:
        return 1


def sum_over_events(terms: Tensor, event_dim: int) -> Tensor:
    """The logarithm of a determinant from those of the entries."""
    return _sum_rightmost(terms, event_dim)


def broadcast_shape(shape: Sequence[int], *others: Any) -> torch.Size:
    """The shape of the result of an operator of a tensor of `shape` and other tensors or numbers."""
    return torch.broadcast_shapes(shape, *[getattr(other, "shape", ()) for other in others])
