"""Constraints: the sets that parameters and values of distributions lie in.

A constraint tells which values of a tensor belong to it (`check`), how many of the last dimensions make up one value
(`event_dim`), and whether the set is discrete. Names in lower case without parameters are objects, the others make one.
"""

from __future__ import annotations

import torch

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from torch import Tensor
else:  # typing.get_type_hints() of classes needs them
    from typing import Any


__all__ = ["Constraint", "MixtureSameFamilyConstraint", "boolean", "cat", "corr_cholesky", "dependent", "dependent_property",
           "greater_than", "greater_than_eq", "half_open_interval", "independent", "integer_interval", "interval",
           "is_dependent", "less_than", "lower_cholesky", "lower_triangular", "multinomial", "nonnegative",
           "nonnegative_integer", "one_hot", "positive", "positive_definite", "positive_integer", "positive_semidefinite",
           "real", "real_vector", "simplex", "square", "stack", "symmetric", "unit_interval"]  # fmt: skip


class Constraint:
    """A set of values. Subclasses define `check`.

    Attributes: `is_discrete` (bool) says whether the set is discrete, `event_dim` (int) how many of the last dimensions
    of a tensor make up one value.

    Example:
        >>> from torch.distributions import constraints
        >>> constraints.positive.check(torch.tensor([-1.0, 2.0]))
        tensor([False,  True])
        >>> constraints.simplex.event_dim
        1
    """

    is_discrete: Any = False
    event_dim: Any = 0

    def check(self, value: Tensor) -> Tensor:
        """Which values lie in the set.

        Args:
            value (Tensor): values; the last `event_dim` dimensions make up one of them

        Returns:
            a tensor of bools, of the shape of `value` without these dimensions
        """
        raise NotImplementedError(f"{type(self).__name__} does not define check()")

    def __repr__(self) -> str:
        return type(self).__name__.lstrip("_") + "()"


class _Dependent(Constraint):
    """A set that depends on the values of parameters, so that nothing can be checked without them."""

    def __init__(self, *, is_discrete: Any = NotImplemented, event_dim: Any = NotImplemented) -> None:
        self._is_discrete = is_discrete
        self._event_dim = event_dim
        super().__init__()

    @property
    def is_discrete(self) -> bool:  # type: ignore[override]
        """Whether the set is discrete."""
        if self._is_discrete is NotImplemented:
            raise NotImplementedError("is_discrete is known only once the parameters of the distribution are")
        return self._is_discrete

    @property
    def event_dim(self) -> int:  # type: ignore[override]
        """How many of the last dimensions make up one value."""
        if self._event_dim is NotImplemented:
            raise NotImplementedError("event_dim is known only once the parameters of the distribution are")
        return self._event_dim

    def __call__(self, *, is_discrete: Any = NotImplemented, event_dim: Any = NotImplemented) -> _Dependent:
        """The same with these attributes."""
        discrete = self._is_discrete if is_discrete is NotImplemented else is_discrete
        return _Dependent(is_discrete=discrete, event_dim=self._event_dim if event_dim is NotImplemented else event_dim)

    def check(self, value: Tensor) -> Tensor:
        raise ValueError("a dependent constraint cannot be checked without the parameters that it depends on")


def is_dependent(constraint: Any) -> bool:
    """Whether a constraint depends on the values of parameters.

    Args:
        constraint (Constraint): what is asked about

    Returns:
        True for `constraints.dependent` and for dependent properties of classes

    Example:
        >>> from torch.distributions import Uniform, constraints
        >>> constraints.is_dependent(Uniform.support), constraints.is_dependent(Uniform(0.0, 1.0).support)
        (True, False)
    """
    return isinstance(constraint, _Dependent)


