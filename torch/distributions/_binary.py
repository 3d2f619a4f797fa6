"""What distributions with a success probability share: `probs` or `logits`."""

from __future__ import annotations

import torch
from torch.distributions.distribution import Distribution
from torch.distributions.utils import broadcast_all, lazy_property, logits_to_probs, one_of_two, probs_to_logits

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from typing import Any

    from torch import Tensor

__all__: list[str] = []


class _Binary(Distribution):
    """Base of the distributions that take `probs`, the probability of success, or `logits`, its log odds.

    The other one is computed when it is read.
    """

    def _set_parameter(self, probs: Any, logits: Any) -> None:
        """Keep the one that was given."""
        if one_of_two(probs, logits):
            (self.probs,) = broadcast_all(probs)
        else:
            (self.logits,) = broadcast_all(logits)

    @lazy_property
    def logits(self) -> Tensor:
        """Log odds of success."""
        return probs_to_logits(self.probs, is_binary=True)

    @lazy_property
    def probs(self) -> Tensor:
        """Probability of success."""
        return logits_to_probs(self.logits, is_binary=True)

    @property
    def _param(self) -> Tensor:
        given = self.__dict__.get("probs")
        return self.logits if given is None else given

    @property
    def param_shape(self) -> torch.Size:
        """Shape of `probs` and `logits`."""
        return self._param.shape

    def _new(self, *args: Any, **kwargs: Any) -> Tensor:
        return self._param.new(*args, **kwargs)
