"""Set functions of the array API standard. NaNs are unequal to each other: each is an element of its own."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor
from torch._array_api.dtypes import promoted


class UniqueAllResult(NamedTuple):
    values: Tensor
    indices: Tensor
    inverse_indices: Tensor
    counts: Tensor


class UniqueCountsResult(NamedTuple):
    values: Tensor
    counts: Tensor


class UniqueInverseResult(NamedTuple):
    values: Tensor
    inverse_indices: Tensor


def unique_all(x: Tensor, /) -> UniqueAllResult:
    """Distinct elements, where each stands first, where elements went, and how often each stands there."""
    values, inverse, counts = torch.unique(x, return_inverse=True, return_counts=True)
    flat = inverse.reshape(-1)
    # A stable sort brings equal elements together, the first of them first.
    order = torch.argsort(flat, stable=True)
    first = torch.cumsum(counts, 0) - counts
    return UniqueAllResult(values, order[first], inverse.reshape(x.shape), counts)


def unique_counts(x: Tensor, /) -> UniqueCountsResult:
    """Distinct elements and how often each stands there."""
    values, counts = torch.unique(x, return_counts=True)
    return UniqueCountsResult(values, counts)


def unique_inverse(x: Tensor, /) -> UniqueInverseResult:
    """Distinct elements, and the index among them of each element of `x`."""
    values, inverse = torch.unique(x, return_inverse=True)
    return UniqueInverseResult(values, inverse.reshape(x.shape))


def unique_values(x: Tensor, /) -> Tensor:
    """Distinct elements."""
    return torch.unique(x)


def isin(x1: Tensor | float, x2: Tensor | float, /, *, invert: bool = False) -> Tensor:
    """Whether elements of `x1` stand anywhere in `x2` (or nowhere, if `invert`)."""
    x1, x2 = promoted("isin", x1, x2)
    if x1.dtype in (torch.uint16, torch.uint32, torch.uint64):  # equal bits are equal numbers
        x1, x2 = x1.to(torch.int64), x2.to(torch.int64)
    elif x1.dtype == torch.bool:
        x1, x2 = x1.to(torch.uint8), x2.to(torch.uint8)
    return torch.isin(x1, x2, invert=invert)