class dependent_property(property, _Dependent):
    """A property whose value is a constraint that depends on parameters; the class itself shows a dependent constraint.

    Args:
        fn (Callable, optional): the method that returns the constraint
        is_discrete (bool, optional): whether the set is discrete, if that is known without parameters
        event_dim (int, optional): number of dimensions of a value, if that is known without parameters

    Example:
        >>> from torch.distributions import constraints
        >>> class Ray:
        ...     def __init__(self, start):
        ...         self.start = start
        ...     @constraints.dependent_property(is_discrete=False, event_dim=0)
        ...     def support(self):
        ...         return constraints.greater_than(self.start)
        >>> Ray.support.event_dim, Ray(2.0).support
        (0, GreaterThan(lower_bound=2.0))
    """

    # fmt: off
    def __init__(self, fn: Callable[..., Any] | None = None, *, is_discrete: Any = NotImplemented,
                 event_dim: Any = NotImplemented) -> None:
        # fmt: on
        property.__init__(self, fn)
        self._is_discrete = is_discrete
        self._event_dim = event_dim

    def __call__(self, fn: Callable[..., Any]) -> dependent_property:  # type: ignore[override]
        """What the decorator with arguments calls."""
        return dependent_property(fn, is_discrete=self._is_discrete, event_dim=self._event_dim)

    def __repr__(self) -> str:
        return "DependentProperty()"


class _IndependentConstraint(Constraint):
    """Vectors, matrices, ... whose entries all lie in one set.

    Args:
        base_constraint (Constraint): the set of the entries
        reinterpreted_batch_ndims (int): how many more of the last dimensions make up one value

    Example:
        >>> from torch.distributions import constraints
        >>> constraints.independent(constraints.positive, 1).check(torch.tensor([[1.0, 2.0], [1.0, -2.0]]))
        tensor([ True, False])
    """

    def __init__(self, base_constraint: Constraint, reinterpreted_batch_ndims: int) -> None:
        if not isinstance(base_constraint, Constraint):
            raise AssertionError(f"base_constraint must be a Constraint, got {type(base_constraint).__name__}")
        if not isinstance(reinterpreted_batch_ndims, int) or reinterpreted_batch_ndims < 0:
            raise AssertionError(f"reinterpreted_batch_ndims must be an int of at least 0, got {reinterpreted_batch_ndims}")
        self.base_constraint = base_constraint
        self.reinterpreted_batch_ndims = reinterpreted_batch_ndims
        super().__init__()

    @property
    def is_discrete(self) -> bool:  # type: ignore[override]
        """Whether the set is discrete."""
        return self.base_constraint.is_discrete

    @property
    def event_dim(self) -> int:  # type: ignore[override]
        """How many of the last dimensions make up one value."""
        return self.base_constraint.event_dim + self.reinterpreted_batch_ndims

    def check(self, value: Tensor) -> Tensor:
        valid = self.base_constraint.check(value)
        outer = valid.dim() - self.reinterpreted_batch_ndims
        if outer < 0:
            raise ValueError(f"expected a value with at least {self.event_dim} dimensions, got one with {value.dim()}")
        return valid.reshape(valid.shape[:outer] + (-1,)).all(-1)

    def __repr__(self) -> str:
        return f"{type(self).__name__[1:]}({self.base_constraint!r}, {self.reinterpreted_batch_ndims})"


class MixtureSameFamilyConstraint(Constraint):
    """The set of a mixture's values: those that lie in the support of every component.

    Args:
        base_constraint (Constraint): the support of the components, whose last batch dimension numbers them

    Example:
        >>> from torch.distributions import constraints
        >>> inside = constraints.interval(torch.tensor([0.0, 1.0]), torch.tensor([2.0, 3.0]))
        >>> constraints.MixtureSameFamilyConstraint(inside).check(torch.tensor([0.5, 1.5]))
        tensor([False,  True])
    """

    def __init__(self, base_constraint: Constraint) -> None:
        if not isinstance(base_constraint, Constraint):
            raise AssertionError(f"base_constraint must be a Constraint, got {type(base_constraint).__name__}")
        self.base_constraint = base_constraint
        super().__init__()

    @property
    def is_discrete(self) -> bool:  # type: ignore[override]
        """Whether the set is discrete."""
        return self.base_constraint.is_discrete

    @property
    def event_dim(self) -> int:  # type: ignore[override]
        """How many of the last dimensions make up one value."""
        return self.base_constraint.event_dim

    def check(self, value: Tensor) -> Tensor:
        outer = value.dim() - self.event_dim
        if outer < 0:
            raise ValueError(f"expected a value with at least {self.event_dim} dimensions, got one with {value.dim()}")
        valid = self.base_constraint.check(value.unsqueeze(outer))
        return valid.reshape(valid.shape[:outer] + (-1,)).all(-1)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.base_constraint!r})"


