"""Transforms of vectors and matrices."""

from __future__ import annotations

import math

import torch
from torch.distributions import constraints
from torch.distributions.transforms._base import EqualByType, Transform
from torch.distributions.transforms._elementwise import _clipped_sigmoid
from torch.distributions.utils import softplus, tril_matrix_to_vec, vec_to_tril_matrix

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from collections.abc import Sequence

    from torch import Tensor


def _needs_dimensions(shape: Sequence[int], count: int) -> None:
    if len(shape) < count:
        raise ValueError(f"expected a shape with at least {count} dimensions, got {tuple(shape)}")


class SoftmaxTransform(EqualByType):
    """y = softmax(x) over the last dimension, from real vectors to the simplex.

    It is no bijection: the inverse, log(y), is one of many. Where a density is needed, take `StickBreakingTransform`.

    Args:
        cache_size (int, default 0): 1: the last pair of argument and result is kept

    Example:
        >>> from torch.distributions import SoftmaxTransform
        >>> SoftmaxTransform()(torch.tensor([0.0, 0.0, 1.0]))
        tensor([0.2119, 0.2119, 0.5761])
    """

    domain = constraints.real_vector
    codomain = constraints.simplex

    def _call(self, x: Tensor) -> Tensor:
        weights = (x - x.max(-1, True)[0]).exp()
        return weights / weights.sum(-1, True)

    def _inverse(self, y: Tensor) -> Tensor:
        return y.log()

    def forward_shape(self, shape: Sequence[int]) -> Sequence[int]:
        _needs_dimensions(shape, 1)
        return shape

    def inverse_shape(self, shape: Sequence[int]) -> Sequence[int]:
        _needs_dimensions(shape, 1)
        return shape


class StickBreakingTransform(EqualByType):
    """From real vectors of n numbers to the simplex of n + 1, by breaking a stick of length 1.

    Each number decides, through a sigmoid, which share of the rest of the stick breaks off next. The zero vector gives equal
    shares. Source: the unit simplex transform of the Stan reference manual.

    Args:
        cache_size (int, default 0): 1: the last pair of argument and result is kept

    Example:
        >>> from torch.distributions import StickBreakingTransform
        >>> StickBreakingTransform()(torch.zeros(3))
        tensor([0.2500, 0.2500, 0.2500, 0.2500])
    """

    domain = constraints.real_vector
    codomain = constraints.simplex
    bijective = True

    @staticmethod
    def _log_remaining(n: int, like: Tensor) -> Tensor:
        """log of the number of pieces that are still to come after each break: n, n - 1, ..., 1."""
        return (n + 1 - like.new_ones(n).cumsum(-1)).log()

    def _call(self, x: Tensor) -> Tensor:
        share = _clipped_sigmoid(x - self._log_remaining(x.shape[-1], x))
        rest = (1 - share).cumprod(-1)
        return torch.constant_pad_nd(share, [0, 1], 1) * torch.constant_pad_nd(rest, [1, 0], 1)

    def _inverse(self, y: Tensor) -> Tensor:
        pieces = y[..., :-1]
        rest = (1 - pieces.cumsum(-1)).clamp(min=torch.finfo(y.dtype).tiny)
        return pieces.log() - rest.log() + self._log_remaining(pieces.shape[-1], y)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        x = x - self._log_remaining(x.shape[-1], x)
        return (-x - softplus(-x) + y[..., :-1].log()).sum(-1)

    def forward_shape(self, shape: Sequence[int]) -> Sequence[int]:
        _needs_dimensions(shape, 1)
        return torch.Size([*shape[:-1], shape[-1] + 1])

    def inverse_shape(self, shape: Sequence[int]) -> Sequence[int]:
        _needs_dimensions(shape, 1)
        return torch.Size([*shape[:-1], shape[-1] - 1])


