"""Look-ups in a table of vectors."""

import torch
from torch._operators import NN as _nn
from torch._operators import VF as _VF
from torch.nn.functional._common import handle_torch_function, overridable
from torch.nn.functional._common import has_torch_function_variadic as _overridden

__all__ = ["embedding", "embedding_bag", "one_hot"]

one_hot = _nn.one_hot


def _padding(padding_idx, weight):
    """The padding row as a number from the front; -1 stands for none."""
    if padding_idx is None:
        return -1
    rows = weight.size(0)
    assert -rows <= padding_idx < rows, "Padding_idx must be within num_embeddings"
    return padding_idx + rows if padding_idx < 0 else padding_idx


def _renorm(weight, input, max_norm, norm_type):
    with torch.no_grad():
        _VF.embedding_renorm_(weight, input, max_norm, norm_type)


def embedding(input, weight, padding_idx=None, max_norm=None, norm_type=2.0, scale_grad_by_freq=False,
              sparse=False):
    """Rows of `weight` (rows, width) at the indices `input`: shape (*input.shape, width)."""
    if _overridden(input, weight):
        return handle_torch_function(embedding, (input, weight), input, weight, padding_idx=padding_idx,
                                     max_norm=max_norm, norm_type=norm_type,
                                     scale_grad_by_freq=scale_grad_by_freq,
                                     sparse=sparse)
    padding_idx = -1 if padding_idx is None else _padding(padding_idx, weight)
    if max_norm is not None:
        input = input.contiguous()
        _renorm(weight, input, max_norm, norm_type)
    return _VF.embedding(weight, input, padding_idx, scale_grad_by_freq, sparse)


@overridable(3)
def embedding_bag(input, weight, offsets=None, max_norm=None, norm_type=2, scale_grad_by_freq=False,
                  mode="mean",
                  sparse=False, per_sample_weights=None, include_last_offset=False, padding_idx=None):
    """Sum, mean or maximum of the rows of each bag: the rows of a 2-D input, or what `offsets` cut a 1-D
    input into."""
    if weight.dtype == torch.long and input.is_floating_point():
        input, weight = weight, input  # the order of arguments in old programs
    if per_sample_weights is not None and input.size() != per_sample_weights.size():
        raise ValueError(f"embedding_bag: If per_sample_weights ({per_sample_weights.shape}) is not None, "
                         "then it must have "
                         f"the same shape as the input ({input.shape})")
    if weight.dim() != 2:
        raise ValueError(f"weight has to be a 2D Tensor, but got Tensor of dimension {weight.dim()}")
    if input.dim() == 2:
        if offsets is not None:
            raise ValueError("if input is 2D, then offsets has to be None, as input is treated is a "
                             "mini-batch of fixed "
                             f"length sequences. However, found offsets of type {type(offsets)}")
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
        raise NotImplementedError(f"embedding_bag: per_sample_weights is only supported for mode='sum', got "
                                  f"mode='{mode}'")
    return _VF.embedding_bag(weight, input, offsets, scale_grad_by_freq, code, sparse, per_sample_weights,
                             include_last_offset, padding_idx)[0]
