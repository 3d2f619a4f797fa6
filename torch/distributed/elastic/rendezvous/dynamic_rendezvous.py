"""The rendezvous of machines that come and go. It keeps its state in a backend, which may be one of the user's."""

from __future__ import annotations

import contextlib
import datetime
import itertools
import os
import socket
import threading
import time
import weakref
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

from torch.distributed import PrefixStore, Store, TCPStore
from torch.distributed.elastic.events import NodeState, construct_and_record_rdzv_event
from torch.distributed.elastic.rendezvous._state import SharedState, State
from torch.distributed.elastic.rendezvous.api import (
    RendezvousClosedError,
    RendezvousError,
    RendezvousHandler,
    RendezvousInfo,
    RendezvousParameters,
    RendezvousStoreInfo,
    RendezvousTimeoutError,
)

__all__ = ["RendezvousBackend", "RendezvousTimeout", "RendezvousSettings", "DynamicRendezvousHandler", "create_handler"]

_local_ids = itertools.count()


class RendezvousBackend(ABC):
    """Where the state of a rendezvous is: bytes, which a machine replaces if nobody else has done so since it read them."""

    @property
    @abstractmethod
    def name(self) -> str:
        """The name of the kind of rendezvous."""

    @abstractmethod
    def get_state(self) -> tuple[bytes, Any] | None:
        """The state, and a token of it; None if it was not set.

        Raises:
            RendezvousConnectionError: it cannot be reached
        """

    @abstractmethod
    def set_state(self, state: bytes, token: Any | None = None) -> tuple[bytes, Any, bool] | None:
        """Sets the state, if it is still the one of the token.

        Args:
            state (bytes): the state
            token (object, optional): that of the state before; None: there was none

        Returns:
            the state that is there now, its token, and whether it is this one

        Raises:
            RendezvousConnectionError: it cannot be reached
        """


@dataclass(init=False)
class RendezvousTimeout:
    """How long a rendezvous waits.

    Args:
        join (timedelta, default 10 min): for enough machines
        last_call (timedelta, default 30 s): for more machines, when there are enough
        close (timedelta, default 30 s): for its end to be known
        heartbeat (timedelta, default 5 s): for a sign of life to be known

    Raises:
        TypeError: a time that is no timedelta
        ValueError: a time that is not above 0
    """

    join: datetime.timedelta
    last_call: datetime.timedelta
    close: datetime.timedelta
    heartbeat: datetime.timedelta

    def __init__(
        self, join: datetime.timedelta | None = None, last_call: datetime.timedelta | None = None,
        close: datetime.timedelta | None = None, heartbeat: datetime.timedelta | None = None,
    ) -> None:  # fmt: skip
        given = {"join": (join, 600), "last_call": (last_call, 30), "close": (close, 30), "heartbeat": (heartbeat, 5)}
        for name, (value, seconds) in given.items():
            value = datetime.timedelta(seconds=seconds) if value is None else value
            if not isinstance(value, datetime.timedelta):
                raise TypeError(f"RendezvousTimeout: expected a timedelta as {name}, got {type(value).__name__}")
            if value <= datetime.timedelta(0):
                raise ValueError(f"RendezvousTimeout: expected a time above 0 as {name}, got {value}")
            setattr(self, name, value)


@dataclass(frozen=True)
class RendezvousSettings:
    """How a rendezvous works. A machine is lost after `keep_alive_max_attempt` intervals without a sign of life."""

    run_id: str
    min_nodes: int
    max_nodes: int
    timeout: RendezvousTimeout
    keep_alive_interval: datetime.timedelta
    keep_alive_max_attempt: int


