"""How the machines of a job meet: rounds in a store that one of them serves.

In each round the machines get their places. A round ends when a worker fails or a machine comes or goes; then all machines
stop their workers and meet in the next one.
"""

from __future__ import annotations

import contextlib
import datetime
import socket
import time
from dataclasses import dataclass

from torch._C._distributed_c10d import PrefixStore, TCPStore
from torch.distributed import DistError, DistNetworkError

_NEVER = datetime.timedelta(days=365)


@dataclass
class Round:
    """What a machine knows about a round."""

    number: int
    node: int  # the place of this machine
    sizes: list[int]  # how many workers each machine has

    @property
    def first_rank(self) -> int:
        return sum(self.sizes[: self.node])

    @property
    def world_size(self) -> int:
        return sum(self.sizes)


def is_this_machine(host: str) -> bool:
    if host in ("localhost", socket.gethostname(), socket.getfqdn()):
        return True
    try:
        infos = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except OSError:
        return False
    for family, kind, protocol, _, address in infos:
        with socket.socket(family, kind, protocol) as probe:
            try:
                probe.bind((address[0], 0))
                return True
            except OSError:
                continue
    return False


class Meeting:
    """The machines of a job.

    `serves` says whether this machine serves the store; None: if the host is this machine and the port is free.
    """

    def __init__(self, host: str, port: int, run_id: str, min_nodes: int, max_nodes: int, serves: bool | None, timeout: float,
                 last_call: float, node_rank: int | None = None) -> None:  # fmt: skip
        self.min_nodes, self.max_nodes, self.node_rank = min_nodes, max_nodes, node_rank
        self.timeout, self.last_call = timeout, last_call
        self.host = host
        limit = datetime.timedelta(seconds=timeout)
        optional = serves is None
        serves = is_this_machine(host) if serves is None else serves
        try:
            self.tcp = TCPStore(host, port, None, serves, limit, wait_for_workers=False)
        except DistNetworkError:
            if not (serves and optional):
                raise
            self.tcp = TCPStore(host, port, None, False, limit)  # another job of this machine serves it
        self.port = self.tcp.port
        self.store = PrefixStore(f"torchrun/{run_id}", self.tcp)
        self.current: Round | None = None
        self.beats: dict[int, tuple[int, float]] = {}

    def number(self) -> int:
        return self.store.add("round", 0)

    def join(self, workers: int) -> Round:
        """Waits for the other machines."""
        deadline = time.monotonic() + self.timeout
        while True:
            number = self.number()
            place = self.store.add(f"{number}/joined", 1) - 1
            if place < self.max_nodes and not self.store.check([f"{number}/closed"]):
                if self.node_rank is not None:
                    place = self.node_rank
                self.store.set(f"{number}/node/{place}", str(workers))
                nodes = self._wait_until_closed(number, place, deadline)
                if nodes is not None and place < nodes:
                    sizes = [int(self.store.get(f"{number}/node/{i}")) for i in range(nodes)]
                    self.current, self.beats = Round(number, place, sizes), {}
                    return self.current
            # Too late for this round: ask for another one, if there is room for one more machine.
            self._ask_for_room(number)
            while self.number() == number:
                if time.monotonic() > deadline:
                    raise TimeoutError(f"torchrun: no room among {self.max_nodes} machines for {self.timeout:.0f} s")
                time.sleep(0.1)

    def _ask_for_room(self, number: int) -> None:
        if self.store.check([f"{number}/closed"]) and int(self.store.get(f"{number}/closed")) < self.max_nodes:
            self.next_round(number)

    def _wait_until_closed(self, number: int, place: int, deadline: float) -> int | None:
        """How many machines the round has; None if it was abandoned. The first machine closes it."""
        enough_since = None
        while self.number() == number:
            if self.store.check([f"{number}/closed"]):
                return int(self.store.get(f"{number}/closed"))
            joined = sum(self.store.check([f"{number}/node/{i}"]) for i in range(self.max_nodes))
            if place == 0 and joined >= self.min_nodes:
                enough_since = enough_since or time.monotonic()
                if joined >= self.max_nodes or time.monotonic() - enough_since >= self.last_call:
                    self.store.compare_set(f"{number}/closed", "", str(joined))
                    continue
            if time.monotonic() > deadline:
                raise TimeoutError(f"torchrun: {joined} of at least {self.min_nodes} machines came within {self.timeout:.0f} s")
            time.sleep(0.02 if joined < self.max_nodes else 0.002)
        return None

    def next_round(self, number: int) -> None:
        """Ends a round, once, whoever asks for it."""
        if self.store.add(f"{number}/ended", 1) == 1:
            self.store.add("round", 1)

    def is_over(self, lost_after: float) -> bool:
        """Whether the round has ended; says that this machine lives, and looks whether the others do."""
        assert self.current is not None
        number = self.current.number
        if self.number() != number:
            return True
        if len(self.current.sizes) == 1 and self.max_nodes == 1:
            return False
        self.store.add(f"{number}/beat/{self.current.node}", 1)
        now = time.monotonic()
        for node in range(len(self.current.sizes)):
            if self.store.check([f"{number}/left/{node}"]):
                continue
            count = self.store.add(f"{number}/beat/{node}", 0)
            before, since = self.beats.get(node, (-1, now))
            self.beats[node] = (count, now if count != before else since)
            if now - self.beats[node][1] > lost_after:
                self.next_round(number)
                return True
        return False

    def leave(self, wait: float) -> None:
        """This machine's workers have ended well: waits for those of the others, which may need the store."""
        if self.current is None:
            return
        number, nodes = self.current.number, len(self.current.sizes)
        self.store.set(f"{number}/left/{self.current.node}", "1")
        deadline = time.monotonic() + wait
        with contextlib.suppress(DistError):  # the machine that serves the store has seen that all have left
            while time.monotonic() < deadline and self.number() == number:
                if all(self.store.check([f"{number}/left/{node}"]) for node in range(nodes)):
                    break
                time.sleep(0.05)

    def fail(self, text: str) -> None:
        """Tells the other machines that the job is over."""
        self.store.compare_set("failed", "", text)

    def failure(self) -> str | None:
        return self.store.get("failed").decode() if self.store.check(["failed"]) else None
