"""Look-ups in a table of vectors."""

from __future__ import annotations

import torch
from torch._operators import NN as _nn
from torch._operators import VF as _VF
from torch.nn.functional._common import handle_torch_function, overridable
from torch.nn.functional._common import has_torch_function_variadic as _overridden

__all__ = ["embedding", "embedding_bag", "one_hot"]

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from torch import Tensor
    from torch._C._nn import one_hot as one_hot
else:
    one_hot = _nn.one_hot


def _padding(padding_idx, weight):
    """The padding row, counted from the front; -1 means none."""
    if padding_idx is None:
        return -1
    rows = weight.size(0)
    assert -rows <= padding_idx < rows, "Padding_idx must be within num_embeddings"
    return padding_idx + rows if padding_idx < 0 else padding_idx


def _renorm(weight, input, max_norm, norm_type):
    with torch.no_grad():
        _VF.embedding_renorm_(weight, input, max_norm, norm_type)


def embedding(
    input: Tensor, weight: Tensor, padding_idx: int | None = None, max_norm: float | None = None, norm_type: float = 2.0,
    scale_grad_by_freq: bool = False, sparse: bool = False,
) -> Tensor:  # fmt: skip
    """Rows of a table, one for every index.

    Args:
        input (Tensor): indices from 0 to rows - 1, of any shape, int64 or int32
        weight (Tensor): the table, (rows, width)
        padding_idx (int or None): a row that gets no gradient; negative numbers count from the end
        max_norm (float or None): rows that are looked up and longer than this are first shortened to it, in place;
            None: no limit
        norm_type (float, default 2.0): order of the norm for `max_norm`
        scale_grad_by_freq (bool, default False): divide the gradient of a row by how often it was looked up
        sparse (bool, default False): make the gradient of the table sparse

    Returns:
        (*shape of `input`, width)

    Raises:
        IndexError: an index is outside the table
        AssertionError: `padding_idx` is outside the table

    Example:
        >>> table = torch.arange(6.).view(3, 2)
        >>> F.embedding(torch.tensor([2, 0]), table)
        tensor([[4., 5.],
                [0., 1.]])
    """
    if _overridden(input, weight):
        return handle_torch_function(
            embedding,
            (input, weight),
            input,
            weight,
            padding_idx=padding_idx,
            max_norm=max_norm,
            norm_type=norm_type,
            scale_grad_by_freq=scale_grad_by_freq,
            sparse=sparse,
        )
    padding_idx = -1 if padding_idx is None else _padding(padding_idx, weight)
    if max_norm is not None:
        input = input.contiguous()
        _renorm(weight, input, max_norm, norm_type)
    return _VF.embedding(weight, input, padding_idx, scale_grad_by_freq, sparse)


@overridable(3)
def embedding_bag(
    input: Tensor, weight: Tensor, offsets: Tensor | None = None, max_norm: float | None = None, norm_type: float = 2,
    scale_grad_by_freq: bool = False, mode: str = "mean", sparse: bool = False, per_sample_weights: Tensor | None = None,
    include_last_offset: bool = False, padding_idx: int | None = None,
) -> Tensor:  # fmt: skip
    """Sum, mean or maximum of the rows of each bag of indices, without making the rows themselves.

    Args:
        input (Tensor): indices, (bags, length), or all bags one after the other in one dimension
        weight (Tensor): the table, (rows, width)
        offsets (Tensor or None): for a 1-D input, where each bag begins
        max_norm (float or None): rows that are looked up and longer than this are first shortened to it, in place;
            None: no limit
        norm_type (float, default 2): order of the norm for `max_norm`
        scale_grad_by_freq (bool, default False): divide the gradient of a row by how often it was looked up
        mode (str, default "mean"): 'sum', 'mean' or 'max'
        sparse (bool, default False): make the gradient of the table sparse
        per_sample_weights (Tensor or None): factors of the rows, of the shape of `input`; for mode 'sum' only
        include_last_offset (bool, default False): the last entry of `offsets` is the end of the last bag
        padding_idx (int or None): rows of this index are left out of their bags

    Returns:
        (bags, width)

    Raises:
        ValueError: a wrong shape, mode or combination of settings
        NotImplementedError: `per_sample_weights` with another mode than 'sum'

    Example:
        >>> table = torch.arange(6.).view(3, 2)
        >>> F.embedding_bag(torch.tensor([0, 1, 2]), table, torch.tensor([0, 1]), mode="sum")
        tensor([[0., 1.],
                [6., 8.]])
    """
    if weight.dtype == torch.long and input.is_floating_point():
        input, weight = weight, input  # the order of arguments in old programs
    if per_sample_weights is not None and input.size() != per_sample_weights.size():
        raise ValueError(
            f"embedding_bag: If per_sample_weights ({per_sample_weights.shape}) is not None, then it must have "
            f"the same shape as the input ({input.shape})"
        )
    if weight.dim() != 2:
        raise ValueError(f"weight has to be a 2D Tensor, but got Tensor of dimension {weight.dim()}")
    if input.dim() == 2:
        if offsets is not None:
            raise ValueError(
                "if input is 2D, then offsets has to be None, as input is treated is a mini-batch of fixed "
                f"length sequences. However, found offsets of type {type(offsets)}"
            )
        offsets = torch.arange(0, input.numel(), input.size(1), dtype=input.dtype, device=input.device)
        input = input.reshape(-1)
        per_sample_weights = None if per_sample_weights is None else per_sample_weights.reshape(-1)
    elif input.dim() == 1:
        if offsets is None:
            raise ValueError("offsets has to be a 1D Tensor but got None")
        if offsets.dim() != 1:
            raise ValueError("offsets has to be a 1D Tensor")
    else:
        raise ValueError(f"input has to be 1D or 2D Tensor, but got Tensor of dimension {input.dim()}")
    code = {"sum": 0, "mean": 1, "max": 2}.get(mode)
    if code is None:
        raise ValueError("mode has to be one of sum, mean or max")
    if code == 2 and scale_grad_by_freq:
        raise ValueError("max mode does not support scaling the gradient by the frequency")
    if code == 2 and sparse:
        raise ValueError("max mode does not support sparse weights")
    if max_norm is not None:
        _renorm(weight, input, max_norm, norm_type)
    if per_sample_weights is not None and code != 0:
        raise NotImplementedError(f"embedding_bag: per_sample_weights is only supported for mode='sum', got mode='{mode}'")
    return _VF.embedding_bag(
        weight, input, offsets, scale_grad_by_freq, code, sparse, per_sample_weights, include_last_offset, padding_idx
    )[0]
