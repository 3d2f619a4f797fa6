"""Transforms onto the sets that constraints describe."""

from __future__ import annotations

from torch.distributions import constraints, transforms

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

__all__ = ["ConstraintRegistry", "biject_to", "transform_to"]


class ConstraintRegistry:
    """Which transform leads from unconstrained numbers to the set of a constraint.

    `biject_to` and `transform_to` are two such registries. Calling one with a constraint gives the transform.

    Example:
        >>> from torch.distributions import constraints, transform_to
        >>> transform_to(constraints.interval(-1.0, 1.0))(torch.tensor(0.0))
        tensor(0.)
    """

    def __init__(self) -> None:
        self._registry: dict[type, Callable[[Any], transforms.Transform]] = {}
        super().__init__()

    def register(self, constraint: Any, factory: Any = None) -> Any:
        """Register a function that makes a transform; also a decorator.

        Args:
            constraint (Constraint or type): the class of the constraints, or one of its objects
            factory (Callable, optional): gets a constraint and returns its transform

        Returns:
            `factory`, or the decorator without it

        Raises:
            TypeError: `constraint` is neither

        Example:
            >>> from torch.distributions import constraints, transform_to, transforms
            >>> class Even(constraints.Constraint): pass
            >>> @transform_to.register(Even)
            ... def even(constraint):
            ...     return transforms.AffineTransform(0.0, 2.0)
            >>> transform_to(Even())(torch.tensor(3.0))
            tensor(6.)
        """
        if factory is None:
            return lambda factory: self.register(constraint, factory)
        cls = type(constraint) if isinstance(constraint, constraints.Constraint) else constraint
        if not (isinstance(cls, type) and issubclass(cls, constraints.Constraint)):
            raise TypeError(f"register: constraint must be a Constraint or a subclass of it, got {constraint!r}")
        self._registry[cls] = factory
        return factory

    def __call__(self, constraint: constraints.Constraint) -> transforms.Transform:
        """The transform for a constraint.

        Args:
            constraint (Constraint): the set to transform to

        Returns:
            a transform whose codomain is that set

        Raises:
            NotImplementedError: none is registered
        """
        factory = self._registry.get(type(constraint))
        if factory is None:
            raise NotImplementedError(f"no transform to {type(constraint).__name__} constraints is registered")
        return factory(constraint)


biject_to = ConstraintRegistry()
transform_to = ConstraintRegistry()


def _to_both(constraint: Any) -> Callable[[Any], Any]:
    """Register a bijection with both registries."""

    def register(factory: Any) -> Any:
        biject_to.register(constraint, factory)
        return transform_to.register(constraint, factory)

    return register


@_to_both(constraints.real)
def _real(constraint: Any) -> transforms.Transform:
    return transforms.identity_transform


@_to_both(constraints.positive)
@_to_both(constraints.nonnegative)
def _greater_than(constraint: Any) -> transforms.Transform:
    return transforms.ComposeTransform([transforms.ExpTransform(), transforms.AffineTransform(constraint.lower_bound, 1)])


@_to_both(constraints.less_than)
def _less_than(constraint: Any) -> transforms.Transform:
    return transforms.ComposeTransform([transforms.ExpTransform(), transforms.AffineTransform(constraint.upper_bound, -1)])


@_to_both(constraints.interval)
@_to_both(constraints.half_open_interval)
def _interval(constraint: Any) -> transforms.Transform:
    low, high = constraint.lower_bound, constraint.upper_bound
    if isinstance(low, (int, float)) and isinstance(high, (int, float)) and (low, high) == (0, 1):
        return transforms.SigmoidTransform()
    return transforms.ComposeTransform([transforms.SigmoidTransform(), transforms.AffineTransform(low, high - low)])


@_to_both(constraints.corr_cholesky)
def _corr_cholesky(constraint: Any) -> transforms.Transform:
    return transforms.CorrCholeskyTransform()


biject_to.register(constraints.simplex, lambda constraint: transforms.StickBreakingTransform())
transform_to.register(constraints.simplex, lambda constraint: transforms.SoftmaxTransform())
transform_to.register(constraints.lower_cholesky, lambda constraint: transforms.LowerCholeskyTransform())
transform_to.register(constraints.positive_definite, lambda constraint: transforms.PositiveDefiniteTransform())
transform_to.register(constraints.positive_semidefinite, lambda constraint: transforms.PositiveDefiniteTransform())


def _register_compound(registry: ConstraintRegistry) -> None:
    """Constraints made of others ask the same registry for the parts."""

    def independent(constraint: Any) -> transforms.Transform:
        return transforms.IndependentTransform(registry(constraint.base_constraint), constraint.reinterpreted_batch_ndims)

    def cat(constraint: Any) -> transforms.Transform:
        return transforms.CatTransform([registry(part) for part in constraint.cseq], constraint.dim, constraint.lengths)

    def stack(constraint: Any) -> transforms.Transform:
        return transforms.StackTransform([registry(part) for part in constraint.cseq], constraint.dim)

    for cls, factory in ((constraints.independent, independent), (constraints.cat, cat), (constraints.stack, stack)):
        registry.register(cls, factory)


_register_compound(biject_to)
_register_compound(transform_to)
