"""Transforms made of other transforms, and changes of shape."""

from __future__ import annotations

import math
import weakref

import torch
from torch.distributions import constraints
from torch.distributions.transforms._base import Transform, sum_over_events
from torch.distributions.utils import _sum_rightmost

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from torch import Tensor


class ComposeTransform(Transform):
    """Several transforms, one after the other.

    Args:
        parts (list of Transform): the transforms, the first of which is applied first
        cache_size (int, default 0): 1: each part keeps its last pair of argument and result

    Example:
        >>> from torch.distributions import AffineTransform, ComposeTransform, ExpTransform
        >>> ComposeTransform([AffineTransform(0.0, 2.0), ExpTransform()])(torch.tensor([0.0, 0.5]))
        tensor([1.0000, 2.7183])
    """

    def __init__(self, parts: list[Transform], cache_size: int = 0) -> None:
        self.parts = [part.with_cache(cache_size) for part in parts] if cache_size else parts
        super().__init__(cache_size=cache_size)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ComposeTransform) and self.parts == other.parts

    @constraints.dependent_property(is_discrete=False)
    def domain(self) -> constraints.Constraint:
        """What the first part takes, with as many dimensions as the following ones need."""
        if not self.parts:
            return constraints.real
        inner = self.parts[0].domain
        # Walk back from the end: each part needs as many dimensions as what follows, changed by its own.
        needed = self.parts[-1].codomain.event_dim
        for part in reversed(self.parts):
            needed = max(needed + part.domain.event_dim - part.codomain.event_dim, part.domain.event_dim)
        extra = needed - inner.event_dim
        return constraints.independent(inner, extra) if extra > 0 else inner

    @constraints.dependent_property(is_discrete=False)
    def codomain(self) -> constraints.Constraint:
        """What the last part gives, with as many dimensions as the earlier ones need."""
        if not self.parts:
            return constraints.real
        outer = self.parts[-1].codomain
        needed = self.parts[0].domain.event_dim
        for part in self.parts:
            needed = max(needed + part.codomain.event_dim - part.domain.event_dim, part.codomain.event_dim)
        extra = needed - outer.event_dim
        return constraints.independent(outer, extra) if extra > 0 else outer

    @property
    def bijective(self) -> bool:  # type: ignore[override]
        """Whether every part is a bijection."""
        return all(part.bijective for part in self.parts)

    @property
    def sign(self) -> Any:
        product: Any = 1
        for part in self.parts:
            product = product * part.sign
        return product

    @property
    def inv(self) -> Transform:
        inverse = None if self._inv is None else self._inv()
        if inverse is None:
            inverse = ComposeTransform([part.inv for part in reversed(self.parts)])
            self._inv = weakref.ref(inverse)
            inverse._inv = weakref.ref(self)
        return inverse

    def with_cache(self, cache_size: int = 1) -> Transform:
        return self if self._cache_size == cache_size else ComposeTransform(self.parts, cache_size=cache_size)

    def __call__(self, x: Tensor) -> Tensor:
        for part in self.parts:
            x = part(x)
        return x

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        if not self.parts:
            return torch.zeros_like(x)
        values = [x]
        for part in self.parts[:-1]:
            values.append(part(values[-1]))
        values.append(y)
        total: Any = 0
        event_dim = self.domain.event_dim
        for part, before, after in zip(self.parts, values, values[1:]):
            term = part.log_abs_det_jacobian(before, after)
            total = total + sum_over_events(term, event_dim - part.domain.event_dim)
            event_dim += part.codomain.event_dim - part.domain.event_dim
        return total

    def forward_shape(self, shape: Sequence[int]) -> Sequence[int]:
        for part in self.parts:
            shape = part.forward_shape(shape)
        return shape

    def inverse_shape(self, shape: Sequence[int]) -> Sequence[int]:
        for part in reversed(self.parts):
            shape = part.inverse_shape(shape)
        return shape

    def __repr__(self) -> str:
        inner = ",\n    ".join(repr(part) for part in self.parts)
        return f"{type(self).__name__}(\n    {inner}\n)"


