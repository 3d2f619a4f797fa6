"""Checks of arguments that all collectives share."""

from __future__ import annotations

import warnings
from typing import Any

import torch
from torch._C import _distributed_c10d as _c10d
from torch.distributed._groups import GroupMember, ProcessGroup, _rank_not_in_group, _resolve, get_group_rank, get_rank
from torch.distributed._process_group import _first


def check_tensor(function: str, name: str, tensor: Any) -> None:
    if not isinstance(tensor, torch.Tensor):
        raise TypeError(f"{function}(): expected {name} to be a Tensor, got {type(tensor).__name__}")


def check_tensors(function: str, name: str, tensors: Any) -> None:
    if not isinstance(tensors, (list, tuple)) or not all(isinstance(t, torch.Tensor) for t in tensors):
        raise TypeError(f"{function}(): expected {name} to be a list of Tensor, got {type(tensors).__name__}")


def check_op(function: str, op: Any) -> None:
    if not isinstance(op, (_c10d.ReduceOp, _c10d.ReduceOp.RedOpType)):
        raise TypeError(f"{function}(): expected op to be a ReduceOp, got {op!r}")


def supports_complex(reduceOp: Any) -> bool:  # noqa: N803
    """Whether complex numbers can be combined this way.

    Args:
        reduceOp (ReduceOp): the way

    Returns:
        True for a sum and an average

    Example:
        >>> torch.distributed.supports_complex(torch.distributed.ReduceOp.MAX)
        False
    """
    return reduceOp in (_c10d.ReduceOp.SUM, _c10d.ReduceOp.AVG)


def as_real(tensor: torch.Tensor) -> torch.Tensor:
    """Complex numbers as pairs of real ones, in the same memory."""
    return torch.view_as_real(tensor) if tensor.is_complex() else tensor


def reducible(function: str, tensor: torch.Tensor, op: Any) -> torch.Tensor:
    """The tensor whose elements are combined."""
    check_op(function, op)
    if tensor.is_complex() and not supports_complex(op):
        raise ValueError(f"{function}(): there is no {op} of complex numbers")
    return as_real(tensor)


def member(function: str, group: Any) -> ProcessGroup | None:
    """The group, or None with a warning where this process is not in it."""
    if _rank_not_in_group(group):
        rank = get_rank()
        warnings.warn(f"{function}(): rank {rank} is not in the group, and does nothing", stacklevel=3)
        return None
    return _resolve(group)


def root(function: str, group: ProcessGroup, rank: int | None, group_rank: int | None, default: int | None = None) -> int:
    """The rank within the group, out of the one over all processes or the one within the group."""
    if rank is not None and group_rank is not None:
        raise ValueError(f"{function}(): give the rank over all processes or the one within the group, not both")
    if group_rank is not None:
        if not 0 <= group_rank < group.size():
            raise ValueError(f"{function}(): the group of {group.size()} ranks has no rank {group_rank}")
        return group_rank
    if rank is None:
        if default is None:
            raise ValueError(f"{function}(): which rank? None was given")
        return default
    found = get_group_rank(group, rank)
    if not 0 <= found < group.size():
        raise RuntimeError(f"{function}(): there is no rank {rank} among {group.size()}")
    return found


def options(kind: Any, async_op: bool, **fields: Any) -> Any:
    made = kind()
    made.asyncOp = async_op
    for name, value in fields.items():
        setattr(made, name, value)
    return made


def finish(work: Any, async_op: bool) -> Any:
    """What the function returns: the work, or nothing after its end."""
    if async_op:
        return work
    if work is not None:
        work.wait()
    return None


__all__ = ["GroupMember", "_first"]
