"""MPI: collectives between processes that mpirun starts, and jobs whose processes fail."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time

import pytest

import torch.distributed as dist

pytestmark = pytest.mark.timeout(120)

if not dist.is_available() or not dist.is_mpi_available():
    reason = "this build has no MPI"
else:
    reason = "mpirun is not on the PATH" if shutil.which("mpirun") is None else ""
mpi = pytest.mark.skipif(bool(reason), reason=reason)

START = """
import datetime, os, signal, sys, time
import torch, torch.distributed as dist
dist.init_process_group("mpi", timeout=datetime.timedelta(seconds=int(os.environ.get("LIMIT", 60))))
rank, size = dist.get_rank(), dist.get_world_size()
"""


def run(tmp_path, size, program, **environment):
    """What a program prints in `size` processes, its errors, its exit status, and how long it took."""
    path = tmp_path / "program.py"
    path.write_text(START + program)
    options = ["--allow-run-as-root"] if os.getuid() == 0 else []
    command = ["mpirun", *options, "--oversubscribe", "-n", str(size), sys.executable, str(path)]
    start = time.monotonic()
    done = start_and_wait(command, timeout=90, cwd=tmp_path, env={**os.environ, "OMP_NUM_THREADS": "1", **environment})
    return done.stdout, done.stderr, done.returncode, time.monotonic() - start


def start_and_wait(command, env, **options):
    # Open MPI's jobs share a folder in TMPDIR, which one that ends removes while another begins.
    with tempfile.TemporaryDirectory(prefix="mpi") as folder:
        return subprocess.run(
            command, capture_output=True, text=True, stdin=subprocess.DEVNULL, env={**env, "TMPDIR": folder}, **options
        )


def left_over(tmp_path):
    """Processes that still run the program."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/cmdline", "rb") as file:
                if str(tmp_path / "program.py").encode() in file.read():
                    found.append(pid)
        except OSError:
            pass
    return found


COLLECTIVES = """
R = range(size)
assert dist.get_backend() == "mpi" and dist.get_backend_config() == "cpu:mpi"
def own(dtype=torch.float32, r=rank): return (torch.arange(6) % 5 + r + 1).to(dtype).view(2, 3)
def fold(f, dtype):
    total = own(dtype, 0)
    for r in R[1:]: total = f(total, own(dtype, r))
    return total

numbers = [torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64, torch.float16, torch.bfloat16, torch.float32,
           torch.float64]
for dtype in numbers:
    for op, f in ((dist.ReduceOp.SUM, torch.add), (dist.ReduceOp.PRODUCT, torch.mul), (dist.ReduceOp.MIN, torch.minimum),
                  (dist.ReduceOp.MAX, torch.maximum)):
        x = own(dtype)
        dist.all_reduce(x, op)
        assert x.dtype == dtype and torch.equal(x, fold(f, dtype)), (dtype, op, x)
for op, f in ((dist.ReduceOp.BAND, torch.bitwise_and), (dist.ReduceOp.BOR, torch.bitwise_or),
              (dist.ReduceOp.BXOR, torch.bitwise_xor)):
    x = own(torch.int32)
    dist.all_reduce(x, op)
    assert torch.equal(x, fold(f, torch.int32))
x = own()
dist.all_reduce(x, dist.ReduceOp.AVG)
assert torch.allclose(x, fold(torch.add, torch.float32) / size)
flags = torch.tensor([rank == 0, True, False])
dist.all_reduce(flags)
assert flags.tolist() == [True, True, False]
x = own(torch.complex64)
dist.all_reduce(x)
assert torch.equal(x, fold(torch.add, torch.complex64))
x = own().t()  # not contiguous
dist.all_reduce(x)
assert torch.equal(x, fold(torch.add, torch.float32).t())

for dtype in (torch.bool, torch.int8, torch.bfloat16, torch.int32, torch.float64, torch.complex128):
    x = own(dtype)
    dist.broadcast(x, size - 1)
    assert torch.equal(x, own(dtype, size - 1))
    parts = [torch.zeros(2, 3, dtype=dtype) for _ in R]
    dist.all_gather(parts, own(dtype))
    assert all(torch.equal(parts[r], own(dtype, r)) for r in R)
whole = torch.zeros(2 * size, 3)
dist.all_gather_into_tensor(whole, own())
assert torch.equal(whole, torch.cat([own(r=r) for r in R]))

x = own()
dist.reduce(x, size - 1)
assert torch.equal(x, fold(torch.add, torch.float32) if rank == size - 1 else own())
parts = [torch.zeros(2, 3) for _ in R] if rank == 0 else None
dist.gather(own(), parts, 0)
assert rank or all(torch.equal(parts[r], own(r=r)) for r in R)
x = torch.zeros(2, 3)
dist.scatter(x, [own(r=10 * r) for r in R] if rank == 1 else None, 1)
assert torch.equal(x, own(r=10 * rank))

x = torch.zeros(2)
dist.reduce_scatter(x, [torch.full((2,), float(10 * r + rank)) for r in R])
assert x.tolist() == [10.0 * rank * size + sum(R)] * 2
x = torch.zeros(2, dtype=torch.bfloat16)
dist.reduce_scatter_tensor(x, torch.arange(2 * size).to(torch.bfloat16) + rank)
assert x.tolist() == [2.0 * rank * size + sum(R), (2.0 * rank + 1) * size + sum(R)]
parts = [torch.zeros(r + 1) for r in R]
dist.all_to_all(parts, [torch.full((rank + 1,), float(10 * rank + r)) for r in R])
assert [t.tolist() for t in parts] == [[10.0 * r + rank] * (r + 1) for r in R]
x = torch.zeros(size)
dist.all_to_all_single(x, torch.arange(size) + 10.0 * rank)
assert x.tolist() == [10.0 * r + rank for r in R]
x = torch.zeros(sum(r + 1 for r in R), 2)
dist.all_to_all_single(x, torch.full(((rank + 1) * size, 2), float(rank)), [r + 1 for r in R], [rank + 1] * size)
assert torch.equal(x, torch.cat([torch.full((r + 1, 2), float(r)) for r in R]))
dist.barrier()

works = [dist.all_reduce(torch.full((1000,), float(k)), async_op=True) for k in range(20)]
futures = [w.get_future() for w in works]
for k, w in reversed(list(enumerate(works))):
    assert w.wait() and w.is_completed() and w.is_success() and futures[k].wait()[0][0] == k * size

right, left = (rank + 1) % size, (rank - 1) % size
x = torch.zeros(3)
sent = dist.isend(own()[0], right, tag=3)
assert dist.recv(x, left, tag=3) == left and torch.equal(x, own(r=left)[0])
sent.wait()
if rank == 0:
    sources = {dist.recv(x) for _ in R[1:]}
    assert sources == set(R[1:])
else:
    dist.send(x, 0)
found = [None] * size
dist.all_gather_object(found, {"rank": rank})
assert found == [{"rank": r} for r in R]

pair = dist.new_group([0, size - 1])
if rank in (0, size - 1):
    x = torch.ones(1) * (rank + 1)
    dist.all_reduce(x, group=pair)
    assert x.item() == 1 + size and dist.get_world_size(pair) == 2
    dist.destroy_process_group(pair)
assert dist.distributed_c10d._get_default_store().add("n", 0) == 0

for call, error, text in (
    (lambda: dist.all_reduce(torch.ones(1), dist.ReduceOp.BAND), RuntimeError, "no ReduceOp.BAND for tensors of Float"),
    (lambda: dist.all_reduce(torch.ones(1, dtype=torch.bool), dist.ReduceOp.AVG), RuntimeError, "no ReduceOp.AVG"),
    (lambda: dist.all_gather_into_tensor(torch.ones(1), torch.ones(1)), RuntimeError, "elements"),
    (lambda: dist.send(torch.ones(1), rank), (RuntimeError, ValueError), "rank"),
    (lambda: dist.monitored_barrier(), RuntimeError, "backend mpi does not have monitored_barrier"),
):
    try:
        call()
    except error as e:
        assert text in str(e), e
    else:
        raise AssertionError(text)

torch.manual_seed(rank)
model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(3, 2))
model(own()).sum().backward()
mean = sum(own(r=r).sum(0) for r in R) / size
assert torch.allclose(model.module.weight.grad[0], mean)
print("rank", rank, "passed")
dist.destroy_process_group()
"""


