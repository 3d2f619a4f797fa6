"""Machines that meet: the rendezvous of machines that come and go, the static one, and the registry."""

from __future__ import annotations

import dataclasses
import datetime
import threading
import time

import pytest
from ranks import needs_gloo

import torch.distributed as dist

pytestmark = [needs_gloo, pytest.mark.timeout(60)]

if dist.is_available():
    from torch.distributed.elastic.rendezvous import (
        RendezvousClosedError,
        RendezvousHandlerRegistry,
        RendezvousParameters,
        RendezvousStateError,
        RendezvousTimeoutError,
    )
    from torch.distributed.elastic.rendezvous.c10d_rendezvous_backend import C10dRendezvousBackend
    from torch.distributed.elastic.rendezvous.dynamic_rendezvous import DynamicRendezvousHandler, RendezvousTimeout
    from torch.distributed.elastic.rendezvous.registry import get_rendezvous_handler
    from torch.distributed.elastic.rendezvous.utils import parse_rendezvous_endpoint


def handler(store, low, high, last_call=0.2, join=20.0, **settings):
    timeout = RendezvousTimeout(datetime.timedelta(seconds=join), datetime.timedelta(seconds=last_call))
    backend = C10dRendezvousBackend(store, "job")
    return DynamicRendezvousHandler.from_backend("job", store, backend, low, high, "localhost", timeout, **settings)


class Joining(threading.Thread):
    """A machine that waits for a round."""

    def __init__(self, machine):
        super().__init__(daemon=True)
        self.machine, self.info, self.error = machine, None, None
        self.start()

    def run(self):
        try:
            self.info = self.machine.next_rendezvous()
        except Exception as error:
            self.error = error

    def result(self):
        self.join(30)
        if self.error is not None:
            raise self.error
        return self.info


def until(condition):
    deadline = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_rounds():
    store = dist.HashStore()
    machines = [handler(store, 2, 3) for _ in range(3)]
    infos = [thread.result() for thread in [Joining(m) for m in machines[:2]]]
    assert sorted(info.rank for info in infos) == [0, 1] and {info.world_size for info in infos} == {2}
    assert infos[0].bootstrap_store_info == infos[1].bootstrap_store_info
    infos[0].store.set("key", "value")
    assert infos[1].store.get("key") == b"value"

    # A third one waits; when the others ask for the next round, all three are in it.
    for machine in machines:
        machine.settings.timeout.last_call = datetime.timedelta(seconds=60)  # however slow this computer is
    late = Joining(machines[2])
    until(lambda: machines[0].num_nodes_waiting() == 1)
    threads = [Joining(m) for m in machines[:2]]
    infos = [thread.result() for thread in [*threads, late]]
    assert sorted(info.rank for info in infos) == [0, 1, 2]
    assert machines[0].num_nodes_waiting() == 0
    assert not infos[0].store.check(["key"])  # the store of a round is new

    # The job ends for all.
    assert not machines[1].is_closed()
    assert machines[0].shutdown() and machines[1].is_closed()
    with pytest.raises(RendezvousClosedError, match="job"):
        machines[2].next_rendezvous()


def test_lost_machine_and_full_round():
    store = dist.HashStore()
    settings = {"last_call": 60.0, "keep_alive_interval": 0.05, "keep_alive_max_attempt": 1000}
    first, second, third = (handler(store, 1, 2, **settings) for _ in range(3))
    threads = [Joining(first), Joining(second)]
    assert {thread.result().world_size for thread in threads} == {2}
    calls, change = [], third._state.change
    third._state.change = lambda function: calls.append(1) or change(function)
    waiting = Joining(third)
    until(lambda: len(calls) > 4)  # it has tried to join
    assert first.num_nodes_waiting() == 0  # there is no room: the others do not stop for it
    second._stop_beats()  # its machine is switched off
    patient = first._settings
    first._settings = dataclasses.replace(patient, keep_alive_max_attempt=3)
    until(lambda: first.num_nodes_waiting() == 1)
    first._settings = patient
    again = Joining(first)
    assert {again.result().rank, waiting.result().rank} == {0, 1}


def test_too_few_machines():
    machine = handler(dist.HashStore(), 2, 3, join=0.2)
    with pytest.raises(RendezvousTimeoutError, match="1 of at least 2"):
        machine.next_rendezvous()
    assert machine._state.read().participants == []  # nobody waits for it


def test_an_interrupted_machine_leaves(monkeypatch):
    machine = handler(dist.HashStore(), 2, 3)

    def interrupt(seconds):
        raise KeyboardInterrupt

    monkeypatch.setattr("torch.distributed.elastic.rendezvous.dynamic_rendezvous.time.sleep", interrupt)
    with pytest.raises(KeyboardInterrupt):
        machine.next_rendezvous()
    assert machine._state.read().participants == []


