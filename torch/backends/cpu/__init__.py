"""The CPU's vector instructions."""

from __future__ import annotations

from torch import _C, _lazy


def get_cpu_capability() -> str:
    """Name of the instruction set whose kernels were chosen.

    Returns:
        "DEFAULT", "AVX2" or "AVX512"

    Example:
        >>> torch.backends.cpu.get_cpu_capability() in ("DEFAULT", "AVX2", "AVX512")
        True
    """
    return _C._get_cpu_capability()


_lazy.names_what_is_absent(__name__)
