"""The namespace of the Python array API standard, version 2025.12, over tensors: what `Tensor.__array_namespace__` returns.

Names of torch itself keep PyTorch's meaning. Where the standard asks for another one (promotion of tensors without
dimensions, dtypes of sums, argument names) the function stands here; it takes and returns plain tensors, and
gradients flow through it. Source: the standard's specification, https://data-apis.org/array-api/2025.12.
"""

from __future__ import annotations

import math

import torch
from torch import (
    bool,
    complex64,
    complex128,
    float32,
    float64,
    int8,
    int16,
    int32,
    int64,
    uint8,
    uint16,
    uint32,
    uint64,
)
from torch._array_api import fft, linalg
from torch._array_api.creation import (
    arange,
    asarray,
    empty,
    empty_like,
    eye,
    from_dlpack,
    full,
    full_like,
    linspace,
    meshgrid,
    ones,
    ones_like,
    tril,
    triu,
    zeros,
    zeros_like,
)
from torch._array_api.dtypes import astype, can_cast, finfo, iinfo, isdtype, result_type
from torch._array_api.elementwise import *  # noqa: F403
from torch._array_api.elementwise import NAMES as _ELEMENTWISE
from torch._array_api.info import __array_namespace_info__
from torch._array_api.linalg import matmul, matrix_transpose, tensordot, vecdot
from torch._array_api.manipulation import (
    broadcast_arrays,
    broadcast_shapes,
    broadcast_to,
    concat,
    expand_dims,
    flip,
    moveaxis,
    permute_dims,
    repeat,
    reshape,
    roll,
    squeeze,
    stack,
    tile,
    unstack,
)
from torch._array_api.reductions import (
    all,
    any,
    count_nonzero,
    cumulative_prod,
    cumulative_sum,
    diff,
    max,
    mean,
    min,
    prod,
    std,
    sum,
    var,
)
from torch._array_api.searching import argmax, argmin, argsort, nonzero, searchsorted, sort, take, take_along_axis, where
from torch._array_api.sets import isin, unique_all, unique_counts, unique_inverse, unique_values

__array_api_version__ = "2025.12"
VERSIONS = ("2021.12", "2022.12", "2023.12", "2024.12", "2025.12")

e, inf, nan, newaxis, pi = math.e, math.inf, math.nan, None, math.pi

__all__ = [
    *("__array_api_version__", "__array_namespace_info__", "e", "inf", "nan", "newaxis", "pi", "fft", "linalg"),
    *("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
    *("float32", "float64", "complex64", "complex128"),
    *("arange", "asarray", "empty", "empty_like", "eye", "from_dlpack", "full", "full_like", "linspace", "meshgrid"),
    *("ones", "ones_like", "tril", "triu", "zeros", "zeros_like"),
    *("astype", "can_cast", "finfo", "iinfo", "isdtype", "result_type"),
    *_ELEMENTWISE,
    *("matmul", "matrix_transpose", "tensordot", "vecdot"),
    *("broadcast_arrays", "broadcast_shapes", "broadcast_to", "concat", "expand_dims", "flip", "moveaxis"),
    *("permute_dims", "repeat", "reshape", "roll", "squeeze", "stack", "tile", "unstack"),
    *("all", "any", "count_nonzero", "cumulative_prod", "cumulative_sum", "diff", "max", "mean", "min", "prod"),
    *("std", "sum", "var"),
    *("argmax", "argmin", "argsort", "nonzero", "searchsorted", "sort", "take", "take_along_axis", "where"),
    *("isin", "unique_all", "unique_counts", "unique_inverse", "unique_values"),
]


def namespace(api_version: str | None):
    """This module, if it answers for the version asked for.

    Raises:
        ValueError: the version is not one of `VERSIONS`
    """
    if api_version is not None and api_version not in VERSIONS:
        raise ValueError(f"__array_namespace__: api_version must be one of {VERSIONS}, got {api_version!r}")
    return torch._array_api
