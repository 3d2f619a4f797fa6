"""Which calls do more than compute a result, so that a pass may not remove them."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, TypeVar

import torch

F = TypeVar("F", bound=Callable[..., Any])

_side_effectful_functions: set[Callable[..., Any]] = {torch._assert, operator.setitem, torch._C._set_grad_enabled}
_side_effectful_functions |= {getattr(torch, name) for name in ("_assert_async",) if hasattr(torch, name)}
_RANDOM = frozenset(
    "bernoulli dropout alpha_dropout feature_dropout feature_alpha_dropout multinomial normal poisson rand rand_like randint "
    "randint_like randn randn_like randperm rrelu".split()
)


def has_side_effect(fn: F) -> F:
    """Say that a function does more than compute its result: `eliminate_dead_code` keeps its calls.

    Args:
        fn (Callable): the function

    Returns:
        the function

    Example:
        >>> @torch.fx.has_side_effect
        ... def log(value):
        ...     print(value)
        >>> graph = torch.fx.symbolic_trace(lambda x: x).graph
        >>> graph.inserting_before(graph.output_node()).__enter__()
        >>> graph.call_function(log, ("seen",)).is_impure()
        True
    """
    _side_effectful_functions.add(fn)
    return fn


def call_is_impure(node: Any, impure_random: bool) -> bool:
    """Whether a call_function node must stay even if its result is not used."""
    target = node.target
    if target in _side_effectful_functions:
        return True
    schema = getattr(target, "_schema", None)
    if schema is not None and schema.is_mutable:
        return True
    from torch._library.effects import effect_of

    if effect_of(target) is not None or getattr(target, "__name__", "") == "with_effects":
        return True
    if impure_random and getattr(target, "__name__", "").partition(".")[0] in _RANDOM:
        return getattr(target, "__module__", "").startswith("torch")
    return False
