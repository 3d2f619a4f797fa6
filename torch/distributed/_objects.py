"""Collectives of Python objects, which travel as pickles.

Unpickling runs what the sender says: they are for ranks that trust each other.
"""

from __future__ import annotations

import io
import pickle
from typing import Any

import torch
from torch.distributed._checks import member, root
from torch.distributed._collectives import all_gather_into_tensor, broadcast, gather, scatter
from torch.distributed._docs import documented
from torch.distributed._groups import ProcessGroup
from torch.distributed._p2p import recv, send


def _device_of(pg: ProcessGroup, device: Any = None) -> torch.device:
    """Where the bytes of objects are while they travel: on the CPU if the group has a backend for it."""
    if device is not None:
        return torch.device(device)
    names = [found.type for found in pg._device_types]
    if not names or "cpu" in names:
        return torch.device("cpu")
    return torch.device(names[0], torch.get_device_module(names[0]).current_device())


def _pickled(obj: Any, device: torch.device) -> torch.Tensor:
    buffer = io.BytesIO()
    pickle.Pickler(buffer, pickle.HIGHEST_PROTOCOL).dump(obj)
    return torch.frombuffer(bytearray(buffer.getvalue()), dtype=torch.uint8).to(device)


def _unpickled(tensor: torch.Tensor) -> Any:
    return pickle.loads(tensor.cpu().numpy().tobytes())


def _padded(tensor: torch.Tensor, size: int) -> torch.Tensor:
    """All ranks send as many bytes."""
    return torch.cat([tensor, torch.zeros(size - tensor.numel(), dtype=torch.uint8, device=tensor.device)])


def _sizes_of_all(pg: ProcessGroup, tensor: torch.Tensor) -> list[int]:
    sizes = torch.empty(pg.size(), dtype=torch.int64, device=tensor.device)
    all_gather_into_tensor(sizes, torch.tensor([tensor.numel()], device=tensor.device), pg)
    return sizes.tolist()


def _check_list(function: str, name: str, objects: Any) -> None:
    if not isinstance(objects, list):
        raise TypeError(f"{function}(): expected {name} to be a list, got {type(objects).__name__}")


@documented(">>> objects = [None]\n>>> torch.distributed.all_gather_object(objects, \"a\")\n>>> objects\n['a']")
def all_gather_object(object_list: list[Any], obj: Any, group: Any = None) -> None:
    """Gives all ranks the objects of all. They are pickled: only for ranks that trust each other.

    Args:
        object_list (list): where they go, one for each rank
        obj (object): what this rank sends
        {group}
    """
    pg = member("all_gather_object", group)
    if pg is None:
        return
    _check_list("all_gather_object", "object_list", object_list)
    if len(object_list) != pg.size():
        raise ValueError(f"all_gather_object(): expected a list of {pg.size()} objects, got {len(object_list)}")
    own = _pickled(obj, _device_of(pg))
    sizes = _sizes_of_all(pg, own)
    parts = torch.empty(pg.size(), max(sizes), dtype=torch.uint8, device=own.device)
    all_gather_into_tensor(parts, _padded(own, max(sizes)), pg)
    for rank, size in enumerate(sizes):
        object_list[rank] = _unpickled(parts[rank, :size])


@documented(">>> objects = [None]\n>>> torch.distributed.gather_object(\"a\", objects, dst=0)\n>>> objects\n['a']")
def gather_object(
    obj: Any, object_gather_list: list[Any] | None = None, dst: int | None = None, group: Any = None,
    group_dst: int | None = None,
) -> None:  # fmt: skip
    """Gives one rank the objects of all. They are pickled: only for ranks that trust each other.

    Args:
        obj (object): what this rank sends
        object_gather_list (list, optional): on the rank that receives, where they go
        dst (int, optional): the rank that receives, counted over all processes; 0 by default
        {group}
        {group_dst}
    """
    pg = member("gather_object", group)
    if pg is None:
        return
    receiver = root("gather_object", pg, dst, group_dst, 0)
    if pg.rank() == receiver:
        _check_list("gather_object", "object_gather_list", object_gather_list)
        assert object_gather_list is not None
        if len(object_gather_list) != pg.size():
            raise ValueError(f"gather_object(): expected a list of {pg.size()} objects, got {len(object_gather_list)}")
    elif object_gather_list:
        raise ValueError("gather_object(): only the rank that receives takes an object_gather_list")
    own = _pickled(obj, _device_of(pg))
    sizes = _sizes_of_all(pg, own)
    longest = max(sizes)
    parts = [torch.empty(longest, dtype=torch.uint8, device=own.device) for _ in sizes] if pg.rank() == receiver else None
    gather(_padded(own, longest), parts, group=pg, group_dst=receiver)
    if parts is not None and object_gather_list is not None:
        for rank, size in enumerate(sizes):
            object_gather_list[rank] = _unpickled(parts[rank][:size])


def _joined(objects: list[Any], device: torch.device) -> tuple[torch.Tensor, torch.Tensor]:
    pickles = [_pickled(obj, device) for obj in objects]
    sizes = torch.tensor([p.numel() for p in pickles], dtype=torch.int64, device=device)
    return sizes, torch.cat(pickles) if pickles else torch.empty(0, dtype=torch.uint8, device=device)


def _split(objects: list[Any], sizes: torch.Tensor, joined: torch.Tensor) -> None:
    at = 0
    for place, size in enumerate(sizes.tolist()):
        objects[place] = _unpickled(joined[at : at + size])
        at += size


