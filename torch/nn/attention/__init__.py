"""Which kernels scaled_dot_product_attention may choose from; `bias` has masks for it, `flex_attention` any score."""

from __future__ import annotations

import contextlib
from enum import Enum

from torch import _C
from torch._lazy import lazy as _lazy
from torch.backends import cuda as _switches
from torch.nn.attention._registry import (
    activate_flash_attention_impl,
    current_flash_attention_impl,
    list_flash_attention_impls,
    register_flash_attention_impl,
    restore_flash_attention_impl,
)

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from collections.abc import Iterator

    from torch.nn.attention import bias as bias
    from torch.nn.attention import flex_attention as flex_attention

__all__ = [
    "SDPBackend", "sdpa_kernel", "WARN_FOR_UNFUSED_KERNELS", "register_flash_attention_impl", "activate_flash_attention_impl",
    "list_flash_attention_impls", "current_flash_attention_impl", "restore_flash_attention_impl",
]  # fmt: skip

# Whether a call that no fused kernel takes warns. Programs may set it; nothing reads it on a CPU.
WARN_FOR_UNFUSED_KERNELS = False


class SDPBackend(Enum):
    """The kernels of scaled_dot_product_attention.

    MATH is written in terms of other operators, FLASH_ATTENTION is one kernel that never makes the whole matrix. The others need
    a GPU: CUDNN_ATTENTION is that of cuDNN.

    Args:
        value (int): the number of a kernel

    Example:
        >>> torch.nn.attention.SDPBackend(0)
        <SDPBackend.MATH: 0>
    """

    ERROR = -1
    MATH = 0
    FLASH_ATTENTION = 1
    EFFICIENT_ATTENTION = 2
    CUDNN_ATTENTION = 3
    OVERRIDEABLE = 4

    def __int__(self) -> int:
        return self.value

    __index__ = __int__


def _cur_sdpa_kernel_backends(with_priority: bool = False) -> list[SDPBackend]:
    """The kernels that are allowed now; `with_priority`: those that GPUs prefer first."""
    enabled = {
        SDPBackend.FLASH_ATTENTION: _switches.flash_sdp_enabled(), SDPBackend.MATH: _switches.math_sdp_enabled(),
        SDPBackend.EFFICIENT_ATTENTION: _switches.mem_efficient_sdp_enabled(),
        SDPBackend.CUDNN_ATTENTION: _switches.cudnn_sdp_enabled(),
    }  # fmt: skip
    allowed = [backend for backend, is_enabled in enabled.items() if is_enabled]
    if with_priority:
        order = _C._get_sdp_priority_order()
        allowed.sort(key=lambda backend: order.index(int(backend)))
    return allowed


@contextlib.contextmanager
def sdpa_kernel(backends: list[SDPBackend] | SDPBackend, set_priority: bool = False) -> Iterator[dict[str, object]]:
    """Within the block, scaled_dot_product_attention chooses from these kernels only.

    Args:
        backends (list[SDPBackend] or SDPBackend): the kernels
        set_priority (bool, default False): prefer them in this order; of no effect on a CPU, which has one fused kernel.
            Without it, GPUs of compute capability 9.0 and more prefer cuDNN for large calls, and otherwise the flash kernel

    Raises:
        AssertionError: `backends` is neither

    Example:
        >>> from torch.nn.attention import SDPBackend, sdpa_kernel
        >>> x = torch.ones(1, 2, 3, 4)
        >>> with sdpa_kernel(SDPBackend.MATH):
        ...     torch.nn.functional.scaled_dot_product_attention(x, x, x).shape
        torch.Size([1, 2, 3, 4])
    """
    allowed = [backends] if isinstance(backends, SDPBackend) else backends
    if not isinstance(allowed, list):
        raise AssertionError(f"sdpa_kernel: expected an SDPBackend or a list of them, but got {type(backends).__name__}")
    kernels = (
        SDPBackend.FLASH_ATTENTION, SDPBackend.MATH, SDPBackend.EFFICIENT_ATTENTION, SDPBackend.CUDNN_ATTENTION,
    )  # fmt: skip
    before = _C._get_sdp_priority_order()
    with _switches.sdp_kernel(*(kernel in allowed for kernel in kernels)):
        try:
            if set_priority:
                first = list(dict.fromkeys(int(kernel) for kernel in allowed if kernel is not SDPBackend.ERROR))
                _C._set_sdp_priority_order(first + [kernel for kernel in before if kernel not in first])
            yield {}
        finally:
            _C._set_sdp_priority_order(before)


if not TYPE_CHECKING:  # type checkers see the imports above
    __getattr__, __dir__ = _lazy(__name__, ("bias", "experimental", "flex_attention", "varlen"))
