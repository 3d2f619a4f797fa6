"""Memory that the allocator caches: an idle process returns it too, at no cost to other processes."""

import os
import subprocess
import sys
import textwrap

import pytest


def run(code, **environment):
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)],
        env={**os.environ, "OMP_NUM_THREADS": "1", "TORCH_CPU_ALLOCATOR": "caching", **environment},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return done


def test_an_idle_process_gives_its_memory_back():
    run(
        """
        import time, torch
        def resident():
            with open("/proc/self/statm") as file:
                return int(file.read().split()[1]) * 4096
        before = resident()
        x = torch.ones(20_000_000)
        del x
        assert resident() - before > 60_000_000
        for _ in range(1000):
            time.sleep(0.02)
            if resident() - before < 20_000_000:
                break
        else:
            raise AssertionError("the memory is still there")
        """,
        TORCH_CPU_ALLOCATOR_MAX_IDLE="1",
    )


def test_no_thread_where_nothing_is_kept():
    run(
        """
        import os, torch
        assert len(os.listdir("/proc/self/task")) == 1
        x = torch.ones(100) + 1
        del x
        y = torch.ones(1_000_000)
        assert len(os.listdir("/proc/self/task")) == 1
        del y
        assert len(os.listdir("/proc/self/task")) == 2
        """
    )


@pytest.mark.parametrize(
    "value, warned",
    [("10K", True), ("2M", True), ("ten", True), ("-1", True), ("9" * 20, True), ("1.5", True), ("10", False), ("0", False)],
)
def test_seconds_have_no_unit(value, warned):
    done = run("import torch; torch.ones(1_000_000)", TORCH_CPU_ALLOCATOR_MAX_IDLE=value)
    assert ("TORCH_CPU_ALLOCATOR_MAX_IDLE" in done.stderr and "seconds" in done.stderr) == warned


def test_bytes_have_units():
    for value, warned in (("10K", False), ("2G", False), ("7X", True), ("5KB", True)):
        done = run("import torch; torch.ones(1_000_000)", TORCH_CPU_ALLOCATOR_MAX_CACHED=value)
        assert ("TORCH_CPU_ALLOCATOR_MAX_CACHED" in done.stderr) == warned
