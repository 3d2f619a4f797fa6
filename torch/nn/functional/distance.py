"""Distances and normalisation to unit length."""

from __future__ import annotations

from torch._operators import VF as _VF
from torch.nn.functional._common import overridable

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from collections.abc import Callable

    from torch import Tensor
    from torch._C._VariableFunctions import cosine_similarity as cosine_similarity
    from torch._C._VariableFunctions import pairwise_distance as pairwise_distance

    pdist: Callable[..., Tensor]
else:
    cosine_similarity, pairwise_distance, pdist = _VF.cosine_similarity, _VF.pairwise_distance, _VF.pdist

__all__ = ["cosine_similarity", "pairwise_distance", "pdist", "normalize"]


@overridable(1)
def normalize(
    input: Tensor,
    p: float = 2.0,
    dim: int | tuple[int, ...] = 1,
    eps: float = 1e-12,
    out: Tensor | None = None,
) -> Tensor:
    """Divides by the p-norm along `dim`, so that the result has norm 1.

    Args:
        input (Tensor): any shape
        p (float, default 2.0): order of the norm
        dim (int or tuple[int, ...], default 1): the dimension or dimensions of one vector
        eps (float, default 1e-12): the least divisor, for vectors near 0
        out (Tensor or None): a tensor to write the result into

    Returns:
        a tensor of the shape of `input`

    Example:
        >>> F.normalize(torch.tensor([[3., 4.]]))
        tensor([[0.6000, 0.8000]])
    """
    length = input.norm(p, dim, keepdim=True).clamp_min(eps).expand_as(input)
    return input / length if out is None else _VF.div(input, length, out=out)
