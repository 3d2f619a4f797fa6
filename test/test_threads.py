"""The pool of threads: forks, signals, threads of the program, settings."""

import importlib
import itertools
import os
import pathlib
import signal
import struct
import subprocess
import sys
import threading
import time

import pytest

import torch
import torch.nn.functional as F

if not torch.backends.openmp.is_available():
    pytest.skip("built without threads", allow_module_level=True)


def run(program, **environment):
    """Standard output and error of a program in an interpreter of its own; its exit status must be 0."""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120,
                          env={**os.environ, **environment})  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout, done.stderr


@pytest.fixture
def two_threads():
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    yield
    torch.set_num_threads(before)


# One call for each way in which work reaches several threads.
KERNELS = {
    "elementwise": lambda x: x.add(1).sum(),
    "matmul": lambda x: x[:512, :512] @ x[:512, :512],
    "linear": lambda x: F.linear(x[:512, :512], x[:256, :512], x[0, :256]),
    "double matmul": lambda x: x[:512, :512].double() @ x[:512, :512].double(),
    "bfloat16 matmul": lambda x: x[:512, :512].bfloat16() @ x[:512, :512].bfloat16(),
    "complex matmul": lambda x: x[:256, :256].cfloat() @ x[:256, :256].cfloat(),
    "convolution": lambda x: F.conv2d(x.view(16, 16, 64, 64)[:, :, :32, :32], x.view(-1)[: 32 * 16 * 9].view(32, 16, 3, 3)),
    "attention": lambda x: F.scaled_dot_product_attention(*x.view(-1)[: 3 * 8 * 128 * 32].view(3, 8, 128, 32).unbind()),
    "sort": lambda x: x.sort(-1).values,
    "softmax": lambda x: x.softmax(-1),
    "lstm": lambda x: torch.nn.LSTM(64, 64)(x.view(-1)[: 32 * 16 * 64].view(32, 16, 64))[0].shape,
}  # fmt: skip


def same(a, b):
    """A busy pool has each product of a batch computed by another library than a free one: the last bits may differ."""
    return a == b if not isinstance(a, torch.Tensor) else torch.allclose(a, b, rtol=1e-5, atol=1e-6)


def right_in_a_child(f):
    """Fork, and fail unless f() is true in the child."""
    child = os.fork()
    if child == 0:
        signal.signal(signal.SIGALRM, signal.SIG_DFL)  # not the test runner's handler, which would not end a thread that waits
        signal.alarm(100)
        try:
            os._exit(0 if f() else 1)
        finally:
            os._exit(2)
    deadline = time.time() + 60
    while (ended := os.waitpid(child, os.WNOHANG)) == (0, 0) and time.time() < deadline:
        time.sleep(0.002)
    if ended == (0, 0):
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        pytest.fail("the child hangs")
    assert ended[1] == 0


@pytest.mark.parametrize("name", KERNELS)
def test_a_forked_child_computes(name, two_threads):
    x = torch.linspace(-1, 1, 1024 * 1024).view(1024, 1024)
    expected = KERNELS[name](x)
    right_in_a_child(lambda: same(KERNELS[name](x), expected))
    assert same(KERNELS[name](x), expected)


SIZES = itertools.cycle(range(8, 32))


def convolve_another_size(x):
    size = next(SIZES)
    F.conv2d(x.view(-1)[: 32 * size * size].view(4, 8, size, size), x.view(-1)[:1152].view(16, 8, 3, 3))


def backward(x):
    leaf = x.clone().requires_grad_()
    leaf.mul(2).sum().backward()


# What the parent's other threads are at while it forks, and the child then does, too.
BUSY = {
    "elementwise": lambda x: x.add(1),
    "matmul": lambda x: x.view(-1)[: 256 * 256].view(256, 256) @ x.view(-1)[: 256 * 256].view(256, 256),
    "double matmul": lambda x: (m := x.view(-1)[: 256 * 256].view(256, 256).double()) @ m,
    "convolution": convolve_another_size,
    "memory": lambda x: [torch.empty(size) for size in (10, 300, 5000, 70_000, 900_000)] * 3,
    "random": lambda x: torch.rand(200_000),
    "backward": backward,
}  # fmt: skip


