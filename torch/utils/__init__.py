"""Utilities; each sub-module is imported on first touch."""

import os as _os

from torch._lazy import lazy as _lazy

# For find_package(Torch): -DCMAKE_PREFIX_PATH=...
cmake_prefix_path = _os.path.join(_os.path.dirname(_os.path.dirname(__file__)), "share", "cmake")

__getattr__, __dir__ = _lazy(
    __name__,
    ("benchmark", "checkpoint", "collect_env", "cpp_extension", "data", "dlpack", "explain", "hooks", "_contextlib"),
    {"dispatch_trace": "torch.utils._dispatch_trace"},
)


def set_module(obj, mod):
    """Let `obj` say that it lives in the module named `mod`."""
    obj.__module__ = mod
