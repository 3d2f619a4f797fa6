"""Collectives of tensors. Every rank of the group calls them, in the same order."""

from __future__ import annotations

import contextlib
import datetime
from collections.abc import Iterator
from typing import Any

import torch
from torch._C._distributed_c10d import (
    AllgatherOptions,
    AllreduceCoalescedOptions,
    AllreduceOptions,
    AllToAllOptions,
    BarrierOptions,
    BroadcastOptions,
    GatherOptions,
    ReduceOp,
    ReduceOptions,
    ReduceScatterOptions,
    ScatterOptions,
)
from torch.distributed._checks import as_real, check_tensor, check_tensors, finish, member, options, reducible, root
from torch.distributed._docs import documented
from torch.distributed._groups import ProcessGroup, _resolve

# Collectives that a coalescing manager holds back, by group.
_held: dict[ProcessGroup, list[tuple[str, list[torch.Tensor], list[torch.Tensor], Any]]] = {}


def _hold(group: ProcessGroup, kind: str, outputs: list[torch.Tensor], inputs: list[torch.Tensor], op: Any) -> bool:
    """Whether a coalescing manager of the group takes the collective."""
    if not _held or group not in _held:
        return False
    _held[group].append((kind, outputs, inputs, op))
    return True


class _CoalescingManager:
    """The collectives of one block, which end together."""

    def __init__(self) -> None:
        self.works: list[Any] = []

    def append(self, work: Any = None) -> None:
        if work is not None:
            self.works.append(work)

    def wait(self) -> None:
        for work in self.works:
            work.wait()


@contextlib.contextmanager
def _coalescing_manager(group: ProcessGroup | None = None, device: Any = None, async_ops: bool = False
                        ) -> Iterator[_CoalescingManager]:  # fmt: skip
    """Collectives of one kind in this block become one."""
    pg = _resolve(group)
    manager = _CoalescingManager()
    _held[pg] = []
    try:
        yield manager
        held = _held[pg]
    finally:
        _held.pop(pg, None)
    if not held:
        return
    if len({(kind, op) for kind, _, _, op in held}) > 1:
        raise ValueError("_coalescing_manager(): collectives of different kinds cannot become one")
    kind, op = held[0][0], held[0][3]
    outputs, inputs = ([t for item in held for t in item[part]] for part in (1, 2))
    if kind == "all_reduce":
        work = pg.allreduce_coalesced(inputs, options(AllreduceCoalescedOptions, async_ops, reduceOp=op))
    elif kind == "all_gather":
        work = pg.allgather_into_tensor_coalesced(outputs, inputs, options(AllgatherOptions, async_ops))
    else:
        work = pg.reduce_scatter_tensor_coalesced(outputs, inputs, options(ReduceScatterOptions, async_ops, reduceOp=op))
    manager.append(work)
    if not async_ops:
        manager.wait()


@documented(">>> x = torch.ones(2)\n>>> torch.distributed.all_reduce(x)\n>>> x\ntensor([1., 1.])")
def all_reduce(tensor: torch.Tensor, op: Any = ReduceOp.SUM, group: Any = None, async_op: bool = False) -> Any:
    """Combines the tensors of all ranks, element by element, and gives all ranks the result.

    Sums of float16 and bfloat16 over more than two ranks are done in float32 and rounded once.

    Args:
        tensor (Tensor): the values of this rank, which the result replaces
        {op}
        {group}
        {async_op}

    Returns:
        a Work if `async_op`
    """
    check_tensor("all_reduce", "tensor", tensor)
    pg = member("all_reduce", group)
    if pg is None:
        return None
    tensor = reducible("all_reduce", tensor, op)
    if _hold(pg, "all_reduce", [], [tensor], op):
        return None
    return finish(pg.allreduce([tensor], options(AllreduceOptions, async_op, reduceOp=op)), async_op)


