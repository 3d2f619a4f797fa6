"""Gradients through calls of functions on other processes, which this library does not have; its names say so."""

from __future__ import annotations

from torch._missing_device import MissingDevice as _Missing
from torch.distributed.rpc import _REASON

_missing = _Missing(__name__, globals(), RuntimeError, f"gradients go through no calls on other processes, as {_REASON}")
_missing.answers("is_available", False, "Whether gradients go through calls of functions on other processes.")
_missing.refuses("backward get_gradients", "Needs calls of functions on other processes.")
_missing.refused_classes("context DistAutogradContext", "A part of gradients through calls on other processes.")

__all__ = ["backward", "context", "get_gradients", "is_available"]
