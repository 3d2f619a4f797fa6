"""Settings of GPU libraries."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Iterator
from typing import Any, NoReturn

import torch
from torch import _C, _lazy
from torch.backends import _precision
from torch.backends.cuda._attention import *  # noqa: F403
from torch.backends.cuda._plans import *  # noqa: F403


class cuBLASModule:
    """Settings of matrix products on GPUs.

    allow_tf32 is another name for what torch.set_float32_matmul_precision sets, and fp32_precision ("none", "ieee", "tf32") the
    newer one. Programs use one of the two.

    Example:
        >>> torch.backends.cuda.matmul.allow_tf32
        False
    """

    _settings = {
        "allow_fp16_accumulation": False,
        "allow_fp16_reduced_precision_reduction": True,
        "allow_bf16_reduced_precision_reduction": True,
    }

    def __init__(self) -> None:
        self.__dict__.update(self._settings)

    @property
    def allow_tf32(self) -> bool:
        """Whether factors in float32 may be rounded to TF32."""
        return _precision.allows_tf32_products()

    @property
    def fp32_precision(self) -> str:
        """What factors in float32 may be rounded to: "tf32", or nothing ("ieee"); "none" where nobody said."""
        return _precision.of("cuda", "matmul")

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"torch.backends.cuda.matmul has no setting {name}")

    def __setattr__(self, name: str, value: Any) -> None:
        if name == "allow_tf32":
            if not isinstance(value, bool):
                raise RuntimeError(f"set_allow_tf32_cublas expects a bool, but got {type(value).__name__}")
            _precision.allow_tf32_products(value)
            return
        if name == "fp32_precision":
            _precision.set_precision("cuda", "matmul", value)
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


def is_ck_sdpa_available() -> bool:
    """Whether this library was built with the attention of ROCm's composable kernels.

    Returns:
        False

    Example:
        >>> torch.backends.cuda.is_ck_sdpa_available()
        False
    """
    return False


def _prefer(kind: str, backend: str | None, words: str) -> str:
    if backend is not None:
        if backend not in words.split(", "):
            raise RuntimeError(f"torch.backends.cuda.preferred_{kind}_library: expected one of {words}, got {backend!r}")
        _preferred[kind] = backend
    return _preferred[kind]


def preferred_linalg_library(backend: str | None = None) -> str:
    """The library that GPUs use first, after setting it; of no effect on a CPU.

    Args:
        backend (str, optional): default, cusolver

    Returns:
        its name

    Raises:
        RuntimeError: another name, or a library that this build lacks

    Example:
        >>> torch.backends.cuda.preferred_linalg_library("default")
        'default'
    """
    if backend == "magma" or backend == "cusolver" and not torch.cuda._is_compiled():
        name = "MAGMA" if backend == "magma" else "cuSOLVER"
        raise RuntimeError(f"Cannot set preferred backend to {name} if PyTorch has not been compiled with {name}.")
    return _prefer("linalg", backend, "default, cusolver, magma")


def preferred_blas_library(backend: str | None = None) -> str:
    """The library that GPUs multiply matrices with, after setting it; of no effect on a CPU.

    By default cuBLASLt adds a bias, applies the activation of `torch._addmm_activation`, and multiplies 8-bit matrices; cuBLAS
    does the rest. What one of them has no kernel for, the other does.

    Args:
        backend (str, optional): default, cublas (hipblas), cublaslt (hipblaslt)

    Returns:
        its name

    Raises:
        RuntimeError: another name, or a library that this build lacks

    Example:
        >>> torch.backends.cuda.preferred_blas_library("default")
        'default'
    """
    if backend == "ck":
        raise RuntimeError("Cannot set preferred blas backend to CK if PyTorch has not been compiled for ROCm.")
    backend = {"hipblas": "cublas", "hipblaslt": "cublaslt"}.get(backend, backend) if isinstance(backend, str) else backend
    preferred = _prefer("blas", backend, "default, cublas, cublaslt")
    if backend is not None:
        _C._set_preferred_blas(preferred)
    return preferred


def _workspace(library: str, size: int | None) -> int:
    if size is not None and (not isinstance(size, int) or isinstance(size, bool) or size < 0):
        raise RuntimeError(f"torch.backends.cuda.{library}_workspace_size: expected a number of bytes, got {size!r}")
    from torch.cuda._runtime import initialize

    extension = initialize()
    if size is not None:
        getattr(extension, f"set_{library}_workspace_size")(size)
    return getattr(extension, f"{library}_workspace_size")()


def cublas_workspace_size(size: int | None = None) -> int:
    """The memory that cuBLAS may use for a product, after setting it.

    The allocator gives it from the first call on that sets it. Without one, cuBLAS takes what CUBLAS_WORKSPACE_CONFIG says, or
    32 MiB on GPUs of capability 9.0 and later, 4 MiB on others.

    Args:
        size (int, optional): bytes

    Returns:
        its size in bytes

    Raises:
        RuntimeError: a negative size, or no GPU

    Example:
        >>> torch.cuda.is_available() and torch.backends.cuda.cublas_workspace_size(1 << 20)
        False
    """
    return _workspace("cublas", size)


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
    return _workspace("cublaslt", size)


def blas_workspace_size(size: int | None = None, backend: str | None = None) -> int:
    """The memory that one of the two libraries may use for a product, after setting it.

    Args:
        size (int, optional): bytes
        backend (str, optional): cublas or cublaslt; the preferred one by default, and cuBLAS if none is

    Returns:
        its size in bytes

    Raises:
        RuntimeError: another name, a negative size, or no GPU

    Example:
        >>> torch.cuda.is_available() and torch.backends.cuda.blas_workspace_size(backend="cublaslt")
        False
    """
    name = _preferred["blas"] if backend is None else backend
    names = {"default": "cublas", "cublas": "cublas", "hipblas": "cublas", "cublaslt": "cublaslt", "hipblaslt": "cublaslt"}
    if name not in names:
        raise RuntimeError(f"torch.backends.cuda.blas_workspace_size: expected cublas or cublaslt, got {name!r}")
    return _workspace(names[name], size)


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