@documented(">>> x = torch.ones(2)\n>>> torch.distributed.all_reduce_coalesced([x])\n>>> x\ntensor([1., 1.])")
def all_reduce_coalesced(tensors: Any, op: Any = ReduceOp.SUM, group: Any = None, async_op: bool = False) -> Any:
    """Combines several tensors of one dtype at once.

    Args:
        tensors (list of Tensor): the values of this rank, which the results replace
        {op}
        {group}
        {async_op}

    Returns:
        a Work if `async_op`
    """
    tensors = [tensors] if isinstance(tensors, torch.Tensor) else tensors
    check_tensors("all_reduce_coalesced", "tensors", tensors)
    pg = member("all_reduce_coalesced", group)
    if pg is None:
        return None
    real = [reducible("all_reduce_coalesced", tensor, op) for tensor in tensors]
    return finish(pg.allreduce_coalesced(real, options(AllreduceCoalescedOptions, async_op, reduceOp=op)), async_op)


@documented(">>> x = torch.ones(2)\n>>> torch.distributed.broadcast(x, 0)\n>>> x\ntensor([1., 1.])")
def broadcast(
    tensor: torch.Tensor, src: int | None = None, group: Any = None, async_op: bool = False, group_src: int | None = None
) -> Any:  # fmt: skip
    """Gives all ranks the tensor of one.

    Args:
        tensor (Tensor): what is sent, or what is filled
        {src}
        {group}
        {async_op}
        {group_src}

    Returns:
        a Work if `async_op`
    """
    check_tensor("broadcast", "tensor", tensor)
    pg = member("broadcast", group)
    if pg is None:
        return None
    opts = options(BroadcastOptions, async_op, rootRank=root("broadcast", pg, src, group_src))
    return finish(pg.broadcast([as_real(tensor)], opts), async_op)


@documented(">>> x = torch.ones(2)\n>>> torch.distributed.reduce(x, 0)\n>>> x\ntensor([1., 1.])")
def reduce(
    tensor: torch.Tensor, dst: int | None = None, op: Any = ReduceOp.SUM, group: Any = None, async_op: bool = False,
    group_dst: int | None = None,
) -> Any:  # fmt: skip
    """Combines the tensors of all ranks on one of them.

    Args:
        tensor (Tensor): the values of this rank; on the rank that receives the result replaces them
        {dst}
        {op}
        {group}
        {async_op}
        {group_dst}

    Returns:
        a Work if `async_op`
    """
    check_tensor("reduce", "tensor", tensor)
    pg = member("reduce", group)
    if pg is None:
        return None
    opts = options(ReduceOptions, async_op, reduceOp=op, rootRank=root("reduce", pg, dst, group_dst))
    return finish(pg.reduce([reducible("reduce", tensor, op)], opts), async_op)


@documented(">>> parts = [torch.zeros(2)]\n>>> torch.distributed.all_gather(parts, torch.ones(2))\n>>> parts\n[tensor([1., 1.])]")
def all_gather(tensor_list: list[torch.Tensor], tensor: torch.Tensor, group: Any = None, async_op: bool = False) -> Any:
    """Gives all ranks the tensors of all.

    Args:
        tensor_list (list of Tensor): where they go, one for each rank
        tensor (Tensor): what this rank sends
        {group}
        {async_op}

    Returns:
        a Work if `async_op`
    """
    check_tensors("all_gather", "tensor_list", tensor_list)
    check_tensor("all_gather", "tensor", tensor)
    pg = member("all_gather", group)
    if pg is None:
        return None
    work = pg.allgather([[as_real(t) for t in tensor_list]], [as_real(tensor)], options(AllgatherOptions, async_op))
    return finish(work, async_op)


@documented(">>> x = torch.zeros(2)\n>>> torch.distributed.all_gather_into_tensor(x, torch.ones(2))\n>>> x\ntensor([1., 1.])")
def all_gather_into_tensor(output_tensor: torch.Tensor, input_tensor: torch.Tensor, group: Any = None, async_op: bool = False
                           ) -> Any:  # fmt: skip
    """Gives all ranks the tensors of all, one after the other in one tensor.

    Args:
        output_tensor (Tensor): where they go; joined in the first dimension, or stacked
        input_tensor (Tensor): what this rank sends
        {group}
        {async_op}

    Returns:
        a Work if `async_op`
    """
    check_tensor("all_gather_into_tensor", "output_tensor", output_tensor)
    check_tensor("all_gather_into_tensor", "input_tensor", input_tensor)
    pg = member("all_gather_into_tensor", group)
    if pg is None:
        return None
    output, own = as_real(output_tensor), as_real(input_tensor)
    if _hold(pg, "all_gather", [output], [own], None):
        return None
    return finish(pg._allgather_base(output, own, options(AllgatherOptions, async_op)), async_op)


