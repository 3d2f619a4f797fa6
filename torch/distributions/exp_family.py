"""The base class of exponential families."""

from __future__ import annotations

import torch
from torch.distributions.distribution import Distribution

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from typing import Any

    from torch import Tensor

__all__ = ["ExponentialFamily"]


class ExponentialFamily(Distribution):
    """A distribution whose density is exp(t(x) . theta - F(theta) + k(x)).

    theta are the natural parameters, t the sufficient statistics, F the log normalizer and k the carrier measure. Subclasses
    define `_natural_params`, `_log_normalizer` and `_mean_carrier_measure` (the mean of k); then entropy and KL divergence
    follow by automatic differentiation, because the gradient of F is the mean of t (Nielsen and Nock, "Entropies and
    cross-entropies of exponential families", 2010).

    Args:
        batch_shape (Size): shape of the batch of distributions
        event_shape (Size): shape of a value of one of them
        validate_args (bool, optional): whether parameters and values are checked

    Example:
        >>> from torch.distributions import ExponentialFamily, Normal
        >>> issubclass(Normal, ExponentialFamily)
        True
    """

    @property
    def _natural_params(self) -> tuple[Tensor, ...]:
        raise NotImplementedError(f"{type(self).__name__} does not define _natural_params")

    def _log_normalizer(self, *natural_params: Any) -> Tensor:
        raise NotImplementedError(f"{type(self).__name__} does not define _log_normalizer()")

    @property
    def _mean_carrier_measure(self) -> Any:
        raise NotImplementedError(f"{type(self).__name__} does not define _mean_carrier_measure")

    def entropy(self) -> Tensor:
        carrier = self._mean_carrier_measure
        with torch.enable_grad():
            theta = [parameter.detach().requires_grad_() for parameter in self._natural_params]
            normalizer = self._log_normalizer(*theta)
            statistics = torch.autograd.grad(normalizer.sum(), theta, create_graph=True)
        result = normalizer - carrier
        for parameter, statistic in zip(theta, statistics):
            result = result - (parameter * statistic).reshape(self._batch_shape + (-1,)).sum(-1)
        return result
