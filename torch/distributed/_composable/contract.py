"""`contract`: makes a function that changes a module in place apply once, keep a state, and leave all names as they are."""

from __future__ import annotations

import functools
from collections import OrderedDict
from collections.abc import Callable, Iterable
from typing import Any

from torch import nn
from torch.distributed._composable_state import _State

__all__ = ["contract", "RegistryItem"]

# Attributes of a module: the states by function, and the functions by name.
_STATES, _REGISTRY = "_composable_states", "_composable_registry"


class RegistryItem:
    """Says in a module's registry that a function was applied to it."""


def _names(modules: tuple[nn.Module, ...]) -> list[dict[str, list[str]]]:
    return [
        {
            "parameters": [name for name, _ in module.named_parameters()],
            "buffers": [name for name, _ in module.named_buffers()],
            "modules": [name for name, _ in module.named_modules()],
        }
        for module in modules
    ]


def _compare(function: str, before: list[dict[str, list[str]]], after: list[dict[str, list[str]]]) -> None:
    for old, new in zip(before, after):
        for kind in old:
            gone, added = set(old[kind]) - set(new[kind]), set(new[kind]) - set(old[kind])
            if gone or added:
                raise RuntimeError(
                    f"{function}(): it must keep the names of {kind}; gone: {sorted(gone)}, added: {sorted(added)}"
                )


def _modules_of(function: str, given: Any) -> tuple[nn.Module, ...]:
    modules = (given,) if isinstance(given, nn.Module) else tuple(given) if isinstance(given, Iterable) else ()
    if not modules or not all(isinstance(module, nn.Module) for module in modules):
        raise TypeError(f"{function}(): expected a Module or several, got {type(given).__name__}")
    return modules


def contract(state_cls: type[_State] = _State) -> Callable[[Callable[..., Any]], Any]:
    """Makes a decorator for functions that take a module first, change it in place, and return it.

    Such a function can be applied to a module once. It finds its state for a module by `function.state(module)`. It takes a list
    of modules too, which then share one state.

    Args:
        state_cls (type, default _State): the class of the state, made without arguments

    Returns:
        the decorator

    Raises:
        AssertionError: by the function, if it was applied to the module before
        RuntimeError: by the function, if it returned another module, or changed names of parameters, buffers or modules
        TypeError: by the function, if it gets no module

    Example:
        >>> from torch.distributed._composable.contract import contract
        >>> @contract()
        ... def freeze(module):
        ...     freeze.state(module).count = 1
        ...     return module.requires_grad_(False)
        >>> freeze.state(freeze(torch.nn.Linear(2, 2))).count
        1
    """

    def decorate(function: Callable[..., Any]) -> Any:
        name = function.__name__

        @functools.wraps(function)
        def wrapper(module: Any, *args: Any, **kwargs: Any) -> Any:
            modules, state = _modules_of(name, module), state_cls()
            for one in modules:
                states = one.__dict__.setdefault(_STATES, {})
                if wrapper in states or name in (_get_registry(one) or ()):
                    raise AssertionError(f"{name}(): it was applied to this {type(one).__name__} before")
                states[wrapper] = state
                note_in_registry(one, name)
            before = _names(modules)
            try:
                result = function(module, *args, **kwargs)
            except BaseException:  # such as wrong arguments: it may be tried again
                for one in modules:
                    del one.__dict__[_STATES][wrapper], one.__dict__[_REGISTRY][name]
                raise
            if result is None:
                result = module
            changed = _modules_of(name, result)
            if len(changed) != len(modules):
                raise RuntimeError(f"{name}(): expected {len(modules)} modules back, got {len(changed)}")
            _compare(name, before, _names(changed))
            if any(new is not old for new, old in zip(changed, modules)):
                raise RuntimeError(f"{name}(): it must change the module in place, and it returned another one")
            return result

        def state_of(module: Any) -> Any:
            """The state of this function for a module, or that several share; None if it was not applied to it."""
            return _modules_of(f"{name}.state", module)[0].__dict__.get(_STATES, {}).get(wrapper)

        wrapper.state = state_of  # type: ignore[attr-defined]
        return wrapper

    return decorate


def note_in_registry(module: nn.Module, name: str) -> None:
    """Notes that a function was applied to a module."""
    module.__dict__.setdefault(_REGISTRY, OrderedDict())[name] = RegistryItem()


def _get_registry(module: nn.Module) -> dict[str, RegistryItem] | None:
    """The functions that were applied to a module, by their names and in their order; None if there were none."""
    return getattr(module, _REGISTRY, None)
