"""Multivariate normal distribution."""

from __future__ import annotations

import math

import torch
from torch.distributions import constraints
from torch.distributions._matrix_normal import _batch_mahalanobis, _batch_mv, _precision_to_scale_tril, half_log_det, one_of_three
from torch.distributions.distribution import Distribution
from torch.distributions.utils import _standard_normal, lazy_property

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from torch import Tensor

__all__ = ["MultivariateNormal"]


class MultivariateNormal(Distribution):
    """Multivariate normal distribution: density exp(-(x - m)^T C^-1 (x - m) / 2) / sqrt(det(2 pi C)).

    The matrix is given as C, as its inverse, or as its Cholesky factor L, where C = L L^T. All work is done with L, so that
    `scale_tril` saves a decomposition.

    Args:
        loc (Tensor): mean m
        covariance_matrix (Tensor, optional): C, positive definite
        precision_matrix (Tensor, optional): the inverse of C, positive definite
        scale_tril (Tensor, optional): L, lower triangular with a positive diagonal
        validate_args (bool, optional): whether parameters and values are checked

    Example:
        >>> d = torch.distributions.MultivariateNormal(torch.zeros(2), torch.eye(2))
        >>> d.variance, d.log_prob(torch.zeros(2))
        (tensor([1., 1.]), tensor(-1.8379))
    """

    arg_constraints = {
        "loc": constraints.real_vector, "covariance_matrix": constraints.positive_definite,
        "precision_matrix": constraints.positive_definite, "scale_tril": constraints.lower_cholesky,
    }  # fmt: skip
    support = constraints.real_vector
    has_rsample = True
    _expandable = {"loc": 1, "covariance_matrix": 2, "precision_matrix": 2, "scale_tril": 2}

    # fmt: off
    def __init__(self, loc: Tensor, covariance_matrix: Tensor | None = None, precision_matrix: Tensor | None = None,
                 scale_tril: Tensor | None = None, validate_args: bool | None = None) -> None:
        # fmt: on
        if loc.dim() < 1:
            raise ValueError("MultivariateNormal: loc must have at least one dimension, got a scalar")
        given = {"covariance_matrix": covariance_matrix, "precision_matrix": precision_matrix, "scale_tril": scale_tril}
        name = one_of_three("MultivariateNormal", **given)
        matrix: Any = given[name]
        batch_shape = torch.broadcast_shapes(matrix.shape[:-2], loc.shape[:-1])
        setattr(self, name, matrix.expand(batch_shape + (-1, -1)))
        self.loc = loc.expand(batch_shape + (-1,))
        super().__init__(batch_shape, self.loc.shape[-1:], validate_args=validate_args)
        if name == "precision_matrix":
            self._unbroadcasted_scale_tril = _precision_to_scale_tril(matrix)
        else:
            self._unbroadcasted_scale_tril = matrix if name == "scale_tril" else torch.linalg.cholesky(matrix)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        new = super().expand(batch_shape, _instance)
        new._unbroadcasted_scale_tril = self._unbroadcasted_scale_tril
        return new

    def _broadcast(self, matrix: Tensor) -> Tensor:
        return matrix.expand(self._batch_shape + self._event_shape + self._event_shape)

    @lazy_property
    def scale_tril(self) -> Tensor:
        """The Cholesky factor L."""
        return self._broadcast(self._unbroadcasted_scale_tril)

    @lazy_property
    def covariance_matrix(self) -> Tensor:
        """The covariance matrix C."""
        return self._broadcast(self._unbroadcasted_scale_tril @ self._unbroadcasted_scale_tril.mT)

    @lazy_property
    def precision_matrix(self) -> Tensor:
        """The inverse of the covariance matrix."""
        return self._broadcast(torch.cholesky_inverse(self._unbroadcasted_scale_tril))

    @property
    def mean(self) -> Tensor:
        return self.loc

    @property
    def mode(self) -> Tensor:
        return self.loc

    @property
    def variance(self) -> Tensor:
        squares = self._unbroadcasted_scale_tril.square().sum(-1)
        return squares.expand(self._batch_shape + self._event_shape)

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        noise = _standard_normal(self._extended_shape(sample_shape), self.loc.dtype, self.loc.device)
        return self.loc + _batch_mv(self._unbroadcasted_scale_tril, noise)

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        length = _batch_mahalanobis(self._unbroadcasted_scale_tril, value - self.loc)
        constant = self._event_shape[0] * math.log(2 * math.pi)
        return -0.5 * (constant + length) - half_log_det(self._unbroadcasted_scale_tril)

    def entropy(self) -> Tensor:
        constant = 0.5 * self._event_shape[0] * (1.0 + math.log(2 * math.pi))
        return (constant + half_log_det(self._unbroadcasted_scale_tril)).expand(self._batch_shape)
