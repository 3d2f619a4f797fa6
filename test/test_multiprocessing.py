"""Tensors in memory that processes share, and torch.multiprocessing.spawn."""

import gc
import os
import pickle
import signal
import subprocess
import sys
import time

import pytest
from surroundings import tensor_files, tensor_files_left_since

import torch
import torch.multiprocessing as mp


@pytest.fixture(params=["file_descriptor", "file_system"])
def strategy(request):
    before = mp.get_sharing_strategy()
    mp.set_sharing_strategy(request.param)
    yield request.param
    mp.set_sharing_strategy(before)


def shared_bytes():
    """Bytes of shared memory that this process maps."""
    with open("/proc/self/smaps") as file:
        sizes, counted = 0, False
        for line in file:
            if "memfd:torch" in line:
                counted = True
            elif counted and line.startswith("Size:"):
                sizes, counted = sizes + 1024 * int(line.split()[1]), False
    return sizes


def answer(tasks, answers):
    """Changes the tensor that it receives, and returns a description of it."""
    while (value := tasks.get()) is not None:
        tensors = value if isinstance(value, (list, tuple)) else [value]
        for tensor in tensors:
            if isinstance(tensor, torch.Tensor) and tensor.numel() and not tensor.is_meta:
                tensor.detach().add_(1)
        same = {t.untyped_storage()._cdata for t in tensors if isinstance(t, torch.Tensor)}
        answers.put([(type(t).__name__, getattr(t, "requires_grad", None), t.is_shared()) for t in tensors] + [len(same)])


class Worker:
    def __init__(self, method):
        context = mp.get_context(method)
        self.tasks, self.answers = context.Queue(), context.Queue()
        self.process = context.Process(target=answer, args=(self.tasks, self.answers), daemon=True)
        self.process.start()

    def ask(self, value):
        self.tasks.put(value)
        return self.answers.get(timeout=60)

    def end(self):
        self.tasks.put(None)
        self.process.join(60)
        assert self.process.exitcode == 0


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_what_goes_through_a_queue_is_shared(method, strategy):
    worker = Worker(method)
    small, large = torch.zeros(3), torch.zeros(100_000)
    assert worker.ask(small) == [("Tensor", False, True), 1] and small.tolist() == [1] * 3 and small.is_shared()
    assert worker.ask(large)[0] == ("Tensor", False, True) and large.sum() == 100_000
    worker.ask(large)
    assert large[5] == 2, "the same memory again"
    views = large[:10], large[5:], large.view(10, -1).t()
    assert worker.ask(views)[-1] == 1, "views share one storage there too"
    assert large[0] == 4 and large[7] == 5 and large[20] == 4
    parameter = torch.nn.Parameter(torch.zeros(4))
    parameter.grad = torch.ones(4)
    assert worker.ask(parameter)[0] == ("Parameter", True, True) and parameter.tolist() == [1] * 4
    leaf = torch.zeros(2, requires_grad=True)
    assert worker.ask(leaf)[0] == ("Tensor", True, True) and leaf.tolist() == [1, 1]
    storage = torch.zeros(4).untyped_storage()
    answers = worker.ask([storage, torch.zeros(3)._typed_storage()])
    assert answers[:2] == [("UntypedStorage", None, True), ("TypedStorage", None, True)]
    empty, meta = torch.empty(0, 3), torch.empty(5, device="meta")
    assert [kind for kind, *_ in worker.ask([empty, meta])[:2]] == ["Tensor", "Tensor"]
    worker.end()


def test_a_tensor_with_a_history_is_refused():
    with pytest.raises(RuntimeError, match="non-leaf tensor"):
        mp.reductions.reduce_tensor(torch.ones(2, requires_grad=True) * 2)


def test_bits_of_views_are_kept():
    x = torch.tensor([1 + 2j, 3j])
    for view in (x.conj(), x.conj().imag):
        rebuild, arguments = mp.reductions.reduce_tensor(view)
        assert torch.equal(rebuild(*arguments), view)


def test_storages_move_in_place():
    x = torch.arange(10.0)
    view, before = x[2:4], x.data_ptr()
    assert not x.is_shared() and x.share_memory_() is x
    assert x.is_shared() and view.is_shared() and x.data_ptr() != before and view.tolist() == [2, 3]
    where = x.data_ptr()
    assert x.share_memory_().data_ptr() == where
    with pytest.raises(RuntimeError, match="not resizable"):
        x.resize_(100)
    with pytest.raises(RuntimeError, match="not on meta"):
        torch.empty(2, device="meta").share_memory_()
    assert torch.UntypedStorage._new_shared(8).is_shared() and torch.FloatStorage._new_shared(2).nbytes() == 8
    assert torch.empty(0).share_memory_().is_shared()
    module = torch.nn.Linear(2, 2).share_memory()
    assert all(p.is_shared() for p in module.parameters())