@mpi
@pytest.mark.parametrize("size", [2, 3, 4])
def test_collectives(tmp_path, size):
    output, errors, code, _ = run(tmp_path, size, COLLECTIVES)
    assert code == 0, errors[-3000:]
    assert output.count("passed") == size


@mpi
def test_a_program_that_mpirun_did_not_start(tmp_path):
    path = tmp_path / "program.py"
    path.write_text(START + "x = torch.ones(2)\ndist.all_reduce(x)\nprint(size, x.tolist())\ndist.destroy_process_group()\n")
    done = start_and_wait([sys.executable, str(path)], dict(os.environ), timeout=60)
    assert done.returncode == 0 and done.stdout == "1 [1.0, 1.0]\n", done.stderr


@mpi
def test_a_hung_rank(tmp_path):
    program = """
if rank == 1: time.sleep(4)
try:
    dist.all_reduce(torch.ones(4))
except dist.DistBackendError as e:
    print(e, flush=True)
    raise
"""
    output, _, code, seconds = run(tmp_path, 3, program, LIMIT="1")
    lines = [line for line in output.splitlines() if "timeout 1000 ms" in line]
    assert code != 0 and seconds < 30 and not left_over(tmp_path)
    assert lines and all("timed out in all_reduce of 4 elements" in line and "no answer from rank 1" in line for line in lines)


@mpi
@pytest.mark.parametrize("end", ["raise KeyError('of rank 1')", "os.kill(os.getpid(), signal.SIGKILL)"])
def test_a_rank_that_ends_takes_the_others_along(tmp_path, end):
    program = f"if rank == 1: {end}\ndist.all_reduce(torch.ones(4))\n"
    _, errors, code, seconds = run(tmp_path, 3, program)
    assert code != 0 and seconds < 30 and not left_over(tmp_path)
    assert "of rank 1" in errors or "signal 9" in errors


@mpi
def test_it_is_loaded_on_first_use():
    code = "import torch.distributed as dist\nmaps = lambda: 'libmpi.so' in open('/proc/self/maps').read()\n"
    code += "dist.HashStore()\nassert not maps()\nassert dist.is_mpi_available() and maps()\n"
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


@pytest.mark.skipif(not dist.is_available(), reason="this build has no torch.distributed")
def test_a_build_without_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch._C._distributed_mpi", None)
    assert not dist.is_mpi_available() and not dist.is_backend_available("mpi")
    with pytest.raises(RuntimeError, match="no backend MPI: it was built without Open MPI, or libmpi.so"):
        dist.init_process_group("mpi")
