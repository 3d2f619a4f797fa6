"""register_sharding: rules of the user's for operators with DTensors."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from torch.distributed.tensor import _dispatch, _rules
from torch.distributed.tensor.placement_types import Placement

_Sharding = tuple[Sequence[Placement | None], Sequence[Placement | None]]


def _is_tensor(argument: Any) -> bool:
    return isinstance(argument, _rules.Part)


def _tensors(values: Iterable[Any]) -> list[_rules.Part]:
    """The tensors among arguments, in lists too."""
    found: list[_rules.Part] = []
    for value in values:
        if _is_tensor(value):
            found.append(value)
        elif isinstance(value, (list, tuple)):
            found += _tensors(value)
    return found


def _specs(value: Any) -> Any:
    """The arguments with the layouts of DTensors in the place of tensors."""
    if _is_tensor(value):
        return value.spec
    if isinstance(value, (list, tuple)):
        return type(value)([_specs(v) for v in value])
    return value


def _strategy(call: _rules.Call, sharding: _Sharding) -> _rules.Strategy:
    """What the user's function has said, as a strategy."""
    try:
        outputs, inputs = sharding
        outputs, inputs = tuple(outputs), tuple(inputs)
    except (TypeError, ValueError):
        raise ValueError(
            f"register_sharding(): the function for {call.func} must give pairs of lists of placements, got {sharding!r}"
        ) from None
    values = [*call.args, *call.kwargs.values()]
    # One entry per argument, or one per tensor.
    if len(inputs) == len(values) and not any(isinstance(v, (list, tuple)) and _tensors(v) for v in values):
        inputs = tuple(placement for value, placement in zip(values, inputs) if _is_tensor(value))
    else:
        inputs = tuple(placement for placement in inputs if placement is not None)
    for what, given, expected in (("inputs", inputs, len(call.parts)), ("outputs", outputs, len(call.results))):
        if len(given) != expected:
            raise ValueError(
                f"register_sharding(): the function for {call.func} gave placements of {len(given)} {what}, expected {expected}"
            )
    for placement in (*inputs, *(output for output in outputs if output is not None)):
        if not isinstance(placement, Placement):
            raise ValueError(
                f"register_sharding(): the function for {call.func} must give a Placement of each tensor, got {placement!r}"
            )
    return _rules.Strategy(outputs, inputs)  # type: ignore[arg-type]


def register_sharding(op: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Makes a decorator: the function says in which layouts operators can compute on the parts of DTensors.

    The function gets the arguments of the call, with a DTensorSpec in the place of each DTensor, and looks at one dimension of
    the mesh. It gives pairs: placements of the outputs, and of the arguments, None for those that are no tensors. The dispatcher
    takes the pair that sends the fewest bytes. This replaces the rule that there may be.

    Args:
        op (OpOverload or list of OpOverload): the operators

    Returns:
        the decorator

    Raises:
        TypeError: no operator
        ValueError: at a call, if the function gives something else

    Example:
        >>> from torch.distributed.tensor import Replicate, Shard
        >>> from torch.distributed.tensor.experimental import register_sharding
        >>> @register_sharding(torch.ops.aten.trace.default)
        ... def trace_sharding(x):
        ...     return [([Replicate()], [Replicate()])]
    """
    overloads = list(op) if isinstance(op, (list, tuple)) else [op]
    for overload in overloads:
        if not hasattr(overload, "_schema"):
            raise TypeError(f"register_sharding(): expected an OpOverload such as torch.ops.aten.mm.default, got {overload!r}")

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        def rule(call: _rules.Call) -> list[_rules.Strategy]:
            named = {name: _specs(value) for name, value in call.kwargs.items()}
            shardings = function(*[_specs(a) for a in call.args], **named)
            if not isinstance(shardings, Iterable):
                raise ValueError(
                    f"register_sharding(): the function for {call.func} must give pairs of lists of placements, got {shardings!r}"
                )
            return [_strategy(call, sharding) for sharding in shardings]

        for overload in overloads:
            schema = overload._schema
            before = _rules.find(schema.name)
            size_arg, run = (before.size_arg, before.call) if before is not None else (None, None)
            _rules.USER_RULES[schema.name, schema.overload_name] = _rules.Entry(rule, size_arg, run, False)
        _dispatch.forget_plans()
        return function

    return register