class _Boolean(Constraint):
    """0 and 1."""

    is_discrete = True

    def check(self, value: Tensor) -> Tensor:
        return (value == 0) | (value == 1)


class _OneHot(Constraint):
    """Vectors with a single 1 and zeros."""

    is_discrete = True
    event_dim = 1

    def check(self, value: Tensor) -> Tensor:
        return ((value == 0) | (value == 1)).all(-1) & value.sum(-1).eq(1)


class _Bounded(Constraint):
    """What has bounds: they are attributes, and `repr` shows them."""

    def __repr__(self) -> str:
        bounds = [f"{name}={getattr(self, name)}" for name in ("lower_bound", "upper_bound") if name in self.__dict__]
        return f"{type(self).__name__[1:]}({', '.join(bounds)})"


class _IntegerInterval(_Bounded):
    """Integers between two bounds, both included.

    Args:
        lower_bound (Tensor or Number): the smallest
        upper_bound (Tensor or Number): the largest

    Example:
        >>> from torch.distributions import constraints
        >>> constraints.integer_interval(0, 3).check(torch.tensor([3.0, 2.5, 4.0]))
        tensor([ True, False, False])
    """

    is_discrete = True

    def __init__(self, lower_bound: Any, upper_bound: Any) -> None:
        self.lower_bound, self.upper_bound = lower_bound, upper_bound
        super().__init__()

    def check(self, value: Tensor) -> Tensor:
        return (value % 1 == 0) & (value >= self.lower_bound) & (value <= self.upper_bound)


class _IntegerLessThan(_Bounded):
    """Integers up to a bound, which is included."""

    is_discrete = True

    def __init__(self, upper_bound: Any) -> None:
        self.upper_bound = upper_bound
        super().__init__()

    def check(self, value: Tensor) -> Tensor:
        return (value % 1 == 0) & (value <= self.upper_bound)


class _IntegerGreaterThan(_Bounded):
    """Integers from a bound on, which is included."""

    is_discrete = True

    def __init__(self, lower_bound: Any) -> None:
        self.lower_bound = lower_bound
        super().__init__()

    def check(self, value: Tensor) -> Tensor:
        return (value % 1 == 0) & (value >= self.lower_bound)


class _Real(Constraint):
    """Every number except NaN."""

    def check(self, value: Tensor) -> Tensor:
        return value == value


class _GreaterThan(_Bounded):
    """Numbers above a bound, which is excluded.

    Args:
        lower_bound (Tensor or Number): the bound

    Example:
        >>> from torch.distributions import constraints
        >>> constraints.greater_than(1.0).check(torch.tensor([1.0, 2.0]))
        tensor([False,  True])
    """

    def __init__(self, lower_bound: Any) -> None:
        self.lower_bound = lower_bound
        super().__init__()

    def check(self, value: Tensor) -> Tensor:
        return value > self.lower_bound


class _GreaterThanEq(_Bounded):
    """Numbers from a bound on, which is included.

    Args:
        lower_bound (Tensor or Number): the bound

    Example:
        >>> from torch.distributions import constraints
        >>> constraints.greater_than_eq(1.0).check(torch.tensor([1.0, 0.0]))
        tensor([ True, False])
    """

    def __init__(self, lower_bound: Any) -> None:
        self.lower_bound = lower_bound
        super().__init__()

    def check(self, value: Tensor) -> Tensor:
        return value >= self.lower_bound


class _LessThan(_Bounded):
    """Numbers below a bound, which is excluded.

    Args:
        upper_bound (Tensor or Number): the bound

    Example:
        >>> from torch.distributions import constraints
        >>> constraints.less_than(1.0).check(torch.tensor([1.0, 0.0]))
        tensor([False,  True])
    """

    def __init__(self, upper_bound: Any) -> None:
        self.upper_bound = upper_bound
        super().__init__()

    def check(self, value: Tensor) -> Tensor:
        return value < self.upper_bound


