"""Settings of GPU libraries."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Iterator
from typing import Any, NoReturn

import torch
from torch import _C, _lazy
from torch.backends.cuda._attention import *  # noqa: F403
from torch.backends.cuda._attention import is_flash_attention_available
from torch.backends.cuda._plans import *  # noqa: F403


class cuBLASModule:
    """Settings of matrix products on GPUs: allow_tf32 is another name for what torch.set_float32_matmul_precision sets.

    Example:
        >>> torch.backends.cuda.matmul.allow_tf32
        False
    """

    _settings = {
        "fp32_precision": "none",
        "allow_fp16_accumulation": False,
        "allow_fp16_reduced_precision_reduction": True,
        "allow_bf16_reduced_precision_reduction": True,
    }

    def __init__(self) -> None:
        self.__dict__.update(self._settings)

    @property
    def allow_tf32(self) -> bool:
        """Whether factors in float32 may be rounded to TF32."""
        return torch.get_float32_matmul_precision() != "highest"

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"torch.backends.cuda.matmul has no setting {name}")

    def __setattr__(self, name: str, value: Any) -> None:
        if name == "allow_tf32":
            torch.set_float32_matmul_precision("high" if value else "highest")
            return
        if name not in self._settings:
            raise AttributeError(f"torch.backends.cuda.matmul has no setting {name}")
        self.__dict__[name] = value


matmul = cuBLASModule()
_preferred = {"linalg": "default", "blas": "default", "rocm_fa": "default"}


def is_built() -> bool:
    """Whether this library was built with CUDA.

    Returns:
        whether it was

    Example:
        >>> torch.backends.cuda.is_built() == torch.cuda._is_compiled()
        True
    """
    return torch.cuda._is_compiled()


is_ck_sdpa_available = is_flash_attention_available


def _prefer(kind: str, backend: str | None, words: str) -> str:
    if backend is not None:
        if backend not in words.split(", "):
            raise RuntimeError(f"torch.backends.cuda.preferred_{kind}_library: expected one of {words}, got {backend!r}")
        _preferred[kind] = backend
    return _preferred[kind]


def preferred_linalg_library(backend: str | None = None) -> str:
    """The library that GPUs use first, after setting it; of no effect on a CPU.

    Args:
        backend (str, optional): default, cusolver, magma

    Returns:
        its name

    Raises:
        RuntimeError: another name

    Example:
        >>> torch.backends.cuda.preferred_linalg_library("default")
        'default'
    """
    return _prefer("linalg", backend, "default, cusolver, magma")


def preferred_blas_library(backend: str | None = None) -> str:
    """The library that GPUs multiply matrices with, after setting it; of no effect on a CPU.

    By default cuBLASLt adds a bias, applies the activation of `torch._addmm_activation`, and multiplies 8-bit matrices; cuBLAS
    does the rest. What one of them has no kernel for, the other does.

    Args:
        backend (str, optional): default, cublas, cublaslt, hipblaslt, ck

    Returns:
        its name

    Raises:
        RuntimeError: another name

    Example:
        >>> torch.backends.cuda.preferred_blas_library("default")
        'default'
    """
    preferred = _prefer("blas", backend, "default, cublas, cublaslt, hipblaslt, ck")
    if backend is not None:
        _C._set_preferred_blas(preferred)
    return preferred


def cublaslt_workspace_size(size: int | None = None) -> int:
    """The memory that cuBLASLt may use for a product, after setting it.

    The allocator gives it for the time of a product. Without a call, CUBLASLT_WORKSPACE_SIZE (in KiB) says how much it is,
    or it is 32 MiB on GPUs of capability 9.0 and later, 4 MiB on others.

    Args:
        size (int, optional): bytes

    Returns:
        its size in bytes

    Raises:
        RuntimeError: a negative size, or no GPU

    Example:
        >>> torch.cuda.is_available() and torch.backends.cuda.cublaslt_workspace_size(1 << 20)
        False
    """
    if size is not None and (not isinstance(size, int) or size < 0):
        raise RuntimeError(f"torch.backends.cuda.cublaslt_workspace_size: expected a number of bytes, got {size!r}")
    from torch.cuda._runtime import initialize

    extension = initialize()
    if size is not None:
        extension.set_cublaslt_workspace_size(size)
    return extension.cublaslt_workspace_size()


def preferred_rocm_fa_library(backend: str | None = None) -> str:
    """The library that GPUs use first, after setting it; of no effect on a CPU.

    Args:
        backend (str, optional): default, aotriton, ck

    Returns:
        its name

    Raises:
        RuntimeError: another name

    Example:
        >>> torch.backends.cuda.preferred_rocm_fa_library("default")
        'default'
    """
    return _prefer("rocm_fa", backend, "default, aotriton, ck")


_lazy.names_what_is_absent(__name__)
