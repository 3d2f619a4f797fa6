"""Switches of the underlying libraries; each submodule is imported on first use."""

import sys as _sys
from types import ModuleType as _ModuleType

from torch._lazy import lazy as _lazy

_SUBMODULES = (
    "cpu cuda cudnn cusparselt kleidiai mha miopen mkl mkldnn mps nnpack openmp opt_einsum quantized xeon xnnpack".split()
)


class _Backends(_ModuleType):
    """This module: fp32_precision is the precision of what has none of its own."""

    @property
    def fp32_precision(self) -> str:
        """One of "none", "ieee", "tf32" and "bf16"."""
        from torch.backends import _precision

        return _precision.of("generic", "all")

    @fp32_precision.setter
    def fp32_precision(self, value: str) -> None:
        from torch.backends import _precision

        _precision.set_precision("generic", "all", value)


_sys.modules[__name__].__class__ = _Backends

__getattr__, __dir__ = _lazy(__name__, _SUBMODULES)
