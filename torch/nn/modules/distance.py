"""Distances as modules."""

from __future__ import annotations

from torch.nn import functional as F
from torch.nn.modules.module import Module

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from torch import Tensor


class PairwiseDistance(Module):
    """The p-norm of `x1 - x2 + eps` along the last dimension.

    Args:
        p (float, default 2.0): order of the norm
        eps (float, default 1e-6): keeps the gradient finite where both are equal
        keepdim (bool, default False): keep the last dimension, with size 1

    Shape:
        two of (N, D) or (D) to (N) or ()

    Example:
        >>> nn.PairwiseDistance()(torch.zeros(1, 2), torch.tensor([[3., 4.]]))
        tensor([5.0000])
    """

    def __init__(self, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False) -> None:
        super().__init__()
        self.norm, self.eps, self.keepdim = p, eps, keepdim

    def forward(self, x1: Tensor, x2: Tensor) -> Tensor:
        return F.pairwise_distance(x1, x2, self.norm, self.eps, self.keepdim)


class CosineSimilarity(Module):
    """The cosine of the angle between two vectors: `x1 @ x2 / (norm(x1) * norm(x2))`.

    Args:
        dim (int, default 1): the dimension of one vector
        eps (float, default 1e-8): the least norm

    Shape:
        two of the same shape, or that broadcast, to it without `dim`

    Example:
        >>> nn.CosineSimilarity()(torch.tensor([[1., 0.]]), torch.tensor([[1., 1.]]))
        tensor([0.7071])
    """

    def __init__(self, dim: int = 1, eps: float = 1e-8) -> None:
        super().__init__()
        self.dim, self.eps = dim, eps

    def forward(self, x1: Tensor, x2: Tensor) -> Tensor:
        return F.cosine_similarity(x1, x2, self.dim, self.eps)


__all__ = ["PairwiseDistance", "CosineSimilarity"]
