"""Green contexts: parts of a GPU. The emulated device has six multiprocessors, in groups of two."""

import os
import subprocess
import sys

import pytest
from gpus import LAST, emulated

import torch
from torch.cuda.green_contexts import GreenContext


def test_work_in_a_part():
    x = torch.ones(1000, device="cuda")
    before = torch.cuda.current_stream()
    context = GreenContext.create(num_sms=2)
    x += 1
    context.set_context()
    inside = torch.cuda.current_stream()
    assert inside != before and torch.cuda.ExternalStream(inside.cuda_stream) == inside
    y = (x * 3).cumsum(0) @ x
    context.pop_context()
    assert torch.cuda.current_stream() == before
    assert y.item() == 6 * 2 * 1000 * 1001 / 2  # pop_context() waits for it
    del context
    torch.cuda.synchronize()


def test_contexts_nest():
    first, second = GreenContext.create(num_sms=2), GreenContext.create(num_sms=1, device_id=0)
    with pytest.raises(RuntimeError, match="set_context"):
        first.pop_context()
    first.set_context()
    outer = torch.cuda.current_stream()
    second.set_context()
    assert torch.cuda.current_stream() != outer
    with pytest.raises(RuntimeError, match="the current stream is not"):
        first.pop_context()
    second.pop_context()
    assert torch.cuda.current_stream() == outer
    first.pop_context()


def test_streams_of_a_context():
    context = GreenContext.create(num_sms=2)
    stream, other = context.Stream(), context.Stream()
    assert isinstance(stream, torch.cuda.Stream) and stream.cuda_stream != other.cuda_stream
    del context  # the streams keep it
    with torch.cuda.stream(stream):
        x = torch.arange(5.0, device="cuda") * 2
    other.wait_stream(stream)
    with torch.cuda.stream(other):
        y = x + 1
    other.synchronize()
    assert y.tolist() == [1, 3, 5, 7, 9]


@emulated
def test_queues():
    assert GreenContext.max_workqueue_concurrency() == 8
    for scope in ("device_ctx", "balanced"):
        context = GreenContext.create(workqueue_scope=scope, workqueue_concurrency_limit=2, num_sms=2)
        context.set_context()
        x = torch.ones(2, device="cuda")
        context.pop_context()
        assert x.tolist() == [1, 1]


def test_the_device_is_taken():
    context = GreenContext.create(num_sms=1, device_id=LAST.index)
    assert context.Stream().device == LAST
    before = torch.cuda.current_device()
    context.set_context()
    assert torch.cuda.current_device() == before
    assert torch.cuda.current_stream(LAST) != torch.cuda.default_stream(LAST)
    context.pop_context()


@pytest.mark.parametrize(
    ("given", "error", "text"),
    [
        ({}, RuntimeError, "expected num_sms, workqueue_scope, or both"),
        ({"num_sms": 100000}, RuntimeError, "multiprocessors, got 100000"),
        ({"num_sms": 0}, RuntimeError, "must be a positive number"),
        ({"num_sms": -2}, RuntimeError, "must be a positive number"),
        ({"num_sms": 2.5}, TypeError, "must be an int"),
        ({"workqueue_scope": "mine"}, RuntimeError, "'device_ctx', 'balanced'"),
        ({"num_sms": 2, "workqueue_concurrency_limit": 2}, RuntimeError, "needs workqueue_scope"),
        ({"num_sms": 2, "device_id": 99}, RuntimeError, "99"),
    ],
)
def test_refused(given, error, text):
    with pytest.raises(error, match=text):
        GreenContext.create(**given)


def test_it_is_made_by_create():
    with pytest.raises(RuntimeError, match=r"GreenContext.create\(\)"):
        torch.cuda.GreenContext()
    with pytest.raises(TypeError, match="positional"):
        torch.cuda.GreenContext.create(2)


@emulated
def test_a_driver_without():
    code = "import torch; torch.cuda.GreenContext.create(num_sms=2)"
    environment = {**os.environ, "TORCH_CUDA_EMULATED_VMM": "0"}
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, env=environment)
    assert done.returncode == 1 and "has no green contexts; one for CUDA 12.5" in done.stderr