class DynamicRendezvousHandler(RendezvousHandler):
    """Machines come and go; each round has new ranks. Make it by `from_backend` or `create_handler`."""

    def __init__(
        self, settings: RendezvousSettings, backend: RendezvousBackend, store: Store, local_addr: str | None = None
    ) -> None:  # fmt: skip
        self._settings, self._store, self._backend = settings, store, backend
        self._address = local_addr or ("localhost" if settings.max_nodes == 1 else socket.getfqdn())
        self._local_id = next(_local_ids)
        # Machines are sorted by this: ranks follow addresses.
        self._node = f"{self._address}_{os.getpid():08}_{self._local_id:04}"
        self._state = SharedState(backend, settings.timeout.heartbeat.total_seconds())
        self._agent_store: TCPStore | None = None
        self._ended = threading.Event()
        self._beats: threading.Thread | None = None
        self._seen: dict[str, tuple[int, float]] = {}  # the beats of the machines, and since when they are so many

    @classmethod
    def from_backend(
        cls, run_id: str, store: Store, backend: RendezvousBackend, min_nodes: int, max_nodes: int, local_addr: str | None = None,
        timeout: RendezvousTimeout | None = None, keep_alive_interval: int = 5, keep_alive_max_attempt: int = 3,
    ) -> DynamicRendezvousHandler:  # fmt: skip
        """Makes a handler.

        Args:
            run_id (str): the name of the job
            store (Store): a store that all machines have
            backend (RendezvousBackend): where the state is
            min_nodes (int): the least number of machines
            max_nodes (int): the greatest number
            local_addr (str, optional): the address of this machine
            timeout (RendezvousTimeout, optional): how long it waits
            keep_alive_interval (int, default 5): seconds between signs of life
            keep_alive_max_attempt (int, default 3): how many of them may be missing

        Returns:
            the handler
        """
        RendezvousParameters(backend.name, "", run_id, min_nodes, max_nodes)  # checks the numbers
        interval = datetime.timedelta(seconds=keep_alive_interval)
        timeout = timeout or RendezvousTimeout()
        settings = RendezvousSettings(run_id, min_nodes, max_nodes, timeout, interval, keep_alive_max_attempt)
        return cls(settings, backend, store, local_addr)

    @property
    def settings(self) -> RendezvousSettings:
        """How it works."""
        return self._settings

    def get_backend(self) -> str:
        """The name of the backend."""
        return self._backend.name

    @property
    def use_agent_store(self) -> bool:
        """Whether workers meet in the store of the agents: unless TORCH_DISABLE_SHARE_RDZV_TCP_STORE=1."""
        return os.environ.get("TORCH_DISABLE_SHARE_RDZV_TCP_STORE", "0") != "1"

    def _record(self, message: str, state: NodeState = NodeState.RUNNING, rank: int | None = None) -> None:
        construct_and_record_rdzv_event(
            self._settings.run_id, message, state, "DynamicRendezvousHandler", local_id=self._local_id, rank=rank
        )

    def next_rendezvous(self) -> RendezvousInfo:
        """Leaves the round before, and waits for the machines of the next one.

        Returns:
            the rank of this machine, and a store of the round

        Raises:
            RendezvousClosedError: the job is over
            RendezvousTimeoutError: too few machines came, or there was no room for this one
        """
        self._stop_beats()
        self._record(f"{self._node} joins the next round")
        try:
            self._state.change(lambda state: state.remove(self._node))
            state = self._join()
        except BaseException as error:  # a signal too: the others must not wait for this machine
            with contextlib.suppress(RendezvousError):
                self._state.change(lambda state: state.remove(self._node))
            self._record(f"{type(error).__name__}: {error}", NodeState.FAILED)
            raise
        self._start_beats()
        rank, size = state.participants.index(self._node), len(state.participants)
        self._record(f"{self._node} is machine {rank} of {size} in round {state.round}", rank=rank)
        store = PrefixStore(f"torch.rendezvous.{self._settings.run_id}.{state.round}", self._store)
        if not self.use_agent_store:
            return RendezvousInfo(store, rank, size, RendezvousStoreInfo.build(rank, store, self._address))
        place = self._place_of_agent_store(rank, store)
        return RendezvousInfo(store, rank, size, place)

    def _place_of_agent_store(self, rank: int, store: Store) -> RendezvousStoreInfo:
        """Rank 0 serves a store of the workers, unless the one of the rendezvous is a TCPStore that it serves itself."""
        port = None
        if rank == 0:
            if self._agent_store is None:
                self._agent_store = TCPStore(self._address, 0, None, True, wait_for_workers=False)
            port = self._agent_store.port
        return RendezvousStoreInfo.build(rank, store, self._address, port)

    def _join(self) -> State:
        low, high = self._settings.min_nodes, self._settings.max_nodes
        deadline = time.monotonic() + self._settings.timeout.join.total_seconds()
        last_call = self._settings.timeout.last_call.total_seconds()
        machines: list[str] = []
        since = next_beat = time.monotonic()

        while True:
            beats = time.monotonic() >= next_beat

            def step(state: State, beats: bool = beats) -> None:
                if state.closed:
                    return
                state.join(self._node, high)
                if not state.complete and len(state.participants) >= high:
                    state.finish()
                if not state.complete and state.participants == machines and time.monotonic() - since >= last_call:
                    if len(machines) >= low:
                        state.finish()
                if beats:
                    self._beat(state)

            state = self._state.change(step)
            now = time.monotonic()
            if state.closed:
                raise RendezvousClosedError(f"rendezvous: the job {self._settings.run_id!r} is over")
            if state.complete and self._node in state.participants:
                return state
            if state.participants != machines:
                machines, since = list(state.participants), now
            if beats:
                next_beat = now + self._settings.keep_alive_interval.total_seconds()
            if now > deadline:
                came = f"{len(machines)} of at least {low} machines came"
                if state.complete:
                    came = f"there was no room among {high} machines"
                raise RendezvousTimeoutError(f"rendezvous: {came} within {self._settings.timeout.join.total_seconds():.0f} s")
            time.sleep(0.02)

    def _beat(self, state: State) -> None:
        """This machine lives; those that have not said so for too long are lost."""
        if self._node in state.participants or self._node in state.waiting:
            state.beats[self._node] = state.beats.get(self._node, 0) + 1
        now = time.monotonic()
        here = {*state.participants, *state.waiting}
        self._seen = {node: seen for node, seen in self._seen.items() if node in here}  # one that comes again is new
        limit = self._settings.keep_alive_interval.total_seconds() * self._settings.keep_alive_max_attempt
        for node in [*state.participants, *state.waiting]:
            count = state.beats.get(node, 0)
            if node == self._node or self._seen.get(node, (-1, now))[0] != count:
                self._seen[node] = count, now
            elif now - self._seen[node][1] > limit:
                state.remove(node)

    def _start_beats(self) -> None:
        self._ended = threading.Event()
        interval = self._settings.keep_alive_interval.total_seconds()
        self._beats = threading.Thread(target=_beat_until, args=(weakref.ref(self), self._ended, interval), daemon=True)
        self._beats.start()

    def _stop_beats(self) -> None:
        self._ended.set()
        if self._beats is not None and self._beats is not threading.current_thread():
            self._beats.join()
        self._beats = None

    def is_closed(self) -> bool:
        """Whether the job is over."""
        return self._state.read().closed

    def set_closed(self) -> None:
        """Says that the job is over."""

        def close(state: State) -> None:
            state.closed = True

        self._state.change(close)
        self._record(f"{self._node} has closed the rendezvous", NodeState.SUCCEEDED)

    def num_nodes_waiting(self) -> int:
        """How many machines wait for the next round."""
        return len(self._state.read().waiting)

    def get_run_id(self) -> str:
        """The name of the job."""
        return self._settings.run_id

    def shutdown(self) -> bool:
        """Closes the rendezvous, and ends the signs of life.

        Returns:
            whether the others can know that it is closed
        """
        self._stop_beats()
        try:
            self.set_closed()
        except RendezvousError:
            return False
        return True


