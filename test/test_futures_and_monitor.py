"""torch.futures and torch.monitor."""

import datetime
import pickle
import threading

import pytest

import torch
from torch import monitor
from torch.futures import Future, collect_all, wait_all


def test_a_value_is_set_once():
    future = Future()
    assert not future.done()
    with pytest.raises(RuntimeError, match="not done"):
        future.value()
    future.set_result(3)
    assert future.done() and future.wait() == future.value() == 3
    for again in (lambda: future.set_result(4), lambda: future.set_exception(ValueError())):
        with pytest.raises(RuntimeError, match="only once"):
            again()


def test_wait_for_another_thread():
    future = Future()
    thread = threading.Timer(0.05, future.set_result, (7,))
    thread.start()
    assert future.wait() == 7
    thread.join()


def test_callbacks():
    future, seen = Future(), []
    later = future.then(lambda done: done.value() + 1).then(lambda done: done.value() * 10)
    future.add_done_callback(lambda done: seen.append(done.value()))
    assert not later.done() and not seen
    future.set_result(1)
    assert later.wait() == 20 and seen == [1]
    future.add_done_callback(lambda done: seen.append("at once"))
    assert seen == [1, "at once"]
    for method in (future.then, future.add_done_callback):
        with pytest.raises(TypeError, match="got int"):
            method(3)


def test_errors():
    future = Future()
    future.set_exception(ValueError("wrong"))
    with pytest.raises(ValueError, match="wrong"):
        future.wait()
    assert future.then(lambda done: 1).wait() == 1
    with pytest.raises(RuntimeError, match="callback of Future.then\\(\\) failed: ValueError: wrong"):
        future.then(lambda done: done.wait()).wait()
    with pytest.raises(AssertionError, match="got int"):
        Future().set_exception(3)
    with pytest.raises(RuntimeError, match="cannot pickle"):
        pickle.dumps(future)
    with pytest.raises(RuntimeError, match="no device cuda"):
        Future(devices=["cuda:0"])
    with pytest.raises(ValueError, match="with indices, got cpu"):
        Future(devices=["cpu"])
    assert not Future(devices=["cpu:0"]).done()


def test_several():
    a, b = Future(), Future()
    both = collect_all([a, b])
    a.set_result(1)
    assert not both.done()
    b.set_result(2)
    assert both.wait() == [a, b] and wait_all([a, b]) == [1, 2] and wait_all([]) == []
    c = Future()
    c.set_exception(KeyError("k"))
    with pytest.raises(KeyError):
        wait_all([a, c])


def test_events():
    seen = []
    handle = monitor.register_event_handler(seen.append)
    try:
        monitor.log_event(monitor.Event("e", datetime.datetime(2020, 1, 1), {"a": 1, "b": "x"}))
    finally:
        monitor.unregister_event_handler(handle)
    monitor.log_event(monitor.Event("f", datetime.datetime(2020, 1, 1), {}))
    assert [(event.name, event.data) for event in seen] == [("e", {"a": 1, "b": "x"})]
    for call in (
        lambda: monitor.Event("e", 3, {}),
        lambda: monitor.Event("e", datetime.datetime.now(), {"a": [1]}),
        lambda: monitor.log_event(3),
        lambda: monitor.register_event_handler(3),
        lambda: monitor.Stat("s", [monitor.SUM], 3),
    ):
        with pytest.raises(TypeError):
            call()


def test_statistics():
    every = [monitor.SUM, monitor.COUNT, monitor.MEAN, monitor.MAX, monitor.MIN, monitor.VALUE]
    stat = monitor.Stat("n", every, datetime.timedelta(hours=1), 3)
    logged = []
    handle = monitor.register_event_handler(logged.append)
    try:
        for value in (1, 4, 2.5, 100):  # the last one comes after the window is full
            stat.add(value)
    finally:
        monitor.unregister_event_handler(handle)
    assert list(stat.get().values()) == [7.5, 3.0, 2.5, 4.0, 1.0, 2.5] and stat.count == 0
    assert logged[0].name == "torch.monitor.Stat" and logged[0].data["n.max"] == 4 and len(logged) == 1


def test_statistics_go_to_tensorboard():
    class Writer:
        def add_scalar(self, name, value, walltime):
            self.seen = name, value

    writer = Writer()
    monitor.TensorboardEventHandler(writer)(monitor.Event("torch.monitor.Stat", datetime.datetime.now(), {"n.sum": 2.0}))
    assert writer.seen == ("n.sum", 2.0)


def test_the_same_future_everywhere():
    assert torch.jit.Future is Future is torch.Future is torch._C.Future
