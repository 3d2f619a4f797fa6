"""Products with weights."""

from __future__ import annotations

import torch
from torch._operators import NN as _nn
from torch._operators import VF as _VF

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from torch._C._nn import linear as linear
    from torch._C._VariableFunctions import bilinear as bilinear
else:
    linear = _nn.linear
    bilinear = _VF.bilinear

__all__ = ["linear", "bilinear", "grouped_mm"]


def grouped_mm(mat_a: torch.Tensor, mat_b: torch.Tensor, *, offs: torch.Tensor | None = None, bias: torch.Tensor | None = None,
               out_dtype: torch.dtype | None = None) -> torch.Tensor:  # fmt: skip
    """Products of groups: of rows, columns or matrices that are multiplied on their own, as the experts of a mixture are.

    Args:
        mat_a (Tensor): matrices of 3 dimensions, or of 2 whose rows (or columns, if both have 2) are cut into groups
        mat_b (Tensor): matrices of 3 dimensions, or of 2 whose columns (or rows) are cut into groups
        offs (Tensor or None): where each group ends, of type int32; needed if a matrix has 2 dimensions
        bias (None): not supported
        out_dtype (dtype or None): that of `mat_a`

    Returns: a tensor of 3 dimensions if both have 2 or both have 3, otherwise of 2

    Example:
        >>> rows, experts = torch.ones(3, 2), torch.tensor([[[1.0], [1.0]], [[5.0], [5.0]]])
        >>> F.grouped_mm(rows, experts, offs=torch.tensor([1, 3], dtype=torch.int32))
        tensor([[ 2.],
                [10.],
                [10.]])
    """
    return torch._grouped_mm(mat_a, mat_b, offs=offs, bias=bias, out_dtype=out_dtype)
