"""A process that writes checkpoints while training goes on: one beside each process of the job, with a group of their own."""

from __future__ import annotations

import socket
from typing import Any

import torch
import torch.distributed as dist
from torch.distributed.checkpoint._pieces import is_dtensor
from torch.distributed.checkpoint._steps import _Failure
from torch.distributed.checkpoint.api import CheckpointException
from torch.utils import _pytree as pytree


def shared_copy(state: Any) -> Any:
    """A copy of a state whose tensors are in memory that another process can use."""

    def copy(t: torch.Tensor) -> torch.Tensor:
        made = torch.empty_like(t, device="cpu", memory_format=torch.contiguous_format).share_memory_()
        return made.copy_(t)

    def visit(value: Any) -> Any:
        if is_dtensor(value):
            from torch.distributed.tensor._api import DTensor

            return DTensor(copy(value._local_tensor.detach()), value._spec)
        return copy(value.detach()) if isinstance(value, torch.Tensor) else value

    return pytree.tree_map(visit, state, is_leaf=lambda x: isinstance(x, torch.Tensor))


class SaveProcess:
    """The process beside this one. All processes of the group make theirs together; no group: it saves alone."""

    def __init__(self, group: Any) -> None:
        from torch.multiprocessing import get_context

        self.group = group
        context = get_context("spawn")
        self.connection, other = context.Pipe()
        rank, size = (0, 1) if group is None else (dist.get_rank(group), dist.get_world_size(group))
        own_rank = 0 if group is None else dist.get_rank()
        self.process = context.Process(target=_run, args=(other, rank, size, own_rank), daemon=True)
        self.process.start()
        other.close()
        if group is not None:
            self._connect(rank)
        self._answer()

    def _connect(self, rank: int) -> None:
        """Tells all processes where the store of the first one listens."""
        names: list[Any] = [None] * dist.get_world_size(self.group)
        dist.all_gather_object(names, socket.gethostname(), group=self.group)
        host = "localhost" if len(set(names)) == 1 else names[0]
        place: list[Any] = [None]
        if rank == 0:
            self._send(host)
            place[0] = self._try_answer()
        dist.broadcast_object_list(place, group=self.group, group_src=0)
        if isinstance(place[0], Exception):
            raise place[0]
        if rank > 0:
            self._send((host, place[0]))

    def _send(self, value: Any) -> None:
        try:
            self.connection.send(value)
        except (BrokenPipeError, ConnectionError):
            raise self._ended() from None

    def _ended(self) -> RuntimeError:
        self.process.join(5)
        return RuntimeError(f"checkpoint.async_save(): the process that saves ended with exit status {self.process.exitcode}")

    def _answer(self) -> Any:
        try:
            failure, value = self.connection.recv()
        except (EOFError, ConnectionError):
            raise self._ended() from None
        if failure is not None:
            raise failure.error
        return value

    def _try_answer(self) -> Any:
        try:
            return self._answer()
        except Exception as error:  # noqa: BLE001  (goes to all processes)
            return error

    def is_alive(self) -> bool:
        return self.process.is_alive()

    def save(self, state: Any, writer: Any, planner: Any) -> Any:
        """What `checkpoint.save` returns, once it is done."""
        self._send((state, writer, planner))
        return self._answer()

    def close(self) -> None:
        """Ends the process, after what it is saving."""
        self.connection.close()
        self.process.join()


def _start(connection: Any, rank: int, size: int) -> None:
    if rank == 0:
        store = dist.TCPStore(connection.recv(), 0, size, True, wait_for_workers=False)
        connection.send((None, store.port))
    else:
        store = dist.TCPStore(*connection.recv(), size, False)
    dist.init_process_group("gloo", store=store, rank=rank, world_size=size)


def _place_meshes(state: Any, rank: int) -> None:
    """Gives the meshes of DTensors the rank of the process that this one is beside."""
    for value in pytree.tree_leaves(state, is_leaf=lambda x: isinstance(x, torch.Tensor)):
        if is_dtensor(value):
            value.device_mesh._get_root_mesh()._place(rank)
            value.device_mesh._place(rank)


def _run(connection: Any, rank: int, size: int, own_rank: int) -> None:
    from torch.distributed.checkpoint.state_dict_saver import _save

    torch.set_num_threads(1)
    try:
        if size > 1:
            _start(connection, rank, size)
        connection.send((None, None))
        while True:
            state, writer, planner = connection.recv()
            _place_meshes(state, own_rank)
            try:
                answer: Any = None, _save(state, writer, None, 0, size == 1, planner)
            except (Exception, CheckpointException) as error:  # noqa: BLE001  (raised where the save was asked for)
                answer = _Failure(error), None
            del state
            connection.send(answer)
    except (EOFError, ConnectionError, KeyboardInterrupt):
        pass  # the process that this one is beside has ended
