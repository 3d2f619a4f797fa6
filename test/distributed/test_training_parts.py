"""Collectives with gradients, SyncBatchNorm, ZeroRedundancyOptimizer, uneven inputs, and hooks that send less."""

from __future__ import annotations

import copy

import pytest
from ranks import needs_gloo, run_ranks

import torch
import torch.distributed as dist
from torch import nn

pytestmark = [needs_gloo, pytest.mark.timeout(120)]


def gradients(rank, size):
    """Each collective is linear: its gradient is checked against a numerical one over all ranks."""
    import torch.distributed.nn.functional as F

    def joined(f, x):
        return torch.cat([t.reshape(-1) for t in (f(x) if isinstance(f(x), (list, tuple)) else [f(x)])])

    uneven = [2, 1] if rank == 0 else [1, 2]
    back = [2, 1] if rank == 0 else [1, 2]
    calls = {
        "broadcast": lambda x: F.broadcast(x, 1), "reduce": lambda x: F.reduce(x, 1), "all_reduce": F.all_reduce,
        "gather": lambda x: F.gather(x, 1), "all_gather": F.all_gather,
        "scatter": lambda x: F.scatter([x[:2], x[1:]], 1), "reduce_scatter": lambda x: F.reduce_scatter(x[:2], [x[:2], x[1:]]),
        "all_to_all": lambda x: F.all_to_all([torch.empty(2), torch.empty(2)], [x[:2], x[1:]]),
        "all_to_all_single": lambda x: F.all_to_all_single(torch.empty(3), x, back, uneven),
        "all_gather_base": lambda x: F._all_gather_base(torch.empty(size * 3), x),
    }  # fmt: skip
    for name, f in calls.items():
        x = (torch.arange(3.0) + 10 * rank).requires_grad_()
        output = joined(f, x.detach())
        weights = torch.randn(output.shape, generator=torch.Generator().manual_seed(rank))
        if name in ("gather", "reduce") and rank != 1:
            weights.zero_()  # what other ranks get is not defined
        result = f(x)
        result = torch.cat([t.reshape(-1) for t in result]) if isinstance(result, tuple) else result
        (result.reshape(-1) * weights).sum().backward()
        for owner in range(size):
            for k in range(3):
                shifted = x.detach().clone()
                shifted[k] += 1.0 if rank == owner else 0.0
                change = ((joined(f, shifted) - output) * weights).sum()
                dist.all_reduce(change)
                if rank == owner:
                    torch.testing.assert_close(x.grad[k], change, atol=1e-4, rtol=1e-4, msg=lambda m: f"{name}: {m}")
    with pytest.raises(RuntimeError, match="does not have it yet"):
        torch.distributed.nn.RemoteModule("worker", nn.Linear)


def batch_norm(rank, size, parts, dtype):
    torch.manual_seed(0)
    x = torch.randn(sum(parts), 3, 4, dtype=dtype) * 3 + 100
    weights = torch.randn_like(x)
    plain = nn.BatchNorm1d(3, dtype=dtype)
    with torch.no_grad():
        plain.weight.copy_(torch.tensor([1.0, 2.0, 3.0]))
    sync = nn.SyncBatchNorm.convert_sync_batchnorm(copy.deepcopy(plain))
    whole, own = x.clone().requires_grad_(), x.split(parts)[rank].clone().requires_grad_()
    expected, found = plain(whole), sync(own)
    (expected * weights).sum().backward()
    (found * weights.split(parts)[rank]).sum().backward()
    torch.testing.assert_close(found, expected.split(parts)[rank])
    torch.testing.assert_close(own.grad, whole.grad.split(parts)[rank])
    for a, b in ((plain.weight, sync.weight), (plain.bias, sync.bias)):
        dist.all_reduce(b.grad)
        torch.testing.assert_close(b.grad, a.grad)
    for a, b in zip(plain.buffers(), sync.buffers()):
        torch.testing.assert_close(a, b)
    plain.eval(), sync.eval()
    torch.testing.assert_close(sync(x), plain(x))


def network():
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(5, 8), nn.GELU(), nn.Linear(8, 8), nn.GELU(), nn.Linear(8, 2))


