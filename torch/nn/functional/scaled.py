"""Products of float8 matrices with scales."""

from __future__ import annotations

import enum
from typing import TypeVar

import torch

__all__ = ["ScalingType", "SwizzleType", "scaled_mm", "scaled_grouped_mm"]

_T = TypeVar("_T")


class ScalingType(enum.Enum):
    """What one scale of a matrix stands for.

    Example:
        >>> F.ScalingType.RowWise.value
        1
    """

    TensorWise = 0  # the whole matrix
    RowWise = 1  # a row, or of the second matrix a column
    BlockWise1x16 = 2
    BlockWise1x32 = 3
    BlockWise1x128 = 4
    BlockWise128x128 = 5


class SwizzleType(enum.Enum):
    """The order of scales in memory.

    Example:
        >>> F.SwizzleType.NO_SWIZZLE.value
        0
    """

    NO_SWIZZLE = 0
    SWIZZLE_32_4_4 = 1


def _as_list(value: _T | list[_T] | None) -> list[_T]:
    if value is None:
        return []
    return value if isinstance(value, list) else [value]


def _numbers(members: ScalingType | SwizzleType | list[ScalingType] | list[SwizzleType] | None) -> list[int]:
    return [member.value for member in _as_list(members)]


def scaled_mm(mat_a: torch.Tensor, mat_b: torch.Tensor, scale_a: torch.Tensor | list[torch.Tensor],
              scale_recipe_a: ScalingType | list[ScalingType], scale_b: torch.Tensor | list[torch.Tensor],
              scale_recipe_b: ScalingType | list[ScalingType], swizzle_a: SwizzleType | list[SwizzleType] | None = None,
              swizzle_b: SwizzleType | list[SwizzleType] | None = None, bias: torch.Tensor | None = None,
              output_dtype: torch.dtype | None = torch.bfloat16, contraction_dim: list[int] | tuple[int, ...] = (),
              use_fast_accum: bool = False) -> torch.Tensor:  # fmt: skip
    """The product of two float8 matrices whose elements stand for themselves times a scale.

    On a CPU there is one scale for each matrix (`TensorWise`), or one for each row of the first and each column of the second
    (`RowWise`). Sums are float32.

    Args:
        mat_a (Tensor): a float8 matrix of shape (n, k)
        mat_b (Tensor): a float8 matrix of shape (k, m)
        scale_a (Tensor or list of one): float32, of one element or of shape (n, 1)
        scale_recipe_a (ScalingType or list of one): which of the two
        scale_b (Tensor or list of one): float32, of one element or of shape (1, m)
        scale_recipe_b (ScalingType or list of one): which of the two
        swizzle_a (SwizzleType, list or None): `NO_SWIZZLE`
        swizzle_b (SwizzleType, list or None): `NO_SWIZZLE`
        bias (Tensor or None): m numbers that are added to each row
        output_dtype (dtype or None): of the result; None is that of `mat_a`
        contraction_dim (sequence of int): the dimensions that are summed, (1, 0) if given
        use_fast_accum (bool): has no effect on a CPU

    Returns: a matrix of shape (n, m)

    Raises:
        ValueError: the scales are not of the kind that the recipes name, or a CPU does not have that kind

    Example:
        >>> a = torch.tensor([[1.0, 2.0]]).to(torch.float8_e4m3fn)
        >>> scale, one = torch.tensor(0.5), F.ScalingType.TensorWise
        >>> F.scaled_mm(a, a.t(), scale, one, scale, one, output_dtype=torch.float32)
        tensor([[1.2500]])
    """
    return torch._scaled_mm_v2(
        mat_a, mat_b,
        _as_list(scale_a), _numbers(scale_recipe_a), _numbers(swizzle_a),
        _as_list(scale_b), _numbers(scale_recipe_b), _numbers(swizzle_b),
        bias, output_dtype, contraction_dim, use_fast_accum,
    )  # fmt: skip


def scaled_grouped_mm(mat_a: torch.Tensor, mat_b: torch.Tensor, scale_a: torch.Tensor | list[torch.Tensor],
                      scale_recipe_a: ScalingType | list[ScalingType], scale_b: torch.Tensor | list[torch.Tensor],
                      scale_recipe_b: ScalingType | list[ScalingType], swizzle_a: SwizzleType | list[SwizzleType] | None = None,
                      swizzle_b: SwizzleType | list[SwizzleType] | None = None, bias: torch.Tensor | None = None,
                      offs: torch.Tensor | None = None, output_dtype: torch.dtype | None = torch.bfloat16,
                      contraction_dim: list[int] | tuple[int, ...] = (),
                      use_fast_accum: bool = False) -> torch.Tensor:  # fmt: skip
    """Products of groups of float8 matrices with scales. No CPU has them: use `grouped_mm` of numbers that were scaled before.

    Raises:
        NotImplementedError: always

    Example:
        >>> try:
        ...     F.scaled_grouped_mm(None, None, None, None, None, None)
        ... except NotImplementedError as error:
        ...     print(type(error).__name__)
        NotImplementedError
    """
    raise NotImplementedError("scaled_grouped_mm: there is no kernel for tensors on a CPU, in PyTorch neither; "
                              "multiply by the scales and call grouped_mm")  # fmt: skip
