"""KL divergences: the registry of pairs of distributions, and the choice among them."""

from __future__ import annotations

import warnings

from torch.distributions.distribution import Distribution

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from torch import Tensor

__all__ = ["register_kl", "kl_divergence"]

_KL_REGISTRY: dict[tuple[type, type], Callable[[Any, Any], Tensor]] = {}
_KL_MEMOIZE: dict[tuple[type, type], Any] = {}


def register_kl(type_p: type, type_q: type) -> Callable[[Callable[[Any, Any], Tensor]], Callable[[Any, Any], Tensor]]:
    """A decorator that registers a function for `kl_divergence` of two types.

    Of several functions that fit because of inheritance, the one of the most derived types is taken; with a warning where
    the order is ambiguous.

    Args:
        type_p (type): class of the first distribution
        type_q (type): class of the second distribution

    Returns:
        the decorator

    Raises:
        TypeError: one of them is no class

    Example:
        >>> from torch.distributions import Normal, kl_divergence, register_kl
        >>> class Unit(Normal):
        ...     pass
        >>> @register_kl(Unit, Unit)
        ... def kl_of_units(p, q):
        ...     return (p.loc - q.loc) ** 2 / 2
        >>> kl_divergence(Unit(0.0, 1.0), Unit(2.0, 1.0))
        tensor(2.)
    """
    for name, cls in (("type_p", type_p), ("type_q", type_q)):
        if not isinstance(cls, type):
            raise TypeError(f"register_kl: {name} must be a class of distributions, got {cls!r}")

    def decorator(fun: Callable[[Any, Any], Tensor]) -> Callable[[Any, Any], Tensor]:
        _KL_REGISTRY[type_p, type_q] = fun
        _KL_MEMOIZE.clear()
        return fun

    return decorator


def _dispatch_kl(type_p: type, type_q: type) -> Any:
    """The function of the most derived types, or None."""
    found = [pair for pair in _KL_REGISTRY if issubclass(type_p, pair[0]) and issubclass(type_q, pair[1])]
    if not found:
        return None

    def steps(cls: type, base: type) -> int:
        """How far up the base is; the end for a base of another kind, such as an abstract one."""
        return cls.__mro__.index(base) if base in cls.__mro__ else len(cls.__mro__)

    def distance(pair: tuple[type, type]) -> tuple[int, int]:
        return steps(type_p, pair[0]), steps(type_q, pair[1])

    left = min(found, key=distance)
    right = min(found, key=lambda pair: distance(pair)[::-1])
    if _KL_REGISTRY[left] is not _KL_REGISTRY[right]:
        names = [f"({p.__name__}, {q.__name__})" for p, q in (left, right)]
        warnings.warn(f"kl_divergence of ({type_p.__name__}, {type_q.__name__}) is ambiguous between {names[0]} and {names[1]}: "
                      "the first is taken; register a function for these types", RuntimeWarning, stacklevel=3)  # fmt: skip
    return _KL_REGISTRY[left]


def kl_divergence(p: Distribution, q: Distribution) -> Tensor:
    """Kullback-Leibler divergence: the mean of log p(x) - log q(x), where x is drawn from p.

    Args:
        p (Distribution): the first distribution
        q (Distribution): the second distribution, whose batch shape broadcasts with that of `p`

    Returns:
        a tensor of the batch shape, in nats; infinite where p has values that q has not

    Raises:
        NotImplementedError: no formula is registered for these types (`register_kl`)

    Example:
        >>> from torch.distributions import Normal, kl_divergence
        >>> kl_divergence(Normal(0.0, 1.0), Normal(1.0, 1.0))
        tensor(0.5000)
    """
    key = type(p), type(q)
    if key not in _KL_MEMOIZE:
        _KL_MEMOIZE[key] = _dispatch_kl(*key)
    function = _KL_MEMOIZE[key]
    if function is None:
        raise NotImplementedError(
            f"kl_divergence: no formula for p of type {key[0].__name__} and q of type {key[1].__name__} is registered"
        )
    return function(p, q)


# Importing them registers the formulas.
from torch.distributions import _kl_cross, _kl_infinite, _kl_multivariate, _kl_same  # noqa: E402, F401

for (_p, _q), _formula in _KL_REGISTRY.items():  # such as _kl_normal_normal, which packages call
    globals()[f"_kl_{_p.__name__.lower()}_{_q.__name__.lower()}"] = _formula
