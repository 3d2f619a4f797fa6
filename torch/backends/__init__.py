"""Switches of the libraries underneath; each sub-module is imported on first touch."""

import sys as _sys


def __getattr__(name):
    if name in ("cpu", "cuda", "cudnn", "mkl", "mkldnn", "mps", "openmp", "opt_einsum"):
        __import__("torch.backends." + name)
        return _sys.modules["torch.backends." + name]
    raise AttributeError(f"module 'torch.backends' has no attribute '{name}'")