def zero(rank, size):
    from torch.distributed.optim import ZeroRedundancyOptimizer

    plain, model = network(), network()
    first = torch.optim.AdamW(plain.parameters(), lr=0.05)
    second = ZeroRedundancyOptimizer(model.parameters(), torch.optim.AdamW, lr=0.05)
    schedules = [torch.optim.lr_scheduler.StepLR(o, 1, 0.5) for o in (first, second)]
    for k in range(3):
        x = torch.randn(4, 5, generator=torch.Generator().manual_seed(k))
        for m, o, s in zip((plain, model), (first, second), schedules):
            m(x).square().mean().backward()
            o.step()
            o.zero_grad()
            s.step()
    for a, b in zip(plain.parameters(), model.parameters()):
        assert torch.equal(a, b)
    second.consolidate_state_dict(to=1)
    if rank == 1:
        state = second.state_dict()
        for k, values in first.state_dict()["state"].items():
            assert torch.equal(values["exp_avg"], state["state"][k]["exp_avg"])
        assert state["param_groups"][0]["params"] == list(range(6)) and state["param_groups"][0]["lr"] == 0.05 / 8
    else:
        with pytest.raises(RuntimeError, match="consolidate_state_dict"):
            second.state_dict()
    third = ZeroRedundancyOptimizer(model.parameters(), torch.optim.AdamW, lr=1.0)
    third.load_state_dict(first.state_dict())
    x = torch.randn(4, 5, generator=torch.Generator().manual_seed(9))
    for m, o in ((plain, first), (model, third)):
        m(x).square().mean().backward()
        o.step()
    for a, b in zip(plain.parameters(), model.parameters()):
        assert torch.equal(a, b)
    return len(second.optim.state)


def uneven(rank, size):
    """Rank 0 has two batches, rank 1 four: the others' steps count as with gradients of zero."""
    from torch.nn.parallel import DistributedDataParallel

    model = DistributedDataParallel(nn.Sequential(*network(), nn.BatchNorm1d(2)))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    with model.join():
        for k in range(2 + 2 * rank):
            x = torch.randn(4, 5, generator=torch.Generator().manual_seed(10 * rank + k))
            model(x).square().mean().backward()
            optimizer.step()
            optimizer.zero_grad()
    text = None
    try:
        with model.join(throw_on_early_termination=True):
            for _ in range(1 + rank):
                model(torch.ones(2, 5)).sum().backward()
    except RuntimeError as error:
        text = str(error)
    state = {key: value.tolist() for key, value in model.module.state_dict().items()}
    return state, text


def hooks(rank, size):
    from torch.distributed.algorithms.ddp_comm_hooks import post_localSGD_hook as local
    from torch.distributed.algorithms.ddp_comm_hooks import powerSGD_hook as power
    from torch.distributed.algorithms.model_averaging.averagers import PeriodicModelAverager
    from torch.distributed.optim import PostLocalSGDOptimizer
    from torch.nn.parallel import DistributedDataParallel

    def train(hook, state, steps=40, averager=None):
        torch.manual_seed(0)
        model = DistributedDataParallel(nn.Sequential(nn.Linear(20, 20), nn.Tanh(), nn.Linear(20, 1)))
        if hook is not None:
            model.register_comm_hook(state, hook)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
        if averager is not None:
            optimizer = PostLocalSGDOptimizer(optimizer, averager)
        x = torch.randn(16, 20, generator=torch.Generator().manual_seed(rank))
        for _ in range(steps):
            loss = (model(x) - x[:, :1]).square().mean()
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
        return loss.item(), [p.detach().clone() for p in model.parameters()]

    plain, _ = train(None, None)
    for hook in (power.powerSGD_hook, power.batched_powerSGD_hook):
        state = power.PowerSGDState(None, matrix_approximation_rank=4, start_powerSGD_iter=2)
        loss, params = train(hook, state)
        assert loss < plain * 1.5 + 0.05, (hook, loss, plain)
        for p in params:
            other = p.clone()
            dist.broadcast(other, 0)
            assert torch.equal(other, p)  # all processes have the same ones
    state = power.PowerSGDState(None, matrix_approximation_rank=4, start_powerSGD_iter=2)
    train(power.powerSGD_hook, state, 5)
    assert state.compression_stats()[0] > 1
    exact = power.PowerSGDState(None, matrix_approximation_rank=20, start_powerSGD_iter=2, min_compression_rate=0.1)
    assert train(power.powerSGD_hook, exact)[0] == pytest.approx(plain, rel=1e-2)
    state = local.PostLocalSGDState(None, None, 3, post_local_gradient_allreduce=False)
    averager = PeriodicModelAverager(4, warmup_steps=3)
    loss, params = train(local.post_localSGD_hook, state, 8, averager)  # the average of step 7 is the last
    for p in params:
        other = p.clone()
        dist.broadcast(other, 0)
        torch.testing.assert_close(other, p)


def test_gradients_of_collectives():
    run_ranks(gradients, 2)


@pytest.mark.parametrize("parts, dtype", [([3, 3], torch.float64), ([1, 4, 2], torch.float64), ([5, 0], torch.float64)])
def test_batch_norm(parts, dtype):
    run_ranks(batch_norm, len(parts), parts, dtype)


def test_zero_redundancy_optimizer():
    counts = run_ranks(zero, 2)
    assert sum(counts) == 6 and min(counts) > 0


