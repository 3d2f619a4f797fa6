"""Ranks that die, hang or do something else: the others get an error that names them, within the timeout."""

from __future__ import annotations

import datetime
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
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


def killed_in_the_middle(rank, size):
    x = torch.ones(1 << 24)
    dist.all_reduce(x)
    if rank == 1:
        dist.barrier()
        timer = threading.Timer(0.03, lambda: os.kill(os.getpid(), signal.SIGKILL))
        timer.start()
    else:
        dist.barrier()
    # 64 MB take longer than that; and one of the next ones meets a rank that is gone.
    return error_of(lambda: [dist.all_reduce(x) for _ in range(1000)])


@pytest.mark.parametrize("size", [2, 4])
def test_a_rank_killed_in_the_middle_of_all_reduce(size):
    for rank, result in enumerate(run_ranks(killed_in_the_middle, size, killed=(1,))):
        if rank != 1:
            text, seconds = result
            assert "rank 1" in text and "all_reduce of 16777216 elements" in text, text
            assert seconds < 20


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


def hanging_with_little_and_much_time(rank, size, folder):
    dist.init_process_group("gloo", f"file://{folder}/m", rank=rank, world_size=size, timeout=datetime.timedelta(seconds=20))
    group = dist.new_group(timeout=datetime.timedelta(seconds=2 if rank == 0 else 60))
    if rank == 2:
        time.sleep(8)
        return None
    return error_of(lambda: dist.all_reduce(torch.ones(4), group=group))


def test_ranks_that_another_one_ends_name_the_cause(tmp_path):
    first, second, _ = run_ranks(hanging_with_little_and_much_time, 3, str(tmp_path), group=False)
    assert "no answer from rank 2" in first[0] and 1.9 < first[1] < 5, first
    assert "rank 0 failed in all_reduce" in second[0] and "no answer from rank 2" in second[0] and second[1] < 8, second


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


def slow(rank, size, folder):
    group = with_timeout(rank, size, folder)
    x = torch.ones(4)
    for step in range(3):
        if rank == step % size:
            time.sleep(0.5)  # half of the timeout
        dist.all_reduce(x, group=group)
    if rank == 0:
        time.sleep(3)
    return x[0].item(), error_of(lambda: dist.all_reduce(x, group=group))[0]


def test_a_slow_rank(tmp_path):
    results = run_ranks(slow, 2, str(tmp_path), group=False)
    assert [value for value, _ in results] == [8.0, 8.0]
    assert "no answer from rank 0" in results[1][1] and "rank 1" in results[0][1], results


MISMATCHES = {
    "shape": lambda rank, group: dist.all_reduce(torch.ones(4 + rank), group=group),
    "size": lambda rank, group: dist.all_reduce(torch.ones(1 << (20 - rank)), group=group),
    "dtype": lambda rank, group: dist.all_reduce(torch.ones(4, dtype=(torch.float32, torch.float64)[rank]), group=group),
    "broadcast": lambda rank, group: dist.broadcast(torch.ones(8 - rank), 0, group=group),
    "gather": lambda rank, group: dist.all_gather_into_tensor(torch.ones(2 * (4 + rank)), torch.ones(4 + rank), group=group),
    "scatter": lambda rank, group: dist.reduce_scatter_tensor(torch.ones(4 + rank), torch.ones(2 * (4 + rank)), group=group),
    "split": lambda rank, group: dist.all_to_all_single(
        torch.ones(8), torch.ones(8), [4, 4], ([4, 4], [5, 3])[rank], group=group
    ),
    "order": lambda rank, group: [
        (lambda: dist.all_reduce(torch.ones(4), group=group), lambda: dist.broadcast(torch.ones(4), 0, group=group))[k ^ rank]()
        for k in range(2)
    ],
}


def mismatched(rank, size, folder, kind):
    group = with_timeout(rank, size, folder)
    start = time.monotonic()
    try:
        MISMATCHES[kind](rank, group)
    except RuntimeError as error:
        return str(error), time.monotonic() - start
    return "no error", 0.0


@pytest.mark.parametrize("kind", MISMATCHES)
def test_another_shape_or_order(tmp_path, kind):
    results = run_ranks(mismatched, 2, str(tmp_path), kind, group=False)
    for rank, (text, seconds) in enumerate(results):
        assert f"rank {1 - rank}" in text or (kind == "split" and "to itself" in text), (rank, text)
        assert seconds < 5


def aborted(rank, size):
    x = torch.ones(4)
    work = dist.all_reduce(x, async_op=True) if rank == 0 else None
    if work is not None:
        time.sleep(0.3)
        dist.group.WORLD._get_backend(torch.device("cpu")).abort()
        return error_of(work.wait)
    time.sleep(0.8)
    return error_of(lambda: dist.all_reduce(x))


