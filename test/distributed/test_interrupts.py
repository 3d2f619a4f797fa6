"""Ctrl-C ends a program that waits in torch.distributed, and leaves what is not broken in order."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import pytest
from ranks import needs_gloo

pytestmark = [needs_gloo, pytest.mark.timeout(120)]

START = """
import datetime, os, signal, sys, time
import torch, torch.distributed as dist
rank, folder = int(sys.argv[1]), sys.argv[2]
def join(): dist.init_process_group("gloo", f"file://{folder}/meeting", rank=rank, world_size=2)
def tcp(): return dist.TCPStore("localhost", 0, is_master=True, wait_for_workers=False)
signal.signal(signal.SIGINT, signal.default_int_handler)  # which may be ignored in the background of a shell
def ready(): open(f"{folder}/ready{rank}", "w").close()
def interrupted(wait):
    ready()
    try:
        wait()
    except KeyboardInterrupt:
        print("interrupted")
        return
    raise AssertionError("the wait ended by itself")
"""

# What rank 0 waits in. Rank 1, where there is one, joins and sleeps.
ALONE = {
    "tcp": "store = tcp(); interrupted(lambda: store.get('k')); store.set('k', 'v'); assert store.get('k') == b'v'",
    "tcp_wait": "store = tcp(); interrupted(lambda: store.wait(['k'], datetime.timedelta(seconds=50)))",
    "queue": "store = tcp(); interrupted(lambda: store.queue_pop('k'))",
    "hash": "store = dist.HashStore(); interrupted(lambda: store.get('k')); store.set('k', 'v')",
    "file": "store = dist.FileStore(f'{folder}/file', 1); interrupted(lambda: store.get('k')); store.set('k', 'v')",
    "prefix": "store = dist.PrefixStore('a', tcp()); interrupted(lambda: store.get('k'))",
    "connect": "interrupted(lambda: dist.TCPStore('127.0.0.1', 1))",
    "workers": "interrupted(lambda: dist.TCPStore('127.0.0.1', 0, 2, True))",
    "join": "interrupted(join)",
}
PAIRS = {
    "collective": "interrupted(lambda: dist.all_reduce(torch.ones(2)))",
    "work": "work = dist.all_reduce(torch.ones(2), async_op=True); interrupted(work.wait)",
    "message": "interrupted(lambda: dist.recv(torch.ones(2), 1))",
    "barrier": "interrupted(dist.barrier)",
    "monitored": "interrupted(dist.monitored_barrier)",
    "group": "interrupted(lambda: dist.new_group())",
}


def start(tmp_path, rank, program):
    path = tmp_path / f"program{rank}.py"
    path.write_text(START + program)
    return subprocess.Popen([sys.executable, str(path), str(rank), str(tmp_path)], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            text=True, env={**os.environ, "OMP_NUM_THREADS": "1"})  # fmt: skip


def interrupt(tmp_path, process):
    deadline = time.monotonic() + 30
    while not (tmp_path / "ready0").exists() and time.monotonic() < deadline:
        time.sleep(0.01)
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    begin = time.monotonic()
    output, errors = process.communicate(timeout=30)
    return output, errors, time.monotonic() - begin


@pytest.mark.parametrize("kind", ALONE)
def test_one_process(tmp_path, kind):
    output, errors, seconds = interrupt(tmp_path, start(tmp_path, 0, ALONE[kind]))
    assert output == "interrupted\n", errors
    assert seconds < 5


@pytest.mark.parametrize("kind", PAIRS)
def test_two_processes(tmp_path, kind):
    other = start(tmp_path, 1, "join(); time.sleep(50)")
    try:
        output, errors, seconds = interrupt(tmp_path, start(tmp_path, 0, "join(); " + PAIRS[kind]))
        assert output == "interrupted\n", errors
        assert seconds < 5
    finally:
        other.kill()
        other.communicate()


def test_the_other_rank_is_told(tmp_path):
    program = "join()\ntry: dist.all_reduce(torch.ones(2))\nexcept dist.DistBackendError as e: print(e)"
    other = start(tmp_path, 1, "join(); time.sleep(2)\n" + program.removeprefix("join()"))
    interrupt(tmp_path, start(tmp_path, 0, "join(); interrupted(lambda: dist.all_reduce(torch.ones(2)))"))
    output, errors = other.communicate(timeout=30)
    assert "rank 0" in output, errors


def test_a_handler_that_does_not_raise_runs_and_the_call_goes_on(tmp_path):
    handler = "taken = []\nsignal.signal(signal.SIGINT, lambda *_: taken.append(1))\njoin()\nx = torch.ones(2)\n"
    waits = "work = dist.all_reduce(x, async_op=True)\nready()\nwork.wait()\ndist.all_reduce(x)\nprint(x.tolist(), taken)\n"
    other = start(
        tmp_path, 1, "join(); time.sleep(2)\nx = torch.ones(2)\ndist.all_reduce(x); time.sleep(0.5); dist.all_reduce(x)\n"
    )
    output, errors, _ = interrupt(tmp_path, start(tmp_path, 0, handler + waits))
    assert output == "[4.0, 4.0] [1]\n", errors
    assert other.wait(30) == 0, other.communicate()


def test_a_handler_cannot_use_the_store_that_waits(tmp_path):
    program = """
store = tcp()
def handler(*_): store.set("k", "v")
signal.signal(signal.SIGINT, handler)
ready()
try: store.get("k")
except dist.DistStoreError as e: print("handler of a signal cannot" in str(e))
"""
    output, errors, _ = interrupt(tmp_path, start(tmp_path, 0, program))
    assert output == "True\n", errors
