"""The base class of all distributions: shapes, validation, expansion, and what can be derived from other methods."""

from __future__ import annotations

import warnings

import torch
from torch import Size
from torch.distributions import constraints
from torch.distributions.utils import lazy_property

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, ClassVar

    from typing_extensions import Self

    from torch import Tensor
else:  # typing.get_type_hints() of classes needs them
    from typing import Any, ClassVar

    from torch import Tensor


__all__ = ["Distribution"]


class Distribution:
    """A probability distribution, or a batch of independent ones.

    Subclasses set `arg_constraints` (name of a parameter -> its constraint) and `support`, and define `sample` or
    `rsample`, `log_prob`, `expand`, moments, and what else has a formula.

    Args:
        batch_shape (Size): shape of the batch of distributions
        event_shape (Size): shape of a value of one of them
        validate_args (bool, optional): whether parameters and values are checked; by default they are, unless Python
            runs with -O or `set_default_validate_args` says otherwise

    Example:
        >>> from torch.distributions import MultivariateNormal
        >>> d = MultivariateNormal(torch.zeros(5, 3), torch.eye(3))
        >>> d.batch_shape, d.event_shape, d.sample((2,)).shape
        (torch.Size([5]), torch.Size([3]), torch.Size([2, 5, 3]))
    """

    has_rsample: Any = False
    has_enumerate_support: Any = False
    _validate_args: bool = __debug__
    # For `expand`: name of an attribute -> number of dimensions of one value of it. A class that defines __init__ has its own.
    _expandable: ClassVar[dict[str, int]]

    @staticmethod
    def set_default_validate_args(value: bool) -> None:
        """Choose whether distributions check their arguments if they are not asked to.

        Args:
            value (bool): whether they do

        Raises:
            ValueError: it is no bool

        Example:
            >>> torch.distributions.Distribution.set_default_validate_args(False)
            >>> torch.distributions.Normal(0.0, -1.0)
            Normal(loc: 0.0, scale: -1.0)
            >>> torch.distributions.Distribution.set_default_validate_args(True)
        """
        if value not in (True, False):
            raise ValueError(f"set_default_validate_args: value must be True or False, got {value!r}")
        Distribution._validate_args = value

    # fmt: off
    def __init__(self, batch_shape: Size = Size(), event_shape: Size = Size(), validate_args: bool | None = None) -> None:  # noqa: B008
        # fmt: on
        self._batch_shape, self._event_shape = batch_shape, event_shape
        if validate_args is not None:
            self._validate_args = validate_args
        if self._validate_args:
            self._check_parameters()
        super().__init__()

    def _check_parameters(self) -> None:
        """Raise ValueError if a parameter violates its constraint. Parameters that are not computed yet follow from others."""
        try:
            constraint_of = self.arg_constraints
        except NotImplementedError:
            warnings.warn(f"{type(self)} has no `arg_constraints`, so that its parameters are not checked; set them, or {{}}, or "
                          "pass validate_args=False", stacklevel=4)  # fmt: skip
            return
        for name, constraint in constraint_of.items():
            if constraints.is_dependent(constraint):
                continue
            if name not in self.__dict__ and isinstance(getattr(type(self), name), lazy_property):
                continue
            value = getattr(self, name)
            if not constraint.check(value).all():
                raise ValueError(f"Expected parameter {name} (Tensor of shape {tuple(value.shape)}) of distribution {self!r} to "
                                 f"lie in {constraint!r}, got invalid values:\n{value}")  # fmt: skip

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Self:
        """The same distributions in a larger batch, without copies of the parameters.

        Args:
            batch_shape (Size): shape of the larger batch, as in `Tensor.expand`

        Returns:
            a distribution of the same type
        """
        new = self._expanded(batch_shape, _instance)
        Distribution.__init__(new, Size(batch_shape), self._event_shape, validate_args=False)
        new._validate_args = self._validate_args
        return new

    def _expanded(self, batch_shape: Sequence[int], instance: Any) -> Self:
        """An object of the same type, or `instance`, that has the expanded attributes."""
        owner = next((cls for cls in type(self).__mro__ if "_expandable" in vars(cls)), None)
        if owner is None:
            raise NotImplementedError(f"{type(self).__name__} does not define expand()")
        new = self._get_checked_instance(owner, instance)
        for name, event_dim in owner._expandable.items():
            if name not in self.__dict__:
                continue
            value = getattr(self, name)
            shape = Size(batch_shape)
            if event_dim:
                shape = shape + value.shape[-event_dim:]
            setattr(new, name, value.expand(shape))
        return new

    @property
    def batch_shape(self) -> Size:
        """Shape of the batch of distributions."""
        return self._batch_shape

    @property
    def event_shape(self) -> Size:
        """Shape of one value of one distribution."""
        return self._event_shape

    @property
    def arg_constraints(self) -> dict[str, constraints.Constraint]:
        """Constraints of the parameters, by their names."""
        raise NotImplementedError(f"{type(self).__name__} does not define arg_constraints")

    @property
    def support(self) -> Any:
        """The set of all values, as a constraint."""
        raise NotImplementedError(f"{type(self).__name__} does not define support")

    @property
    def mean(self) -> Tensor:
        """The expected value."""
        raise NotImplementedError(f"{type(self).__name__} does not define mean")

    @property
    def mode(self) -> Tensor:
        """The value of the largest probability or density."""
        raise NotImplementedError(f"{type(self)} does not define mode")

    @property
    def variance(self) -> Tensor:
        """The variance."""
        raise NotImplementedError(f"{type(self).__name__} does not define variance")

    @property
    def stddev(self) -> Tensor:
        """The square root of the variance."""
        return self.variance.sqrt()

    def sample(self, sample_shape: Sequence[int] = Size()) -> Tensor:  # noqa: B008
        """Draw values, without gradients.

        Args:
            sample_shape (Size): how many to draw from each distribution

        Returns:
            a tensor of shape sample_shape + batch_shape + event_shape
        """
        with torch.no_grad():
            return self.rsample(sample_shape)

    def rsample(self, sample_shape: Sequence[int] = Size()) -> Tensor:  # noqa: B008
        """Draw values that are differentiable functions of the parameters.

        Args:
            sample_shape (Size): how many to draw from each distribution

        Returns:
            a tensor of shape sample_shape + batch_shape + event_shape

        Raises:
            NotImplementedError: the distribution has no such function (`has_rsample` is False)
        """
        raise NotImplementedError(f"{type(self).__name__} does not define rsample()")

    def sample_n(self, n: int) -> Tensor:
        """Draw values; deprecated, the same as `sample((n,))`.

        Args:
            n (int): how many to draw from each distribution

        Returns:
            a tensor of shape (n,) + batch_shape + event_shape
        """
        warnings.warn("sample_n(n) is deprecated, call sample((n,))", FutureWarning, stacklevel=2)
        return self.sample(Size((n,)))

    def log_prob(self, value: Tensor) -> Tensor:
        """Logarithm of the probability, or of the density, of values.

        Args:
            value (Tensor): values, of a shape that broadcasts with batch_shape + event_shape

        Returns:
            a tensor of the broadcast shape without the event's dimensions

        Raises:
            ValueError: the arguments are checked, and a value has the wrong shape or is not in the support
        """
        raise NotImplementedError(f"{type(self).__name__} does not define log_prob()")

    def cdf(self, value: Tensor) -> Tensor:
        """Probability that a value is not above the given ones.

        Args:
            value (Tensor): values

        Returns:
            a tensor of probabilities
        """
        raise NotImplementedError(f"{type(self).__name__} does not define cdf()")

    def icdf(self, value: Tensor) -> Tensor:
        """Quantiles: the inverse of `cdf`.

        Args:
            value (Tensor): probabilities

        Returns:
            a tensor of values
        """
        raise NotImplementedError(f"{type(self).__name__} does not define icdf()")

    def enumerate_support(self, expand: bool = True) -> Tensor:
        """All values of a distribution that has finitely many.

        Args:
            expand (bool, default True): whether the values are expanded to the batch shape, or get dimensions of size 1

        Returns:
            a tensor whose first dimension numbers the values

        Raises:
            NotImplementedError: there are infinitely many, or their number varies (`has_enumerate_support` is False)
        """
        raise NotImplementedError(f"{type(self).__name__} does not define enumerate_support()")

    def entropy(self) -> Tensor:
        """Entropy of each distribution, in nats.

        Returns:
            a tensor of the batch shape
        """
        raise NotImplementedError(f"{type(self).__name__} does not define entropy()")

    def perplexity(self) -> Tensor:
        """The exponential of the entropy.

        Returns:
            a tensor of the batch shape
        """
        return self.entropy().exp()

    def _extended_shape(self, sample_shape: Sequence[int] = Size()) -> Size:  # noqa: B008
        """Shape of what `sample` returns."""
        return Size(sample_shape) + self._batch_shape + self._event_shape

    def _validate_sample(self, value: Tensor) -> None:
        """Raise ValueError if values have the wrong shape or are not in the support."""
        if not isinstance(value, torch.Tensor):
            raise ValueError(f"{type(self).__name__}: value must be a Tensor, got {type(value).__name__}")
        shape, event = value.shape, len(self._event_shape)
        if shape[len(shape) - event :] != self._event_shape:
            raise ValueError(f"{type(self).__name__}: the last dimensions of value must be an event's, {self._event_shape}, "
                             f"got {shape}")  # fmt: skip
        full = self._batch_shape + self._event_shape
        if any(1 not in pair and pair[0] != pair[1] for pair in zip(reversed(shape), reversed(full))):
            raise ValueError(f"{type(self).__name__}: value of shape {shape} does not broadcast with batch + event {full}")
        try:
            support = self.support
        except NotImplementedError:
            warnings.warn(f"{type(self)} has no `support`, so that values are not checked; define it, or pass "
                          "validate_args=False", stacklevel=3)  # fmt: skip
            return
        if not support.check(value).all():
            raise ValueError(f"Expected value argument (Tensor of shape {tuple(shape)}) to lie in the support {support!r} of "
                             f"{self!r}, got invalid values:\n{value}")  # fmt: skip

    def _get_checked_instance(self, cls: type, _instance: Any = None) -> Any:
        """`_instance`, or an empty object for `expand` of `cls`. Subclasses with an __init__ of their own fill it themselves."""
        if _instance is not None:
            return _instance
        if type(self).__init__ is not cls.__init__:  # type: ignore[misc]
            raise NotImplementedError(f"{type(self).__name__} defines __init__, so it must define expand(), too: that of "
                                      f"{cls.__name__} does not know its attributes")  # fmt: skip
        return self.__new__(type(self))

    def __repr__(self) -> str:
        shown = [(name, self.__dict__[name]) for name in self.arg_constraints if name in self.__dict__]
        parts = [f"{name}: {value if value.numel() == 1 else value.size()}" for name, value in shown]
        return f"{type(self).__name__}({', '.join(parts)})"
