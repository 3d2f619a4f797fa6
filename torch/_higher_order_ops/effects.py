"""Effect tokens: each call with an effect takes the token of the call before it, so that a graph keeps their order.

`FunctionalTensorMode` calls operators with effects (`torch._library.effects`) by `with_effects`, which a recorder sees as one
node. A pass that moves nodes cannot exchange two of them, because the second one uses a result of the first.
"""

from __future__ import annotations

from typing import Any

import torch
from torch._library.effects import EffectType, effect_of

__all__ = ["EffectType", "has_effects", "new_token", "with_effects"]


def has_effects(op: Any) -> bool:
    """Whether an operator does something beside its result.

    Example:
        >>> from torch._higher_order_ops.effects import has_effects
        >>> has_effects(torch.ops.aten.add.Tensor)
        False
    """
    return effect_of(op) is not None


def new_token() -> torch.Tensor:
    """The token of the first call with an effect: a tensor without elements.

    Example:
        >>> from torch._higher_order_ops.effects import new_token
        >>> new_token().shape
        torch.Size([0])
    """
    return torch.empty(0)


def with_effects(token: torch.Tensor, op: Any, *args: Any, **kwargs: Any) -> tuple[Any, ...]:
    """Call an operator that has an effect.

    Args:
        token (Tensor): of the call before
        op (OpOverload): the operator
        *args (Any): its arguments
        **kwargs (Any): its keyword arguments

    Returns:
        tuple: the token for the next call, and the results

    Example:
        >>> from torch._higher_order_ops.effects import new_token, with_effects
        >>> with_effects(new_token(), torch.ops.aten.neg.default, torch.ones(1))[1]
        tensor([-1.])
    """
    from torch.fx.experimental import _proxy_mode

    mode = _proxy_mode.get_proxy_mode()
    if mode is None:
        return _called(op, args, kwargs)
    from torch.fx.experimental._proxy_tracking import track_tensor_tree
    from torch.fx.node import map_aggregate

    given = map_aggregate((token, *args), lambda value: _proxy_mode._proxy_of(value, mode.tracer))
    named = map_aggregate(dict(kwargs), lambda value: _proxy_mode._proxy_of(value, mode.tracer))
    proxy = mode.tracer.create_proxy("call_function", with_effects, (given[0], op, *given[1:]), named)
    with _proxy_mode.disable_proxy_modes_tracing():
        results = _called(op, args, kwargs)
    return track_tensor_tree(results, proxy, constant=None, tracer=mode.tracer)


def _called(op: Any, args: Any, kwargs: Any) -> tuple[Any, ...]:
    out = op(*args, **kwargs)
    return (new_token(), *(out if isinstance(out, tuple) else (() if out is None else (out,))))