@pytest.mark.parametrize("name", BUSY)
def test_forks_while_other_threads_compute(name, two_threads):
    x, work = torch.ones(1 << 20), BUSY[name]
    work(x)
    stop = threading.Event()

    def repeat():
        torch.set_num_threads(2)
        while not stop.is_set():
            work(x)

    def child():
        work(x)
        return x.sum().item() == x.numel()

    threads = [threading.Thread(target=repeat) for _ in range(2)]
    for thread in threads:
        thread.start()
    try:
        for _ in range(20):
            right_in_a_child(child)
    finally:
        stop.set()
        for thread in threads:
            thread.join()


def test_fork_waits_for_imports_of_other_threads(tmp_path, monkeypatch):
    """A module's lock is Python's own, and stays locked in the child if another thread holds it."""
    (tmp_path / "takes_a_while.py").write_text("import time\ntime.sleep(0.3)\n")
    monkeypatch.syspath_prepend(tmp_path)
    thread = threading.Thread(target=importlib.import_module, args=("takes_a_while",))
    thread.start()
    time.sleep(0.1)
    try:
        right_in_a_child(lambda: importlib.import_module("takes_a_while"))
    finally:
        thread.join()
        sys.modules.pop("takes_a_while", None)


def test_a_generator_that_a_gone_thread_held_is_free(two_threads):
    generator = torch.Generator().manual_seed(1)
    stop = threading.Event()

    def draw():
        while not stop.is_set():
            torch.rand(3_000_000, generator=generator)

    thread = threading.Thread(target=draw)
    thread.start()
    try:
        for _ in range(5):
            right_in_a_child(lambda: torch.rand(3, generator=generator).shape == (3,))
    finally:
        stop.set()
        thread.join()