class IndependentTransform(Transform):
    """A transform of values with more event dimensions: the determinant is summed over them.

    Args:
        base_transform (Transform): what is applied
        reinterpreted_batch_ndims (int): how many more of the last dimensions make up one value
        cache_size (int, default 0): 1: the last pair of argument and result is kept

    Example:
        >>> from torch.distributions import ExpTransform, IndependentTransform
        >>> t = IndependentTransform(ExpTransform(), 1)
        >>> x = torch.tensor([0.5, 1.0])
        >>> t.log_abs_det_jacobian(x, t(x))
        tensor(1.5000)
    """

    # fmt: off
    def __init__(self, base_transform: Transform, reinterpreted_batch_ndims: int, cache_size: int = 0) -> None:
        # fmt: on
        super().__init__(cache_size=cache_size)
        self.base_transform = base_transform.with_cache(cache_size)
        self.reinterpreted_batch_ndims = reinterpreted_batch_ndims

    def with_cache(self, cache_size: int = 1) -> Transform:
        if self._cache_size == cache_size:
            return self
        return IndependentTransform(self.base_transform, self.reinterpreted_batch_ndims, cache_size=cache_size)

    @constraints.dependent_property(is_discrete=False)
    def domain(self) -> constraints.Constraint:
        """Arrays of what the transform takes."""
        return constraints.independent(self.base_transform.domain, self.reinterpreted_batch_ndims)

    @constraints.dependent_property(is_discrete=False)
    def codomain(self) -> constraints.Constraint:
        """Arrays of what the transform gives."""
        return constraints.independent(self.base_transform.codomain, self.reinterpreted_batch_ndims)

    @property
    def bijective(self) -> bool:  # type: ignore[override]
        """Whether the transform is a bijection."""
        return self.base_transform.bijective

    @property
    def sign(self) -> Any:
        return self.base_transform.sign

    def _call(self, x: Tensor) -> Tensor:
        self._needs(x, self.domain.event_dim)
        return self.base_transform(x)

    def _inverse(self, y: Tensor) -> Tensor:
        self._needs(y, self.codomain.event_dim)
        return self.base_transform.inv(y)

    def _needs(self, value: Tensor, event_dim: int) -> None:
        if value.dim() < event_dim:
            raise ValueError(f"IndependentTransform: expected at least {event_dim} dimensions, got {value.dim()}")

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        return _sum_rightmost(self.base_transform.log_abs_det_jacobian(x, y), self.reinterpreted_batch_ndims)

    def forward_shape(self, shape: Sequence[int]) -> Sequence[int]:
        return self.base_transform.forward_shape(shape)

    def inverse_shape(self, shape: Sequence[int]) -> Sequence[int]:
        return self.base_transform.inverse_shape(shape)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.base_transform!r}, {self.reinterpreted_batch_ndims})"


