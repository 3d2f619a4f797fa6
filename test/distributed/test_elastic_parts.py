"""Events, metrics, timers and utilities of agents."""

from __future__ import annotations

import logging
import multiprocessing
import os
import signal
import threading
import time

import pytest
from ranks import needs_gloo

import torch.distributed as dist

pytestmark = [needs_gloo, pytest.mark.timeout(60)]

if dist.is_available():
    from torch.distributed.elastic import events, metrics, timer
    from torch.distributed.elastic.utils import get_env_variable_or_raise, get_socket_with_port, macros
    from torch.distributed.elastic.utils.data import CyclingIterator, ElasticDistributedSampler
    from torch.distributed.elastic.utils.distributed import create_c10d_store
    from torch.distributed.elastic.utils.store import barrier, synchronize


def test_events(monkeypatch):
    from torch.distributed.elastic.events import handlers

    texts = []

    class Listener(logging.Handler):
        def emit(self, event):
            texts.append(event.getMessage())

    event = events.Event("started", events.EventSource.AGENT, 5, {"a": 1, "b": None})
    assert events.Event.deserialize(event.serialize()) == event and str(event) == event.serialize()
    assert event.serialize() == '{"name": "started", "source": "AGENT", "timestamp": 5, "metadata": {"a": 1, "b": null}}'
    monkeypatch.setitem(handlers._log_handlers, "parts", Listener())
    events.record(event, "parts")
    events.record(event)
    assert texts == [str(event)]
    with pytest.raises(KeyError, match="absent"):
        events.record(event, "absent")
    events.construct_and_record_rdzv_event("job", "nobody listens", events.NodeState.INIT)
    monkeypatch.setitem(handlers._log_handlers, "dynamic_rendezvous", Listener())
    monkeypatch.setattr(events, "_loggers", {})
    try:
        raise ValueError("lost")
    except ValueError:
        events.construct_and_record_rdzv_event("job", "failed", events.NodeState.FAILED, rank=2)
    found = events.RdzvEvent.deserialize(texts[-1])
    assert (found.name, found.rank, found.pid) == ("test_elastic_parts.test_events", 2, os.getpid())
    assert "ValueError: lost" in found.error_trace


def test_metrics(capsys):
    found = []

    class Listener(metrics.MetricHandler):
        def emit(self, metric_data):
            found.append((metric_data.group_name, metric_data.name, metric_data.value))

    class Thing:
        @metrics.prof(group="parts")
        def method(self):
            return 5

    @metrics.prof(group="parts")
    def fails():
        raise ValueError("x")

    metrics.configure(Listener(), "parts")
    metrics.put_metric("one", 1, "parts")
    metrics.put_metric("elsewhere", 1)
    assert Thing().method() == 5
    with pytest.raises(ValueError, match="x"):
        fails()
    names = [name for _, name, _ in found]
    assert names[0] == "one" and names[2].endswith("method.duration.ms") and names[3].endswith("fails.failure")
    assert found[1][2] == 1 and names[1].endswith("Thing.method.success")
    with pytest.warns(FutureWarning, match="prof"):
        metrics.profile("parts")(lambda: 1)()
    metrics.configure(metrics.ConsoleMetricHandler(), "console")
    metrics.getStream("console").add_value("two", 2)
    assert capsys.readouterr().out.endswith("[console]: two=2\n")


def late(client, after):
    with timer.expires(after=60, client=client), timer.expires(after=after, scope="step", client=client):
        time.sleep(40 if after < 1 else 0)


def ended(*processes):
    for process in processes:
        process.start()
    for process in processes:
        process.join(30)
    return [process.exitcode for process in processes]


def test_local_timer():
    context = multiprocessing.get_context("spawn")
    queue = context.Queue()
    server = timer.LocalTimerServer(queue, max_interval=0.05)
    server.start()
    client = timer.LocalTimerClient(queue)
    try:
        processes = [context.Process(target=late, args=(client, after), daemon=True) for after in (60, 0.1)]
        assert ended(*processes) == [0, -signal.SIGKILL]
    finally:
        server.stop()


