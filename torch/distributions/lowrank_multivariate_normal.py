"""Multivariate normal distribution of a covariance of low rank plus a diagonal."""

from __future__ import annotations

import math

import torch
from torch.distributions import constraints
from torch.distributions._matrix_normal import _batch_mahalanobis, _batch_mv, half_log_det
from torch.distributions.distribution import Distribution
from torch.distributions.utils import _standard_normal, lazy_property

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from torch import Tensor

__all__ = ["LowRankMultivariateNormal"]


def _batch_capacitance_tril(w: Tensor, d: Tensor) -> Tensor:
    """The Cholesky factor of I + W^T D^-1 W."""
    small = w.mT @ (w / d.unsqueeze(-1))
    return torch.linalg.cholesky(small + torch.eye(w.shape[-1], dtype=w.dtype, device=w.device))


def _batch_lowrank_logdet(w: Tensor, d: Tensor, capacitance: Tensor) -> Tensor:
    """log det(W W^T + D), which is log det(D) + log det(I + W^T D^-1 W) by the matrix determinant lemma."""
    return 2 * half_log_det(capacitance) + d.log().sum(-1)


def _batch_lowrank_mahalanobis(w: Tensor, d: Tensor, x: Tensor, capacitance: Tensor) -> Tensor:
    """x^T (W W^T + D)^-1 x, by the identity of Woodbury."""
    inner = _batch_mv(w.mT / d.unsqueeze(-2), x)
    return (x.square() / d).sum(-1) - _batch_mahalanobis(capacitance, inner)


class LowRankMultivariateNormal(Distribution):
    """Multivariate normal distribution of covariance W W^T + D, where W has few columns and D is diagonal.

    Inverse and determinant come from the capacitance matrix I + W^T D^-1 W, which has the size of the rank.

    Args:
        loc (Tensor): mean, shape (..., n)
        cov_factor (Tensor): W, shape (..., n, rank)
        cov_diag (Tensor): the diagonal of D, positive, shape (..., n)
        validate_args (bool, optional): whether parameters and values are checked

    Example:
        >>> d = torch.distributions.LowRankMultivariateNormal(torch.zeros(2), torch.tensor([[1.0], [0.0]]), torch.ones(2))
        >>> d.covariance_matrix
        tensor([[2., 0.],
                [0., 1.]])
    """

    arg_constraints = {
        "loc": constraints.real_vector, "cov_factor": constraints.independent(constraints.real, 2),
        "cov_diag": constraints.independent(constraints.positive, 1),
    }  # fmt: skip
    support = constraints.real_vector
    has_rsample = True
    _expandable = {"loc": 1, "cov_diag": 1, "cov_factor": 2}

    # fmt: off
    def __init__(self, loc: Tensor, cov_factor: Tensor, cov_diag: Tensor, validate_args: bool | None = None) -> None:
        # fmt: on
        n = loc.shape[-1] if loc.dim() else None
        if n is None:
            raise ValueError("LowRankMultivariateNormal: loc must have at least one dimension, got a scalar")
        event_shape = loc.shape[-1:]
        if cov_factor.dim() < 2 or cov_factor.shape[-2:-1] != event_shape:
            raise ValueError(f"LowRankMultivariateNormal: cov_factor must have shape (..., {n}, rank), got {cov_factor.shape}")
        if cov_diag.shape[-1:] != event_shape:
            raise ValueError(f"LowRankMultivariateNormal: cov_diag must have shape (..., {n}), got {cov_diag.shape}")
        batch_shape = torch.broadcast_shapes(loc.shape[:-1], cov_factor.shape[:-2], cov_diag.shape[:-1])
        self.loc = loc.expand(batch_shape + event_shape)
        self.cov_diag = cov_diag.expand(batch_shape + event_shape)
        self.cov_factor = cov_factor.expand(batch_shape + cov_factor.shape[-2:])
        super().__init__(batch_shape, event_shape, validate_args=validate_args)
        self._unbroadcasted_cov_factor, self._unbroadcasted_cov_diag = cov_factor, cov_diag
        self._capacitance_tril = _batch_capacitance_tril(cov_factor, cov_diag)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        new = super().expand(batch_shape, _instance)
        new._unbroadcasted_cov_factor = self._unbroadcasted_cov_factor
        new._unbroadcasted_cov_diag = self._unbroadcasted_cov_diag
        new._capacitance_tril = self._capacitance_tril
        return new

    def _broadcast(self, matrix: Tensor) -> Tensor:
        return matrix.expand(self._batch_shape + self._event_shape + self._event_shape)

    @property
    def mean(self) -> Tensor:
        return self.loc

    @property
    def mode(self) -> Tensor:
        return self.loc

    @lazy_property
    def variance(self) -> Tensor:  # type: ignore[override]
        """The diagonal of the covariance matrix."""
        squares = self._unbroadcasted_cov_factor.square().sum(-1) + self._unbroadcasted_cov_diag
        return squares.expand(self._batch_shape + self._event_shape)

    @lazy_property
    def scale_tril(self) -> Tensor:
        """The Cholesky factor of the covariance matrix."""
        # D^(1/2) (D^(-1/2) W W^T D^(-1/2) + I) D^(1/2) is better conditioned than the sum itself.
        root = self._unbroadcasted_cov_diag.sqrt().unsqueeze(-1)
        scaled = self._unbroadcasted_cov_factor / root
        identity = torch.eye(self._event_shape[0], dtype=scaled.dtype, device=scaled.device)
        return self._broadcast(root * torch.linalg.cholesky(scaled @ scaled.mT + identity))

    @lazy_property
    def covariance_matrix(self) -> Tensor:
        """The covariance matrix W W^T + D."""
        w = self._unbroadcasted_cov_factor
        return self._broadcast(w @ w.mT + self._unbroadcasted_cov_diag.diag_embed())

    @lazy_property
    def precision_matrix(self) -> Tensor:
        """The inverse of the covariance matrix."""
        d = self._unbroadcasted_cov_diag
        scaled = self._unbroadcasted_cov_factor.mT / d.unsqueeze(-2)
        half = torch.linalg.solve_triangular(self._capacitance_tril, scaled, upper=False)
        return self._broadcast(d.reciprocal().diag_embed() - half.mT @ half)

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        dtype, device = self.loc.dtype, self.loc.device
        factor_noise = _standard_normal(shape[:-1] + self.cov_factor.shape[-1:], dtype, device)
        diagonal_noise = _standard_normal(shape, dtype, device)
        moved = self.loc + _batch_mv(self._unbroadcasted_cov_factor, factor_noise)
        return moved + self._unbroadcasted_cov_diag.sqrt() * diagonal_noise

    def _log_det(self) -> Tensor:
        return _batch_lowrank_logdet(self._unbroadcasted_cov_factor, self._unbroadcasted_cov_diag, self._capacitance_tril)

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        w, d = self._unbroadcasted_cov_factor, self._unbroadcasted_cov_diag
        length = _batch_lowrank_mahalanobis(w, d, value - self.loc, self._capacitance_tril)
        return -0.5 * (self._event_shape[0] * math.log(2 * math.pi) + self._log_det() + length)

    def entropy(self) -> Tensor:
        entropy = 0.5 * (self._event_shape[0] * (1.0 + math.log(2 * math.pi)) + self._log_det())
        return entropy.expand(self._batch_shape)
