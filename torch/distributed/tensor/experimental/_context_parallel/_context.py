"""context_parallel: cuts buffers along the sequence, and puts attention over processes into the program."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import Any

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch.distributed.device_mesh import DeviceMesh
from torch.distributed.tensor._api import DTensor
from torch.distributed.tensor.experimental._context_parallel import _ring
from torch.distributed.tensor.experimental._context_parallel._load_balance import _HeadTailLoadBalancer, _LoadBalancer
from torch.distributed.tensor.experimental._context_parallel._options import _cp_options


def _check(function: str, mesh: Any, buffers: Sequence[Any], seq_dims: Sequence[int]) -> None:
    if not isinstance(mesh, DeviceMesh) or mesh.ndim != 1:
        raise ValueError(f"{function}(): expected a DeviceMesh of 1 dimension, got {mesh}")
    if isinstance(buffers, torch.Tensor):
        raise TypeError(f"{function}(): expected a list of tensors as buffers, got one of {buffers.dim()} dimensions")
    if len(buffers) != len(seq_dims):
        raise ValueError(f"{function}(): expected a dimension for each buffer, got {len(seq_dims)} for {len(buffers)}")
    for buffer, dim in zip(buffers, seq_dims):
        if not isinstance(buffer, torch.Tensor) or isinstance(buffer, DTensor):
            raise TypeError(f"{function}(): expected plain tensors as buffers, got {type(buffer).__name__}")
        if not isinstance(dim, int) or not -buffer.dim() <= dim < buffer.dim():
            raise ValueError(f"{function}(): expected a dimension of a buffer that has {buffer.dim()}, got {dim!r}")


def _balancer(buffer: torch.Tensor, dim: int, mesh: DeviceMesh) -> _LoadBalancer | None:
    """The order of positions that the options say."""
    if not _cp_options.enable_load_balance:
        return None
    return _HeadTailLoadBalancer(buffer.size(dim), mesh.size(), buffer.device)


def _part(buffer: torch.Tensor, dim: int, mesh: DeviceMesh, balancer: _LoadBalancer | None) -> torch.Tensor:
    """The positions of this process."""
    n, length = mesh.size(), buffer.size(dim)
    if length % n:
        raise ValueError(f"context_parallel: expected sequences whose length is a multiple of {n}, got {length}")
    indices = None if balancer is None else balancer._generate_indices()
    if indices is None:
        indices = torch.arange(length, device=buffer.device).unsqueeze(0)
    return buffer.index_select(dim, indices[0].chunk(n)[mesh.get_local_rank()])


def _context_parallel_shard(
    mesh: DeviceMesh, buffers: Sequence[torch.Tensor], seq_dims: Sequence[int], load_balancer: _LoadBalancer | None = None
) -> list[torch.Tensor]:  # fmt: skip
    """This process's parts of buffers.

    Args:
        mesh (DeviceMesh): the processes, 1 dimension
        buffers (list of Tensor): the whole ones
        seq_dims (list of int): the dimension of each that is cut
        load_balancer (_LoadBalancer, optional): the order of positions; as they are by default

    Returns:
        the parts
    """
    _check("_context_parallel_shard", mesh, buffers, seq_dims)
    return [_part(buffer, dim, mesh, load_balancer) for buffer, dim in zip(buffers, seq_dims)]


@torch.no_grad()
def context_parallel_unshard(
    mesh: DeviceMesh, buffers: list[torch.Tensor], seq_dims: list[int], load_balancer: _LoadBalancer | None = None
) -> list[torch.Tensor]:  # fmt: skip
    """Puts the parts of sequences together, such as those of results. All processes call it. Gradients do not flow through it.

    Args:
        mesh (DeviceMesh): the processes, 1 dimension
        buffers (list of Tensor): the parts of this process
        seq_dims (list of int): the dimension of each that is cut
        load_balancer (_LoadBalancer, optional): the order of positions; that of `context_parallel` by default

    Returns:
        the whole ones

    Raises:
        ValueError: a mesh of more dimensions, or another number of dimensions than of buffers

    Example:
        >>> torch.distributed.init_process_group("gloo", store=torch.distributed.HashStore(), rank=0, world_size=1)
        >>> from torch.distributed.tensor.experimental._attention import context_parallel_unshard
        >>> context_parallel_unshard(torch.distributed.init_device_mesh("cpu", (1,)), [torch.arange(4)], [0])
        [tensor([0, 1, 2, 3])]
        >>> torch.distributed.destroy_process_group()
    """
    _check("context_parallel_unshard", mesh, buffers, seq_dims)
    results = []
    for buffer, dim in zip(buffers, seq_dims):
        parts = [torch.empty_like(buffer, memory_format=torch.contiguous_format) for _ in range(mesh.size())]
        dist.all_gather(parts, buffer.detach().contiguous(), mesh.get_group(0))
        whole = torch.cat(parts, dim)
        indices = (load_balancer or _balancer(whole, dim, mesh) or _AsItIs())._generate_indices(restore=True)
        results.append(whole if indices is None else whole.index_select(dim, indices[0]))
    return results


class _AsItIs(_LoadBalancer):
    def _generate_indices(self, restore: bool = False) -> None:
        return None


@contextlib.contextmanager
def _cut(mesh: DeviceMesh, buffers: list[torch.Tensor], seq_dims: list[int], kept: set[torch.Tensor]) -> Iterator[None]:
    """A block in which buffers have the parts of this process, and not their whole contents."""
    parts = [_part(buffer.detach(), dim, mesh, _balancer(buffer, dim, mesh)) for buffer, dim in zip(buffers, seq_dims)]
    whole = [buffer.detach() for buffer in buffers]  # with the memory that they have
    try:
        with torch.no_grad():
            for buffer, part in zip(buffers, parts):
                buffer.set_(part)
        yield
    finally:
        with torch.no_grad():
            for buffer, before in zip(buffers, whole):
                if not any(buffer is other for other in kept):
                    buffer.set_(before)


@contextlib.contextmanager
def _attention_over(group: Any) -> Iterator[None]:
    """A block in which scaled_dot_product_attention of torch.nn.functional is the one over processes."""
    before = F.scaled_dot_product_attention

    def scaled_dot_product_attention(query: Any, key: Any, value: Any, *args: Any, **kwargs: Any) -> Any:
        if not isinstance(query, DTensor):
            return _ring.attention(group, query, key, value, *args, **kwargs)
        # Batches or heads may be cut over another mesh: each process attends with its own.
        q, k, v = (t.to_local() for t in (query, key, value))
        out = _ring.attention(group, q, k, v, *args, **kwargs)
        return DTensor.from_local(out, query.device_mesh, query.placements, run_check=False)

    F.scaled_dot_product_attention = scaled_dot_product_attention
    try:
        yield
    finally:
        F.scaled_dot_product_attention = before


@contextlib.contextmanager
def context_parallel(
    mesh: DeviceMesh, *, buffers: list[torch.Tensor] | None = None, buffer_seq_dims: list[int] | None = None,
    no_restore_buffers: set[torch.Tensor] | None = None,
) -> Iterator[None]:  # fmt: skip
    """A block that trains or evaluates sequences that are cut over processes.

    In the block, buffers are the parts of this process, and `torch.nn.functional.scaled_dot_product_attention` attends to the
    keys of all processes. So a model computes on its part of the sequence as if it were whole. Backward belongs in the block too,
    because it needs the parts. Each process has a chunk of the beginning and one of the end: causal attention costs all the same.

    Call it by the module, as in `F.scaled_dot_product_attention`: a name that was imported before is not replaced. It takes
    `is_causal`, `scale` and `enable_gqa`, on the CPU.

    Args:
        mesh (DeviceMesh): the processes, 1 dimension
        buffers (list of Tensor, optional): inputs, labels, and buffers of a model that have one value per position, such as
            embeddings of positions; no parameters
        buffer_seq_dims (list of int, optional): the dimension of positions of each
        no_restore_buffers (set of Tensor, optional): those that stay parts after the block, which saves time

    Raises:
        ValueError: a mesh of more dimensions, numbers that differ, a dimension that is not there, a buffer that is not given, or
            a length that is no multiple of twice the number of processes
        TypeError: a buffer that is no plain tensor, or that is a parameter

    Example:
        >>> torch.distributed.init_process_group("gloo", store=torch.distributed.HashStore(), rank=0, world_size=1)
        >>> from torch.distributed.tensor.experimental import context_parallel
        >>> x = torch.ones(1, 1, 4, 8)
        >>> with context_parallel(torch.distributed.init_device_mesh("cpu", (1,)), buffers=[x], buffer_seq_dims=[2]):
        ...     y = torch.nn.functional.scaled_dot_product_attention(x, x, x, is_causal=True)
        >>> y.shape
        torch.Size([1, 1, 4, 8])
        >>> torch.distributed.destroy_process_group()
    """
    _check("context_parallel", mesh, () if buffers is None else buffers, buffer_seq_dims or ())
    given, dims, kept = list(buffers or ()), list(buffer_seq_dims or ()), no_restore_buffers or set()
    if not all(any(buffer is other for other in given) for buffer in kept):
        raise ValueError("context_parallel(): no_restore_buffers has a tensor that is not among buffers")
    if any(buffer.requires_grad for buffer in given):
        raise TypeError("context_parallel(): buffers must not require gradients; cut the inputs of a computation")
    with _cut(mesh, given, dims, kept), _attention_over(mesh.get_group(0)):
        yield