def test_file_timer(tmp_path):
    path, log = str(tmp_path / "pipe"), []
    server = timer.FileTimerServer(path, "job", max_interval=0.05, log_event=lambda name, request: log.append(request))
    server.start()
    context = multiprocessing.get_context("spawn")
    try:
        clients = [timer.FileTimerClient(path), timer.FileTimerClient(path, signal.SIGTERM)]
        processes = [context.Process(target=late, args=(client, after), daemon=True) for client, after in zip(clients, (60, 0.1))]
        assert ended(*processes) == [0, -signal.SIGTERM]
    finally:
        server.stop()
    assert [request.scope_id for request in log if request is not None] == ["step"] and not os.path.exists(path)
    with pytest.raises(BrokenPipeError, match="no FileTimerServer"):
        clients[0].acquire("step", 1.0)
    request = timer.FileTimerRequest(3, "s", 5.0, 9)
    assert request.to_json() == '{"version": 1, "pid": 3, "scope_id": "s", "expiration_time": 5.0, "signal": 9}'
    assert request == timer.FileTimerRequest(3, "s", 5.0, 9) != timer.TimerRequest(3, "s", 5.0)


def test_lines_that_are_no_requests(tmp_path, caplog):
    server = timer.FileTimerServer(str(tmp_path / "pipe"), "job")
    try:
        for line in ("no JSON", '{"pid": -1, "scope_id": "s", "expiration_time": 1.0, "signal": 9}', '{"pid": 1}',
                     f'{{"pid": {os.getpid()}, "scope_id": "s", "expiration_time": "soon", "signal": 9}}'):  # fmt: skip
            with open(tmp_path / "pipe", "w") as pipe:
                pipe.write(line + "\n")
        server.run_once()
        assert caplog.text.count("no request") == 4 and server.get_expired_timers(time.time()) == {}
    finally:
        server.stop()


def test_a_look_that_fails_is_not_repeated_at_once():
    from torch.distributed.elastic.timer.api import Watchdog

    looks = []

    class Broken(Watchdog):
        def _look(self):
            looks.append(threading.get_ident())
            raise OSError("the queue is gone")

    watchdog = Broken(3600.0, daemon=True)
    watchdog.start()
    thread = watchdog._watchdog_thread
    while not looks:
        time.sleep(0.01)
    watchdog.stop()
    assert not thread.is_alive() and len(looks) == 1


def test_timer_needs_a_client(monkeypatch):
    monkeypatch.setattr("torch.distributed.elastic.timer.api._client", None)
    with pytest.raises(RuntimeError, match="configure"), timer.expires(after=1):
        pass


def test_utilities(monkeypatch):
    monkeypatch.setenv("PARTS", "here")
    assert get_env_variable_or_raise("PARTS") == "here"
    with pytest.raises(ValueError, match="PARTS_ABSENT"):
        get_env_variable_or_raise("PARTS_ABSENT")
    assert macros.substitute(["--rank=${local_rank}", 3, "$x"], "2") == ["--rank=2", 3, "$x"]
    with get_socket_with_port() as s:
        port = s.getsockname()[1]
        with pytest.raises(dist.DistNetworkError):
            create_c10d_store(True, "localhost", port, timeout=1)
    with pytest.raises(ValueError, match="serves no store, got -1"):
        create_c10d_store(False, "localhost")
    store = create_c10d_store(True, "localhost")
    other = create_c10d_store(False, "localhost", store.port, world_size=2, wait_for_workers=False)
    results = [None, None]

    def meet(rank, own):
        results[rank] = synchronize(own, str(rank).encode(), rank, 2, "values/", 20)

    threads = [threading.Thread(target=meet, args=args) for args in enumerate((store, other))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert results == [[b"0", b"1"]] * 2
    with pytest.raises(dist.DistStoreError, match="1 of 2 ranks did not come: rank 1"):
        barrier(store, 2, "end", 0.1, 0, lambda rank: f"rank {rank}")


def test_data():
    samplers = [ElasticDistributedSampler(range(10), num_replicas=3, rank=rank, start_index=2) for rank in range(3)]
    assert [list(sampler) for sampler in samplers] == [[6, 5, 3], [2, 4, 8], [9, 7, 6]]  # PyTorch's
    samplers[0].set_epoch(1)
    assert list(samplers[0]) == [7, 8, 3] and len(samplers[0]) == 3
    with pytest.raises(ValueError, match="start_index below 10, got 10"):
        ElasticDistributedSampler(range(10), num_replicas=3, rank=0, start_index=10)
    assert list(CyclingIterator(3, lambda epoch: iter([epoch, 10 * epoch]), 1)) == [1, 10, 2, 20]