@documented(">>> objects = [\"a\", 1]\n>>> torch.distributed.broadcast_object_list(objects, 0)\n>>> objects\n['a', 1]")
def broadcast_object_list(
    object_list: list[Any], src: int | None = None, group: Any = None, device: Any = None, group_src: int | None = None
) -> None:  # fmt: skip
    """Gives all ranks the objects of one. They are pickled: only for ranks that trust each other.

    Args:
        object_list (list): what is sent, or what is filled; the same length on all ranks
        {src}
        {group}
        {device}
        {group_src}
    """
    pg = member("broadcast_object_list", group)
    if pg is None:
        return
    _check_list("broadcast_object_list", "object_list", object_list)
    sender = root("broadcast_object_list", pg, src, group_src, 0)
    place = _device_of(pg, device)
    if pg.rank() == sender:
        sizes, joined = _joined(object_list, place)
        broadcast(sizes, group=pg, group_src=sender)
        broadcast(joined, group=pg, group_src=sender)
        return
    sizes = torch.empty(len(object_list), dtype=torch.int64, device=place)
    broadcast(sizes, group=pg, group_src=sender)
    joined = torch.empty(int(sizes.sum()), dtype=torch.uint8, device=place)
    broadcast(joined, group=pg, group_src=sender)
    _split(object_list, sizes, joined)


@documented(">>> got = [None]\n>>> torch.distributed.scatter_object_list(got, [\"a\"], src=0)\n>>> got\n['a']")
def scatter_object_list(
    scatter_object_output_list: list[Any], scatter_object_input_list: list[Any] | None = None, src: int | None = None,
    group: Any = None, group_src: int | None = None,
) -> None:  # fmt: skip
    """Gives every rank one of the objects of one rank. They are pickled: only for ranks that trust each other.

    Args:
        scatter_object_output_list (list): its first element becomes the object
        scatter_object_input_list (list, optional): on the rank that sends, one for each rank
        src (int, optional): the rank that sends, counted over all processes; 0 by default
        {group}
        {group_src}
    """
    pg = member("scatter_object_list", group)
    if pg is None:
        return
    _check_list("scatter_object_list", "scatter_object_output_list", scatter_object_output_list)
    if not scatter_object_output_list:
        raise ValueError("scatter_object_list(): scatter_object_output_list needs a place for the object")
    sender = root("scatter_object_list", pg, src, group_src, 0)
    device = _device_of(pg)
    sizes = torch.empty(pg.size(), dtype=torch.int64, device=device)
    parts: list[torch.Tensor] = []
    if pg.rank() == sender:
        _check_list("scatter_object_list", "scatter_object_input_list", scatter_object_input_list)
        assert scatter_object_input_list is not None
        if len(scatter_object_input_list) != pg.size():
            raise ValueError(f"scatter_object_list(): expected {pg.size()} objects, got {len(scatter_object_input_list)}")
        parts = [_pickled(obj, device) for obj in scatter_object_input_list]
        sizes = torch.tensor([p.numel() for p in parts], dtype=torch.int64, device=device)
    broadcast(sizes, group=pg, group_src=sender)
    longest = int(sizes.max())
    own = torch.empty(longest, dtype=torch.uint8, device=device)
    scatter(own, [_padded(p, longest) for p in parts] or None, group=pg, group_src=sender)
    scatter_object_output_list[0] = _unpickled(own[: int(sizes[pg.rank()])])


@documented(">>> torch.distributed.get_world_size()  # nobody to talk to\n1")
def send_object_list(
    object_list: list[Any], dst: int | None = None, group: Any = None, device: Any = None, group_dst: int | None = None,
    use_batch: bool = False,
) -> None:  # fmt: skip
    """Sends objects to a rank. They are pickled: only for ranks that trust each other.

    Args:
        object_list (list): what is sent
        {dst}
        {group}
        {device}
        {group_dst}
        {use_batch}
    """
    pg = member("send_object_list", group)
    if pg is None:
        return
    _check_list("send_object_list", "object_list", object_list)
    sizes, joined = _joined(object_list, _device_of(pg, device))
    send(sizes, dst, pg, 0, group_dst)
    send(joined, dst, pg, 0, group_dst)


@documented(">>> torch.distributed.get_world_size()  # nobody to talk to\n1")
def recv_object_list(
    object_list: list[Any], src: int | None = None, group: Any = None, device: Any = None, group_src: int | None = None,
    use_batch: bool = False,
) -> int:  # fmt: skip
    """Receives objects from a rank. They are pickled: only for ranks that trust each other.

    Args:
        object_list (list): where they go; as long as the list that is sent
        src (int, optional): the rank that sends, counted over all processes; any by default
        {group}
        {device}
        {group_src}
        {use_batch}

    Returns:
        the rank that sent them, -1 if this process is not in the group
    """
    pg = member("recv_object_list", group)
    if pg is None:
        return -1
    _check_list("recv_object_list", "object_list", object_list)
    place = _device_of(pg, device)
    sizes = torch.empty(len(object_list), dtype=torch.int64, device=place)
    sender = recv(sizes, src, pg, 0, group_src)
    joined = torch.empty(int(sizes.sum()), dtype=torch.uint8, device=place)
    recv(joined, sender, pg)
    _split(object_list, sizes, joined)
    return sender
