"""The backends that a dispatch entry may name: those of c10/core/DispatchKeyList.h.

The kernels of HOME backends are part of the entries in libtorch_cpu. So is a function that serves another backend as well: one
that calls stubs and other operators, and leaves memory to them. Every other backend is a separate library, which provides the
kernels of its own as constant tables (Kernels_CUDA_upsample.cpp) and registers them when it is loaded.
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
# The backends whose kernels are in this tree; `dispatch: {Backends: f}` means all of them.
OURS = (*HOME, "CUDA")
# Backends that are libraries of their own.
JOINING = tuple(name for name in BACKENDS if name not in HOME)
