"""Custom functions under vmap: by their `vmap` staticmethod, or by a batched forward, backward and jvp."""

from __future__ import annotations

from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch._C import _functorch as _C
from torch._functorch.vmap import call_flat
from torch.utils._pytree import _broadcast_to_and_flatten, tree_flatten, tree_unflatten


class VmapInfo(NamedTuple):
    """What the `vmap` staticmethod of a custom function is told of the batch."""

    batch_size: int
    randomness: str


def highest_level(args: Any) -> int:
    """The highest level of vmap among the tensors; 0 if none is batched."""
    return max((_C._level_of(x) for x in tree_flatten(args)[0] if isinstance(x, Tensor)), default=0)


def apply_batched(cls: Any, args: tuple[Any, ...]) -> Any:
    """Applies a custom function to arguments of which some are batched."""
    function = torch.autograd.Function
    own_rule = cls.vmap is not function.vmap
    if cls.setup_context is function.setup_context:
        raise RuntimeError(
            f"vmap: {cls.__name__} keeps what its backward needs in forward(ctx, ...). Under transforms of torch.func a custom "
            "function must have forward without ctx, and setup_context"
        )
    if cls.generate_vmap_rule and own_rule:
        raise RuntimeError(
            f"vmap: {cls.__name__} has both generate_vmap_rule=True and a vmap staticmethod; only one may be there"
        )
    if not cls.generate_vmap_rule and not own_rule:
        raise RuntimeError(
            f"vmap: {cls.__name__} does not say how it is batched. Give it a vmap staticmethod, or set generate_vmap_rule=True "
            "if its forward and backward are made of operators that vmap knows"
        )
    level = highest_level(args)
    flat, spec = tree_flatten(args)
    dims = [0 if isinstance(x, Tensor) and _C._level_of(x) == level else None for x in flat]
    values = [x if d is None else _C._value_of(x) for x, d in zip(flat, dims)]
    size = next(x.shape[0] for x, d in zip(values, dims) if d is not None)
    if own_rule:
        info = VmapInfo(size, _C._randomness(level))
        result = cls.vmap(info, tree_unflatten(dims, spec), *tree_unflatten(values, spec))
        if not isinstance(result, tuple) or len(result) != 2:
            raise RuntimeError(f"{cls.__name__}.vmap must return a tuple of the outputs and their batch dimensions")
        outputs, out_dims = result
    else:
        batched = _batched_function(cls, size, dims, spec)
        outputs = batched.apply(*values)
        out_dims = 0
    leaves, out_spec = tree_flatten(outputs)
    places = _broadcast_to_and_flatten(out_dims, out_spec)
    if places is None:
        raise RuntimeError(f"{cls.__name__}.vmap returned batch dimensions {out_dims!r} for outputs of the structure {out_spec}")
    wrapped = [x if d is None or not isinstance(x, Tensor) else _C._add_batch_dim(x, d, level) for x, d in zip(leaves, places)]
    return tree_unflatten(wrapped, out_spec)


class _Example:
    """The ctx that setup_context, backward and jvp of one example see, with the batch kept by the batched function."""

    def __init__(self) -> None:
        self.saved: tuple[Any, ...] = ()
        self.saved_forward: tuple[Any, ...] = ()
        self.needs_input_grad: tuple[bool, ...] = ()
        self.dirty: tuple[Tensor, ...] = ()
        self.non_differentiable: tuple[Tensor, ...] = ()

    def save_for_backward(self, *tensors: Any) -> None:
        self.saved = tensors

    def save_for_forward(self, *tensors: Any) -> None:
        self.saved_forward = tensors

    def mark_dirty(self, *tensors: Tensor) -> None:
        self.dirty = tensors

    def mark_non_differentiable(self, *tensors: Tensor) -> None:
        self.non_differentiable = tensors

    def set_materialize_grads(self, value: bool) -> None:
        pass

    @property
    def saved_tensors(self) -> tuple[Any, ...]:
        return self.saved