def _beat_until(handler: Any, ended: threading.Event, interval: float) -> None:
    while not ended.wait(interval):
        alive = handler()
        if alive is None:
            return
        with contextlib.suppress(RendezvousError):  # the store may be gone at the end of a job
            alive._state.change(alive._beat)
        del alive


def create_handler(store: Store, backend: RendezvousBackend, params: RendezvousParameters) -> DynamicRendezvousHandler:
    """Makes a handler.

    Args:
        store (Store): a store that all machines have
        backend (RendezvousBackend): where the state is
        params (RendezvousParameters): the numbers of machines, and as settings seconds: `join_timeout`, `last_call_timeout`,
            `close_timeout`, `heartbeat_timeout` and `keep_alive_interval`, and the number `keep_alive_max_attempt`

    Returns:
        the handler
    """

    def seconds(key: str) -> datetime.timedelta | None:
        value = params.get_as_int(f"{key}_timeout")
        return None if value is None else datetime.timedelta(seconds=value)

    timeout = RendezvousTimeout(seconds("join"), seconds("last_call"), seconds("close"), seconds("heartbeat"))
    interval: Any = params.get_as_int("keep_alive_interval", 5)
    attempts: Any = params.get_as_int("keep_alive_max_attempt", 3)
    return DynamicRendezvousHandler.from_backend(
        params.run_id, store, backend, params.min_nodes, params.max_nodes, params.local_addr, timeout, interval, attempts
    )
