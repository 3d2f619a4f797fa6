"""Names that programs import from here although they belong to PyTorch's own code: types, checks and texts for docstrings."""

from __future__ import annotations

import warnings
from enum import Enum

from torch import _C, Tensor

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

__all__ = [
    "BroadcastingList1", "BroadcastingList2", "BroadcastingList3", "DType", "GRID_SAMPLE_INTERPOLATION_MODES",
    "GRID_SAMPLE_PADDING_MODES", "ScalingType", "SwizzleType", "TYPE_CHECKING", "Tensor", "assert_int_or_pair",
    "boolean_dispatch", "reproducibility_notes", "sparse_support_notes", "tf32_notes", "_canonical_mask", "_get_softmax_dim",
    "_in_projection", "_in_projection_packed", "_mha_shape_check", "_none_or_dtype",
]  # fmt: skip

DType = int  # a dtype in a TorchScript annotation
GRID_SAMPLE_INTERPOLATION_MODES = {"bilinear": 0, "nearest": 1, "bicubic": 2}
GRID_SAMPLE_PADDING_MODES = {"zeros": 0, "border": 1, "reflection": 2}


class BroadcastingListCls:
    """`BroadcastingList2[int]` in an annotation: two numbers, or one for both. It says nothing at run time."""

    def __getitem__(self, types: Any) -> None:
        return None


BroadcastingList1 = BroadcastingList2 = BroadcastingList3 = BroadcastingListCls()


class ScalingType(Enum):
    """Which elements of a matrix share a scale, for products of 8 bit matrices.

    Args:
        value (int): the number of a kind

    Example:
        >>> F.ScalingType(1).name
        'RowWise'
    """

    TensorWise = 0
    RowWise = 1
    BlockWise1x16 = 2
    BlockWise1x32 = 3
    BlockWise1x128 = 4
    BlockWise128x128 = 5


class SwizzleType(Enum):
    """The order of scales in memory, for products of 8 bit matrices.

    Args:
        value (int): the number of a kind

    Example:
        >>> F.SwizzleType(0).name
        'NO_SWIZZLE'
    """

    NO_SWIZZLE = 0
    SWIZZLE_32_4_4 = 1


tf32_notes = {"tf32_note": "On a GPU this may be computed in TensorFloat32."}
sparse_support_notes = {
    "sparse_beta_warning": ".. warning::\n    Support of sparse tensors is incomplete, and may change.",
}
reproducibility_notes = {
    "forward_reproducibility_note": "On a GPU the result may differ from run to run.",
    "backward_reproducibility_note": "On a GPU the gradient may differ from run to run.",
    "cudnn_reproducibility_note": "In cuDNN the result may differ from run to run; see torch.backends.cudnn.deterministic.",
}


def assert_int_or_pair(arg: Any, arg_name: str, message: str) -> None:
    """Checks that an argument is a number or two of them.

    Args:
        arg (Any): the argument
        arg_name (str): its name, for the message
        message (str): what to say, with {} in the place of the name

    Raises:
        AssertionError: it is not

    Example:
        >>> F.assert_int_or_pair((1, 2), "stride", "{} must be one number or two")
    """
    if not (isinstance(arg, int) or isinstance(arg, (list, tuple)) and len(arg) == 2):
        raise AssertionError(message.format(arg_name))


def boolean_dispatch(
    arg_name: str, arg_index: int, default: bool, if_true: Callable[..., Any], if_false: Callable[..., Any], module_name: str,
    func_name: str,
) -> Callable[..., Any]:  # fmt: skip
    """A function that calls one of two, by one of its arguments.

    Args:
        arg_name (str): the argument
        arg_index (int): its position
        default (bool): its default
        if_true (Callable[..., Any]): what is called where it is true
        if_false (Callable[..., Any]): what is called where it is false
        module_name (str): `__module__` of the function
        func_name (str): its name

    Returns:
        the function

    Example:
        >>> f = F.boolean_dispatch("up", 1, False, lambda x, up=False: x + 1, lambda x, up=False: x - 1, "m", "f")
        >>> f(3), f(3, True), f(3, up=True)
        (2, 4, 4)
    """

    def chosen(*args: Any, **kwargs: Any) -> Any:
        flag = kwargs.get(arg_name, args[arg_index] if arg_index < len(args) else default)
        return (if_true if flag else if_false)(*args, **kwargs)

    chosen.__doc__ = if_true.__doc__ or if_false.__doc__
    chosen.__module__, chosen.__name__ = module_name, func_name
    return chosen


def _get_softmax_dim(name: str, ndim: int, stacklevel: int) -> int:
    """The dimension of a softmax without `dim`, as early versions chose it."""
    warnings.warn(f"{name} without dim chooses one by the number of dimensions; pass dim=", stacklevel=stacklevel)
    return 0 if ndim in (0, 1, 3) else 1


def _none_or_dtype(input: Tensor | None) -> Any:
    if input is None:
        return None
    if isinstance(input, Tensor):
        return input.dtype
    raise RuntimeError(f"expected a tensor or None, but got {type(input).__name__}")


def _canonical_mask(
    mask: Tensor | None, mask_name: str, other_type: Any, other_name: str, target_type: Any, check_other: bool = True
) -> Tensor | None:  # fmt: skip
    """A mask that is added to scores: -inf where a boolean mask is True."""
    if mask is None:
        return None
    if mask.dtype != _C.bool and not mask.is_floating_point():
        raise AssertionError(f"only bool and floating types of {mask_name} are supported")
    if check_other and other_type is not None and mask.dtype != other_type:
        warnings.warn(f"{mask_name} and {other_name} should have the same dtype, but have {mask.dtype} and {other_type}")
    if mask.is_floating_point():
        return mask
    return mask.new_zeros(mask.shape, dtype=target_type).masked_fill_(mask, float("-inf"))


def _in_projection_packed(
    q: Tensor, k: Tensor, v: Tensor, w: Tensor, b: Tensor | None = None
) -> tuple[Tensor, Tensor, Tensor]:  # fmt: skip
    """Queries, keys and values from the three stacked blocks of one weight."""
    from torch.nn.functional.attention import _project

    return _project(q, k, v, w, b)


def _in_projection(
    q: Tensor, k: Tensor, v: Tensor, w_q: Tensor, w_k: Tensor, w_v: Tensor, b_q: Tensor | None = None,
    b_k: Tensor | None = None, b_v: Tensor | None = None,
) -> tuple[Tensor, Tensor, Tensor]:  # fmt: skip
    """Queries, keys and values from three weights."""
    from torch.nn.functional import linear

    return linear(q, w_q, b_q), linear(k, w_k, b_k), linear(v, w_v, b_v)


def _mha_shape_check(
    query: Tensor, key: Tensor, value: Tensor, key_padding_mask: Tensor | None, attn_mask: Tensor | None, num_heads: int
) -> bool:  # fmt: skip
    """Whether the arguments of multi-head attention have a batch."""
    from torch.nn.functional.attention import _check_shapes

    return _check_shapes(query, key, value, key_padding_mask, attn_mask, num_heads)