def test_an_exported_tensor_keeps_its_old_memory_too():
    x = torch.arange(100_000.0)
    array = x.numpy()
    x.share_memory_()
    keep = [torch.full((100_000,), 9.0) for _ in range(5)]
    assert array[-1] == 99_999 and len(keep) == 5


def test_memory_goes_when_the_last_tensor_goes():
    gc.collect()
    before, descriptors = shared_bytes(), len(os.listdir("/proc/self/fd"))
    x = torch.zeros(1_000_000).share_memory_()
    assert shared_bytes() - before >= 4_000_000
    y = x[10:]
    del x
    assert shared_bytes() > before
    del y
    assert shared_bytes() == before and len(os.listdir("/proc/self/fd")) == descriptors


def test_what_was_received_is_let_go(strategy):
    """The sender holds a message's memory until it is received, and no longer."""
    reader, writer = mp.Pipe()
    descriptors = len(os.listdir("/proc/self/fd"))
    pid = os.getpid()
    for _ in range(3):
        writer.send(torch.ones(100_000))
        assert reader.recv().sum() == 100_000
    end = time.monotonic() + 30
    while len(os.listdir("/proc/self/fd")) > descriptors + 4 and time.monotonic() < end:
        time.sleep(0.01)
    assert len(os.listdir(f"/proc/{pid}/fd")) <= descriptors + 4


def test_a_message_is_received_once(strategy):
    data = mp.reduction.ForkingPickler.dumps(torch.ones(3))
    first = pickle.loads(data)
    assert first.tolist() == [1, 1, 1]
    if strategy == "file_system":
        del first
        end = time.monotonic() + 30
        with pytest.raises(ConnectionError, match="received before|cannot be reached"):
            while time.monotonic() < end:
                pickle.loads(data)


KILLED = """
import os, signal, sys, time
import torch, torch.multiprocessing as mp
mp.set_sharing_strategy(sys.argv[1])
queue = mp.get_context("fork").Queue()
for _ in range(5):
    queue.put(torch.ones(1_000_000))
time.sleep(0.5)
print(sum(os.path.realpath(f"/proc/self/fd/{n}").startswith("/memfd:torch") for n in os.listdir("/proc/self/fd")), flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_nothing_is_left_of_a_killed_process(strategy):
    before = tensor_files()
    done = subprocess.run([sys.executable, "-c", KILLED, strategy], capture_output=True, text=True)
    assert done.returncode == -signal.SIGKILL and int(done.stdout) >= 5, done.stderr
    assert not tensor_files_left_since(before)


def test_memory_outlives_its_maker():
    """The receiver keeps the memory of a sender that is killed, and the other way round."""
    context = mp.get_context("fork")
    reader, writer = context.Pipe()

    def send(connection):
        connection.send(torch.arange(50_000.0))
        connection.recv()

    process = context.Process(target=send, args=(writer,), daemon=True)
    process.start()
    x = reader.recv()
    os.kill(process.pid, signal.SIGKILL)
    process.join()
    assert x.is_shared() and torch.equal(x, torch.arange(50_000.0))


def test_a_sender_that_is_gone(strategy):
    context = mp.get_context("fork")
    reader, writer = context.Pipe()
    process = context.Process(target=lambda: writer.send(torch.ones(50_000)), daemon=True)
    process.start()
    process.join()
    with pytest.raises(OSError):
        reader.recv()


def fill(number, tensor, module):
    tensor[number] = number + 1
    with torch.no_grad():
        module.weight[number] = 5


def test_arguments_of_processes_are_shared(strategy):
    tensor, module = torch.zeros(2), torch.nn.Linear(3, 2, bias=False)
    mp.spawn(fill, (tensor, module), nprocs=2)
    assert tensor.tolist() == [1, 2] and module.weight.tolist() == [[5] * 3] * 2


def test_more_descriptors_than_the_soft_limit():
    code = """