class ReshapeTransform(Transform):
    """A change of the shape of values, whose determinant is 1.

    Args:
        in_shape (Size): shape of a value before
        out_shape (Size): shape of a value after, with as many entries
        cache_size (int, default 0): 1: the last pair of argument and result is kept

    Example:
        >>> from torch.distributions import ReshapeTransform
        >>> ReshapeTransform((4,), (2, 2))(torch.ones(3, 4)).shape
        torch.Size([3, 2, 2])
    """

    bijective = True

    # fmt: off
    def __init__(self, in_shape: Sequence[int], out_shape: Sequence[int], cache_size: int = 0) -> None:
        # fmt: on
        self.in_shape, self.out_shape = torch.Size(in_shape), torch.Size(out_shape)
        if math.prod(self.in_shape) != math.prod(self.out_shape):
            raise ValueError(f"in_shape {tuple(in_shape)} and out_shape {tuple(out_shape)} have different numbers of entries")
        super().__init__(cache_size=cache_size)

    @constraints.dependent_property
    def domain(self) -> constraints.Constraint:
        """Arrays of the shape before."""
        return constraints.independent(constraints.real, len(self.in_shape))

    @constraints.dependent_property
    def codomain(self) -> constraints.Constraint:
        """Arrays of the shape after."""
        return constraints.independent(constraints.real, len(self.out_shape))

    def with_cache(self, cache_size: int = 1) -> Transform:
        return self if self._cache_size == cache_size else ReshapeTransform(self.in_shape, self.out_shape, cache_size=cache_size)

    def _call(self, x: Tensor) -> Tensor:
        return x.reshape(x.shape[: x.dim() - len(self.in_shape)] + self.out_shape)

    def _inverse(self, y: Tensor) -> Tensor:
        return y.reshape(y.shape[: y.dim() - len(self.out_shape)] + self.in_shape)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        return x.new_zeros(x.shape[: x.dim() - len(self.in_shape)])

    def forward_shape(self, shape: Sequence[int]) -> Sequence[int]:
        return self._changed(shape, self.in_shape, self.out_shape)

    def inverse_shape(self, shape: Sequence[int]) -> Sequence[int]:
        return self._changed(shape, self.out_shape, self.in_shape)

    @staticmethod
    def _changed(shape: Sequence[int], before: torch.Size, after: torch.Size) -> torch.Size:
        outer = len(shape) - len(before)
        if outer < 0:
            raise ValueError(f"expected a shape with at least {len(before)} dimensions, got {tuple(shape)}")
        if torch.Size(shape[outer:]) != before:
            raise ValueError(f"expected a shape that ends in {tuple(before)}, got {tuple(shape)}")
        return torch.Size(shape[:outer]) + after


class _Several(Transform):
    """Transforms of parts of a tensor along one dimension."""

    def __init__(self, tseq: Sequence[Transform], dim: int, cache_size: int) -> None:
        for transform in tseq:
            if not isinstance(transform, Transform):
                raise AssertionError(f"{type(self).__name__}: tseq must hold Transforms, got {type(transform).__name__}")
        if cache_size:
            tseq = [transform.with_cache(cache_size) for transform in tseq]
        super().__init__(cache_size=cache_size)
        self.transforms = list(tseq)
        self.dim = dim

    @property
    def bijective(self) -> bool:  # type: ignore[override]
        """Whether every transform is a bijection."""
        return all(transform.bijective for transform in self.transforms)

    def _check(self, *values: Tensor) -> None:
        for value in values:
            if not -value.dim() <= self.dim < value.dim():
                raise AssertionError(f"{type(self).__name__}: a value with {value.dim()} dimensions has no dimension {self.dim}")


