"""Switches of the underlying libraries; each submodule is imported on first use."""

from torch._lazy import lazy as _lazy

_SUBMODULES = (
    "cpu cuda cudnn cusparselt kleidiai mha miopen mkl mkldnn mps nnpack openmp opt_einsum quantized xeon xnnpack".split()
)

fp32_precision = "none"

__getattr__, __dir__ = _lazy(__name__, _SUBMODULES)
