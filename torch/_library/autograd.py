"""Derivatives of operators that are registered from Python."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import _C
from torch._library.utils import fill_defaults, has_kwarg_only_args, tensors_in
from torch.utils import _pytree as pytree


class _Context:
    """The ctx of an operator with lists of tensors: `needs_input_grad` has a list for each of them."""

    def __init__(self, ctx: Any, needs_input_grad: tuple[Any, ...]) -> None:
        self.__dict__["_ctx"], self.__dict__["needs_input_grad"] = ctx, needs_input_grad

    def __getattr__(self, name: str) -> Any:
        return getattr(self._ctx, name)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self._ctx, name, value)


def make_autograd_kernel(op: Any, backward: Callable[..., Any], setup_context: Callable[..., Any] | None) -> Callable[..., Any]:
    """The kernel of an operator at the autograd keys."""
    schema, name = op._schema, op._schema.name.split("::")[-1]
    by_name = has_kwarg_only_args(schema)

    def below(args: Any, kwargs: Any) -> Any:
        with _C._AutoDispatchBelowAutograd():
            return op(*args, **kwargs)

    def keep(ctx: Any, args: Any, kwargs: Any, output: Any) -> None:
        if setup_context is None:
            return
        args, kwargs = fill_defaults(schema, args, kwargs)
        if by_name:
            setup_context(ctx=ctx, inputs=args, keyword_only_inputs=kwargs, output=output)
        else:
            setup_context(ctx=ctx, inputs=args, output=output)

    class Derivative(torch.autograd.Function):
        """For operators without lists of tensors."""

        @staticmethod
        def forward(ctx, kwargs, *args):
            result = below(args, kwargs)
            keep(_Context(ctx, ctx.needs_input_grad[1:]), args, kwargs, result)
            return result

        @staticmethod
        def backward(ctx, *gradients):
            found = backward(_Context(ctx, ctx.needs_input_grad[1:]), *gradients)
            return (None, *found) if isinstance(found, (tuple, list)) else (None, found)

    class FlatDerivative(torch.autograd.Function):
        """For operators with lists of tensors, whose items become arguments of their own."""

        @staticmethod
        def forward(ctx, spec, kwargs, *leaves):
            args = pytree.tree_unflatten(list(leaves), spec)
            result = below(args, kwargs)
            ctx._spec = spec
            keep(_Context(ctx, pytree.tree_unflatten(list(ctx.needs_input_grad[2:]), spec)), args, kwargs, result)
            return tuple(result) if isinstance(result, list) else result

        @staticmethod
        def backward(ctx, *gradients):
            needed = pytree.tree_unflatten(list(ctx.needs_input_grad[2:]), ctx._spec)
            found = backward(_Context(ctx, needed), *gradients)
            found = tuple(found) if isinstance(found, (tuple, list)) and len(ctx._spec.children_specs) > 1 else (found,)
            return (None, None, *_leaves_of(found, ctx._spec, name))

    shown = f"GeneratedBackwardFor_{op.namespace}_{op._overloadpacket.__name__}_{op._overloadname}"
    single, flat = type(shown, (Derivative,), {}), type(shown, (FlatDerivative,), {})

    def kernel(*args: Any, **kwargs: Any) -> Any:
        if not torch.is_grad_enabled() or not any(t.requires_grad for t in tensors_in((args, kwargs))):
            return below(args, kwargs)
        if any(isinstance(a, (list, tuple)) and any(True for _ in tensors_in(a)) for a in args):
            leaves, spec = pytree.tree_flatten(args)
            return flat.apply(spec, kwargs, *leaves)
        return single.apply(kwargs, *args)

    return kernel


def _leaves_of(found: tuple[Any, ...], spec: Any, name: str) -> list[Any]:
    """Gradients of the arguments as gradients of their leaves; None for a list stands for None of each item."""
    if len(found) != len(spec.children_specs):
        raise RuntimeError(f"{name}: backward returned {len(found)} gradients for {len(spec.children_specs)} inputs")
    flat: list[Any] = []
    for gradient, child in zip(found, spec.children_specs):
        if child.is_leaf():
            flat.append(gradient)
        elif gradient is None:
            flat.extend([None] * child.num_leaves)
        elif isinstance(gradient, (list, tuple)) and len(gradient) == child.num_leaves:
            flat.extend(gradient)
        else:
            raise RuntimeError(f"{name}: backward must return a list of {child.num_leaves} gradients for a list of tensors")
    return flat
