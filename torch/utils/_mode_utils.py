"""What programs ask about dispatch modes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from torch import _C


def no_dispatch() -> Any:
    """A block in which neither modes nor classes of tensors answer the calls of operators."""
    return _C._DisableTorchDispatch()


def all_same_mode(modes: Sequence[Any]) -> bool:
    """Whether all modes are one."""
    return all(mode == modes[0] for mode in modes)
