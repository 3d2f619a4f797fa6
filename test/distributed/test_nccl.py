"""ProcessGroupNCCL: collectives of tensors on GPUs, or on emulated ones, beside what one process computes."""

from __future__ import annotations

import copy
import datetime
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from ranks import emulated_device, needs_gloo, run_ranks

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

# This process does not use the emulated device, so torch itself says that there is none.
MODULES = list((Path(torch.__file__).parent / "_C").glob("_distributed_nccl*"))
needs_nccl = pytest.mark.skipif(not MODULES, reason="built without a CUDA backend (USE_CUDA=1 or emulated)")
pytestmark = [needs_gloo, pytest.mark.timeout(240)]

NUMBERS = [torch.float32, torch.float64, torch.float16, torch.bfloat16, torch.int8, torch.uint8, torch.int32, torch.int64]
FOLDS = {"SUM": lambda x: x.sum(0), "PRODUCT": lambda x: x.prod(0), "MIN": lambda x: x.amin(0), "MAX": lambda x: x.amax(0)}


def values(rank, dtype, *shape):
    """What a rank contributes, on the CPU; every rank can compute it."""
    return (torch.arange(torch.Size(shape).numel()).reshape(shape) % 3 + 1 + rank).to(dtype)


def reduce_everything(rank, size):
    for dtype in NUMBERS:
        every = torch.stack([values(r, dtype, 7, 3) for r in range(size)])
        for name, fold in FOLDS.items():
            x = values(rank, dtype, 7, 3).cuda()
            dist.all_reduce(x, getattr(dist.ReduceOp, name))
            torch.testing.assert_close(x.cpu(), fold(every.double()).to(dtype))
        x = values(rank, dtype, 3, 7).cuda().t()  # not dense
        dist.reduce(x, size - 1)
        if rank == size - 1:
            expected = torch.stack([values(r, dtype, 3, 7) for r in range(size)]).double().sum(0).to(dtype)
            torch.testing.assert_close(x.cpu(), expected.t())
    x = torch.tensor([rank == 0, True, False]).cuda()
    dist.all_reduce(x)
    assert x.tolist() == [True, True, False]
    x = torch.full((2,), 2.0 * rank, device="cuda")
    dist.all_reduce(x, dist.ReduceOp.AVG)
    assert x.tolist() == [size - 1.0] * 2
    x = torch.full((2,), 1 + 2j, device="cuda")
    dist.all_reduce(x)
    assert x.tolist() == [size * (1 + 2j)] * 2
    several = [torch.ones(3, device="cuda") * rank, torch.ones(2, dtype=torch.int64, device="cuda")]
    dist.all_reduce_coalesced(several)
    assert several[0].tolist() == [sum(range(size))] * 3 and several[1].tolist() == [size] * 2
    with pytest.raises(RuntimeError, match="NCCL has no ReduceOp.BAND for tensors of Int"):
        dist.all_reduce(torch.ones(2, dtype=torch.int32, device="cuda"), dist.ReduceOp.BAND)
    with pytest.raises(RuntimeError, match="no backend for tensors on 'cpu'"):
        dist.all_reduce(torch.ones(2))


@needs_nccl
@pytest.mark.parametrize("size", [2, 3])
def test_reductions(size):
    run_ranks(reduce_everything, size, backend="nccl")


