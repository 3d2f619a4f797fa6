"""The CPU's vector instructions."""

from torch import _C


def get_cpu_capability():
    """Name of the instruction set whose kernels were chosen: "DEFAULT", "AVX2" or "AVX512"."""
    return _C._get_cpu_capability()