def _call(function: Any, size: int, flat: list[Any], dims: list[Any], out_dims: Any = 0) -> Any:
    """One call of a function of one example, with a flat list of arguments of which some are batched."""
    _, spec = tree_flatten(tuple(flat))
    results, _, out_spec = call_flat(function, size, flat, dims, spec, out_dims, "error", {})
    return tree_unflatten(results, out_spec)


def _batched_function(cls: Any, size: int, dims: list[Any], spec: Any) -> Any:
    """A custom function of values, whose forward, backward and jvp are those of `cls` under vmap."""
    example = _Example()
    other: list[Any] = []  # saved tensors that are neither inputs nor outputs, with their batch

    def sources(saved, inputs, outputs, others):
        """Where each saved tensor is found again: among the inputs, the outputs or the others."""
        found = []
        for x in saved:
            place = next(((kind, k) for kind, row in ((0, inputs), (1, outputs)) for k, y in enumerate(row) if y is x), None)
            if place is None and isinstance(x, Tensor):
                others.append(x)
                place = (2, len(others) - 1)
            found.append(place)
        return found

    class Batched(torch.autograd.Function):
        backward_sources: list[Any] = []
        forward_sources: list[Any] = []

        @staticmethod
        def forward(*values):
            def one(*xs):
                outputs = cls.forward(*tree_unflatten(list(xs), spec))
                cls.setup_context(example, tree_unflatten(list(xs), spec), outputs)
                row = outputs if isinstance(outputs, tuple) else (outputs,)
                others: list[Any] = []
                Batched.backward_sources = sources(example.saved, xs, row, others)
                Batched.forward_sources = sources(example.saved_forward, xs, row, others)
                return outputs, others

            outputs, others = _call(one, size, list(values), dims)
            other.extend(others)
            return outputs

        @staticmethod
        def setup_context(ctx, inputs, output):
            rows = (inputs, output if isinstance(output, tuple) else (output,), other)
            places = [*Batched.backward_sources, *Batched.forward_sources]
            tensors = [None if place is None else rows[place[0]][place[1]] for place in places]
            ctx.save_for_backward(*tensors)
            ctx.save_for_forward(*tensors)
            ctx.input_dims = dims

        @staticmethod
        def backward(ctx, *gradients):
            places: list[list[int]] = []
            count = len(gradients)

            def one(*xs):
                example.saved = xs[count : count + len(Batched.backward_sources)]
                example.needs_input_grad = ctx.needs_input_grad
                run = cls.vjp if cls.vjp is not torch.autograd.Function.vjp else cls.backward
                found = run(example, *xs[:count])
                found = found if isinstance(found, tuple) else (found,)
                places.append([k for k, g in enumerate(found) if g is not None])
                return tuple(g for g in found if g is not None)

            found = _call(one, size, *_with_saved(ctx, gradients, [0] * count))
            everything: list[Any] = [None] * len(dims)
            for k, gradient in zip(places[0], found):
                everything[k] = gradient.sum(0) if dims[k] is None else gradient
            return tuple(everything)

        @staticmethod
        def jvp(ctx, *tangents):
            count = len(tangents)

            def one(*xs):
                example.saved = example.saved_forward = xs[count + len(Batched.backward_sources) :]
                return cls.jvp(example, *xs[:count])

            return _call(one, size, *_with_saved(ctx, tangents, dims))

    def _with_saved(ctx, given, given_dims):
        values = [*given, *ctx.saved_tensors]
        places = [*Batched.backward_sources, *Batched.forward_sources]
        saved_dims = [dims[place[1]] if place and place[0] == 0 else 0 for place in places]
        both = [*given_dims, *saved_dims]
        return values, [None if x is None else d for x, d in zip(values, both)]

    Batched.__name__ = f"Batched{cls.__name__}"
    return Batched
