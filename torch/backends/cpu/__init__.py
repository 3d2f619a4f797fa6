"""The CPU's vector instructions."""

from torch import _C, _lazy


def get_cpu_capability():
    """Name of the instruction set whose kernels were chosen: "DEFAULT", "AVX2" or "AVX512"."""
    return _C._get_cpu_capability()

_lazy.names_what_is_absent(__name__)