def move_everything(rank, size):
    own = values(rank, torch.float32, 4, 2).cuda()
    every = [values(r, torch.float32, 4, 2) for r in range(size)]
    x = own.clone()
    dist.broadcast(x, size - 1)
    assert torch.equal(x.cpu(), every[-1])
    found = [torch.empty(2, 4, device="cuda").t() for _ in range(size)]
    dist.all_gather(found, own)
    assert all(torch.equal(a.cpu(), b) for a, b in zip(found, every))
    joined = torch.empty(4 * size, 2, device="cuda")
    dist.all_gather_into_tensor(joined, own)
    assert torch.equal(joined.cpu(), torch.cat(every))
    found = [torch.empty(4, 2, device="cuda") for _ in range(size)] if rank == 0 else None
    dist.gather(own, found, 0)
    assert rank or all(torch.equal(a.cpu(), b) for a, b in zip(found, every))
    x = torch.empty(2, device="cuda")
    dist.scatter(x, [torch.full((2,), float(r), device="cuda") for r in range(size)] if rank == 1 else None, 1)
    assert x.tolist() == [rank] * 2
    part = torch.empty(3, device="cuda")
    dist.reduce_scatter_tensor(part, torch.arange(3.0 * size, device="cuda"))
    assert torch.equal(part.cpu(), torch.arange(3.0 * rank, 3.0 * rank + 3) * size)
    dist.reduce_scatter(part, [torch.full((3,), float(r), device="cuda") for r in range(size)])
    assert part.tolist() == [rank * size] * 3
    got = [torch.empty(r + 1, device="cuda") for r in range(size)]
    dist.all_to_all(got, [torch.full((rank + 1,), 10.0 * rank + r, device="cuda") for r in range(size)])
    assert [t.tolist() for t in got] == [[10.0 * r + rank] * (r + 1) for r in range(size)]
    got = torch.empty(size, 2, device="cuda")
    dist.all_to_all_single(got, torch.arange(2.0 * size, device="cuda").reshape(size, 2) + 100 * rank)
    assert got[:, 0].tolist() == [100 * r + 2 * rank for r in range(size)]
    work = dist.all_reduce(x, async_op=True)
    work.wait()
    assert x.tolist() == [sum(range(size))] * 2
    assert work.is_completed() and work.is_success()
    dist.all_reduce(torch.empty(0, device="cuda"))
    dist.barrier()
    objects = [None] * size
    dist.all_gather_object(objects, {"rank": rank})
    assert objects == [{"rank": r} for r in range(size)]
    objects = ["a", rank]
    dist.broadcast_object_list(objects, 0)
    assert objects == ["a", 0]


@needs_nccl
@pytest.mark.parametrize("size", [2, 3])
def test_moves(size):
    run_ranks(move_everything, size, backend="nccl")


def exchange_messages(rank, size):
    following, previous = (rank + 1) % size, (rank - 1) % size
    for numel in (5, 1 << 18):
        got = torch.zeros(numel, device="cuda")
        operations = [
            dist.P2POp(dist.isend, torch.full((numel,), float(rank), device="cuda"), following),
            dist.P2POp(dist.irecv, got, previous),
        ]
        works = dist.batch_isend_irecv(operations)
        assert len(works) == 1
        works[0].wait()
        assert (got == previous).all()
    if rank == 0:
        dist.send(torch.arange(4, device="cuda").reshape(2, 2).t(), 1)
    elif rank == 1:
        got = torch.zeros(2, 2, dtype=torch.int64, device="cuda").t()
        assert dist.recv(got, 0) == 0
        assert got.tolist() == [[0, 2], [1, 3]]
    with pytest.raises(RuntimeError, match="does not have recv from any source"):
        dist.recv(torch.zeros(1, device="cuda"))


@needs_nccl
@pytest.mark.parametrize("size", [2, 3])
def test_messages(size):
    run_ranks(exchange_messages, size, backend="nccl")


def use_groups(rank, size):
    pair = dist.new_group([0, 2])
    x = torch.tensor([float(rank)], device="cuda")
    if rank != 1:
        dist.all_reduce(x, group=pair)
        assert x.item() == 2
        assert dist.get_backend(pair) == "nccl"
    both = dist.new_group(backend="cpu:gloo,cuda:nccl")
    for device in ("cpu", "cuda"):
        x = torch.ones(2, device=device)
        dist.all_reduce(x, group=both)
        assert x.tolist() == [size] * 2
    dist.destroy_process_group(both)
    options = type(dist.group.WORLD._get_backend(torch.device("cuda"))).Options(is_high_priority_stream=True)
    fast = dist.new_group(pg_options=options)
    x = torch.ones(2, device="cuda")
    dist.all_reduce(x, group=fast)
    assert x.tolist() == [size] * 2
    with pytest.raises(TypeError, match="ProcessGroupNCCL.Options"):
        dist.new_group(pg_options=dist.ProcessGroupGloo._Options())


@needs_nccl
def test_groups():
    run_ranks(use_groups, 3, backend="nccl")


def model(seed=0):
    torch.manual_seed(seed)
    return nn.Sequential(nn.Linear(5, 7), nn.Tanh(), nn.Linear(7, 3))


