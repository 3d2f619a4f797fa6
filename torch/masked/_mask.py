"""Masks of the operators: how they combine with inputs, and what stands in for elements that are masked out.

A mask is a bool tensor that broadcasts to the input; True marks an element that takes part.
"""

from __future__ import annotations

import torch

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from typing import Any

    from torch import Tensor

_ZERO = frozenset("sum cumsum norm normalize std var mean".split())
_ONE = frozenset("prod cumprod".split())
_LOWEST = frozenset("amax argmax logsumexp logaddexp softmax log_softmax".split())
_HIGHEST = frozenset("amin argmin softmin".split())


def _extreme(op: str, dtype: torch.dtype, lowest: bool) -> float:
    if dtype.is_floating_point:
        return -torch.inf if lowest else torch.inf
    if dtype is torch.bool or dtype.is_complex:
        raise NotImplementedError(f"torch.masked: {op} of {dtype} has no identity for masked elements")
    return torch.iinfo(dtype).min if lowest else torch.iinfo(dtype).max


def _reduction_identity(op_name: str, input: Tensor, *args: Any) -> Tensor:
    """The value that an operation ignores, as a scalar tensor of the input's dtype."""
    dtype = input.dtype
    value: float
    if op_name == "norm" and args and args[0] == -torch.inf:
        value = torch.inf
    elif op_name in _ZERO:
        value = 0
    elif op_name in _ONE:
        value = 1
    elif op_name == "median":
        value = torch.nan
    elif op_name in _LOWEST or op_name in _HIGHEST:
        value = _extreme(op_name, dtype, op_name in _LOWEST)
    else:
        raise NotImplementedError(f"torch.masked: there is no identity of {op_name}")
    return torch.tensor(value, dtype=dtype, device=input.device)


def canonical_dims(dim: Any, ndim: int) -> tuple[int, ...]:
    """Sorted, not negative, all of them for None and an empty tuple."""
    if dim is None or dim == ():
        return tuple(range(ndim))
    if isinstance(dim, int):
        dim = (dim,)
    dims = []
    for d in dim:
        bound = max(ndim, 1)
        if not -bound <= d < bound:
            raise IndexError(f"Dimension out of range (expected to be in range of [{-bound}, {bound - 1}], but got {d})")
        dims.append(d % bound)
    if len(set(dims)) != len(dims):
        raise RuntimeError(f"torch.masked: a dimension appears twice in dim={tuple(dim)}")
    return tuple(sorted(dims)) if ndim else ()


def split_masked(input: Any, mask: Any) -> tuple[Tensor, Tensor | None]:
    """Data and mask of an input that may be a MaskedTensor, whose mask is combined with the given one."""
    from torch.masked.maskedtensor.core import MaskedTensor

    if isinstance(mask, MaskedTensor):
        raise TypeError("torch.masked: mask must be a Tensor, got a MaskedTensor")
    if isinstance(input, MaskedTensor):
        own = input.get_mask()
        return input.get_data(), own if mask is None else own & _input_mask(own, mask=mask)
    if not isinstance(input, torch.Tensor):
        raise TypeError(f"torch.masked: input must be a Tensor, got {type(input).__name__}")
    return input, mask


def _input_mask(input: Tensor, *args: Any, mask: Tensor | None = None, **kwargs: Any) -> Tensor:
    """The mask in the shape of the input; all True without one."""
    if mask is None:
        return torch.ones(input.shape, dtype=torch.bool, device=input.device)
    if mask.dim() > input.dim():
        raise IndexError(f"torch.masked: mask has {mask.dim()} dimensions, more than the {input.dim()} of the input")
    return mask.bool().broadcast_to(input.shape)


def _combine_input_and_mask(op: Any, input: Tensor, mask: Tensor | None, *args: Any) -> Tensor:
    """The input with the operation's identity where it is masked out."""
    if mask is None:
        return input
    name = op if isinstance(op, str) else op.__name__
    return torch.where(_input_mask(input, mask=mask), input, _reduction_identity(name, input, *args))


def _output_mask(op: Any, input: Tensor, *args: Any, **kwargs: Any) -> Tensor:
    """The mask of a result: an element of a reduction is there if any of its inputs is."""
    name = op if isinstance(op, str) else op.__name__
    inside = _input_mask(input, mask=kwargs.get("mask"))
    if name in ("softmax", "log_softmax", "softmin", "normalize", "cumsum", "cumprod"):
        return inside
    if name == "logaddexp":
        return inside | _input_mask(input, mask=kwargs.get("other_mask"))
    rest = args[1:] if name == "norm" else args
    dim = rest[0] if rest else kwargs.get("dim", -1 if name == "median" else None)
    dims = canonical_dims(dim, input.dim())
    return inside.amax(dims, keepdim=bool(kwargs.get("keepdim"))) if dims else inside