def test_abort():
    (own, seconds), (other, _) = run_ranks(aborted, 2)
    assert "rank 0 of 2 aborted all_reduce" in own and seconds < 5
    assert "rank 0" in other


def told_by_the_store(rank, size):
    known = dist.distributed_c10d._world.groups[dist.group.WORLD]
    store = dist.PrefixStore("gloo", known.store)
    if rank == 0:
        store.multi_set(["failed/0", "failed", "failed/cause"], ["all_reduce (call 7)", "1", "; no answer from rank 1"])
        time.sleep(6)
        return None
    return error_of(lambda: dist.all_reduce(torch.ones(4)))


def test_a_failure_that_no_connection_told():
    text, seconds = run_ranks(told_by_the_store, 2)[1]
    assert "rank 0 failed in all_reduce (call 7); no answer from rank 1" in text and seconds < 5


def left_alone(rank, size, folder):
    # Rank 0 has been told that there are 2, rank 1 that there are 3.
    limit = datetime.timedelta(seconds=1)
    return error_of(
        lambda: dist.init_process_group("gloo", f"file://{folder}/m", rank=rank, world_size=size + rank, timeout=limit)
    )


def test_wrong_world_size(tmp_path):
    first, second = run_ranks(left_alone, 2, str(tmp_path), group=False)
    assert "rank 1" in first[0] and first[1] < 10
    assert "missing ranks [2]" in second[0] and second[1] < 10


def test_a_port_that_is_taken():
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        with pytest.raises(dist.DistNetworkError, match=f"cannot listen at 127.0.0.1:{port}: Address already in use"):
            dist.init_process_group("gloo", f"tcp://127.0.0.1:{port}", rank=0, world_size=1)
        # Rank 1 finds something that is no store: it accepts, and says nothing.
        start = time.monotonic()
        limit = datetime.timedelta(seconds=1)
        store = dist.TCPStore("127.0.0.1", port, timeout=limit)
        store.set_timeout(limit)
        threading.Thread(target=lambda: server.accept()[0].sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n"), daemon=True).start()
        with pytest.raises(dist.DistNetworkError, match=f"127.0.0.1:{port}"):
            store.get("k")
        assert time.monotonic() - start < 10
    assert not dist.is_initialized()


def test_torchrun_at_a_port_that_is_taken(tmp_path):
    (tmp_path / "program.py").write_text("print('ran')")
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        done = subprocess.run(
            [sys.executable, "-m", "torch.distributed.run", "--nnodes", "1", "--node-rank", "0", "--master-addr", "127.0.0.1",
             "--master-port", str(port), str(tmp_path / "program.py")], capture_output=True, text=True, timeout=60,
        )  # fmt: skip
    assert done.returncode != 0 and str(port) in done.stderr and "Address already in use" in done.stderr, done.stderr
    assert "ran" not in done.stdout


@pytest.fixture
def small_disk(tmp_path):
    """A folder on a file system of 256 KiB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    made = shutil.which("mount") and subprocess.run(["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", str(folder)],
                                                    capture_output=True)  # fmt: skip
    if not made or made.returncode:
        pytest.skip("this user cannot mount a file system")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)


def save_on_a_full_disk(rank, size, folder):
    import torch.distributed.checkpoint as dcp

    place = f"{folder}/checkpoint"
    dcp.save({f"x{rank}": torch.ones(5000), "step": 1}, checkpoint_id=place)
    texts = []
    for save in (dcp.save, lambda state, checkpoint_id: dcp.async_save(state, checkpoint_id=checkpoint_id).result()):
        try:
            save({f"x{rank}": torch.full((50_000,), 2.0), "step": 2}, checkpoint_id=place)
        except dcp.CheckpointException as error:
            texts.append(str(error))
    state = {f"x{rank}": torch.zeros(5000), "step": 0}
    dcp.load(state, checkpoint_id=place)
    dcp.save({f"x{rank}": torch.full((5000,), 3.0), "step": 3}, checkpoint_id=place)  # what failed is no longer in the way
    again = {f"x{rank}": torch.zeros(5000), "step": 0}
    dcp.load(again, checkpoint_id=place)
    return texts, state["step"], state[f"x{rank}"][0].item(), again["step"]


def test_a_full_disk_at_a_checkpoint(small_disk):
    for texts, step, value, last in run_ranks(save_on_a_full_disk, 2, str(small_disk)):
        assert len(texts) == 2 and all("No space left on device" in text and "rank" in text.lower() for text in texts), texts
        assert (step, value, last) == (1, 1.0, 3)