def train_in_parallel(rank, size, settings):
    alone, batch = model(), torch.linspace(-1, 1, 5 * 4 * size).reshape(4 * size, 5)
    parallel = DistributedDataParallel(model(rank).cuda(), device_ids=[rank], bucket_cap_mb=0.0001, **settings)
    own = torch.optim.SGD(parallel.parameters(), lr=0.1)
    expected = torch.optim.SGD(alone.parameters(), lr=0.1)
    # Rank 0's parameters are those of all.
    for _ in range(3):
        for module, optimizer, data in ((parallel, own, batch[rank::size]), (alone, expected, batch)):
            optimizer.zero_grad()
            module(data).square().mean().backward()
            optimizer.step()
    for a, b in zip(parallel.parameters(), alone.parameters()):
        torch.testing.assert_close(a.cpu(), b)
    with pytest.raises(ValueError, match="parameters are on cuda"):
        DistributedDataParallel(model().cuda(), device_ids=[(rank + 1) % size])
    with pytest.raises(ValueError, match="modules on one GPU; the parameters are on cpu"):
        DistributedDataParallel(model(), device_ids=[rank])


SETTINGS = {
    "default": {}, "views": {"gradient_as_bucket_view": True}, "static": {"static_graph": True},
    "unused": {"find_unused_parameters": True},
}  # fmt: skip


@needs_nccl
@pytest.mark.parametrize("name", SETTINGS)
def test_distributed_data_parallel(name):
    run_ranks(train_in_parallel, 2, SETTINGS[name], backend="nccl")


def reduce_with_hooks(rank, size):
    from torch.distributed.algorithms.ddp_comm_hooks import default_hooks

    gradients = []
    for hook in (default_hooks.allreduce_hook, default_hooks.fp16_compress_hook):
        parallel = DistributedDataParallel(model().cuda())
        parallel.register_comm_hook(None, hook)
        parallel(torch.ones(2, 5, device="cuda") * (rank + 1)).sum().backward()
        gradients.append([p.grad.cpu() for p in parallel.parameters()])
    for a, b in zip(*gradients):
        torch.testing.assert_close(a, b, rtol=2e-3, atol=2e-3)


@needs_nccl
def test_hooks():
    run_ranks(reduce_with_hooks, 2, backend="nccl")


def shard(rank, size):
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.fsdp import fully_shard

    mesh = init_device_mesh("cuda", (size,))
    alone, cut = model(), model().cuda()
    for layer in (cut[0], cut[2], cut):
        fully_shard(layer, mesh=mesh)
    batch = torch.linspace(-1, 1, 5 * 4 * size).reshape(4 * size, 5)
    alone(batch).square().mean().backward()
    cut(batch[rank::size].cuda()).square().mean().backward()
    for a, b in zip(cut.parameters(), alone.parameters()):
        torch.testing.assert_close(a.grad.full_tensor().cpu(), b.grad)


@needs_nccl
def test_fully_shard():
    run_ranks(shard, 2, backend="nccl")


def wrap_and_spread(rank, size):
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.fsdp import FullyShardedDataParallel
    from torch.distributed.tensor import Replicate, Shard, distribute_tensor, ones
    from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module

    alone, batch = model(), torch.linspace(-1, 1, 40).reshape(8, 5)
    wrapped = FullyShardedDataParallel(model(rank), device_id=rank, sync_module_states=True)
    assert all(p.device == torch.device("cuda", rank) for p in wrapped.parameters())
    alone(batch).square().mean().backward()
    wrapped(batch[rank::size].cuda()).square().mean().backward()
    with FullyShardedDataParallel.summon_full_params(wrapped, with_grads=True):
        for a, b in zip(wrapped.parameters(), alone.parameters()):
            torch.testing.assert_close(a.grad.cpu(), b.grad)
    mesh = init_device_mesh("cuda", (size,))
    x = distribute_tensor(torch.arange(12.0).reshape(4, 3), mesh, [Shard(0)])
    assert x.device.type == x.to_local().device.type == "cuda" and ones(4, device_mesh=mesh).device.type == "cuda"
    assert (x @ distribute_tensor(torch.eye(3), mesh, [Replicate()])).full_tensor().tolist() == torch.arange(12.0).reshape(
        4, 3
    ).tolist()
    assert torch.equal(x, x)
    torch.manual_seed(0)
    alone = nn.Sequential(nn.Linear(5, 8), nn.Tanh(), nn.Linear(8, 3))
    parallel = parallelize_module(copy.deepcopy(alone).cuda(), mesh, {"0": ColwiseParallel(), "2": RowwiseParallel()})
    torch.testing.assert_close(parallel(batch.cuda()).cpu(), alone(batch))


