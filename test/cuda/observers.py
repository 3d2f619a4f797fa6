"""What the dispatch trace, errors and their advice tell of CUDA kernels."""

import os
import re
import subprocess
import sys

import pytest

import torch


def launches(run, details="kernel"):
    with torch.utils.dispatch_trace(details=details, print=False) as records:
        run()
    return [r for r in records if r.kind == "launch"]


def test_the_trace_shows_launches():
    x = torch.ones(1000, device="cuda")
    (launch,) = launches(lambda: x + x)
    assert "dense_kernel" in launch.kernel
    assert launch.file.endswith("common/cuda/Loops.cuh")
    assert launch.line > 0
    assert launch.args == "grid=[(2, 1, 1)], block=[(128, 1, 1)]"
    assert str(launch).lstrip().startswith("[launch] kernel=[")
    assert launches(lambda: x + x, details="args") == []


def test_the_trace_shows_shared_memory():
    x = torch.randint(0, 9, (100,), device="cuda")
    assert any("shared=[72 B]" in launch.args for launch in launches(lambda: torch.bincount(x, minlength=9)))


def test_a_profile_and_a_trace_see_the_same_launch():
    x = torch.ones(1000, device="cuda")
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as p:
        assert len(launches(lambda: x.mul(2))) == 1
        torch.cuda.synchronize()
    assert any("dense_kernel" in e.name for e in p.events())


FAILS = """
import torch
try:
    x = torch.zeros(3, device="cuda")
    x[torch.tensor([7], device="cuda")] = 1.0
    torch.cuda.synchronize()
except RuntimeError as error:
    print(type(error).__name__, error)
"""


@pytest.mark.parametrize("blocking", [False, True])
def test_errors_name_the_operator_if_launches_block(blocking):
    environment = {**os.environ, "CUDA_LAUNCH_BLOCKING": str(int(blocking))}
    done = subprocess.run([sys.executable, "-c", FAILS], env=environment, capture_output=True, text=True)
    assert "AcceleratorError" in done.stdout, done.stderr
    assert ("in aten::" in done.stdout) == blocking
    assert ("CUDA_LAUNCH_BLOCKING=1" in done.stdout) != blocking
    assert "start it again" in done.stdout


def test_a_refused_capture_says_what_to_do():
    x = torch.ones(3, device="cuda")
    graph = torch.cuda.CUDAGraph()
    with pytest.raises(RuntimeError, match="before the capture or after it"), torch.cuda.graph(graph):
        x.sum().item()
    assert x.sum().item() == 3


@pytest.mark.parametrize("name, file", [("sin", "unary_math/cuda/trigonometry.cu"), ("bincount", "search/cuda/counts.cu")])
def test_explain_shows_cuda_kernels(name, file):
    page = str(torch.utils.explain(name))
    places = re.findall(rf"{file}:[1-9]\d*", page)
    assert places and len(places) == len(set(places)), page
    assert "[CUDA]" in page


def test_explain_shows_the_launches_of_a_call():
    page = str(torch.utils.explain("add", torch.ones(9, device="cuda"), 1))
    assert "grid=[(1, 1, 1)], block=[(128, 1, 1)]" in page
