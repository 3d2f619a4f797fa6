"""Dirichlet distribution."""

from __future__ import annotations

import torch
from torch.autograd.function import Function, once_differentiable
from torch.distributions import constraints
from torch.distributions.exp_family import ExponentialFamily
from torch.distributions.utils import one_hot

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from torch import Tensor

__all__ = ["Dirichlet"]


class _Dirichlet(Function):
    """Samples of a Dirichlet distribution, with the gradient that implicit reparameterization gives."""

    @staticmethod
    def forward(ctx: Any, concentration: Tensor) -> Tensor:
        value = torch._sample_dirichlet(concentration)
        ctx.save_for_backward(value, concentration)
        return value

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad_output: Tensor) -> Tensor:
        value, concentration = ctx.saved_tensors
        total = concentration.sum(-1, True).expand_as(concentration)
        return torch._dirichlet_grad(value, concentration, total) * (grad_output - (value * grad_output).sum(-1, True))


class Dirichlet(ExponentialFamily):
    """Dirichlet distribution on the simplex: density Gamma(sum c_i) / prod Gamma(c_i) prod x_i^(c_i - 1).

    Args:
        concentration (Tensor): c, positive; the last dimension numbers the entries of a value
        validate_args (bool, optional): whether parameters and values are checked

    Example:
        >>> d = torch.distributions.Dirichlet(torch.tensor([1.0, 3.0]))
        >>> d.mean, d.log_prob(torch.tensor([0.5, 0.5]))
        (tensor([0.2500, 0.7500]), tensor(-0.2877))
    """

    arg_constraints = {"concentration": constraints.independent(constraints.positive, 1)}
    support = constraints.simplex
    has_rsample = True
    _expandable = {"concentration": 1}

    def __init__(self, concentration: Tensor, validate_args: bool | None = None) -> None:
        if concentration.dim() < 1:
            raise ValueError("Dirichlet: concentration must have at least one dimension, got a scalar")
        self.concentration = concentration
        super().__init__(concentration.shape[:-1], concentration.shape[-1:], validate_args=validate_args)

    @property
    def mean(self) -> Tensor:
        return self.concentration / self.concentration.sum(-1, True)

    @property
    def mode(self) -> Tensor:
        above = (self.concentration - 1).clamp(min=0.0)
        mode = above / above.sum(-1, True)
        flat = (self.concentration < 1).all(-1, keepdim=True)  # the density is infinite at every corner: take one
        corner = one_hot(mode.argmax(-1), mode.shape[-1]).to(mode)
        return torch.where(flat, corner, mode)

    @property
    def variance(self) -> Tensor:
        total = self.concentration.sum(-1, True)
        return self.concentration * (total - self.concentration) / (total.square() * (total + 1))

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        return _Dirichlet.apply(self.concentration.expand(self._extended_shape(sample_shape)))

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        c = self.concentration
        return torch.xlogy(c - 1.0, value).sum(-1) + torch.lgamma(c.sum(-1)) - torch.lgamma(c).sum(-1)

    def entropy(self) -> Tensor:
        c, k = self.concentration, self.concentration.size(-1)
        total = c.sum(-1)
        spread = (k - total) * torch.digamma(total) + ((c - 1.0) * torch.digamma(c)).sum(-1)
        return torch.lgamma(c).sum(-1) - torch.lgamma(total) - spread

    @property
    def _natural_params(self) -> tuple[Tensor, ...]:
        return (self.concentration,)

    def _log_normalizer(self, x: Tensor) -> Tensor:
        return torch.lgamma(x).sum(-1) - torch.lgamma(x.sum(-1))
