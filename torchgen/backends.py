"""The backends that a dispatch entry may name: those of c10/core/DispatchKeyList.h.

The kernels of HOME backends are written into the entries of libtorch_cpu. Every other backend is a library of its own, which
brings its kernels as constant tables (Kernels_CUDA_upsample.cpp) and joins when it is loaded.
"""

from __future__ import annotations

import os
import re

HOME = ("CPU", "Meta")
_LIST = os.path.join(os.path.dirname(__file__), "..", "c10", "core", "DispatchKeyList.h")


def _backends() -> tuple[str, ...]:
    with open(_LIST) as f:
        text = f.read()
    return tuple(re.findall(r"^  _\(prefix, (\w+)\)", text, re.M))


BACKENDS = _backends()
# Those that a library of their own brings.
JOINING = tuple(name for name in BACKENDS if name not in HOME)