def all_gather_single(output_tensor: torch.Tensor, input_tensor: torch.Tensor, group: Any = None, async_op: bool = False
                      ) -> Any:  # fmt: skip
    """Another name of `all_gather_into_tensor`.

    Args:
        output_tensor (Tensor): where the tensors go
        input_tensor (Tensor): what this rank sends
        group (ProcessGroup, optional): the ranks that take part
        async_op (bool, default False): return at once with a Work

    Returns:
        a Work if `async_op`

    Example:
        >>> torch.distributed.all_gather_single.__name__
        'all_gather_single'
    """
    return all_gather_into_tensor(output_tensor, input_tensor, group, async_op)


_all_gather_base = all_gather_single


@documented(">>> x = torch.zeros(1)\n>>> torch.distributed.all_gather_coalesced([[x]], [torch.ones(1)])\n>>> x\ntensor([1.])")
def all_gather_coalesced(
    output_tensor_lists: list[list[torch.Tensor]], input_tensor_list: list[torch.Tensor], group: Any = None,
    async_op: bool = False,
) -> Any:  # fmt: skip
    """Gives all ranks several tensors of all at once.

    Args:
        output_tensor_lists (list of lists of Tensor): for each rank, where its tensors go
        input_tensor_list (list of Tensor): what this rank sends, of one dtype
        {group}
        {async_op}

    Returns:
        a Work if `async_op`
    """
    check_tensors("all_gather_coalesced", "input_tensor_list", input_tensor_list)
    if not isinstance(output_tensor_lists, (list, tuple)):
        raise TypeError("all_gather_coalesced(): expected output_tensor_lists to be a list of lists of Tensor")
    for tensors in output_tensor_lists:
        check_tensors("all_gather_coalesced", "output_tensor_lists", tensors)
    pg = member("all_gather_coalesced", group)
    if pg is None:
        return None
    outputs = [[as_real(t) for t in tensors] for tensors in output_tensor_lists]
    own = [as_real(t) for t in input_tensor_list]
    return finish(pg.allgather_coalesced(outputs, own, options(AllgatherOptions, async_op)), async_op)


@documented(">>> parts = [torch.zeros(1)]\n>>> torch.distributed.gather(torch.ones(1), parts, dst=0)\n>>> parts\n[tensor([1.])]")
def gather(
    tensor: torch.Tensor, gather_list: list[torch.Tensor] | None = None, dst: int | None = None, group: Any = None,
    async_op: bool = False, group_dst: int | None = None,
) -> Any:  # fmt: skip
    """Gives one rank the tensors of all.

    Args:
        tensor (Tensor): what this rank sends
        gather_list (list of Tensor, optional): on the rank that receives, where they go
        dst (int, optional): the rank that receives, counted over all processes; 0 by default
        {group}
        {async_op}
        {group_dst}

    Returns:
        a Work if `async_op`

    Raises:
        ValueError: a list on another rank, or none on that one
    """
    check_tensor("gather", "tensor", tensor)
    pg = member("gather", group)
    if pg is None:
        return None
    receiver = root("gather", pg, dst, group_dst, 0)
    lists: list[list[torch.Tensor]] = []
    if pg.rank() == receiver:
        if not gather_list:
            raise ValueError("gather(): the rank that receives needs a gather_list")
        check_tensors("gather", "gather_list", gather_list)
        lists = [[as_real(t) for t in gather_list]]
    elif gather_list:
        raise ValueError("gather(): only the rank that receives takes a gather_list")
    return finish(pg.gather(lists, [as_real(tensor)], options(GatherOptions, async_op, rootRank=receiver)), async_op)


