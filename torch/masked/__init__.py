"""Operators over tensors with masks, and tensors that carry a mask.

The operators take a bool `mask` that is True where an element takes part. A `MaskedTensor` holds data and such a mask, and the
ordinary operators of `torch` respect it.
"""

from torch.masked._ops import (
    _combine_input_and_mask,
    _input_mask,
    _output_mask,
    _reduction_identity,
    amax,
    amin,
    argmax,
    argmin,
    cumprod,
    cumsum,
    log_softmax,
    logaddexp,
    logsumexp,
    mean,
    median,
    norm,
    normalize,
    prod,
    softmax,
    softmin,
    std,
    sum,
    var,
)
from torch.masked.maskedtensor.core import MaskedTensor, is_masked_tensor
from torch.masked.maskedtensor.creation import as_masked_tensor, masked_tensor

__all__ = ["MaskedTensor", "amax", "amin", "argmax", "argmin", "as_masked_tensor", "cumprod", "cumsum", "is_masked_tensor",
           "log_softmax", "logaddexp", "logsumexp", "masked_tensor", "mean", "median", "norm", "normalize", "prod", "softmax",
           "softmin", "std", "sum", "var"]  # fmt: skip
