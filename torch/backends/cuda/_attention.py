"""Switches of the kernels that scaled_dot_product_attention may choose from, and questions about these kernels."""

from __future__ import annotations

import contextlib

from torch import _C

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from collections.abc import Iterator

    from torch import Tensor

__all__ = [
    "SDPAParams", "allow_fp16_bf16_reduction_math_sdp", "can_use_cudnn_attention", "can_use_efficient_attention",
    "can_use_flash_attention", "cudnn_sdp_enabled", "enable_cudnn_sdp", "enable_flash_sdp", "enable_math_sdp",
    "enable_mem_efficient_sdp", "flash_sdp_enabled", "fp16_bf16_reduction_math_sdp_allowed", "is_flash_attention_available",
    "math_sdp_enabled", "mem_efficient_sdp_enabled", "sdp_kernel",
]  # fmt: skip

_reduced_math = False


class SDPAParams:
    """The arguments of one attention call, for the functions below.

    Args:
        query (Tensor): the queries
        key (Tensor): the keys
        value (Tensor): the values
        attn_mask (Tensor or None): the mask
        dropout (float): probability with which a weight is dropped
        is_causal (bool): whether later keys are hidden
        enable_gqa (bool): whether several heads of queries share one of keys

    Example:
        >>> x = torch.ones(1, 2, 3, 4)
        >>> torch.backends.cuda.SDPAParams(x, x, x, None, 0.0, True, False).is_causal
        True
    """

    def __init__(
        self, query: Tensor, key: Tensor, value: Tensor, attn_mask: Tensor | None, dropout: float, is_causal: bool,
        enable_gqa: bool,
    ) -> None:  # fmt: skip
        self.query, self.key, self.value, self.attn_mask = query, key, value, attn_mask
        self.dropout, self.is_causal, self.enable_gqa = dropout, is_causal, enable_gqa


def flash_sdp_enabled() -> bool:
    """Whether attention may run as one kernel that never makes the whole matrix.

    Returns:
        True, unless it was switched off

    Example:
        >>> torch.backends.cuda.flash_sdp_enabled()
        True
    """
    return _C._get_flash_sdp_enabled()


def enable_flash_sdp(enabled: bool) -> None:
    """Allows or forbids attention as one kernel, on every device.

    Args:
        enabled (bool): whether it is allowed

    Example:
        >>> torch.backends.cuda.enable_flash_sdp(True)
    """
    _C._set_sdp_use_flash(enabled)


def mem_efficient_sdp_enabled() -> bool:
    """Whether attention may run as the kernel that saves memory; CPUs have none.

    Returns:
        True, unless it was switched off

    Example:
        >>> torch.backends.cuda.mem_efficient_sdp_enabled()
        True
    """
    return _C._get_mem_efficient_sdp_enabled()


def enable_mem_efficient_sdp(enabled: bool) -> None:
    """Allows or forbids attention as the kernel that saves memory; CPUs have none.

    Args:
        enabled (bool): whether it is allowed

    Example:
        >>> torch.backends.cuda.enable_mem_efficient_sdp(True)
    """
    _C._set_sdp_use_mem_efficient(enabled)


def math_sdp_enabled() -> bool:
    """Whether attention may run as several operators.

    Returns:
        True, unless it was switched off

    Example:
        >>> torch.backends.cuda.math_sdp_enabled()
        True
    """
    return _C._get_math_sdp_enabled()


def enable_math_sdp(enabled: bool) -> None:
    """Allows or forbids attention as several operators, on every device.

    Args:
        enabled (bool): whether it is allowed

    Example:
        >>> torch.backends.cuda.enable_math_sdp(True)
    """
    _C._set_sdp_use_math(enabled)


def cudnn_sdp_enabled() -> bool:
    """Whether attention may run in cuDNN; CPUs have none.

    Returns:
        True, unless it was switched off

    Example:
        >>> torch.backends.cuda.cudnn_sdp_enabled()
        True
    """
    return _C._get_cudnn_sdp_enabled()


def enable_cudnn_sdp(enabled: bool) -> None:
    """Allows or forbids attention in cuDNN; CPUs have none.

    Args:
        enabled (bool): whether it is allowed

    Example:
        >>> torch.backends.cuda.enable_cudnn_sdp(True)
    """
    _C._set_sdp_use_cudnn(enabled)


def fp16_bf16_reduction_math_sdp_allowed() -> bool:
    """Whether attention as several operators may add numbers up in half precision on a GPU.

    Returns:
        False, unless it was allowed

    Example:
        >>> torch.backends.cuda.fp16_bf16_reduction_math_sdp_allowed()
        False
    """
    return _reduced_math


