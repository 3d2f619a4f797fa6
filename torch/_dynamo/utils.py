"""What programs import from this module of PyTorch's compiler."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

counters: defaultdict[str, defaultdict[str, int]] = defaultdict(lambda: defaultdict(int))


def is_compile_supported(device_type: Any) -> bool:
    """Whether functions on a kind of device can be compiled: none can."""
    return False
