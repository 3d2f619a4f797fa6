"""Dropout of elements and of channels."""

from __future__ import annotations

import warnings

from torch._operators import VF as _VF
from torch.nn.functional._common import handle_torch_function, overridable
from torch.nn.functional._common import has_torch_function_unary as _overridden

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from torch import Tensor

__all__ = ["dropout", "alpha_dropout", "dropout1d", "dropout2d", "dropout3d", "feature_alpha_dropout"]


def _check(p: float) -> None:
    if not 0.0 <= p <= 1.0:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")


def dropout(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Zeroes each element with probability `p` and scales the rest by `1 / (1 - p)` (Srivastava et al. 2014).

    Args:
        input (Tensor): any shape
        p (float, default 0.5): probability of dropping, from 0 to 1
        training (bool, default True): whether to drop; False returns the input as it is
        inplace (bool, default False): write the result into the input

    Returns:
        a tensor of the shape of `input`

    Raises:
        ValueError: `p` is not from 0 to 1

    Example:
        >>> F.dropout(torch.ones(3), p=0.0)
        tensor([1., 1., 1.])
        >>> F.dropout(torch.ones(3), training=False)
        tensor([1., 1., 1.])
    """
    if _overridden(input):
        return handle_torch_function(dropout, (input,), input, p=p, training=training, inplace=inplace)
    _check(p)
    return _VF.dropout_(input, p, training) if inplace else _VF.dropout(input, p, training)


@overridable(1)
def alpha_dropout(input: Tensor, p: float = 0.5, training: bool = False, inplace: bool = False) -> Tensor:
    """Dropout that keeps mean and variance of what went through selu (Klambauer et al. 2017).

    Dropped elements become selu's negative limit; then all are scaled and shifted.

    Args:
        input (Tensor): any shape
        p (float, default 0.5): probability of dropping, from 0 to 1
        training (bool, default False): whether to drop; False returns the input as it is
        inplace (bool, default False): write the result into the input

    Returns:
        a tensor of the shape of `input`

    Raises:
        ValueError: `p` is not from 0 to 1

    Example:
        >>> F.alpha_dropout(torch.ones(2, 3), training=True).shape
        torch.Size([2, 3])
    """
    _check(p)
    return (_VF.alpha_dropout_ if inplace else _VF.alpha_dropout)(input, p, training)


@overridable(1)
def feature_alpha_dropout(input: Tensor, p: float = 0.5, training: bool = False, inplace: bool = False) -> Tensor:
    """alpha_dropout of whole channels, dimension 1.

    Args:
        input (Tensor): (N, C, ...)
        p (float, default 0.5): probability of dropping, from 0 to 1
        training (bool, default False): whether to drop; False returns the input as it is
        inplace (bool, default False): write the result into the input

    Returns:
        a tensor of the shape of `input`

    Raises:
        ValueError: `p` is not from 0 to 1

    Example:
        >>> F.feature_alpha_dropout(torch.ones(2, 3, 4), training=True).shape
        torch.Size([2, 3, 4])
    """
    _check(p)
    return (_VF.feature_alpha_dropout_ if inplace else _VF.feature_alpha_dropout)(input, p, training)


@overridable(1)
def dropout1d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Zeroes whole channels with probability `p` and scales the rest by `1 / (1 - p)`.

    Args:
        input (Tensor): (N, C, L) or (C, L)
        p (float, default 0.5): probability of dropping, from 0 to 1
        training (bool, default True): whether to drop; False returns the input as it is
        inplace (bool, default False): write the result into the input

    Returns:
        a tensor of the shape of `input`

    Raises:
        ValueError: `p` is not from 0 to 1
        RuntimeError: the input has other than 2 or 3 dimensions

    Example:
        >>> F.dropout1d(torch.ones(2, 3, 4), p=1.0).count_nonzero()
        tensor(0)
    """
    _check(p)
    if input.dim() not in (2, 3):
        raise RuntimeError(f"dropout1d: Expected 2D or 3D input, but received a {input.dim()}D input.")
    batched = input.dim() == 3
    input = input if batched else input.unsqueeze_(0) if inplace else input.unsqueeze(0)
    result = (_VF.feature_dropout_ if inplace else _VF.feature_dropout)(input, p, training)
    return result if batched else result.squeeze_(0) if inplace else result.squeeze(0)


@overridable(1)
def dropout2d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Zeroes whole channels with probability `p` and scales the rest by `1 / (1 - p)`.

    Args:
        input (Tensor): (N, C, H, W)
        p (float, default 0.5): probability of dropping, from 0 to 1
        training (bool, default True): whether to drop; False returns the input as it is
        inplace (bool, default False): write the result into the input

    Returns:
        a tensor of the shape of `input`

    Raises:
        ValueError: `p` is not from 0 to 1

    Example:
        >>> F.dropout2d(torch.ones(2, 3, 4, 4), p=1.0).count_nonzero()
        tensor(0)
    """
    _check(p)
    if input.dim() not in (3, 4):
        warnings.warn(
            f"dropout2d: a {input.dim()}-D input is deprecated: it is for 3-D and 4-D inputs, whose channels it "
            "drops. For other shapes use dropout.",
            stacklevel=3,
        )
    elif input.dim() == 3:
        warnings.warn(
            "dropout2d: a 3-D input is taken as (N, C, L), so that its channels are dropped; this is to change to "
            "(C, H, W). For (N, C, L) use dropout1d.",
            stacklevel=3,
        )
    return (_VF.feature_dropout_ if inplace else _VF.feature_dropout)(input, p, training)


@overridable(1)
def dropout3d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Zeroes whole channels with probability `p` and scales the rest by `1 / (1 - p)`.

    Args:
        input (Tensor): (N, C, D, H, W) or (C, D, H, W)
        p (float, default 0.5): probability of dropping, from 0 to 1
        training (bool, default True): whether to drop; False returns the input as it is
        inplace (bool, default False): write the result into the input

    Returns:
        a tensor of the shape of `input`

    Raises:
        ValueError: `p` is not from 0 to 1

    Example:
        >>> F.dropout3d(torch.ones(2, 3, 4, 4, 4), p=1.0).count_nonzero()
        tensor(0)
    """
    _check(p)
    if input.dim() not in (4, 5):
        warnings.warn(
            f"dropout3d: a {input.dim()}-D input is deprecated: it is for 4-D and 5-D inputs, whose channels it "
            "drops. For other shapes use dropout.",
            stacklevel=3,
        )
    batched = input.dim() != 4
    input = input if batched else input.unsqueeze_(0) if inplace else input.unsqueeze(0)
    result = (_VF.feature_dropout_ if inplace else _VF.feature_dropout)(input, p, training)
    return result if batched else result.squeeze_(0) if inplace else result.squeeze(0)
