"""vmap: one call of a function with tensors that stand for all examples of a batch."""

from __future__ import annotations

import functools

import torch
from torch import Tensor
from torch._C import _functorch as _C
from torch.utils._pytree import _broadcast_to_and_flatten, tree_flatten, tree_unflatten

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

_RANDOMNESS = ("error", "different", "same")


def _name(func: Callable[..., Any]) -> str:
    if isinstance(func, functools.partial):
        return f"partial({_name(func.func)})"
    return getattr(func, "__name__", None) or repr(func)


def _flat_in_dims(func: Callable[..., Any], in_dims: Any, args: tuple[Any, ...]) -> tuple[list[Any], list[Any], Any]:
    """The arguments' leaves, the batch dimension of each (None for one that is the same for all examples), and the structure."""
    name = _name(func)
    if not isinstance(in_dims, (int, tuple)) or isinstance(in_dims, bool):
        raise ValueError(
            f"vmap({name}): in_dims must be an int or a tuple with an entry for each argument, got {in_dims!r} of type "
            f"{type(in_dims).__name__}"
        )
    if not args:
        raise ValueError(f"vmap({name}) was called without positional arguments, so there is nothing to batch over")
    flat, spec = tree_flatten(args)
    dims = _broadcast_to_and_flatten(in_dims, spec)
    if dims is None:
        raise ValueError(f"vmap({name}): in_dims {in_dims!r} does not have the structure of the arguments, {spec}")
    for k, (arg, dim) in enumerate(zip(flat, dims)):
        if dim is None:
            continue
        if not isinstance(dim, int) or isinstance(dim, bool):
            raise ValueError(f"vmap({name}): in_dims has {dim!r} for input {k}; expected an int or None")
        if not isinstance(arg, Tensor):
            raise ValueError(
                f"vmap({name}): in_dims has {dim} for input {k}, which is of type {type(arg).__name__} and has no dimensions; "
                "use None there"
            )
        if not -arg.dim() <= dim < arg.dim():
            raise ValueError(f"vmap({name}): in_dims has {dim} for input {k}, a tensor with {arg.dim()} dimensions")
    return flat, [None if d is None else d % arg.dim() for arg, d in zip(flat, dims)], spec


def _batch_size(func: Callable[..., Any], flat: list[Any], dims: list[Any]) -> int:
    # Tensor.size: what C++ computes with, also where sizes are traced as symbols.
    sizes = {Tensor.size(arg, dim) for arg, dim in zip(flat, dims) if dim is not None}
    if not sizes:
        raise ValueError(f"vmap({_name(func)}): at least one argument must have a batch dimension, but in_dims has only None")
    if len(sizes) > 1:
        each = [arg.shape[dim] for arg, dim in zip(flat, dims) if dim is not None]
        raise ValueError(f"vmap({_name(func)}): the batch dimensions of the arguments must have one size, got {each}")
    return sizes.pop()


def _flat_out_dims(func: Callable[..., Any], out_dims: Any, spec: Any, single: bool) -> list[Any]:
    if isinstance(out_dims, tuple) and single and len(out_dims) == 1:
        out_dims = out_dims[0]
    dims = _broadcast_to_and_flatten(out_dims, spec)
    if dims is None or not all(d is None or (isinstance(d, int) and not isinstance(d, bool)) for d in dims):
        raise ValueError(
            f"vmap({_name(func)}): out_dims must be an int or None, or have the structure of the result, {spec}; got {out_dims!r}"
        )
    return dims


def _result(func: Callable[..., Any], value: Any, level: int, size: int, dim: int | None) -> Any:
    if not isinstance(value, Tensor):
        raise ValueError(f"vmap({_name(func)}): the function must return tensors, got {type(value).__name__}")
    if dim is None:
        if _C._level_of(value) == level:
            raise ValueError(f"vmap({_name(func)}): out_dims has None for a result that differs between examples")
        return value
    if not -value.dim() - 1 <= dim <= value.dim():
        raise IndexError(f"vmap({_name(func)}): out_dims has {dim} for a result with {value.dim()} dimensions in each example")
    return _C._remove_batch_dim(value, level, size, dim)


def call_flat(
    func: Callable[..., Any], size: int, flat: list[Any], dims: list[Any], spec: Any, out_dims: Any, randomness: str,
    kwargs: dict[str, Any],
) -> tuple[list[Any], list[Any], Any]:  # fmt: skip
    """Calls `func` at a new level. Returns the leaves of the result, their batch dimensions and the result's structure."""
    level = _C._enter_vmap(size, randomness)
    try:
        batched = [arg if dim is None else _C._add_batch_dim(arg, dim, level) for arg, dim in zip(flat, dims)]
        output = func(*tree_unflatten(batched, spec), **kwargs)
        leaves, out_spec = tree_flatten(output)
        flat_out = _flat_out_dims(func, out_dims, out_spec, isinstance(output, Tensor))
        results = [_result(func, value, level, size, dim) for value, dim in zip(leaves, flat_out)]
    finally:
        _C._exit_vmap()
    return results, flat_out, out_spec


def _join(chunks: list[list[Any]], dims: list[Any]) -> list[Any]:
    parts = zip(*chunks)
    return [part[0] if dim is None else torch.cat(part, dim) for part, dim in zip(parts, dims)]


def _positive_dims(chunks: list[list[Any]], dims: list[Any]) -> list[Any]:
    return [None if d is None else d % value.dim() for value, d in zip(chunks[0], dims)]


def vmap_impl(
    func: Callable[..., Any], in_dims: Any, out_dims: Any, randomness: str, chunk_size: int | None, args: tuple[Any, ...],
    kwargs: dict[str, Any],
) -> Any:  # fmt: skip
    """The call that torch.vmap makes."""
    if randomness not in _RANDOMNESS:
        raise RuntimeError(f"vmap: randomness must be 'error', 'different' or 'same', got {randomness!r}")
    flat, dims, spec = _flat_in_dims(func, in_dims, args)
    size = _batch_size(func, flat, dims)
    if chunk_size is None or chunk_size >= size:
        results, _, out_spec = call_flat(func, size, flat, dims, spec, out_dims, randomness, kwargs)
        return tree_unflatten(results, out_spec)
    chunks = []
    state = torch.get_rng_state() if randomness == "same" else None
    for start in range(0, size, chunk_size):
        if state is not None and start:
            torch.set_rng_state(state)  # the same numbers in all chunks, too
        count = min(chunk_size, size - start)
        part = [arg if dim is None else arg.narrow(dim, start, count) for arg, dim in zip(flat, dims)]
        results, out, out_spec = call_flat(func, count, part, dims, spec, out_dims, randomness, kwargs)
        chunks.append(results)
    return tree_unflatten(_join(chunks, _positive_dims(chunks, out)), out_spec)
