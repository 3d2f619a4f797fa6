"""Wishart distribution."""

from __future__ import annotations

import math
import warnings

import torch
from torch.distributions import constraints
from torch.distributions._matrix_normal import _precision_to_scale_tril, half_log_det, one_of_three
from torch.distributions.chi2 import Chi2
from torch.distributions.exp_family import ExponentialFamily
from torch.distributions.utils import lazy_property

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from torch import Tensor

__all__ = ["Wishart"]


def _mvdigamma(x: Tensor, p: int) -> Tensor:
    """The derivative of the multivariate log gamma function of p dimensions."""
    return torch.digamma(x.unsqueeze(-1) - torch.arange(p, dtype=x.dtype, device=x.device) / 2).sum(-1)


class Wishart(ExponentialFamily):
    """Wishart distribution: that of the sum of df products x x^T, where x is normal with mean 0 and covariance V.

    The density is |X|^((df - p - 1) / 2) exp(-tr(V^-1 X) / 2) / (2^(df p / 2) |V|^(df / 2) Gamma_p(df / 2)) for p x p matrices.
    Samples come from Bartlett's decomposition.

    Args:
        df (Tensor or Number): degrees of freedom, above p - 1
        covariance_matrix (Tensor, optional): V, positive definite
        precision_matrix (Tensor, optional): the inverse of V, positive definite
        scale_tril (Tensor, optional): the Cholesky factor of V; exactly one of the three is given
        validate_args (bool, optional): whether parameters and values are checked

    Example:
        >>> d = torch.distributions.Wishart(torch.tensor(3.0), covariance_matrix=torch.eye(2))
        >>> d.mean, d.log_prob(torch.eye(2))
        (tensor([[3., 0.],
                [0., 3.]]), tensor(-3.5310))
    """

    support = constraints.positive_definite
    has_rsample = True
    _mean_carrier_measure = 0
    _expandable = {"df": 0, "covariance_matrix": 2, "precision_matrix": 2, "scale_tril": 2, "_unbroadcasted_scale_tril": 2}

    # fmt: off
    def __init__(self, df: Tensor | float, covariance_matrix: Tensor | None = None, precision_matrix: Tensor | None = None,
                 scale_tril: Tensor | None = None, validate_args: bool | None = None) -> None:
        # fmt: on
        given = {"covariance_matrix": covariance_matrix, "precision_matrix": precision_matrix, "scale_tril": scale_tril}
        if sum(value is not None for value in given.values()) != 1:
            raise AssertionError("Wishart: give exactly one of covariance_matrix, precision_matrix and scale_tril")
        name = one_of_three("Wishart", **given)
        matrix: Any = given[name]
        degrees = torch.as_tensor(df, dtype=matrix.dtype, device=matrix.device)
        event_shape = matrix.shape[-2:]
        p = event_shape[-1]
        if degrees.le(p - 1).any():
            raise ValueError(f"Wishart: df must be above p - 1 = {p - 1}, got {df}")
        batch_shape = torch.broadcast_shapes(matrix.shape[:-2], degrees.shape)
        self.df = degrees.expand(batch_shape)
        setattr(self, name, matrix.expand(batch_shape + (-1, -1)))
        super().__init__(batch_shape, event_shape, validate_args=validate_args)
        if (self.df < p).any():
            warnings.warn("Wishart: df is below the size of the matrices, samples may be singular", stacklevel=2)
        if name == "precision_matrix":
            self._unbroadcasted_scale_tril = _precision_to_scale_tril(matrix)
        else:
            self._unbroadcasted_scale_tril = matrix if name == "scale_tril" else torch.linalg.cholesky(matrix)
        self._set_noise()

    def _set_noise(self) -> None:
        """The distribution of the squared diagonal of Bartlett's triangular matrix."""
        p = self._event_shape[-1]
        falling = torch.arange(p, dtype=self.df.dtype, device=self.df.device)
        self._dist_chi2 = Chi2(self.df.unsqueeze(-1) - falling.expand(self._batch_shape + (p,)))
        self._batch_dims = list(range(-len(self._batch_shape), 0))

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        new = super().expand(batch_shape, _instance)
        new._set_noise()
        return new

    @property
    def arg_constraints(self) -> dict[str, constraints.Constraint]:
        matrix = constraints.positive_definite
        return {"covariance_matrix": matrix, "precision_matrix": matrix, "scale_tril": constraints.lower_cholesky,
                "df": constraints.greater_than(self.event_shape[-1] - 1)}  # fmt: skip

    def _broadcast(self, matrix: Tensor) -> Tensor:
        return matrix.expand(self._batch_shape + self._event_shape)

    @lazy_property
    def scale_tril(self) -> Tensor:
        """The Cholesky factor of V."""
        return self._broadcast(self._unbroadcasted_scale_tril)

    @lazy_property
    def covariance_matrix(self) -> Tensor:
        """The matrix V, which is the covariance of the normal vectors."""
        return self._broadcast(self._unbroadcasted_scale_tril @ self._unbroadcasted_scale_tril.mT)

    @lazy_property
    def precision_matrix(self) -> Tensor:
        """The inverse of V."""
        return self._broadcast(torch.cholesky_inverse(self._unbroadcasted_scale_tril))

    @property
    def mean(self) -> Tensor:
        return self.df.view(self._batch_shape + (1, 1)) * self.covariance_matrix

    @property
    def mode(self) -> Tensor:
        factor = self.df - self.covariance_matrix.shape[-1] - 1
        factor = factor.masked_fill(factor <= 0, torch.nan)
        return factor.view(self._batch_shape + (1, 1)) * self.covariance_matrix

    @property
    def variance(self) -> Tensor:
        v = self.covariance_matrix
        diagonal = v.diagonal(dim1=-2, dim2=-1)
        products = diagonal.unsqueeze(-1) * diagonal.unsqueeze(-2)
        return self.df.view(self._batch_shape + (1, 1)) * (v.square() + products)

    def _bartlett_sampling(self, sample_shape: Sequence[int] = ()) -> Tensor:
        """L A A^T L^T with a triangular A: square roots of chi-squared values, and normal values below them."""
        p = self._event_shape[-1]
        noise = self._dist_chi2.rsample(sample_shape).sqrt().diag_embed()
        rows, columns = torch.tril_indices(p, p, offset=-1)
        below = (*sample_shape, *self._batch_shape, p * (p - 1) // 2)
        noise[..., rows, columns] = torch.randn(below, dtype=noise.dtype, device=noise.device)
        factor = self._unbroadcasted_scale_tril @ noise
        return factor @ factor.mT

    def rsample(self, sample_shape: Sequence[int] = (), max_try_correction: int | None = None) -> Tensor:
        """Draw matrices that are differentiable functions of the parameters.

        Args:
            sample_shape (Size): how many to draw from each distribution
            max_try_correction (int, optional): how often singular matrices are drawn anew; 10 by default

        Returns:
            a tensor of shape sample_shape + batch_shape + event_shape
        """
        sample_shape = torch.Size(sample_shape)
        sample = self._bartlett_sampling(sample_shape)
        # PyTorch takes the second draw, and the same numbers need the same stream.
        anew = torch.ones(sample_shape, dtype=torch.bool, device=sample.device)
        for _ in range(10 if max_try_correction is None else max_try_correction):
            drawn = self._bartlett_sampling(torch.Size((int(anew.sum()),)))
            sample[anew] = drawn
            singular = ~self.support.check(drawn)
            if self._batch_shape:
                singular = singular.flatten(1).any(-1)
            if not singular.any():
                break
            anew = torch.zeros_like(anew).masked_scatter(anew, singular)
            warnings.warn("Wishart: a sample is singular to working precision and is drawn anew", stacklevel=2)
        return sample

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        nu, p = self.df, self._event_shape[-1]
        constant = nu * (p * math.log(2) / 2 + half_log_det(self._unbroadcasted_scale_tril)) + torch.mvlgamma(nu / 2, p)
        trace = torch.cholesky_solve(value, self._unbroadcasted_scale_tril).diagonal(dim1=-2, dim2=-1).sum(-1)
        return (nu - p - 1) / 2 * torch.linalg.slogdet(value).logabsdet - trace / 2 - constant

    def entropy(self) -> Tensor:
        nu, p = self.df, self._event_shape[-1]
        scale = (p + 1) * (p * math.log(2) / 2 + half_log_det(self._unbroadcasted_scale_tril))
        return scale + torch.mvlgamma(nu / 2, p) - (nu - p - 1) / 2 * _mvdigamma(nu / 2, p) + nu * p / 2

    @property
    def _natural_params(self) -> tuple[Tensor, ...]:
        return -self.precision_matrix / 2, (self.df - self._event_shape[-1] - 1) / 2

    def _log_normalizer(self, x: Tensor, y: Tensor) -> Tensor:
        p = x.shape[-1]
        half = y + (p + 1) / 2  # df / 2
        return half * (p * math.log(2) - torch.linalg.slogdet(-2 * x).logabsdet) + torch.mvlgamma(half, p)