import resource, torch
resource.setrlimit(resource.RLIMIT_NOFILE, (256, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
kept = [torch.ones(2).share_memory_() for _ in range(400)]
print(len(kept))
"""
    import resource

    if resource.getrlimit(resource.RLIMIT_NOFILE)[1] < 600:
        pytest.skip("the hard limit of this machine is too low")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout.strip() == "400", done.stderr


def test_strategies():
    assert mp.get_all_sharing_strategies() == {"file_descriptor", "file_system"}
    with pytest.raises(AssertionError, match="unknown sharing strategy"):
        mp.set_sharing_strategy("files")


# --- spawn ------------------------------------------------------------------------------------------------


def raise_late(number):
    if number == 1:
        raise ValueError("boom " + "x" * 200_000)
    time.sleep(1000)


def exit_late(number, how):
    if number == 1:
        sys.exit(7) if how == "exit" else os.kill(os.getpid(), signal.SIGKILL)
    time.sleep(1000)


def test_one_failure_ends_all():
    start = time.monotonic()
    with pytest.raises(mp.ProcessRaisedException, match="-- Process 1 terminated with the following error") as caught:
        mp.start_processes(raise_late, nprocs=3, start_method="fork")
    assert caught.value.error_index == 1 and caught.value.pid > 0 and len(str(caught.value)) > 200_000
    assert "in raise_late" in str(caught.value) and time.monotonic() - start < 200
    again = pickle.loads(pickle.dumps(caught.value))
    assert (again.error_index, str(again)) == (1, str(caught.value))


@pytest.mark.parametrize("how, text, code, name", [("exit", "exit code 7", 7, None), ("kill", "signal SIGKILL", -9, "SIGKILL")])
def test_a_process_that_ends_itself(how, text, code, name):
    with pytest.raises(mp.ProcessExitedException, match=f"process 1 terminated with {text}") as caught:
        mp.start_processes(exit_late, (how,), nprocs=2, start_method="fork")
    assert (caught.value.exit_code, caught.value.signal_name) == (code, name)


def wait_for(number, event):
    event.wait()


def ignore_signals(number, ready):
    if number == 0:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        ready.set()
        time.sleep(1000)
    ready.wait()
    raise ValueError("the other ignores SIGTERM")


def test_a_process_that_ignores_the_end(monkeypatch):
    monkeypatch.setattr(sys.modules["torch.multiprocessing.spawn"], "_KILL_AFTER_SECONDS", 0.5)
    ready = mp.get_context("fork").Event()
    with pytest.raises(mp.ProcessRaisedException, match="ignores SIGTERM"):
        mp.start_processes(ignore_signals, (ready,), nprocs=2, start_method="fork")


def test_joining():
    event = mp.get_context("fork").Event()
    running = mp.start_processes(wait_for, (event,), nprocs=2, join=False, daemon=True, start_method="fork")
    assert isinstance(running, mp.ProcessContext) and len(running.pids()) == 2 and running.processes[0].daemon
    assert running.join(timeout=0.01) is False
    event.set()
    while not running.join(timeout=60):
        pass
    assert running.join() is True
    assert mp.spawn(os.getpid, nprocs=0) is None


def test_spawn_has_one_start_method():
    with pytest.warns(FutureWarning, match="start_processes"):
        mp.spawn(fill, (torch.zeros(1), torch.nn.Linear(1, 1)), start_method="fork")


def add_one_in_place(x):
    x += 1
    return x * 2


def test_pool_of_tensors():
    from torch.multiprocessing.pool import Pool

    x = torch.zeros(3).share_memory_()
    with Pool(2, context=mp.get_context("fork")) as pool:
        results = pool.map(add_one_in_place, [x])
        assert results[0].tolist() == [2, 2, 2] and x.tolist() == [1, 1, 1]
    with mp.get_context("fork").Pool(1) as pool:  # Python's own knows tensors as well
        assert pool.apply(add_one_in_place, (x,)).tolist() == [4, 4, 4]


def put_and_wait(queue, received, x):
    queue.put(x + 1)
    received.wait()


@pytest.mark.parametrize("kind", ["Queue", "SimpleQueue"])
def test_queues_of_tensors(kind):
    import torch.multiprocessing.queue as queues

    context = mp.get_context("fork")
    queue = getattr(queues, kind)(ctx=context)
    received = context.Event()
    process = context.Process(target=put_and_wait, args=(queue, received, torch.ones(2)))
    process.start()
    assert queue.get().tolist() == [2, 2]
    received.set()
    process.join()


def test_spawn_is_a_function():
    import torch.multiprocessing.spawn as module

    assert callable(torch.multiprocessing.spawn) and module is torch.multiprocessing.spawn
    assert sys.modules["torch.multiprocessing.spawn"].spawn is torch.multiprocessing.spawn