@needs_nccl
def test_tensors_over_processes():
    run_ranks(wrap_and_spread, 2, backend="nccl")


# --- what goes wrong -----------------------------------------------------------------------------


def error_of(call):
    start = time.monotonic()
    try:
        call()
    except dist.DistBackendError as error:
        return str(error), time.monotonic() - start
    return "no error", time.monotonic() - start


def killed(rank, size):
    x = torch.ones(1000, device="cuda")
    dist.all_reduce(x)
    torch.cuda.synchronize()
    if rank == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    return error_of(lambda: [dist.all_reduce(x) for _ in range(100)])


@needs_nccl
def test_a_killed_rank():
    result = run_ranks(killed, 2, backend="nccl", killed=(1,), TORCH_NCCL_BLOCKING_WAIT="1")[0]
    assert "rank 0 of 2 failed in all_reduce of 1000 elements" in result[0] and "rank 1" in result[0], result
    assert result[1] < 30


def hung(rank, size):
    group = dist.new_group(timeout=datetime.timedelta(seconds=2))
    x = torch.ones(10, device="cuda")
    dist.all_reduce(x, group=group)
    torch.cuda.synchronize()
    if rank == 1:
        time.sleep(6)
        return None
    found = error_of(lambda: dist.all_reduce(x, group=group))
    # The group can do nothing more.
    assert error_of(lambda: dist.broadcast(x, 0, group=group))[0] == found[0]
    return found


@needs_nccl
def test_a_rank_that_hangs():
    text, seconds = run_ranks(hung, 2, backend="nccl", TORCH_NCCL_BLOCKING_WAIT="1")[0]
    assert "rank 0 of 2" in text and "all_reduce of 10 elements" in text and "no answer from rank 1" in text, text
    assert 1.5 < seconds < 30


def hung_without_waiting(rank, size):
    group = dist.new_group(timeout=datetime.timedelta(seconds=1))
    x = torch.ones(10, device="cuda")
    dist.all_reduce(x, group=group)
    if rank == 0:
        dist.all_reduce(x, group=group)
        x.cpu()
        time.sleep(20)
    time.sleep(4)


@needs_nccl
def test_a_failed_collective_ends_the_process():
    """Nothing may be computed from the results of a collective that failed."""
    run_ranks(hung_without_waiting, 2, backend="nccl", killed=(0,), ended_by=signal.SIGABRT)


def late_at_first(rank, size):
    group = dist.new_group(timeout=datetime.timedelta(seconds=1))
    if rank == 1:
        time.sleep(3)
        return None
    return error_of(lambda: dist.all_reduce(torch.ones(1, device="cuda"), group=group))[0]


@needs_nccl
def test_a_rank_that_never_begins():
    text = run_ranks(late_at_first, 2, backend="nccl")[0]
    assert "waited 1000 ms for the others to begin their first collective; missing ranks [1]" in text, text


def one_gpu_for_all(rank, size):
    torch.cuda.set_device(0)
    return error_of(lambda: dist.all_reduce(torch.ones(1, device="cuda")))[0]


@needs_nccl
def test_two_ranks_on_one_gpu():
    for text in run_ranks(one_gpu_for_all, 2, backend="nccl"):
        assert "invalid usage" in text and "Duplicate GPU" in text


@needs_nccl
def test_no_gpu():
    code = "import torch.distributed as d; d.init_process_group('nccl', store=d.HashStore(), rank=0, world_size=1)"
    environment = {**os.environ, **emulated_device(), "CUDA_VISIBLE_DEVICES": ""}
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code], env=environment, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 1 and "RuntimeError" in done.stderr and "no GPU" in done.stderr.replace("No CUDA GPUs", "no GPU")


def test_a_build_without_it(monkeypatch):
    from torch.distributed import _nccl

    monkeypatch.setattr(_nccl, "extension", lambda: None)
    assert not dist.is_nccl_available() and not dist.is_backend_available("nccl")
    for backend in ("nccl", "cpu:gloo,cuda:nccl"):
        with pytest.raises(
            RuntimeError, match="no backend NCCL: NCCL works on tensors on NVIDIA GPUs, and .* without its CUDA backend"
        ):
            dist.init_process_group(backend, store=dist.HashStore(), rank=0, world_size=1)
    assert not dist.is_initialized()
    assert dist.get_default_backend_for_device("cuda") == "nccl"
