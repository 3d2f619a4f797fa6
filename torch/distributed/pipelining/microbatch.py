"""How a batch is cut into the parts that go through a pipeline, and how their results are joined."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch.utils import _pytree as pytree

__all__ = ["TensorChunkSpec", "split_args_kwargs_into_chunks", "merge_chunks"]

DEFAULT_CHUNK_DIM = 0


class TensorChunkSpec:
    """A tensor is cut along a dimension.

    Args:
        split_dim (int): the dimension

    Example:
        >>> from torch.distributed.pipelining.microbatch import TensorChunkSpec
        >>> TensorChunkSpec.from_tuple((0, 1))[1].split_dim
        1
    """

    def __init__(self, split_dim: int) -> None:
        self.split_dim = split_dim

    def __repr__(self) -> str:
        return f"TensorChunkSpec({self.split_dim})"

    @staticmethod
    def from_tuple(chunk_dims: tuple[int, ...]) -> Any:
        """One for each dimension in a tuple.

        Args:
            chunk_dims (tuple of int): the dimensions

        Returns:
            the same structure
        """
        return pytree.tree_map(TensorChunkSpec, chunk_dims)

    @staticmethod
    def from_dict(chunk_dims: dict[str, int]) -> Any:
        """One for each dimension in a dictionary.

        Args:
            chunk_dims (dict): dimensions by names

        Returns:
            the same structure
        """
        return pytree.tree_map(TensorChunkSpec, chunk_dims)


class _Replicate:
    """A value is the same for all parts."""

    def __repr__(self) -> str:
        return "Replicate"


class _CustomReducer:
    """The results of parts are joined by a function, from a first value on."""

    def __init__(self, init_value: Any, reduce_fn: Callable[[Any, Any], Any]) -> None:
        self.init_value, self.reduce_fn = init_value, reduce_fn


class _LossReducer(_CustomReducer):
    pass


sum_reducer = _LossReducer(torch.tensor(0.0), lambda a, b: a + b)


def _is_spec(x: Any) -> bool:
    return x is None or isinstance(x, (TensorChunkSpec, _Replicate, _CustomReducer))


def _leaf_specs(value: Any, given: Any) -> list[Any]:
    """One for each leaf of a value: the given ones, or those of tensors and of other values if none is given."""
    leaves = pytree.tree_leaves(value)
    if given is None:
        return [TensorChunkSpec(DEFAULT_CHUNK_DIM) if isinstance(x, torch.Tensor) else _Replicate() for x in leaves]
    specs = pytree.tree_leaves(given, is_leaf=_is_spec)
    if len(specs) != len(leaves):
        raise ValueError(f"pipeline: {len(specs)} specs of parts were given for {len(leaves)} values")
    return specs


def _cut(x: Any, spec: Any, chunks: int) -> list[Any]:
    if isinstance(spec, _Replicate):
        return [x] * chunks
    if not (isinstance(spec, TensorChunkSpec) and isinstance(x, torch.Tensor)):
        raise ValueError(f"pipeline: a value of type {type(x).__name__} cannot be cut by the spec {spec!r}")
    if x.size(spec.split_dim) < chunks:
        raise ValueError(f"pipeline: a batch of {x.size(spec.split_dim)} cannot be cut into {chunks} parts")
    return list(torch.tensor_split(x, chunks, spec.split_dim))


def split_args_kwargs_into_chunks(
    args: tuple[Any, ...], kwargs: dict[str, Any] | None, chunks: int,
    args_chunk_spec: tuple[TensorChunkSpec, ...] | None = None, kwargs_chunk_spec: dict[str, TensorChunkSpec] | None = None,
) -> tuple[list[tuple[Any, ...]], list[dict[str, Any]]]:  # fmt: skip
    """Cuts the arguments of a batch into those of its parts.

    Args:
        args (tuple): the positional arguments
        kwargs (dict, optional): the others
        chunks (int): the number of parts
        args_chunk_spec (tuple, optional): how each of `args` is cut; by default tensors are, along dimension 0, and other values
            are the same for all parts
        kwargs_chunk_spec (dict, optional): how each of `kwargs` is cut

    Returns:
        the positional arguments of each part, and the others of each

    Raises:
        ValueError: a tensor is shorter than the number of parts, a value that is no tensor is to be cut, or the specs are of
            another number than the values

    Example:
        >>> from torch.distributed.pipelining.microbatch import split_args_kwargs_into_chunks
        >>> split_args_kwargs_into_chunks((torch.arange(3), "a"), None, 2)[0]
        [(tensor([0, 1]), 'a'), (tensor([2]), 'a')]
    """
    kwargs = kwargs or {}
    if kwargs_chunk_spec is not None:
        missing = [name for name in kwargs if name not in kwargs_chunk_spec]
        if missing:
            raise ValueError(f"pipeline: kwargs_chunk_spec has no spec for {', '.join(missing)}")
        kwargs_chunk_spec = {name: kwargs_chunk_spec[name] for name in kwargs}

    def parts(value: Any, given: Any) -> list[Any]:
        leaves, structure = pytree.tree_flatten(value)
        cut = [_cut(x, spec, chunks) for x, spec in zip(leaves, _leaf_specs(value, given))]
        return [pytree.tree_unflatten([c[k] for c in cut], structure) for k in range(chunks)]

    return parts(tuple(args), args_chunk_spec), parts(kwargs, kwargs_chunk_spec)


def merge_chunks(chunks: list[Any], chunk_spec: Any) -> Any:
    """Joins the results of parts.

    Args:
        chunks (list): the results, of one structure
        chunk_spec (object): for each value in it a TensorChunkSpec or a reducer such as `sum_reducer`; None joins tensors along
            dimension 0, and takes other values from the first part

    Returns:
        the result of the batch

    Example:
        >>> from torch.distributed.pipelining.microbatch import TensorChunkSpec, merge_chunks
        >>> merge_chunks([torch.ones(1, 2), torch.zeros(1, 1)], TensorChunkSpec(1))
        tensor([[1., 1., 0.]])
    """
    leaves = [pytree.tree_leaves(chunk) for chunk in chunks]
    structure = pytree.tree_structure(chunks[0])
    specs = _leaf_specs(chunks[0], chunk_spec)
    if any(len(row) != len(specs) for row in leaves):
        raise ValueError("pipeline: the results of parts have different structures")

    def joined(values: list[Any], spec: Any) -> Any:
        if isinstance(spec, TensorChunkSpec):
            return torch.cat(values, spec.split_dim)
        if isinstance(spec, _CustomReducer):
            result = spec.init_value
            for value in values:
                result = spec.reduce_fn(result, value)
            return result
        return values[0]

    return pytree.tree_unflatten([joined([row[k] for row in leaves], spec) for k, spec in enumerate(specs)], structure)
