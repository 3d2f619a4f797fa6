"""How pickles refer to layouts: `torch.serialization._get_layout("torch.strided")`, as PyTorch writes and reads it."""

from __future__ import annotations

import copyreg
import pickle

import torch
from torch.serialization._pickle_limits import brief

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from typing import Any


def _get_layout(name: Any) -> torch.layout:
    """The layout of that name: how pickles refer to layouts."""
    layout = getattr(torch, name.rpartition(".")[2], None) if isinstance(name, str) else None
    if not isinstance(layout, torch.layout):
        raise pickle.UnpicklingError(f"unknown layout {brief(name)}")
    return layout


_get_layout.__module__ = "torch.serialization"  # the name that files have
copyreg.pickle(torch.layout, lambda layout: (_get_layout, (str(layout),)))