class _Interval(_Bounded):
    """Numbers between two bounds, both included.

    Args:
        lower_bound (Tensor or Number): the smallest
        upper_bound (Tensor or Number): the largest

    Example:
        >>> from torch.distributions import constraints
        >>> constraints.interval(0.0, 1.0).check(torch.tensor([0.0, 1.5]))
        tensor([ True, False])
    """

    def __init__(self, lower_bound: Any, upper_bound: Any) -> None:
        self.lower_bound, self.upper_bound = lower_bound, upper_bound
        super().__init__()

    def check(self, value: Tensor) -> Tensor:
        return (value >= self.lower_bound) & (value <= self.upper_bound)


class _HalfOpenInterval(_Bounded):
    """Numbers from a bound, which is included, up to a bound, which is excluded.

    Args:
        lower_bound (Tensor or Number): the smallest
        upper_bound (Tensor or Number): what all are below

    Example:
        >>> from torch.distributions import constraints
        >>> constraints.half_open_interval(0.0, 1.0).check(torch.tensor([0.0, 1.0]))
        tensor([ True, False])
    """

    def __init__(self, lower_bound: Any, upper_bound: Any) -> None:
        self.lower_bound, self.upper_bound = lower_bound, upper_bound
        super().__init__()

    def check(self, value: Tensor) -> Tensor:
        return (value >= self.lower_bound) & (value < self.upper_bound)


class _Simplex(Constraint):
    """Vectors of numbers that are not negative and sum to 1, within 1e-6."""

    event_dim = 1

    def check(self, value: Tensor) -> Tensor:
        return (value >= 0).all(-1) & (value.sum(-1) - 1).abs().lt(1e-6)


class _Multinomial(Constraint):
    """Vectors of counts that are not negative and sum to at most a bound.

    Args:
        upper_bound (int): the bound of the sum

    Example:
        >>> from torch.distributions import constraints
        >>> constraints.multinomial(3).check(torch.tensor([[1, 2], [2, 2]]))
        tensor([ True, False])
    """

    is_discrete = True
    event_dim = 1

    def __init__(self, upper_bound: Any) -> None:
        self.upper_bound = upper_bound

    def check(self, value: Tensor) -> Tensor:
        return (value >= 0).all(-1) & value.sum(-1).le(self.upper_bound)


class _LowerTriangular(Constraint):
    """Matrices with zeros above the diagonal."""

    event_dim = 2

    def check(self, value: Tensor) -> Tensor:
        return (value == value.tril()).flatten(-2).all(-1)


class _LowerCholesky(Constraint):
    """Lower triangular matrices with a positive diagonal."""

    event_dim = 2

    def check(self, value: Tensor) -> Tensor:
        return lower_triangular.check(value) & (value.diagonal(dim1=-2, dim2=-1) > 0).all(-1)


class _CorrCholesky(Constraint):
    """Cholesky factors of correlation matrices: lower triangular, of positive diagonal, with rows of length 1."""

    event_dim = 2

    def check(self, value: Tensor) -> Tensor:
        tolerance = 10 * value.size(-1) * torch.finfo(value.dtype).eps
        off = (torch.linalg.vector_norm(value.detach(), dim=-1) - 1).abs()
        return (off <= tolerance).all(-1) & lower_cholesky.check(value)


class _Square(Constraint):
    """Square matrices."""

    event_dim = 2

    def check(self, value: Tensor) -> Tensor:
        is_square = value.shape[-2] == value.shape[-1]
        return torch.full(value.shape[:-2], is_square, dtype=torch.bool, device=value.device)


class _Symmetric(_Square):
    """Symmetric matrices, within 1e-6."""

    def check(self, value: Tensor) -> Tensor:
        valid = super().check(value)
        return torch.isclose(value, value.mT, atol=1e-6).flatten(-2).all(-1) if valid.all() else valid


class _PositiveSemidefinite(_Symmetric):
    """Symmetric matrices without negative eigenvalues."""

    def check(self, value: Tensor) -> Tensor:
        valid = super().check(value)
        return torch.linalg.eigvalsh(value).ge(0).all(-1) if valid.all() else valid


class _PositiveDefinite(_Symmetric):
    """Symmetric matrices with positive eigenvalues."""

    def check(self, value: Tensor) -> Tensor:
        valid = super().check(value)
        return torch.linalg.cholesky_ex(value).info.eq(0) if valid.all() else valid