@documented(">>> x = torch.zeros(1)\n>>> torch.distributed.scatter(x, [torch.ones(1)], src=0)\n>>> x\ntensor([1.])")
def scatter(
    tensor: torch.Tensor, scatter_list: list[torch.Tensor] | None = None, src: int | None = None, group: Any = None,
    async_op: bool = False, group_src: int | None = None,
) -> Any:  # fmt: skip
    """Gives every rank one of the tensors of one rank.

    Args:
        tensor (Tensor): where it goes
        scatter_list (list of Tensor, optional): on the rank that sends, one for each rank
        src (int, optional): the rank that sends, counted over all processes; 0 by default
        {group}
        {async_op}
        {group_src}

    Returns:
        a Work if `async_op`

    Raises:
        ValueError: a list on another rank, or none on that one
    """
    check_tensor("scatter", "tensor", tensor)
    pg = member("scatter", group)
    if pg is None:
        return None
    sender = root("scatter", pg, src, group_src, 0)
    lists: list[list[torch.Tensor]] = []
    if pg.rank() == sender:
        if not scatter_list:
            raise ValueError("scatter(): the rank that sends needs a scatter_list")
        check_tensors("scatter", "scatter_list", scatter_list)
        lists = [[as_real(t) for t in scatter_list]]
    elif scatter_list:
        raise ValueError("scatter(): only the rank that sends takes a scatter_list")
    return finish(pg.scatter([as_real(tensor)], lists, options(ScatterOptions, async_op, rootRank=sender)), async_op)


@documented(">>> x = torch.zeros(1)\n>>> torch.distributed.reduce_scatter(x, [torch.ones(1)])\n>>> x\ntensor([1.])")
def reduce_scatter(
    output: torch.Tensor, input_list: list[torch.Tensor], op: Any = ReduceOp.SUM, group: Any = None, async_op: bool = False
) -> Any:  # fmt: skip
    """Combines lists of tensors, and gives each rank one of the results.

    Args:
        output (Tensor): where it goes
        input_list (list of Tensor): what this rank adds, one for each rank
        {op}
        {group}
        {async_op}

    Returns:
        a Work if `async_op`
    """
    check_tensor("reduce_scatter", "output", output)
    check_tensors("reduce_scatter", "input_list", input_list)
    pg = member("reduce_scatter", group)
    if pg is None:
        return None
    inputs = [reducible("reduce_scatter", t, op) for t in input_list]
    opts = options(ReduceScatterOptions, async_op, reduceOp=op)
    return finish(pg.reduce_scatter([as_real(output)], [inputs], opts), async_op)


@documented(">>> x = torch.zeros(1)\n>>> torch.distributed.reduce_scatter_tensor(x, torch.ones(1))\n>>> x\ntensor([1.])")
def reduce_scatter_tensor(
    output: torch.Tensor, input: torch.Tensor, op: Any = ReduceOp.SUM, group: Any = None, async_op: bool = False
) -> Any:  # fmt: skip
    """Combines tensors, and gives each rank a part of the result.

    Args:
        output (Tensor): where it goes
        input (Tensor): what this rank adds: the parts joined in the first dimension, or stacked
        {op}
        {group}
        {async_op}

    Returns:
        a Work if `async_op`
    """
    check_tensor("reduce_scatter_tensor", "output", output)
    check_tensor("reduce_scatter_tensor", "input", input)
    pg = member("reduce_scatter_tensor", group)
    if pg is None:
        return None
    own = reducible("reduce_scatter_tensor", input, op)
    if _hold(pg, "reduce_scatter", [as_real(output)], [own], op):
        return None
    opts = options(ReduceScatterOptions, async_op, reduceOp=op)
    return finish(pg._reduce_scatter_base(as_real(output), own, opts), async_op)


