"""Utilities; each sub-module is imported on first touch."""

import os as _os
import sys as _sys

# For find_package(Torch): -DCMAKE_PREFIX_PATH=...
cmake_prefix_path = _os.path.join(_os.path.dirname(_os.path.dirname(__file__)), "share", "cmake")

_SUBMODULES = ("benchmark", "checkpoint", "collect_env", "cpp_extension", "data", "dlpack", "explain", "hooks")


def __getattr__(name):
    if name in _SUBMODULES or name == "_contextlib":
        __import__("torch.utils." + name)
        return _sys.modules["torch.utils." + name]
    if name == "dispatch_trace":
        from torch.utils._dispatch_trace import dispatch_trace

        return dispatch_trace
    raise AttributeError(f"module 'torch.utils' has no attribute '{name}'")


def set_module(obj, mod):
    """Let `obj` say that it lives in the module named `mod`."""
    obj.__module__ = mod
