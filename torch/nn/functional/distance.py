"""Distances and normalisation to unit length."""

from torch._operators import VF as _VF
from torch.nn.functional._common import overridable

cosine_similarity, pairwise_distance, pdist = _VF.cosine_similarity, _VF.pairwise_distance, _VF.pdist

__all__ = ["cosine_similarity", "pairwise_distance", "pdist", "normalize"]


@overridable(1)
def normalize(input, p=2.0, dim=1, eps=1e-12, out=None):
    """x over its p-norm along `dim`, or over `eps` where the norm is smaller."""
    length = input.norm(p, dim, keepdim=True).clamp_min(eps).expand_as(input)
    return input / length if out is None else _VF.div(input, length, out=out)
