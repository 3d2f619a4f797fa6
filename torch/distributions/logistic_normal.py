"""Logistic normal distribution."""

from __future__ import annotations

from torch.distributions import constraints
from torch.distributions.independent import Independent
from torch.distributions.normal import Normal
from torch.distributions.transformed_distribution import TransformedDistribution
from torch.distributions.transforms import StickBreakingTransform

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from torch import Tensor

__all__ = ["LogisticNormal"]


class LogisticNormal(TransformedDistribution):
    """Logistic normal distribution on the simplex: that of stick-breaking shares of a normal vector.

    Args:
        loc (Tensor or float): means of the normal vector, one number fewer than a value has
        scale (Tensor or float): its standard deviations, positive
        validate_args (bool, optional): whether parameters and values are checked

    Example:
        >>> d = torch.distributions.LogisticNormal(torch.zeros(3), torch.ones(3))
        >>> d.event_shape, d.log_prob(torch.full((4,), 0.25))
        (torch.Size([4]), tensor(2.7884))
    """

    arg_constraints = {"loc": constraints.real, "scale": constraints.positive}
    support = constraints.simplex
    has_rsample = True
    base_dist: Independent
    _expandable: dict[str, int] = {}

    def __init__(self, loc: Tensor | float, scale: Tensor | float, validate_args: bool | None = None) -> None:
        base = Normal(loc, scale, validate_args=validate_args)
        if not base.batch_shape:
            base = base.expand((1,))
        super().__init__(base, StickBreakingTransform(), validate_args=validate_args)

    @property
    def loc(self) -> Tensor:
        """Means of the normal vector."""
        return self.base_dist.base_dist.loc

    @property
    def scale(self) -> Tensor:
        """Standard deviations of the normal vector."""
        return self.base_dist.base_dist.scale
