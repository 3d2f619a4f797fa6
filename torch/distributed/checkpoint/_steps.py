"""Steps that all processes take together: each does its part, one decides, and an error of one is an error of all."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from typing import Any

import torch.distributed as dist
from torch.distributed.checkpoint.api import CheckpointException


class _Failure:
    """An error on its way to the other processes."""

    def __init__(self, error: BaseException) -> None:
        self.error: BaseException = error
        self.stack = traceback.extract_tb(error.__traceback__)

    def __getstate__(self) -> dict[str, Any]:
        import pickle

        error = self.error
        try:
            pickle.loads(pickle.dumps(error))
        except Exception:  # noqa: BLE001  (an error that cannot be sent is sent as text)
            error = RuntimeError(f"{type(error).__name__}: {error}")
        return {"error": error, "stack": self.stack}


def _try(function: Callable[..., Any], *args: Any) -> Any:
    try:
        return function(*args)
    except BaseException as error:  # noqa: BLE001  (raised on every process)
        return _Failure(error)


class Steps:
    """The processes of a save or load. `coordinator` is a rank of the group."""

    def __init__(self, group: Any, coordinator: int, alone: bool) -> None:
        self.alone = alone or not (dist.is_available() and dist.is_initialized())
        self.group, self.coordinator = group, coordinator
        self.rank = 0 if self.alone else dist.get_rank(group)
        self.size = 1 if self.alone else dist.get_world_size(group)

    @property
    def is_coordinator(self) -> bool:
        return self.alone or self.rank == self.coordinator

    def _gather(self, value: Any) -> list[Any]:
        if self.size == 1:
            return [value]
        found: list[Any] = [None] * self.size
        dist.gather_object(value, found if self.is_coordinator else None, group=self.group, group_dst=self.coordinator)
        return found

    def _send(self, values: list[Any] | None) -> Any:
        if self.size == 1:
            assert values is not None
            return values[0]
        received: list[Any] = [None]
        dist.scatter_object_list(received, values, group=self.group, group_src=self.coordinator)
        return received[0]

    def decide(self, name: str, local: Callable[[], Any], decision: Callable[[list[Any]], list[Any]]) -> Any:
        """Each process's value of what the coordinator makes out of what all give."""
        given = self._gather(_try(local))
        answers: list[Any] | None = None
        if self.is_coordinator:
            failures = {k: v for k, v in enumerate(given) if isinstance(v, _Failure)}
            made = failures or _try(decision, given)
            if isinstance(made, _Failure):
                made = {self.rank: made}
            answers = made if isinstance(made, list) else [made] * self.size
        return self._checked(name, self._send(answers))

    def same(self, name: str, local: Callable[[], Any], decision: Callable[[list[Any]], Any]) -> Any:
        """The same value on every process, which the coordinator makes out of what all give."""
        return self.decide(name, local, lambda given: [("value", decision(given))] * self.size)[1]

    def broadcast(self, name: str, function: Callable[[], Any]) -> Any:
        """What the coordinator's function gives, on every process."""
        return self.same(name, lambda: None, lambda _: function())

    @staticmethod
    def _checked(name: str, answer: Any) -> Any:
        if isinstance(answer, dict) and answer and all(isinstance(v, _Failure) for v in answer.values()):
            raise CheckpointException(name, {rank: (f.error, f.stack) for rank, f in answer.items()})
        return answer
