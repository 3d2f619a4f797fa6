"""Geometric distribution."""

from __future__ import annotations

import torch
from torch.distributions import constraints
from torch.distributions._binary import _Binary
from torch.distributions.utils import broadcast_all, cross_entropy_of_logits

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from torch import Tensor

__all__ = ["Geometric"]


class Geometric(_Binary):
    """Geometric distribution: number of failures before the first success, P(k) = (1 - p)^k p for k = 0, 1, ...

    Args:
        probs (Tensor or Number, optional): probability p of success, above 0
        logits (Tensor or Number, optional): log odds of success; either this or `probs` is given
        validate_args (bool, optional): whether parameters and values are checked

    Example:
        >>> d = torch.distributions.Geometric(torch.tensor(0.25))
        >>> d.mean, d.log_prob(torch.tensor(2.0))
        (tensor(3.), tensor(-1.9617))
    """

    arg_constraints = {"probs": constraints.unit_interval, "logits": constraints.real}
    support = constraints.nonnegative_integer
    _expandable = {"probs": 0, "logits": 0}

    def __init__(self, probs: Any = None, logits: Any = None, validate_args: bool | None = None) -> None:
        self._set_parameter(probs, logits)
        super().__init__(self._param.shape, validate_args=validate_args)
        if self._validate_args and probs is not None and not (self.probs > 0).all():
            raise ValueError(f"Expected parameter probs (Tensor of shape {tuple(self.probs.shape)}) of distribution {self!r} to "
                             f"be positive, got invalid values:\n{self.probs[self.probs <= 0]}")  # fmt: skip

    @property
    def mode(self) -> Tensor:
        return torch.zeros_like(self.probs)

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        with torch.no_grad():
            # Above 0, where the logarithm is finite.
            u = self.probs.new_empty(self._extended_shape(sample_shape)).uniform_(torch.finfo(self.probs.dtype).tiny, 1)
            return (u.log() / torch.log1p(-self.probs)).floor()

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        value, probs = broadcast_all(value, self.probs)
        failure = probs.masked_fill((probs == 1) & (value == 0), 0)  # 0 log 0 is 0
        return value * torch.log1p(-failure) + self.probs.log()

    @property
    def variance(self) -> Tensor:
        return (1.0 / self.probs - 1.0) / self.probs

    @property
    def mean(self) -> Tensor:
        return 1.0 / self.probs - 1.0

    def entropy(self) -> Tensor:
        return cross_entropy_of_logits(self.logits, self.probs) / self.probs
