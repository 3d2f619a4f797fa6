"""Grad mode and autocast as nodes, for graphs that are recorded above them."""

from __future__ import annotations

from typing import Any

import torch
from torch.amp import autocast_mode


class RecordedSettings:
    """Adds a node where the program has switched grad mode, or has entered or left an autocast region.

    Args:
        tracer (PythonKeyTracer): which records
    """

    def __init__(self, tracer: Any) -> None:
        self.tracer = tracer
        self._grad = torch.is_grad_enabled()
        self._autocast = _autocast_state()
        self._region: Any = None  # the proxy of the region that is open

    def begin(self) -> None:
        """Take the settings as they are for those that a recording starts with."""
        self._grad, self._autocast, self._region = torch.is_grad_enabled(), _autocast_state(), None

    def note(self) -> None:
        """Add nodes for what has changed since the last call. A backward pass switches grad mode by itself."""
        if torch._C._current_graph_task_id() != -1:
            return
        state = _autocast_state()
        if state != self._autocast:
            if self._region is not None:
                self._call(autocast_mode._exit_autocast, (self._region,))
                self._region = None
            if state[0]:
                self._region = self._call(autocast_mode._enter_autocast, ("cpu", state[1], True, state[2]))
            self._autocast = state
        if torch.is_grad_enabled() != self._grad:
            self._grad = torch.is_grad_enabled()
            self._call(torch._C._set_grad_enabled, (self._grad,))

    def _call(self, function: Any, args: tuple[Any, ...]) -> Any:
        return self.tracer.create_proxy("call_function", function, args, {})


def _autocast_state() -> tuple[bool, torch.dtype, bool]:
    return torch.is_autocast_enabled("cpu"), torch.get_autocast_dtype("cpu"), torch.is_autocast_cache_enabled()