def reduce_scatter_single(
    output: torch.Tensor, input: torch.Tensor, op: Any = ReduceOp.SUM, group: Any = None, async_op: bool = False
) -> Any:  # fmt: skip
    """Another name of `reduce_scatter_tensor`.

    Args:
        output (Tensor): where the part goes
        input (Tensor): what this rank adds
        op (ReduceOp, default SUM): how values are combined
        group (ProcessGroup, optional): the ranks that take part
        async_op (bool, default False): return at once with a Work

    Returns:
        a Work if `async_op`

    Example:
        >>> torch.distributed.reduce_scatter_single.__name__
        'reduce_scatter_single'
    """
    return reduce_scatter_tensor(output, input, op, group, async_op)


_reduce_scatter_base = reduce_scatter_single


@documented(">>> x = [torch.zeros(1)]\n>>> torch.distributed.all_to_all(x, [torch.ones(1)])\n>>> x\n[tensor([1.])]")
def all_to_all(
    output_tensor_list: list[torch.Tensor], input_tensor_list: list[torch.Tensor], group: Any = None, async_op: bool = False
) -> Any:  # fmt: skip
    """Each rank sends a tensor to every rank.

    Args:
        output_tensor_list (list of Tensor): what comes from each rank
        input_tensor_list (list of Tensor): what goes to each rank
        {group}
        {async_op}

    Returns:
        a Work if `async_op`
    """
    check_tensors("all_to_all", "output_tensor_list", output_tensor_list)
    check_tensors("all_to_all", "input_tensor_list", input_tensor_list)
    pg = member("all_to_all", group)
    if pg is None:
        return None
    outputs, inputs = ([as_real(t) for t in tensors] for tensors in (output_tensor_list, input_tensor_list))
    return finish(pg.alltoall(outputs, inputs, options(AllToAllOptions, async_op)), async_op)


@documented(">>> x = torch.zeros(1)\n>>> torch.distributed.all_to_all_single(x, torch.ones(1))\n>>> x\ntensor([1.])")
def all_to_all_single(
    output: torch.Tensor, input: torch.Tensor, output_split_sizes: list[int] | None = None,
    input_split_sizes: list[int] | None = None, group: Any = None, async_op: bool = False,
) -> Any:  # fmt: skip
    """Each rank sends some rows of a tensor to every rank.

    Args:
        output (Tensor): what comes
        input (Tensor): what goes
        output_split_sizes (list of int, optional): how many rows come from each rank; all the same by default
        input_split_sizes (list of int, optional): how many rows go to each rank; all the same by default
        {group}
        {async_op}

    Returns:
        a Work if `async_op`
    """
    check_tensor("all_to_all_single", "output", output)
    check_tensor("all_to_all_single", "input", input)
    pg = member("all_to_all_single", group)
    if pg is None:
        return None
    opts = options(AllToAllOptions, async_op)
    splits = list(output_split_sizes or []), list(input_split_sizes or [])
    return finish(pg.alltoall_base(as_real(output), as_real(input), *splits, opts), async_op)


@documented(">>> torch.distributed.barrier()")
def barrier(
    group: Any = None, async_op: bool = False, device_ids: Any = None, timeout: datetime.timedelta | None = None
) -> Any:  # fmt: skip
    """Waits until all ranks have come here.

    Args:
        {group}
        {async_op}
        device_ids (list of int, optional): of no effect on the CPU
        timeout (timedelta, optional): how long this may take; as long as the group's collectives by default

    Returns:
        a Work if `async_op`
    """
    pg = member("barrier", group)
    if pg is None:
        return None
    return finish(pg.barrier(options(BarrierOptions, async_op, timeout=timeout)), async_op)


@documented(">>> torch.distributed.monitored_barrier()")
def monitored_barrier(
    group: Any = None, timeout: datetime.timedelta | None = None, wait_all_ranks: bool = False
) -> None:  # fmt: skip
    """Waits until all ranks have come here, and says which did not.

    Args:
        {group}
        timeout (timedelta, optional): how long this may take; as long as the group's collectives by default
        wait_all_ranks (bool, default False): name all ranks that did not come, not the first

    Raises:
        DistBackendError: a rank did not come; all that did get the error
    """
    pg = member("monitored_barrier", group)
    if pg is not None:
        pg.monitored_barrier(timeout, wait_all_ranks)