def test_uneven_inputs():
    (first, error), (second, other) = run_ranks(uneven, 2)
    assert first == second and first["5.num_batches_tracked"] == second["5.num_batches_tracked"]
    assert "ran out of batches" in error and "ran out of batches" in other


def test_hooks_that_send_less():
    run_ranks(hooks, 2)


def scaled(rank, size):
    """A gradient that is not finite in one process ends the step of all."""
    from torch.distributed.fsdp import fully_shard
    from torch.distributed.fsdp.sharded_grad_scaler import ShardedGradScaler

    model = fully_shard(nn.Linear(4, 4, bias=False))
    optimizer = torch.optim.SGD(model.parameters(), lr=1.0)
    scaler = ShardedGradScaler("cpu", init_scale=4.0)
    found = []
    for broken in (False, True):
        before = model.weight.full_tensor().clone()
        scaler.scale(model(torch.ones(1, 4)).sum()).backward()
        if broken and rank == 1:
            model.weight.grad.to_local()[0] = float("inf")
        scaler.step(optimizer)
        scaler.update()
        optimizer.zero_grad()
        found.append(((before - model.weight.full_tensor()).mean().item(), scaler.get_scale()))
    return found


def test_scaled_gradients_of_parameters_that_are_cut():
    for found in run_ranks(scaled, 2):
        assert found == [(pytest.approx(1.0), 4.0), (0.0, 2.0)]


def test_modules_that_compute_again():
    from torch.distributed.algorithms._checkpoint import checkpoint_wrapper as wrappers

    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            self.inner, self.calls = nn.Linear(3, 3), 0

        def forward(self, x, scale=1.0):
            self.calls += 1
            return torch.tanh(self.inner(x)) * scale

    torch.manual_seed(0)
    plain = nn.Sequential(Block(), nn.Sequential(Block(), nn.Linear(3, 2)))
    x = torch.ones(2, 3, requires_grad=True)
    plain(x).sum().backward()
    for impl in wrappers.CheckpointImpl:
        model = copy.deepcopy(plain)
        model.zero_grad()
        wrappers.apply_activation_checkpointing(
            model, lambda m, impl=impl: wrappers.checkpoint_wrapper(m, impl), lambda m: isinstance(m, Block)
        )
        assert [type(m).__name__ for m in model] == ["CheckpointWrapper", "Sequential"]
        model(x).sum().backward()
        assert model[0].calls == 3 and model[1][0].calls == 3  # once in the plain one
        for (name, a), (other, b) in zip(plain.named_parameters(), model.named_parameters()):
            assert name == other.replace("_checkpoint_wrapped_module.", "")
            torch.testing.assert_close(a.grad, b.grad)
        assert list(model.state_dict()) == list(plain.state_dict())
        model.load_state_dict(plain.state_dict())
        one = wrappers.checkpoint_wrapper(Block(), impl)
        assert one(x, scale=0.0).sum() == 0
    offloaded = wrappers.offload_wrapper(nn.Sequential(nn.Linear(3, 3), nn.Tanh()))
    offloaded(x).sum().backward()
    assert list(offloaded.state_dict()) == ["0.weight", "0.bias"] and offloaded[0].weight.grad is not None


def averages(rank, size):
    from collections import OrderedDict

    from torch.distributed.algorithms.ddp_comm_hooks import DDPCommHookType, register_ddp_comm_hook
    from torch.distributed.algorithms.model_averaging.hierarchical_model_averager import HierarchicalModelAverager

    p = nn.Parameter(torch.tensor([float(rank)]))
    p.grad = torch.zeros(1)
    averager, found = HierarchicalModelAverager(OrderedDict([(1, 2), (3, 4)]), warmup_steps=1), []
    for _ in range(4):
        averager.average_parameters([p])
        found.append(p.item())
        p.data += rank
    for sizes, message in (
        ({}, "by periods above 0"),
        ({2: 4, 4: 2}, "expected all 4"),
        ({2: 2, 1: 4}, "periods and sizes that grow"),
    ):
        with pytest.raises(ValueError, match=message):
            HierarchicalModelAverager(OrderedDict(sizes))
    model = nn.parallel.DistributedDataParallel(nn.Linear(1, 1))
    register_ddp_comm_hook(DDPCommHookType.NOOP, model)
    model(torch.full((1, 1), float(rank))).sum().backward()
    return found, model.module.weight.grad.item()


def test_averages_of_groups_that_grow():
    found = run_ranks(averages, 4)
    # After the first step the pairs have 0 + 0 and 1 + 1, 2 + 2 and 3 + 3; at step 3 all four are averaged.
    assert [f[0][1] for f in found] == [1.0, 1.0, 5.0, 5.0]
    assert len({f[0][3] for f in found}) == 1
    assert [f[1] for f in found] == [0.0, 1.0, 2.0, 3.0]