def allow_fp16_bf16_reduction_math_sdp(enabled: bool) -> None:
    """Allows or forbids attention as several operators to add numbers up in half precision on a GPU.

    Args:
        enabled (bool): whether it is allowed

    Example:
        >>> torch.backends.cuda.allow_fp16_bf16_reduction_math_sdp(False)
    """
    global _reduced_math
    if not isinstance(enabled, bool):
        raise RuntimeError(f"allow_fp16_bf16_reduction_math_sdp expects a bool, but got {type(enabled).__name__}")
    _reduced_math = enabled


def is_flash_attention_available() -> bool:
    """Whether this library was built with the flash kernel for GPUs.

    Returns:
        whether it was built with CUDA

    Example:
        >>> torch.backends.cuda.is_flash_attention_available() == torch.cuda._is_compiled()
        True
    """
    return bool(_C._cuda_extension())


def can_use_flash_attention(params: SDPAParams, debug: bool = False) -> bool:
    """Whether the flash kernel for GPUs takes a call.

    Args:
        params (SDPAParams): the arguments of the call
        debug (bool, default False): say why not

    Returns:
        whether it does; False for tensors that are not on a GPU

    Example:
        >>> x = torch.ones(1, 2, 3, 4)
        >>> torch.backends.cuda.can_use_flash_attention(torch.backends.cuda.SDPAParams(x, x, x, None, 0.0, True, False))
        False
    """
    return _fits("flash attention", 1, params, debug)


def can_use_efficient_attention(params: SDPAParams, debug: bool = False) -> bool:
    """Whether the kernel for GPUs that saves memory takes a call.

    Args:
        params (SDPAParams): the arguments of the call
        debug (bool, default False): say why not

    Returns:
        whether it does; False for tensors that are not on a GPU

    Example:
        >>> x = torch.ones(1, 2, 3, 4)
        >>> torch.backends.cuda.can_use_efficient_attention(torch.backends.cuda.SDPAParams(x, x, x, None, 0.0, True, False))
        False
    """
    return _fits("memory-efficient attention", 2, params, debug)


def can_use_cudnn_attention(params: SDPAParams, debug: bool = False) -> bool:
    """Whether cuDNN's kernel takes a call; it needs cuDNN 9 and a GPU of compute capability 8.0.

    Args:
        params (SDPAParams): the arguments of the call
        debug (bool, default False): say why not

    Returns:
        whether it does; False for tensors that are not on a GPU

    Example:
        >>> x = torch.ones(1, 2, 3, 4)
        >>> torch.backends.cuda.can_use_cudnn_attention(torch.backends.cuda.SDPAParams(x, x, x, None, 0.0, True, False))
        False
    """
    return _fits("cuDNN attention", 3, params, debug)


def _fits(what: str, kernel: int, p: SDPAParams, debug: bool) -> bool:
    """Whether a kernel, by its number in SDPBackend, takes a call. With `debug`, a warning says why not."""
    reason = "this library was built without it"
    if _C._cuda_extension():
        arguments = p.query, p.key, p.value, p.attn_mask, p.dropout, p.is_causal, p.enable_gqa
        reason = _C._sdp_obstacle(kernel, *arguments)
    if reason and debug:
        import warnings

        warnings.warn(f"{what} cannot be used: {reason}", stacklevel=3)
    return not reason


@contextlib.contextmanager
def sdp_kernel(
    enable_flash: bool = True, enable_math: bool = True, enable_mem_efficient: bool = True, enable_cudnn: bool = True
) -> Iterator[None]:  # fmt: skip
    """Within the block, attention chooses from these kernels; `torch.nn.attention.sdpa_kernel` takes its place.

    Args:
        enable_flash (bool, default True): one kernel that never makes the whole matrix
        enable_math (bool, default True): several operators
        enable_mem_efficient (bool, default True): the kernel that saves memory; CPUs have none
        enable_cudnn (bool, default True): cuDNN; CPUs have none

    Example:
        >>> with torch.backends.cuda.sdp_kernel(enable_flash=False):
        ...     torch.backends.cuda.flash_sdp_enabled()
        False
    """
    before = flash_sdp_enabled(), math_sdp_enabled(), mem_efficient_sdp_enabled(), cudnn_sdp_enabled()
    switches = enable_flash_sdp, enable_math_sdp, enable_mem_efficient_sdp, enable_cudnn_sdp
    try:
        for switch, value in zip(switches, (enable_flash, enable_math, enable_mem_efficient, enable_cudnn)):
            switch(value)
        yield
    finally:
        for switch, value in zip(switches, before):
            switch(value)
