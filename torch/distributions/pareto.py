"""Pareto distribution."""

from __future__ import annotations

from torch.distributions import constraints
from torch.distributions.exponential import Exponential
from torch.distributions.transformed_distribution import TransformedDistribution
from torch.distributions.transforms import AffineTransform, ExpTransform
from torch.distributions.utils import broadcast_all

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from typing import Any

    from torch import Tensor

__all__ = ["Pareto"]


class Pareto(TransformedDistribution):
    """Pareto distribution: density alpha scale^alpha / x^(alpha + 1) for x >= scale.

    Args:
        scale (Tensor or float): lower end of the support, positive
        alpha (Tensor or float): exponent, positive
        validate_args (bool, optional): whether parameters and values are checked

    Example:
        >>> d = torch.distributions.Pareto(1.0, 3.0)
        >>> d.mean, d.log_prob(torch.tensor(1.0))
        (tensor(1.5000), tensor(1.0986))
    """

    arg_constraints = {"alpha": constraints.positive, "scale": constraints.positive}
    _expandable = {"scale": 0, "alpha": 0}

    def __init__(self, scale: Tensor | float, alpha: Tensor | float, validate_args: bool | None = None) -> None:
        self.scale, self.alpha = broadcast_all(scale, alpha)
        base = Exponential(self.alpha, validate_args=validate_args)
        steps = [ExpTransform(), AffineTransform(loc=0, scale=self.scale)]
        super().__init__(base, steps, validate_args=validate_args)

    @constraints.dependent_property(is_discrete=False, event_dim=0)
    def support(self) -> Any:
        return constraints.greater_than_eq(self.scale)

    @property
    def mean(self) -> Tensor:
        alpha = self.alpha.clamp(min=1)  # infinite up to 1
        return alpha * self.scale / (alpha - 1)

    @property
    def mode(self) -> Tensor:
        return self.scale

    @property
    def variance(self) -> Tensor:
        alpha = self.alpha.clamp(min=2)  # infinite up to 2
        return self.scale.square() * alpha / ((alpha - 1).square() * (alpha - 2))

    def entropy(self) -> Tensor:
        return (self.scale / self.alpha).log() + (1 + self.alpha.reciprocal())
