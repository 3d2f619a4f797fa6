"""Messages from one rank to another."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch.distributed._checks import as_real, check_tensor, member, root
from torch.distributed._docs import documented
from torch.distributed._groups import ProcessGroup, _resolve, get_global_rank, get_world_size

_ALONE = ">>> torch.distributed.get_world_size()  # nobody to talk to\n1"


def _other(function: str, pg: ProcessGroup, rank: int | None, group_rank: int | None) -> int:
    found = root(function, pg, rank, group_rank)
    if found == pg.rank():
        raise ValueError(f"{function}(): rank {found} cannot exchange messages with itself")
    return found


@documented(_ALONE)
def isend(tensor: torch.Tensor, dst: int | None = None, group: Any = None, tag: int = 0, group_dst: int | None = None) -> Any:
    """Starts to send a tensor, which must not change until the Work has ended.

    Args:
        tensor (Tensor): what is sent
        {dst}
        {group}
        {tag}
        {group_dst}

    Returns:
        a Work, None if this process is not in the group
    """
    check_tensor("isend", "tensor", tensor)
    pg = member("isend", group)
    if pg is None:
        return None
    return pg.send([as_real(tensor)], _other("isend", pg, dst, group_dst), tag)


@documented(_ALONE)
def send(tensor: torch.Tensor, dst: int | None = None, group: Any = None, tag: int = 0, group_dst: int | None = None) -> None:
    """Sends a tensor.

    Args:
        tensor (Tensor): what is sent
        {dst}
        {group}
        {tag}
        {group_dst}
    """
    work = isend(tensor, dst, group, tag, group_dst)
    if work is not None:
        work.wait()


@documented(_ALONE)
def irecv(tensor: torch.Tensor, src: int | None = None, group: Any = None, tag: int = 0, group_src: int | None = None) -> Any:
    """Starts to receive a tensor.

    Args:
        tensor (Tensor): where it goes
        src (int, optional): the rank that sends, counted over all processes; any by default
        {group}
        {tag}
        {group_src}

    Returns:
        a Work, None if this process is not in the group
    """
    check_tensor("irecv", "tensor", tensor)
    pg = member("irecv", group)
    if pg is None:
        return None
    if src is None and group_src is None:
        return pg.recv_anysource([as_real(tensor)], tag)
    return pg.recv([as_real(tensor)], _other("irecv", pg, src, group_src), tag)


@documented(_ALONE)
def recv(tensor: torch.Tensor, src: int | None = None, group: Any = None, tag: int = 0, group_src: int | None = None) -> int:
    """Receives a tensor.

    Args:
        tensor (Tensor): where it goes
        src (int, optional): the rank that sends, counted over all processes; any by default
        {group}
        {tag}
        {group_src}

    Returns:
        the rank that sent it, counted over all processes; -1 if this process is not in the group
    """
    work = irecv(tensor, src, group, tag, group_src)
    if work is None:
        return -1
    work.wait()
    pg = _resolve(group)
    if src is None and group_src is None:
        return get_global_rank(pg, work._source_rank())
    return get_global_rank(pg, root("recv", pg, src, group_src))


class P2POp:
    """A message for `batch_isend_irecv`.

    Args:
        op (Callable): torch.distributed.isend or torch.distributed.irecv
        tensor (Tensor): what is sent, or where it goes
        peer (int, optional): the other rank, counted over all processes
        group (ProcessGroup, optional): the ranks that take part
        tag (int, default 0): marks the message
        group_peer (int, optional): the other rank, counted within the group

    Raises:
        ValueError: `op` is another function

    Example:
        >>> torch.distributed.P2POp(torch.distributed.all_reduce, torch.ones(1), 1)
        Traceback (most recent call last):
        ValueError: ...
    """

    def __init__(
        self, op: Callable[..., Any], tensor: torch.Tensor, peer: int | None = None, group: Any = None, tag: int = 0,
        group_peer: int | None = None,
    ) -> None:  # fmt: skip
        if op not in (isend, irecv):
            raise ValueError(f"P2POp: expected op to be torch.distributed.isend or irecv, got {op!r}")
        check_tensor("P2POp", "tensor", tensor)
        self.op, self.tensor, self.group, self.tag = op, tensor, _resolve(group), tag
        self.group_peer = _other("P2POp", self.group, peer, group_peer)
        self.peer = get_global_rank(self.group, self.group_peer)

    def __repr__(self) -> str:
        return f"P2POp({self.op.__name__} peer={self.peer}, tensor shape={tuple(self.tensor.shape)}, tag={self.tag})"


@documented(_ALONE)
def batch_isend_irecv(p2p_op_list: list[P2POp]) -> list[Any]:
    """Starts several messages.

    Args:
        p2p_op_list (list of P2POp): the messages

    Returns:
        a list of Works

    Raises:
        ValueError: there is none, or they are of different groups
        TypeError: one is no P2POp
    """
    if not isinstance(p2p_op_list, list) or not all(isinstance(op, P2POp) for op in p2p_op_list):
        raise TypeError("batch_isend_irecv(): expected a list of P2POp")
    if not p2p_op_list:
        raise ValueError("batch_isend_irecv(): expected at least one P2POp")
    if any(op.group is not p2p_op_list[0].group for op in p2p_op_list):
        raise ValueError("batch_isend_irecv(): all messages must be of one group")
    # NCCL's begin together, in any order, and are one work.
    find = getattr(p2p_op_list[0].group, "_backend_of", None)
    backend = find(p2p_op_list[0].tensor) if find else None
    together = hasattr(backend, "_start_coalescing")
    works = []
    if together:
        backend._start_coalescing()
    try:
        for op in p2p_op_list:
            rank = {"group_dst" if op.op is isend else "group_src": op.group_peer}
            works.append(op.op(op.tensor, group=op.group, tag=op.tag, **rank))
    finally:
        if together:
            works.append(backend._end_coalescing())
    return [work for work in works if work is not None]


__all__ = ["P2POp", "batch_isend_irecv", "get_world_size", "irecv", "isend", "recv", "send"]