class CorrCholeskyTransform(Transform):
    """From real vectors of n (n - 1) / 2 numbers to Cholesky factors of n x n correlation matrices.

    The numbers become partial correlations by tanh, and these fill the rows of the factor from the left, each scaled by what
    the row's length of 1 leaves (Lewandowski, Kurowicka and Joe, "Generating random correlation matrices based on vines and
    extended onion method", 2009).

    Args:
        cache_size (int, default 0): 1: the last pair of argument and result is kept

    Example:
        >>> from torch.distributions import CorrCholeskyTransform
        >>> CorrCholeskyTransform()(torch.tensor([1.0]))
        tensor([[1.0000, 0.0000],
                [0.7616, 0.6481]])
    """

    domain = constraints.real_vector
    codomain = constraints.corr_cholesky
    bijective = True

    def _call(self, x: Tensor) -> Tensor:
        eps = torch.finfo(x.dtype).eps
        partial = vec_to_tril_matrix(x.tanh().clamp(min=-1 + eps, max=1 - eps), diag=-1)
        left = (1 - partial**2).sqrt().cumprod(-1)
        diagonal = torch.eye(partial.shape[-1], dtype=x.dtype, device=x.device)
        return (partial + diagonal) * torch.constant_pad_nd(left[..., :-1], [1, 0], 1)

    def _inverse(self, y: Tensor) -> Tensor:
        left = 1 - (y * y).cumsum(-1)
        below = tril_matrix_to_vec(y, diag=-1)
        scale = tril_matrix_to_vec(torch.constant_pad_nd(left[..., :-1], [1, 0], 1), diag=-1)
        partial = below / scale.sqrt()
        return (partial.log1p() - (-partial).log1p()) / 2

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        left = 1 - (y * y).cumsum(-1)
        # The entry before each one below the diagonal decides its scale; the first column has scale 1.
        scales = 0.5 * tril_matrix_to_vec(left, diag=-2).log().sum(-1)
        return scales - 2 * (x + softplus(-2 * x) - math.log(2.0)).sum(-1)

    def forward_shape(self, shape: Sequence[int]) -> Sequence[int]:
        _needs_dimensions(shape, 1)
        n = round((0.25 + 2 * shape[-1]) ** 0.5 + 0.5)
        if n * (n - 1) // 2 != shape[-1]:
            raise ValueError(f"the last dimension must be n (n - 1) / 2 for some n, got {shape[-1]}")
        return torch.Size([*shape[:-1], n, n])

    def inverse_shape(self, shape: Sequence[int]) -> Sequence[int]:
        _needs_dimensions(shape, 2)
        n = shape[-1]
        if shape[-2] != n:
            raise ValueError(f"expected square matrices, got shape {tuple(shape)}")
        return torch.Size([*shape[:-2], n * (n - 1) // 2])


class LowerCholeskyTransform(EqualByType):
    """From square matrices to lower triangular ones with a positive diagonal: the diagonal's exponential.

    Args:
        cache_size (int, default 0): 1: the last pair of argument and result is kept

    Example:
        >>> from torch.distributions import LowerCholeskyTransform
        >>> LowerCholeskyTransform()(torch.tensor([[0.0, 5.0], [2.0, 1.0]]))
        tensor([[1.0000, 0.0000],
                [2.0000, 2.7183]])
    """

    domain = constraints.independent(constraints.real, 2)
    codomain = constraints.lower_cholesky

    def _call(self, x: Tensor) -> Tensor:
        return x.tril(-1) + x.diagonal(dim1=-2, dim2=-1).exp().diag_embed()

    def _inverse(self, y: Tensor) -> Tensor:
        return y.tril(-1) + y.diagonal(dim1=-2, dim2=-1).log().diag_embed()


class PositiveDefiniteTransform(EqualByType):
    """From square matrices to positive definite ones: L L^T, where L is what `LowerCholeskyTransform` gives.

    Args:
        cache_size (int, default 0): 1: the last pair of argument and result is kept

    Example:
        >>> from torch.distributions import PositiveDefiniteTransform
        >>> PositiveDefiniteTransform()(torch.tensor([[0.0, 5.0], [2.0, 0.0]]))
        tensor([[1., 2.],
                [2., 5.]])
    """

    domain = constraints.independent(constraints.real, 2)
    codomain = constraints.positive_definite

    def _call(self, x: Tensor) -> Tensor:
        factor = LowerCholeskyTransform()(x)
        return factor @ factor.mT

    def _inverse(self, y: Tensor) -> Tensor:
        return LowerCholeskyTransform().inv(torch.linalg.cholesky(y))