def test_statistics_of_memory_in_a_child_leave_out_gone_threads():
    """Threads that the child starts get the memory of those that are gone, lists of blocks included."""
    ready, stop = threading.Barrier(4), threading.Event()

    def hold():
        kept = [torch.empty(10) for _ in range(100)]
        ready.wait()
        stop.wait()
        del kept

    def child():
        for _ in range(3):
            threads = [threading.Thread(target=lambda: torch.empty(10)) for _ in range(3)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        return torch.cpu.memory_stats()["allocated_bytes"] > 0

    threads = [threading.Thread(target=hold) for _ in range(3)]
    for thread in threads:
        thread.start()
    ready.wait()
    try:
        right_in_a_child(child)
    finally:
        stop.set()
        for thread in threads:
            thread.join()


@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize("where", ["main", "other"])
def test_signals_disturb_no_library(name, where):
    """Signals arrive all the time on the thread that computes. See Note [oneDNN and signals]."""
    program = f"""
import os, signal, sys, threading, time
sys.path.insert(0, {os.path.dirname(__file__)!r})
import torch
from test_threads import KERNELS, same
torch.set_num_threads(1)
kernel, handled = KERNELS[{name!r}], [0]
x = torch.linspace(-1, 1, 1024 * 1024).view(1024, 1024)
expected = kernel(x)
signal.signal(signal.SIGUSR1, lambda *_: handled.__setitem__(0, handled[0] + 1))
wrong = []

def work():
    end = time.time() + 0.7
    while time.time() < end:
        if not same(kernel(x), expected):
            wrong.append(1)

def disturb(target, until):
    while until():
        signal.pthread_kill(target, signal.SIGUSR1)
        time.sleep(0.0002)

if {where!r} == "main":
    done = []
    thread = threading.Thread(target=disturb, args=(threading.get_ident(), lambda: not done))
    thread.start(); work(); done.append(1); thread.join()
else:
    thread = threading.Thread(target=work)
    thread.start(); disturb(thread.ident, thread.is_alive)
assert not wrong and handled[0] > 10, (wrong, handled)
"""
    run(program, TORCH_CRASH_REPORT="0")


def test_signals_are_handled_after_the_call():
    program = """
import signal, torch
x = torch.ones(600, 600)
seen = []
signal.signal(signal.SIGALRM, lambda *_: seen.append(1))
signal.setitimer(signal.ITIMER_REAL, 0.001, 0.001)
while len(seen) < 20:
    x @ x
signal.setitimer(signal.ITIMER_REAL, 0)
assert signal.pthread_sigmask(signal.SIG_BLOCK, []) == set()
"""
    run(program)


@pytest.mark.parametrize("value, expected, warning", [
    ("100000", 512, "OMP_NUM_THREADS=100000: using 512 threads"),
    ("99999999999999999999", 512, "using 512 threads"),
    ("3", 3, ""), ("3,2", 3, ""), ("0", None, "expected a positive number"), ("-1", None, "expected a positive number"),
    ("many", None, "OMP_NUM_THREADS=many is ignored"), ("2x", None, "OMP_NUM_THREADS=2x is ignored"), ("", None, ""),
])  # fmt: skip
def test_omp_num_threads(value, expected, warning):
    program = "import os, torch; print(torch.get_num_threads(), len(os.sched_getaffinity(0)))"
    out, err = run(program, OMP_NUM_THREADS=value)
    threads, cores = map(int, out.split())
    assert threads == (expected or cores)
    assert warning in err and bool(warning) == bool(err)


def test_more_threads_than_the_system_allows():
    program = """
import resource, torch
torch.set_num_threads(400)
resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))  # stacks of 400 threads take 3 GiB
x = torch.ones(10_000_000, dtype=torch.int8)
assert x.add(1).sum() == 20_000_000
y = torch.ones(300, 300)
assert torch.equal(y @ y, torch.full((300, 300), 300.))
"""
    run(program, OMP_NUM_THREADS="400")


def test_set_num_threads_bounds():
    with pytest.raises(RuntimeError, match="expects a positive integer, got 0"):
        torch.set_num_threads(0)
    with pytest.raises(RuntimeError, match="at most 512 threads, got 513"):
        torch.set_num_threads(513)


@pytest.mark.parametrize("name", KERNELS)
def test_threads_of_the_program_share_the_pool(name, two_threads):
    x = torch.linspace(-1, 1, 1024 * 1024).view(1024, 1024)
    expected = KERNELS[name](x)
    wrong = []

    def work():
        for _ in range(5):
            if not same(KERNELS[name](x), expected):
                wrong.append(name)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_pieces_do_not_depend_on_who_runs_them(two_threads):
    """The same numbers, bit for bit, whichever thread took which piece."""
    x = torch.linspace(-1, 1, 3_000_001)
    sums = {x.sum().item() for _ in range(50)} | {x.norm().item() for _ in range(50)}
    assert len(sums) == 2


def test_room_for_the_thread_locals_of_other_libraries():
    """Libraries that a program loads later, OpenMP's among them, need some of the C library's 1,664 bytes."""
    folder = pathlib.Path(torch.__file__).parent
    total = 0
    for library in [*folder.glob("lib/*.so"), *folder.glob("_C*.so")]:
        with open(library, "rb") as file:
            head = file.read(64)
            (start,) = struct.unpack_from("<Q", head, 32)
            size, count = struct.unpack_from("<HH", head, 54)
            file.seek(start)
            for _ in range(count):
                entry = file.read(size)
                if struct.unpack_from("<I", entry)[0] == 7:  # PT_TLS
                    total += struct.unpack_from("<Q", entry, 40)[0]
    assert 0 < total < 1300