class _Several(Constraint):
    """Sets that take turns along one dimension."""

    def __init__(self, cseq: Sequence[Constraint], dim: int) -> None:
        self.cseq = list(cseq)
        for constraint in self.cseq:
            if not isinstance(constraint, Constraint):
                raise AssertionError(f"cseq must hold Constraints, got {type(constraint).__name__}")
        self.dim = dim
        super().__init__()

    @property
    def is_discrete(self) -> bool:  # type: ignore[override]
        """Whether one of the sets is discrete."""
        return any(constraint.is_discrete for constraint in self.cseq)


class _Cat(_Several):
    """Tensors whose parts along one dimension lie in a set each.

    Args:
        cseq (Sequence of Constraint): the sets
        dim (int, default 0): the dimension
        lengths (Sequence of int, optional): how long each part is; 1 each by default

    Example:
        >>> from torch.distributions import constraints
        >>> mixed = constraints.cat([constraints.positive, constraints.real], dim=-1, lengths=[1, 2])
        >>> mixed.check(torch.tensor([[1.0, -1.0, -1.0], [-1.0, 1.0, 1.0]]))
        tensor([[ True,  True,  True],
                [False,  True,  True]])
    """

    def __init__(self, cseq: Sequence[Constraint], dim: int = 0, lengths: Sequence[int] | None = None) -> None:
        super().__init__(cseq, dim)
        self.lengths = [1] * len(self.cseq) if lengths is None else list(lengths)
        if len(self.lengths) != len(self.cseq):
            raise AssertionError(f"lengths must have an entry for each of the {len(self.cseq)} sets, got {len(self.lengths)}")

    @property
    def event_dim(self) -> int:  # type: ignore[override]
        """The largest of the sets' numbers of dimensions."""
        return max(constraint.event_dim for constraint in self.cseq)

    def check(self, value: Tensor) -> Tensor:
        if not -value.dim() <= self.dim < value.dim():
            raise AssertionError(f"a value with {value.dim()} dimensions has no dimension {self.dim}")
        parts, start = [], 0
        for constraint, length in zip(self.cseq, self.lengths):
            parts.append(constraint.check(value.narrow(self.dim, start, length)))
            start += length
        return torch.cat(parts, self.dim)


class _Stack(_Several):
    """Tensors whose slices along one dimension lie in a set each.

    Args:
        cseq (Sequence of Constraint): the sets
        dim (int, default 0): the dimension

    Example:
        >>> from torch.distributions import constraints
        >>> constraints.stack([constraints.positive, constraints.real]).check(torch.tensor([-1.0, -1.0]))
        tensor([False,  True])
    """

    def __init__(self, cseq: Sequence[Constraint], dim: int = 0) -> None:
        super().__init__(cseq, dim)

    @property
    def event_dim(self) -> int:  # type: ignore[override]
        """Dimensions of a value, with the one that is stacked along if that belongs to it."""
        dims = max(constraint.event_dim for constraint in self.cseq)
        return dims + 1 if self.dim + dims < 0 else dims

    def check(self, value: Tensor) -> Tensor:
        if not -value.dim() <= self.dim < value.dim():
            raise AssertionError(f"a value with {value.dim()} dimensions has no dimension {self.dim}")
        slices = [value.select(self.dim, k) for k in range(value.size(self.dim))]
        return torch.stack([constraint.check(part) for part, constraint in zip(slices, self.cseq)], self.dim)


boolean = _Boolean()
corr_cholesky = _CorrCholesky()
dependent = _Dependent()
lower_cholesky = _LowerCholesky()
lower_triangular = _LowerTriangular()
nonnegative = _GreaterThanEq(0.0)
nonnegative_integer = _IntegerGreaterThan(0)
one_hot = _OneHot()
positive = _GreaterThan(0.0)
positive_definite = _PositiveDefinite()
positive_integer = _IntegerGreaterThan(1)
positive_semidefinite = _PositiveSemidefinite()
real = _Real()
simplex = _Simplex()
square = _Square()
symmetric = _Symmetric()
unit_interval = _Interval(0.0, 1.0)
real_vector = _IndependentConstraint(real, 1)

cat = _Cat
greater_than = _GreaterThan
greater_than_eq = _GreaterThanEq
half_open_interval = _HalfOpenInterval
independent = _IndependentConstraint
integer_interval = _IntegerInterval
interval = _Interval
less_than = _LessThan
multinomial = _Multinomial
stack = _Stack
