"""Settings of GPU libraries; of no effect on a CPU."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Iterator
from typing import Any, NoReturn

from torch import _lazy
from torch.backends.cuda._attention import *  # noqa: F403
from torch.backends.cuda._attention import is_flash_attention_available


class cuBLASModule:
    """Settings of matrix products on GPUs; of no effect on a CPU.

    Example:
        >>> torch.backends.cuda.matmul.allow_tf32
        False
    """

    _settings = {
        "allow_tf32": False,
        "fp32_precision": "none",
        "allow_fp16_accumulation": False,
        "allow_fp16_reduced_precision_reduction": True,
        "allow_bf16_reduced_precision_reduction": True,
    }

    def __init__(self) -> None:
        self.__dict__.update(self._settings)

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"torch.backends.cuda.matmul has no setting {name}")

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in self._settings:
            raise AttributeError(f"torch.backends.cuda.matmul has no setting {name}")
        self.__dict__[name] = value


matmul = cuBLASModule()
_preferred = {"linalg": "default", "blas": "default", "rocm_fa": "default"}


def is_built() -> bool:
    """Whether this library was built with CUDA.

    Returns:
        False

    Example:
        >>> torch.backends.cuda.is_built()
        False
    """
    return False


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
    """The library that GPUs use first, after setting it; of no effect on a CPU.

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
    return _prefer("blas", backend, "default, cublas, cublaslt, hipblaslt, ck")


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


class cuFFTPlanCacheManager:
    """The caches of plans of Fourier transforms, one for each GPU.

    Example:
        >>> torch.backends.cuda.cufft_plan_cache[0]
        Traceback (most recent call last):
        RuntimeError: ...
    """

    def __getitem__(self, device: Any) -> NoReturn:
        raise RuntimeError(f"torch.backends.cuda.cufft_plan_cache[{device!r}]: there is no GPU")

    def __getattr__(self, name: str) -> Any:
        if name in ("size", "max_size", "clear"):
            raise AssertionError(f"torch.backends.cuda.cufft_plan_cache.{name}: Torch not compiled with CUDA enabled")
        raise AttributeError(f"cufft_plan_cache has no attribute {name}")


cufft_plan_cache = cuFFTPlanCacheManager()

_lazy.names_what_is_absent(__name__)
