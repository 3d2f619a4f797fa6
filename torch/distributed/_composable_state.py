"""What a function like `replicate` keeps about a module: a state per module, which lives as long as the module."""

from __future__ import annotations

import weakref
from typing import Any

from torch import nn


class _State:
    """What is kept; subclasses have the attributes."""


_states: weakref.WeakKeyDictionary[nn.Module, weakref.ref[_State]] = weakref.WeakKeyDictionary()


def _insert_module_state(module: nn.Module, state: _State) -> None:
    """Makes a state findable by its module. The caller keeps the state alive.

    Raises:
        AssertionError: the module has one
    """
    if module in _states:
        raise AssertionError(f"_insert_module_state(): the {type(module).__name__} has a state already")
    _states[module] = weakref.ref(state)


def _get_module_state(module: nn.Module) -> Any:
    """The state of a module; None if it has none. A module that is a state is its own."""
    if isinstance(module, _State):
        return module
    found = _states.get(module)
    return None if found is None else found()
