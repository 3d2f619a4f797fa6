"""Functional tensors: in-place operators and views become operators that return new tensors."""

from __future__ import annotations

import torch
from torch import _C


def _functionalize_unsafe_set(dst: torch.Tensor, src: torch.Tensor) -> None:
    """Give a tensor the storage of another, so that they count as aliases; nothing looks at elements."""
    _C._functionalize_unsafe_set(dst, src)