class CatTransform(_Several):
    """Transforms of consecutive parts along one dimension.

    Args:
        tseq (Sequence of Transform): the transforms
        dim (int, default 0): the dimension
        lengths (Sequence of int, optional): how long each part is; 1 each by default
        cache_size (int, default 0): 1: the last pairs of argument and result are kept

    Example:
        >>> from torch.distributions import CatTransform, ExpTransform, identity_transform
        >>> CatTransform([ExpTransform(), identity_transform], dim=0, lengths=[1, 2])(torch.ones(3))
        tensor([2.7183, 1.0000, 1.0000])
    """

    # fmt: off
    def __init__(self, tseq: Sequence[Transform], dim: int = 0, lengths: Sequence[int] | None = None,
                 cache_size: int = 0) -> None:
        # fmt: on
        super().__init__(tseq, dim, cache_size)
        self.lengths = [1] * len(self.transforms) if lengths is None else list(lengths)
        if len(self.lengths) != len(self.transforms):
            raise AssertionError(f"CatTransform: lengths must have {len(self.transforms)} entries, got {len(self.lengths)}")

    @property
    def event_dim(self) -> int:
        return max(transform.event_dim for transform in self.transforms)

    @property
    def length(self) -> int:
        """Length of all parts together."""
        return sum(self.lengths)

    def with_cache(self, cache_size: int = 1) -> Transform:
        return self if self._cache_size == cache_size else CatTransform(self.transforms, self.dim, self.lengths, cache_size)

    @constraints.dependent_property
    def domain(self) -> constraints.Constraint:
        """The domains of the transforms, along the dimension."""
        return constraints.cat([transform.domain for transform in self.transforms], self.dim, self.lengths)

    @constraints.dependent_property
    def codomain(self) -> constraints.Constraint:
        """The codomains of the transforms, along the dimension."""
        return constraints.cat([transform.codomain for transform in self.transforms], self.dim, self.lengths)

    def _parts(self, value: Tensor) -> list[Tensor]:
        self._check(value)
        if value.size(self.dim) != self.length:
            raise AssertionError(f"CatTransform: expected size {self.length} in dimension {self.dim}, got {value.size(self.dim)}")
        return list(value.split(self.lengths, self.dim))

    def _call(self, x: Tensor) -> Tensor:
        return torch.cat([transform(part) for transform, part in zip(self.transforms, self._parts(x))], self.dim)

    def _inverse(self, y: Tensor) -> Tensor:
        return torch.cat([transform.inv(part) for transform, part in zip(self.transforms, self._parts(y))], self.dim)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        terms = []
        for transform, before, after in zip(self.transforms, self._parts(x), self._parts(y)):
            term = transform.log_abs_det_jacobian(before, after)
            terms.append(_sum_rightmost(term, self.event_dim - transform.event_dim))
        dim = self.dim - x.dim() if self.dim >= 0 else self.dim  # counted from the end
        dim += self.event_dim
        return torch.cat(terms, dim) if dim < 0 else torch.stack(terms).sum(0)


class StackTransform(_Several):
    """Transforms of the slices along one dimension.

    Args:
        tseq (Sequence of Transform): the transforms
        dim (int, default 0): the dimension
        cache_size (int, default 0): 1: the last pairs of argument and result are kept

    Example:
        >>> from torch.distributions import ExpTransform, StackTransform, identity_transform
        >>> StackTransform([identity_transform, ExpTransform()], dim=1)(torch.ones(2, 2))
        tensor([[1.0000, 2.7183],
                [1.0000, 2.7183]])
    """

    def __init__(self, tseq: Sequence[Transform], dim: int = 0, cache_size: int = 0) -> None:
        super().__init__(tseq, dim, cache_size)

    def with_cache(self, cache_size: int = 1) -> Transform:
        return self if self._cache_size == cache_size else StackTransform(self.transforms, self.dim, cache_size)

    @constraints.dependent_property
    def domain(self) -> constraints.Constraint:
        """The domains of the transforms, along the dimension."""
        return constraints.stack([transform.domain for transform in self.transforms], self.dim)

    @constraints.dependent_property
    def codomain(self) -> constraints.Constraint:
        """The codomains of the transforms, along the dimension."""
        return constraints.stack([transform.codomain for transform in self.transforms], self.dim)

    def _slice(self, value: Tensor) -> list[Tensor]:
        self._check(value)
        if value.size(self.dim) != len(self.transforms):
            raise AssertionError(f"StackTransform: expected {len(self.transforms)} slices, got {value.size(self.dim)}")
        return list(value.unbind(self.dim))

    def _call(self, x: Tensor) -> Tensor:
        return torch.stack([transform(part) for transform, part in zip(self.transforms, self._slice(x))], self.dim)

    def _inverse(self, y: Tensor) -> Tensor:
        return torch.stack([transform.inv(part) for transform, part in zip(self.transforms, self._slice(y))], self.dim)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        triples = zip(self.transforms, self._slice(x), self._slice(y))
        return torch.stack([transform.log_abs_det_jacobian(before, after) for transform, before, after in triples], self.dim)


identity_transform = ComposeTransform([])
