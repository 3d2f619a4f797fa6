"""Settings of GPU libraries; of no effect on a CPU."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Iterator
from typing import Any, NoReturn

from torch import _lazy


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
_sdp = {"flash": True, "mem_efficient": True, "math": True, "cudnn": True, "fp16_bf16_reduction_math": False}
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


def flash_sdp_enabled() -> bool:
    """Whether attention may run as one kernel that never makes the whole matrix.

    Returns:
        the setting, True at first

    Example:
        >>> torch.backends.cuda.flash_sdp_enabled()
        True
    """
    return _sdp["flash"]


def mem_efficient_sdp_enabled() -> bool:
    """Whether attention may run as the kernel that saves memory.

    Returns:
        the setting, True at first

    Example:
        >>> torch.backends.cuda.mem_efficient_sdp_enabled()
        True
    """
    return _sdp["mem_efficient"]


def math_sdp_enabled() -> bool:
    """Whether attention may run as several operators.

    Returns:
        the setting, True at first

    Example:
        >>> torch.backends.cuda.math_sdp_enabled()
        True
    """
    return _sdp["math"]


def cudnn_sdp_enabled() -> bool:
    """Whether attention may run as cuDNN's kernel.

    Returns:
        the setting, True at first

    Example:
        >>> torch.backends.cuda.cudnn_sdp_enabled()
        True
    """
    return _sdp["cudnn"]


def enable_flash_sdp(enabled: bool) -> None:
    """Set it, for GPUs; on a CPU it has no effect.

    Args:
        enabled (bool): the setting

    Example:
        >>> torch.backends.cuda.enable_flash_sdp(True)
    """
    _sdp["flash"] = bool(enabled)


def enable_mem_efficient_sdp(enabled: bool) -> None:
    """Set it, for GPUs; on a CPU it has no effect.

    Args:
        enabled (bool): the setting

    Example:
        >>> torch.backends.cuda.enable_mem_efficient_sdp(True)
    """
    _sdp["mem_efficient"] = bool(enabled)


def enable_math_sdp(enabled: bool) -> None:
    """Set it, for GPUs; on a CPU it has no effect.

    Args:
        enabled (bool): the setting

    Example:
        >>> torch.backends.cuda.enable_math_sdp(True)
    """
    _sdp["math"] = bool(enabled)


def enable_cudnn_sdp(enabled: bool) -> None:
    """Set it, for GPUs; on a CPU it has no effect.

    Args:
        enabled (bool): the setting

    Example:
        >>> torch.backends.cuda.enable_cudnn_sdp(True)
    """
    _sdp["cudnn"] = bool(enabled)


def allow_fp16_bf16_reduction_math_sdp(enabled: bool) -> None:
    """Let attention as several operators sum in half precision, on GPUs; on a CPU it has no effect.

    Args:
        enabled (bool): the setting

    Example:
        >>> torch.backends.cuda.allow_fp16_bf16_reduction_math_sdp(False)
    """
    _sdp["fp16_bf16_reduction_math"] = bool(enabled)


def fp16_bf16_reduction_math_sdp_allowed() -> bool:
    """Whether it may.

    Returns:
        the setting, False at first

    Example:
        >>> torch.backends.cuda.fp16_bf16_reduction_math_sdp_allowed()
        False
    """
    return _sdp["fp16_bf16_reduction_math"]


@contextlib.contextmanager
def sdp_kernel(
    enable_flash: bool = True, enable_math: bool = True, enable_mem_efficient: bool = True, enable_cudnn: bool = True
) -> Iterator[None]:  # fmt: skip
    """A block with other settings of attention on GPUs. It is deprecated.

    Args:
        enable_flash (bool, default True): see `enable_flash_sdp`
        enable_math (bool, default True): see `enable_math_sdp`
        enable_mem_efficient (bool, default True): see `enable_mem_efficient_sdp`
        enable_cudnn (bool, default True): see `enable_cudnn_sdp`

    Example:
        >>> with torch.backends.cuda.sdp_kernel(enable_flash=False):
        ...     torch.backends.cuda.flash_sdp_enabled()
        False
    """
    before = dict(_sdp)
    _sdp.update(flash=enable_flash, math=enable_math, mem_efficient=enable_mem_efficient, cudnn=enable_cudnn)
    try:
        yield
    finally:
        _sdp.update(before)


class SDPAParams:
    """The arguments of a call of attention.

    Args:
        query (Tensor): of the call
        key (Tensor): of the call
        value (Tensor): of the call
        attn_mask (Tensor or None): of the call
        dropout (float): of the call
        is_causal (bool): of the call
        enable_gqa (bool): of the call

    Example:
        >>> x = torch.ones(1, 1, 2, 4)
        >>> torch.backends.cuda.SDPAParams(x, x, x, None, 0.0, False, False).is_causal
        False
    """

    def __init__(
        self, query: Any, key: Any, value: Any, attn_mask: Any, dropout: float, is_causal: bool, enable_gqa: bool
    ) -> None:  # fmt: skip
        self.query, self.key, self.value, self.attn_mask = query, key, value, attn_mask
        self.dropout, self.is_causal, self.enable_gqa = dropout, is_causal, enable_gqa


def can_use_flash_attention(params: SDPAParams, debug: bool = False) -> bool:
    """Whether a GPU's kernel can do a call of attention.

    Args:
        params (SDPAParams): its arguments
        debug (bool, default False): warn why not

    Returns:
        False: there is no GPU

    Example:
        >>> x = torch.ones(1, 1, 2, 4)
        >>> torch.backends.cuda.can_use_flash_attention(torch.backends.cuda.SDPAParams(x, x, x, None, 0.0, False, False))
        False
    """
    if debug:
        warnings.warn("attention kernels of GPUs need a GPU, and there is none", stacklevel=2)
    return False


can_use_efficient_attention = can_use_cudnn_attention = can_use_flash_attention


def is_flash_attention_available() -> bool:
    """Whether this build has a GPU's kernel for attention.

    Returns:
        False

    Example:
        >>> torch.backends.cuda.is_flash_attention_available()
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
