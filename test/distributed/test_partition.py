"""A network that falls apart: hosts made of network namespaces, one of which is cut off in the middle of a job."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest
from ranks import needs_gloo

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from benchmarks.distributed.hosts import Hosts, reason_against  # noqa: E402

pytestmark = [needs_gloo, pytest.mark.timeout(120)]

PROGRAM = """
import datetime, os, sys, time
import torch, torch.distributed as dist
rank, size, address, folder = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3], sys.argv[4]
dist.init_process_group("gloo", f"tcp://{address}:29511", rank=rank, world_size=size, timeout=datetime.timedelta(seconds=2))
x = torch.ones(1 << 16)
dist.all_reduce(x)
open(f"{folder}/ready{rank}", "w").close()
start = time.monotonic()
try:
    while True:
        start = time.monotonic()
        x.fill_(1)
        dist.all_reduce(x)
except dist.DistBackendError as error:
    print(f"{time.monotonic() - start:.1f} {error}")
"""


def test_a_host_that_is_cut_off(tmp_path):
    if reason := reason_against():
        pytest.skip(f"no hosts here: {reason}")
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    with Hosts(3) as hosts:
        processes = [
            hosts.start(rank, [sys.executable, str(path), str(rank), "3", hosts.address(0), str(tmp_path)], text=True,
                        stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            for rank in range(3)
        ]  # fmt: skip
        try:
            deadline = time.monotonic() + 60
            while not all((tmp_path / f"ready{rank}").exists() for rank in range(3)):
                assert time.monotonic() < deadline and all(p.poll() is None for p in processes), [
                    p.communicate() for p in processes
                ]
                time.sleep(0.05)
            hosts.cut(2)
            outputs = [process.communicate(timeout=60)[0] for process in processes]
        finally:
            for process in processes:
                process.kill()
                process.wait()
    assert [process.returncode for process in processes] == [0, 0, 0], outputs
    seconds, texts = zip(*(output.split(" ", 1) for output in outputs))
    assert all(float(s) < 10 for s in seconds), outputs
    assert "no answer from rank 2" in texts[0] + texts[1], outputs
    assert all("rank 2" in text for text in texts[:2]), outputs
    assert "10.77.0.2:29511" in texts[2] and "cut off from the others" in texts[2], outputs
