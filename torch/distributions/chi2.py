"""Chi-squared distribution."""

from __future__ import annotations

from torch.distributions import constraints
from torch.distributions.gamma import Gamma

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from torch import Tensor

__all__ = ["Chi2"]


class Chi2(Gamma):
    """Chi-squared distribution: that of a sum of df squares of standard normal values. It is Gamma(df / 2, 1 / 2).

    Args:
        df (Tensor or float): degrees of freedom, positive
        validate_args (bool, optional): whether parameters and values are checked

    Example:
        >>> d = torch.distributions.Chi2(4.0)
        >>> d.mean, d.variance
        (tensor(4.), tensor(8.))
    """

    arg_constraints = {"df": constraints.positive}
    _expandable = {"concentration": 0, "rate": 0}

    def __init__(self, df: Tensor | float, validate_args: bool | None = None) -> None:
        super().__init__(0.5 * df, 0.5, validate_args=validate_args)

    @property
    def df(self) -> Tensor:
        """Degrees of freedom."""
        return self.concentration * 2
