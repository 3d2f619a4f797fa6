"""Switches of the underlying libraries; each submodule is imported on first use."""

from torch._lazy import lazy as _lazy

__getattr__, __dir__ = _lazy(__name__, ("cpu", "cuda", "cudnn", "mkl", "mkldnn", "mps", "openmp", "opt_einsum"))
