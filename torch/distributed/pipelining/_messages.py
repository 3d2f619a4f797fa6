"""Values on their way between the stages of a pipeline.

Tags keep apart the messages between two processes. Sends do not wait. A message begins with the number of bytes that describe its
values: 0 if these are as in the message before.
"""

from __future__ import annotations

import pickle
from typing import Any

import torch
import torch.distributed as dist

FORWARD, BACKWARD = 0, 1  # what a message is for
_HEADER, _ABOUT, _FIRST_TENSOR = 0, 1, 2
MAX_VALUES, MAX_STAGES, _MICROBATCHES = 60, 256, 32  # with 2 kinds, tags have 28 bits

_Key = tuple[int, int, int]  # kind, sender, receiver


class Messages:
    """The messages of one stage. `rank_of` gives the process of a stage, within the group."""

    def __init__(self, stage: int, group: Any, device: torch.device) -> None:
        self.stage, self.group, self.device = stage, group, device
        self.rank_of: dict[int, int] = {}
        self.neighbours: dict[int, Messages] = {}  # of stages in this process
        self._known: dict[_Key, Any] = {}
        self.clear()

    def clear(self) -> None:
        """Forgets what the last step left."""
        self._local: dict[tuple[_Key, int], list[Any]] = {}
        self._works: list[tuple[Any, torch.Tensor]] = []

    def finish(self) -> None:
        """Waits until everything is sent."""
        for work, _ in self._works:
            work.wait()
        self._works.clear()

    @staticmethod
    def _tag(key: _Key, microbatch: int, k: int) -> int:
        kind, sender, receiver = key
        # Messages of equal tags come in the order in which they were sent.
        return (((kind * MAX_STAGES + sender) * MAX_STAGES + receiver) * _MICROBATCHES + microbatch % _MICROBATCHES) * (
            MAX_VALUES + _FIRST_TENSOR) + k  # fmt: skip

    def send(self, kind: int, to: int, microbatch: int, values: list[Any]) -> None:
        """Sends tensors and other values to a stage."""
        key = kind, self.stage, to
        neighbour = self.neighbours.get(to)
        if neighbour is not None:
            neighbour._local[(key, microbatch)] = [v.detach() if isinstance(v, torch.Tensor) else v for v in values]
            return
        if len(values) > MAX_VALUES:
            raise ValueError(f"PipelineStage: a stage sends {len(values)} values; at most {MAX_VALUES} are supported")
        about = [(tuple(v.shape), v.dtype, v.requires_grad) if isinstance(v, torch.Tensor) else v for v in values]
        described = (
            b""
            if self._known.get(key) == about
            else pickle.dumps([(isinstance(v, torch.Tensor), a) for v, a in zip(values, about)])
        )
        self._known[key] = about
        self._isend(torch.tensor([len(described)]), key, microbatch, _HEADER)
        if described:
            self._isend(torch.frombuffer(bytearray(described), dtype=torch.uint8), key, microbatch, _ABOUT)
        for k, v in enumerate(values):
            if isinstance(v, torch.Tensor):
                self._isend(v.detach().contiguous(), key, microbatch, _FIRST_TENSOR + k)

    def _isend(self, t: torch.Tensor, key: _Key, microbatch: int, k: int) -> None:
        t = t.to(self.device)
        work = dist.isend(t, group=self.group, group_dst=self.rank_of[key[2]], tag=self._tag(key, microbatch, k))
        self._works.append((work, t))

    def receive(self, kind: int, sender: int, microbatch: int) -> list[Any]:
        """What a stage sent."""
        key = kind, sender, self.stage
        if sender in self.neighbours:
            return self._local.pop((key, microbatch))
        length = int(self._recv(torch.empty(1, dtype=torch.int64, device=self.device), key, microbatch, _HEADER).item())
        if length:
            described = self._recv(torch.empty(length, dtype=torch.uint8, device=self.device), key, microbatch, _ABOUT)
            self._known[key] = pickle.loads(bytes(described.tolist()))
        values = []
        for k, (is_tensor, about) in enumerate(self._known[key]):
            if not is_tensor:
                values.append(about)
                continue
            shape, dtype, requires_grad = about
            t = self._recv(torch.empty(shape, dtype=dtype, device=self.device), key, microbatch, _FIRST_TENSOR + k)
            values.append(t.requires_grad_(requires_grad) if kind == FORWARD else t)
        return values

    def _recv(self, t: torch.Tensor, key: _Key, microbatch: int, k: int) -> torch.Tensor:
        dist.recv(t, group=self.group, group_src=self.rank_of[key[1]], tag=self._tag(key, microbatch, k))
        return t
