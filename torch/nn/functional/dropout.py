"""Dropout of elements and of channels."""

import warnings

from torch._operators import VF as _VF
from torch.nn.functional._common import handle_torch_function, overridable
from torch.nn.functional._common import has_torch_function_unary as _overridden

__all__ = ["dropout", "alpha_dropout", "dropout1d", "dropout2d", "dropout3d", "feature_alpha_dropout"]


def _check(p):
    if not 0.0 <= p <= 1.0:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")


def dropout(input, p=0.5, training=True, inplace=False):
    """Zero each element with probability `p` and scale the rest by 1 / (1 - p), while training."""
    if _overridden(input):
        return handle_torch_function(dropout, (input,), input, p=p, training=training, inplace=inplace)
    _check(p)
    return _VF.dropout_(input, p, training) if inplace else _VF.dropout(input, p, training)


@overridable(1)
def alpha_dropout(input, p=0.5, training=False, inplace=False):
    """Dropout that keeps mean and variance of what went through selu."""
    _check(p)
    return (_VF.alpha_dropout_ if inplace else _VF.alpha_dropout)(input, p, training)


@overridable(1)
def feature_alpha_dropout(input, p=0.5, training=False, inplace=False):
    """alpha_dropout of whole channels."""
    _check(p)
    return (_VF.feature_alpha_dropout_ if inplace else _VF.feature_alpha_dropout)(input, p, training)


@overridable(1)
def dropout1d(input, p=0.5, training=True, inplace=False):
    """Dropout of whole channels of (N, C, L) or (C, L)."""
    _check(p)
    if input.dim() not in (2, 3):
        raise RuntimeError(f"dropout1d: Expected 2D or 3D input, but received a {input.dim()}D input.")
    batched = input.dim() == 3
    input = input if batched else input.unsqueeze_(0) if inplace else input.unsqueeze(0)
    result = (_VF.feature_dropout_ if inplace else _VF.feature_dropout)(input, p, training)
    return result if batched else result.squeeze_(0) if inplace else result.squeeze(0)


@overridable(1)
def dropout2d(input, p=0.5, training=True, inplace=False):
    """Dropout of whole channels of (N, C, H, W)."""
    _check(p)
    if input.dim() not in (3, 4):
        warnings.warn(f"dropout2d: a {input.dim()}-D input is deprecated: it is for 3-D and 4-D inputs, "
                      "whose channels it "
                      "drops. For other shapes use dropout.", stacklevel=3)
    elif input.dim() == 3:
        warnings.warn("dropout2d: a 3-D input is taken as (N, C, L), so that its channels are dropped; this "
                      "is to change to "
                      "(C, H, W). For (N, C, L) use dropout1d.", stacklevel=3)
    return (_VF.feature_dropout_ if inplace else _VF.feature_dropout)(input, p, training)


@overridable(1)
def dropout3d(input, p=0.5, training=True, inplace=False):
    """Dropout of whole channels of (N, C, D, H, W) or (C, D, H, W)."""
    _check(p)
    if input.dim() not in (4, 5):
        warnings.warn(f"dropout3d: a {input.dim()}-D input is deprecated: it is for 4-D and 5-D inputs, "
                      "whose channels it "
                      "drops. For other shapes use dropout.", stacklevel=3)
    batched = input.dim() != 4
    input = input if batched else input.unsqueeze_(0) if inplace else input.unsqueeze(0)
    result = (_VF.feature_dropout_ if inplace else _VF.feature_dropout)(input, p, training)
    return result if batched else result.squeeze_(0) if inplace else result.squeeze(0)
