"""The state of a rendezvous that all machines change: who takes part in the round, who waits for the next one, who lives.

A round is open until enough machines have come and nobody else has for a while; then it is complete, and has ranks. When all that
took part have left, the next round opens. A machine that comes to a complete round waits, and the others see that.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import Any

from torch.distributed.elastic.rendezvous.api import RendezvousConnectionError, RendezvousStateError


@dataclass
class State:
    """What the machines know of each other; JSON is how it is stored."""

    round: int = 0
    complete: bool = False
    closed: bool = False
    participants: list[str] = field(default_factory=list)  # by rank, once the round is complete
    waiting: list[str] = field(default_factory=list)
    beats: dict[str, int] = field(default_factory=dict)  # how often each machine has said that it lives

    def join(self, node: str, max_nodes: int) -> None:
        """A machine comes. In a round that is full it is not noted: it waits until there is room."""
        self.beats.setdefault(node, 0)
        if node in self.participants:
            return
        if len(self.participants) >= max_nodes:
            self.beats.pop(node, None)
            if node in self.waiting:
                self.waiting.remove(node)
        elif self.complete:
            if node not in self.waiting:
                self.waiting.append(node)
        else:
            self.participants.append(node)
            if node in self.waiting:
                self.waiting.remove(node)

    def finish(self) -> None:
        """The round has the machines that it has."""
        self.complete = True
        self.participants.sort()

    def remove(self, node: str) -> None:
        """A machine leaves, or is lost."""
        self.beats.pop(node, None)
        if node in self.waiting:
            self.waiting.remove(node)
        if node in self.participants:
            self.participants.remove(node)
            if self.complete and not self.participants:
                self.complete, self.round = False, self.round + 1


class SharedState:
    """The state in a backend. A new value replaces the one that was read; if another machine was faster, all begins again."""

    def __init__(self, backend: Any, seconds: float) -> None:
        self.backend, self.seconds = backend, seconds

    def read(self) -> State:
        return self._decoded(self.backend.get_state())[0]

    def change(self, function: Callable[[State], None]) -> State:
        """Changes the state by a function, and gives the new one."""
        deadline = time.monotonic() + self.seconds
        found = self.backend.get_state()
        while True:
            state, token = self._decoded(found)
            before = asdict(state)
            function(state)
            if asdict(state) == before:
                return state
            found = self.backend.set_state(json.dumps(asdict(state)).encode(), token)
            if found is not None and found[2]:
                return state
            if time.monotonic() > deadline:
                raise RendezvousConnectionError(f"rendezvous: the state did not change for {self.seconds:.0f} s")

    @staticmethod
    def _decoded(found: Any) -> tuple[State, Any]:
        if found is None:
            return State(), None
        try:
            return State(**json.loads(found[0])), found[1]
        except (ValueError, TypeError) as error:
            raise RendezvousStateError(f"rendezvous: the state cannot be read: {error}") from error
