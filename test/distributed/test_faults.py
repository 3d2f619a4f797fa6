"""Ranks that die, hang or do something else: the others get an error that names them, within the timeout."""

from __future__ import annotations

import datetime
import os
import signal
import time

import pytest
from ranks import needs_gloo, run_ranks

import torch
import torch.distributed as dist

pytestmark = [needs_gloo, pytest.mark.timeout(120)]


def error_of(call):
    start = time.monotonic()
    try:
        call()
    except dist.DistBackendError as error:
        return str(error), time.monotonic() - start
    return "no error", time.monotonic() - start


def killed_while_reducing(rank, size):
    x = torch.ones(1 << 20)
    dist.all_reduce(x)
    if rank == 1:
        work = dist.all_reduce(x, async_op=True)  # the others are late
        os.kill(os.getpid(), signal.SIGKILL)
        work.wait()
    time.sleep(0.5)
    found = error_of(lambda: [dist.all_reduce(x) for _ in range(100)])
    time.sleep(0.5)  # the others shall find out by themselves
    return found


@pytest.mark.parametrize("size", [2, 3])
def test_a_killed_rank(size):
    results = run_ranks(killed_while_reducing, size, killed=(1,))
    for rank, result in enumerate(results):
        if rank != 1:
            text, seconds = result
            assert "rank 1" in text and "all_reduce" in text, text
            assert seconds < 10


def with_timeout(rank, size, folder):
    limit = datetime.timedelta(seconds=1)
    dist.init_process_group("gloo", f"file://{folder}/m", rank=rank, world_size=size, timeout=datetime.timedelta(seconds=20))
    return dist.new_group(timeout=limit)


def hanging(rank, size, folder):
    group = with_timeout(rank, size, folder)
    if rank == 1:
        time.sleep(5)
        return None
    return error_of(lambda: dist.all_reduce(torch.ones(4), group=group))


def test_a_hung_rank(tmp_path):
    results = run_ranks(hanging, 3, str(tmp_path), group=False)
    for rank in (0, 2):
        text, seconds = results[rank]
        assert "no answer from rank 1" in text and "1000 ms" in text and "imed out" in text, text
        assert 0.9 < seconds < 4.5


def something_else(rank, size, folder):
    group = with_timeout(rank, size, folder)
    call = dist.all_reduce if rank == 0 else lambda x, group: dist.broadcast(x, 0, group=group)
    if rank == 0:
        return error_of(lambda: dist.all_reduce(torch.ones(4), group=group))
    return error_of(lambda: call(torch.ones(5), group=group))


def test_a_rank_in_another_collective(tmp_path):
    first, second = run_ranks(something_else, 2, str(tmp_path), group=False)
    assert "rank 1 was in broadcast of 5 elements" in first[0] or "rank 0 was in all_reduce of 4" in second[0], (first, second)


def compared(rank, size, folder):
    dist.set_debug_level(dist.DebugLevel.DETAIL)
    dist.init_process_group("gloo", f"file://{folder}/m", rank=rank, world_size=size)
    x = torch.ones(4)
    dist.all_reduce(x)
    dist.all_to_all_single(torch.empty(size), torch.ones(size))
    found = [error_of(lambda: dist.all_reduce(torch.ones(2, 2 + rank % 2)))]
    found.append(error_of(lambda: dist.barrier() if rank == 0 else dist.broadcast(x, 0)))
    found.append(error_of(lambda: dist.all_reduce(x.double() if rank else x)))
    dist.all_reduce(x)  # the group still works
    return [text for text, _ in found], x.tolist()


def test_debug_detail_names_what_differs(tmp_path):
    for rank, (texts, values) in enumerate(run_ranks(compared, 2, str(tmp_path), group=False)):
        assert f"rank {1 - rank} is in all_reduce of {4 if rank else 6} elements, shape [2, {2 if rank else 3}]" in texts[0]
        assert ("rank 0 is in barrier" if rank else "rank 1 is in broadcast") in texts[1]
        assert ("Float" if rank else "Double") in texts[2].partition("rank")[2] and values == [4.0] * 4


def missing_at_a_barrier(rank, size):
    limit = datetime.timedelta(milliseconds=500)
    if rank in (1, 2):
        time.sleep(3)
        return None
    return error_of(lambda: dist.monitored_barrier(timeout=limit, wait_all_ranks=True))


def test_monitored_barrier_names_all(tmp_path):
    results = run_ranks(missing_at_a_barrier, 4)
    for rank in (0, 3):
        assert "ranks 1, 2 did not come within 500 ms" in results[rank][0]


def no_answer_to_a_message(rank, size, folder):
    group = with_timeout(rank, size, folder)
    if rank == 0:
        found = error_of(lambda: dist.recv(torch.ones(1), 1, group=group))
        return found
    time.sleep(4)
    return None


def test_recv_without_send(tmp_path):
    text, seconds = run_ranks(no_answer_to_a_message, 2, str(tmp_path), group=False)[0]
    assert "recv of 4 bytes from rank 1" in text and 0.9 < seconds < 3.5


def error_in_the_background(rank, size, folder):
    group = with_timeout(rank, size, folder)
    if rank == 1:
        time.sleep(4)
        return None
    work = dist.all_reduce(torch.ones(1), group=group, async_op=True)
    future = work.get_future()
    with pytest.raises(dist.DistBackendError, match="rank 1"):
        work.wait()
    assert not work.is_success() and isinstance(work.exception(), dist.DistBackendError)
    with pytest.raises(dist.DistBackendError):
        future.wait()
    return "done"


def test_an_error_in_the_background(tmp_path):
    assert run_ranks(error_in_the_background, 2, str(tmp_path), group=False)[0] == "done"