def test_a_machine_that_comes_again_is_not_lost():
    store = dist.HashStore()
    first, second = (handler(store, 1, 2, keep_alive_interval=0.05) for _ in range(2))
    for machine in (first, second):
        machine._state.change(lambda state, machine=machine: state.join(machine._node, 2))
    first._state.change(first._beat)
    first._seen[second._node] = first._seen[second._node][0], 0.0  # that was long ago
    second._state.change(lambda state: state.remove(second._node))
    first._state.change(first._beat)
    second._state.change(lambda state: state.join(second._node, 2))
    first._state.change(first._beat)
    assert second._node in first._state.read().participants


def test_state_that_cannot_be_read():
    store = dist.HashStore()
    machine = handler(store, 1, 1)
    store.set("torch.rendezvous.job", "not base64")
    with pytest.raises(RendezvousStateError):
        machine.next_rendezvous()
    machine._backend.set_state(b"\xff", b"not base64")
    with pytest.raises(RendezvousStateError):
        machine.num_nodes_waiting()


def test_backend_sets_the_state_of_its_token_only():
    backend = C10dRendezvousBackend(dist.HashStore(), "job")
    assert backend.name == "c10d" and backend.get_state() is None
    state, token, changed = backend.set_state(b"one")
    assert (state, changed) == (b"one", True)
    assert backend.set_state(b"two", token)[::2] == (b"two", True)
    assert backend.set_state(b"three", token)[::2] == (b"two", False)
    assert backend.set_state(b"three")[::2] == (b"two", False)


def test_static():
    one = get_rendezvous_handler(RendezvousParameters("static", "localhost:0", "job", 1, 1, rank="0"))
    info = one.next_rendezvous()
    assert (info.rank, info.world_size) == (0, 1) and info.bootstrap_store_info.master_port > 0
    assert one.use_agent_store and one.num_nodes_waiting() == 0 and not one.is_closed()
    for endpoint, settings, text in (
        ("localhost:1", {}, "rank"),
        ("localhost:1", {"rank": 1}, "rank of 0 to 0, got 1"),
        ("", {"rank": 0}, "endpoint"),
        ("host", {"rank": 0}, "port"),
    ):
        with pytest.raises(ValueError, match=text):
            get_rendezvous_handler(RendezvousParameters("static", endpoint, "job", 1, 1, **settings))


def test_c10d_serves_its_store():
    one = get_rendezvous_handler(RendezvousParameters("c10d", "localhost:0", "job", 1, 1, is_host="true"))
    assert one.get_backend() == "c10d" and one.get_run_id() == "job"
    assert one.next_rendezvous().world_size == 1
    assert one.shutdown()


def test_parameters():
    parameters = RendezvousParameters("kind", "", "job", 1, 2, yes="True", no="0", number="7", text="x")
    assert parameters.get_as_bool("yes") is True and parameters.get_as_bool("no") is False
    assert parameters.get_as_int("number") == 7 and parameters.get_as_int("other", 3) == 3 and parameters.get("text") == "x"
    with pytest.raises(ValueError, match="text"):
        parameters.get_as_bool("text")
    with pytest.raises(ValueError, match="text"):
        parameters.get_as_int("text")
    with pytest.raises(TypeError, match="expected a timedelta as join, got int"):
        RendezvousTimeout(3)
    for numbers in ((0, 1), (2, 1)):
        with pytest.raises(ValueError, match="nodes"):
            RendezvousParameters("kind", "", "job", *numbers)
    for endpoint, parsed in ((None, ("localhost", 5)), ("h", ("h", 5)), ("h:6", ("h", 6)), ("[::1]:6", ("::1", 6))):
        assert parse_rendezvous_endpoint(endpoint, 5) == parsed
    for endpoint in ("h:x", ":5", "h:70000", "a b:5"):
        with pytest.raises(ValueError, match="endpoint"):
            parse_rendezvous_endpoint(endpoint, 5)


def test_registry():
    registry = RendezvousHandlerRegistry()

    def creator(parameters):
        return handler(dist.HashStore(), 1, 1)

    registry.register("c10d", creator)
    registry.register("c10d", creator)
    registry.register("other", creator)
    assert registry.create_handler(RendezvousParameters("c10d", "", "job", 1, 1)).get_backend() == "c10d"
    with pytest.raises(ValueError, match="taken"):
        registry.register("c10d", lambda parameters: None)
    with pytest.raises(RuntimeError, match="'other' made a handler of 'c10d'"):
        registry.create_handler(RendezvousParameters("other", "", "job", 1, 1))
    with pytest.raises(ValueError, match="not registered; there are c10d, other"):
        registry.create_handler(RendezvousParameters("absent", "", "job", 1, 1))
