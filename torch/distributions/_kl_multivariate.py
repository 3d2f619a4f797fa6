"""KL divergences between multivariate normal distributions, with full covariances and with low rank plus diagonal ones.

KL(p || q) = (log det Q - log det P + tr(Q^-1 P) + (m_q - m_p)^T Q^-1 (m_q - m_p) - n) / 2.
"""

from __future__ import annotations

import torch
from torch.distributions._matrix_normal import _batch_mahalanobis, half_log_det
from torch.distributions.kl import register_kl
from torch.distributions.lowrank_multivariate_normal import (
    LowRankMultivariateNormal,
    _batch_lowrank_logdet,
    _batch_lowrank_mahalanobis,
)
from torch.distributions.multivariate_normal import MultivariateNormal

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from torch import Tensor


def _squares(matrix: Tensor) -> Tensor:
    """tr(A A^T)."""
    return matrix.square().sum((-2, -1))


def _log_det(d: MultivariateNormal | LowRankMultivariateNormal) -> Tensor:
    if isinstance(d, LowRankMultivariateNormal):
        return _batch_lowrank_logdet(d._unbroadcasted_cov_factor, d._unbroadcasted_cov_diag, d._capacitance_tril)
    return 2 * half_log_det(d._unbroadcasted_scale_tril)


def _roots(p: MultivariateNormal | LowRankMultivariateNormal) -> list[Tensor]:
    """Matrices A with the covariance as the sum of A A^T."""
    if isinstance(p, LowRankMultivariateNormal):
        return [p._unbroadcasted_cov_factor, p._unbroadcasted_cov_diag.sqrt().diag_embed()]
    return [p._unbroadcasted_scale_tril]


def _whitened_trace(q: MultivariateNormal | LowRankMultivariateNormal, root: Tensor) -> Tensor:
    """tr(Q^-1 A A^T)."""
    if isinstance(q, MultivariateNormal):
        return _squares(torch.linalg.solve_triangular(q._unbroadcasted_scale_tril, root, upper=False))
    d = q._unbroadcasted_cov_diag.unsqueeze(-1)
    inner = (q._unbroadcasted_cov_factor / d).mT @ root
    return _squares(root / d.sqrt()) - _squares(torch.linalg.solve_triangular(q._capacitance_tril, inner, upper=False))


def _kl(p: MultivariateNormal | LowRankMultivariateNormal, q: MultivariateNormal | LowRankMultivariateNormal) -> Tensor:
    if p.event_shape != q.event_shape:
        raise ValueError(f"kl_divergence: the distributions have different event shapes, {p.event_shape} and {q.event_shape}")
    off = q.loc - p.loc
    if isinstance(q, MultivariateNormal):
        length = _batch_mahalanobis(q._unbroadcasted_scale_tril, off)
    else:
        length = _batch_lowrank_mahalanobis(q._unbroadcasted_cov_factor, q._unbroadcasted_cov_diag, off, q._capacitance_tril)
    trace = sum(_whitened_trace(q, root) for root in _roots(p))
    return 0.5 * (_log_det(q) - _log_det(p) + trace + length - p.event_shape[0])


for _p in (MultivariateNormal, LowRankMultivariateNormal):
    for _q in (MultivariateNormal, LowRankMultivariateNormal):
        register_kl(_p, _q)(_kl)
