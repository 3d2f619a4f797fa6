"""fully_shard: training with parameters that are cut over processes is training with whole ones."""

from __future__ import annotations

import copy

import pytest
from ranks import needs_gloo, run_ranks

import torch
import torch.distributed as dist
from torch import nn
from torch.utils.checkpoint import checkpoint

pytestmark = [needs_gloo, pytest.mark.timeout(120)]


class Inner(nn.Module):
    def __init__(self, a, b):
        super().__init__()
        self.linear, self.norm = nn.Linear(a, b), nn.LayerNorm(b)

    def forward(self, x):
        return torch.nn.functional.gelu(self.norm(self.linear(x)))


def network():
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(5, 7), Inner(7, 9), Inner(9, 7), nn.Linear(7, 3, bias=False))


def batch(step):
    return torch.randn(12, 5, generator=torch.Generator().manual_seed(step))


def whole(t):
    return t.full_tensor() if hasattr(t, "full_tensor") else t


def same_training(rank, size, mode):
    """Losses and gradients of three steps, beside those of the plain network with the whole batch."""
    from torch.distributed.fsdp import fully_shard
    from torch.distributed.tensor import Shard

    plain, sharded, options = network(), network(), {}
    if mode == "copies":
        options["mesh"] = dist.init_device_mesh("cpu", (2, size // 2))
    elif mode == "columns":
        options["shard_placement_fn"] = lambda p: Shard(p.dim() - 1)
    elif mode == "inner":
        options["reshard_after_forward"] = 2
    elif mode == "keep":
        options["reshard_after_forward"] = False
    inner = [fully_shard(sharded[k], **options) for k in (1, 2)]
    fully_shard(sharded, **options)
    if mode == "prefetch":
        sharded.set_modules_to_forward_prefetch(inner)
        inner[1].set_modules_to_backward_prefetch([inner[0]])
    forward = sharded
    if mode == "recompute":

        def forward(x):
            x = sharded[0](x)
            for block in sharded[1:]:
                x = checkpoint(block, x, use_reentrant=False)
            return x

        sharded.forward = forward
        forward = sharded
    first = torch.optim.AdamW(plain.parameters(), lr=0.01)
    second = torch.optim.AdamW(sharded.parameters(), lr=0.01)
    for step in range(3):
        x = batch(step)
        expected = plain(x).square().mean()
        expected.backward()
        own = x.chunk(size)[rank]
        if mode == "accumulate":
            halves = own.chunk(2)
            sharded.set_requires_gradient_sync(False)
            (forward(halves[0]).square().mean() / 2).backward()
            assert all(p.grad is None for p in sharded.parameters())
            sharded.set_requires_gradient_sync(True)
            (forward(halves[1]).square().mean() / 2).backward()
        else:
            loss = forward(own).square().mean()
            loss.backward()
            total = loss.detach().clone()
            dist.all_reduce(total)
            torch.testing.assert_close(total / size, expected.detach())
        for a, b in zip(plain.parameters(), sharded.parameters()):
            torch.testing.assert_close(b.grad.full_tensor(), a.grad, atol=1e-5, rtol=1e-4)
            assert b.to_local().numel() < a.numel() or mode == "copies"
        norms = [whole(nn.utils.clip_grad_norm_(m.parameters(), 0.1)) for m in (plain, sharded)]
        torch.testing.assert_close(norms[1], norms[0])
        for optimizer in (first, second):
            optimizer.step()
            optimizer.zero_grad()
    state = sharded.state_dict()
    assert list(state) == list(plain.state_dict())
    for key, value in plain.state_dict().items():
        torch.testing.assert_close(state[key].full_tensor(), value, atol=1e-4, rtol=1e-3)
    return type(sharded).__name__, type(sharded[1]).__name__


def mixed_precision(rank, size):
    from torch.distributed.fsdp import CPUOffloadPolicy, MixedPrecisionPolicy, fully_shard

    model, seen = network(), []
    policy = MixedPrecisionPolicy(param_dtype=torch.bfloat16, reduce_dtype=torch.float32)
    fully_shard(model[1], mp_policy=policy)
    policy = MixedPrecisionPolicy(param_dtype=torch.bfloat16, reduce_dtype=torch.float32, output_dtype=torch.float32)
    model[1].linear.register_forward_hook(lambda m, inputs, output: seen.append((inputs[0].dtype, m.weight.dtype, output.dtype)))
    fully_shard(model, mp_policy=policy, offload_policy=CPUOffloadPolicy())
    loss = model(batch(0)).sum()
    loss.backward()
    assert loss.dtype == torch.float32 and all(p.dtype == p.grad.dtype == torch.float32 for p in model.parameters())
    plain = network()
    plain(batch(0)).sum().backward()
    for a, b in zip(plain.parameters(), model.parameters()):
        torch.testing.assert_close(b.grad.full_tensor(), a.grad, atol=0.3, rtol=0.1)
    return [str(d) for d in seen[0]]


def with_tensor_parallel(rank, size):
    """Two dimensions: rows of the weight are cut by tensor parallelism, and each part by fully_shard."""
    from torch.distributed.fsdp import fully_shard
    from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module

    mesh = dist.init_device_mesh("cpu", (2, 2), mesh_dim_names=("dp", "tp"))
    torch.manual_seed(0)
    plain = nn.Sequential(nn.Linear(6, 10), nn.GELU(), nn.Linear(10, 6))
    model = copy.deepcopy(plain)
    parallelize_module(model, mesh["tp"], {"0": ColwiseParallel(), "2": RowwiseParallel()})
    fully_shard(model, mesh=mesh["dp"])
    optimizers = [torch.optim.SGD(m.parameters(), lr=0.1, momentum=0.9) for m in (plain, model)]
    for step in range(3):
        x = torch.randn(4, 6, generator=torch.Generator().manual_seed(step))
        plain(x).square().mean().backward()
        model(x.chunk(2)[mesh.get_local_rank("dp")]).square().mean().backward()
        for optimizer in optimizers:
            optimizer.step()
            optimizer.zero_grad()
    for (name, a), b in zip(plain.named_parameters(), model.parameters()):
        torch.testing.assert_close(b.full_tensor(), a, msg=lambda m: f"{name}: {m}")
        assert b.device_mesh.mesh_dim_names == ("dp", "tp")
    return [tuple(p.to_local().shape) for p in model.parameters()]


def other_uses(rank, size):
    """Tied weights, frozen parameters, modules on the meta device, files, other methods, eval, unshard."""
    from torch.distributed.fsdp import FSDPModule, fully_shard, register_fsdp_forward_method
    from torch.distributed.tensor import DTensor

    class Tied(nn.Module):
        def __init__(self):
            super().__init__()
            self.table, self.head = nn.Embedding(6, 4), nn.Linear(4, 6, bias=False)
            self.head.weight = self.table.weight
            self.frozen = nn.Linear(4, 4).requires_grad_(False)

        def forward(self, tokens):
            return self.head(self.frozen(self.table(tokens)))

        def features(self, tokens):
            return self.frozen(self.table(tokens)).sum()

    torch.manual_seed(0)
    plain = Tied()
    model = fully_shard(copy.deepcopy(plain))
    register_fsdp_forward_method(model, "features")
    tokens = torch.arange(6)
    assert isinstance(model, FSDPModule) and model.head.weight is model.table.weight
    for f in (lambda m: m(tokens).sum(), lambda m: m.features(tokens)):
        f(plain).backward()
        f(model).backward()
    torch.testing.assert_close(model.table.weight.grad.full_tensor(), plain.table.weight.grad)
    assert model.frozen.weight.grad is None and type(model.frozen.weight) is DTensor
    with torch.no_grad():
        torch.testing.assert_close(model(tokens), plain(tokens))
    handle = model.unshard(async_op=True)
    handle.wait()
    assert torch.equal(model.table.weight, plain.table.weight) and type(model.table.weight) is nn.Parameter
    model.reshard()
    with torch.device("meta"):
        empty = fully_shard(Tied())
    with pytest.raises(RuntimeError, match="on the meta device"):
        empty(tokens)
    empty.to_empty(device="cpu")
    empty.load_state_dict(model.state_dict())
    torch.testing.assert_close(empty(tokens).detach(), plain(tokens).detach())
    wide = empty.double()
    assert wide(tokens).dtype == torch.float64 and wide.table.weight.dtype == torch.float64
    with pytest.raises(AssertionError, match="cannot be copied"):
        copy.deepcopy(model)
    with pytest.raises(ValueError, match="sharded already"):
        fully_shard(model)
    with pytest.raises(ValueError, match="has no forward"):
        fully_shard(nn.ModuleList([nn.Linear(1, 1)]))
    outer = nn.Sequential(fully_shard(nn.Linear(2, 2)))
    assert type(outer[0:1][0]).__name__ == "FSDPLinear"


@pytest.mark.parametrize(
    "mode, size",
    [("", 2), ("keep", 2), ("columns", 3), ("accumulate", 2), ("prefetch", 2), ("recompute", 2), ("copies", 4), ("inner", 4)],
)
def test_training(mode, size):
    assert run_ranks(same_training, size, mode) == [("FSDPSequential", "FSDPInner")] * size


def test_mixed_precision():
    assert run_ranks(mixed_precision, 2) == [["torch.bfloat16"] * 3] * 2


def test_tensor_parallel():
    found = run_ranks(with_tensor_parallel, 4)
    assert [f[0] for f in found] == [(3, 6), (3, 6), (2, 6), (2, 6)]  # 10 rows: 5 for each of tp, then 3 and 2


def test_other_uses():
    run_ranks(other_uses, 2)


def gathers_ahead(rank, size):
    """What each forward finds gathered of the module after it, or of modules that it does not come to."""
    from torch.distributed.fsdp import fully_shard

    model = nn.Sequential(*(nn.Linear(4, 4) for _ in range(3)))
    for layer in model:
        fully_shard(layer)
    fully_shard(model)
    found = []

    groups = [layer._fsdp_state.group for layer in model]
    for layer, later in zip(model, [*groups[1:], None]):
        layer.register_forward_pre_hook(lambda *_, later=later: found.append(later is not None and later._gathering is not None))
    x = torch.ones(2, 4, requires_grad=True)
    for _ in range(2):
        model(x).sum().backward()
    with torch.no_grad():
        # Another order: the last module is not reached, and nothing of it is left behind.
        removed = model[2]
        model[2] = nn.Identity()
        model(x)
        model[2] = removed
    left = [group._gathering is not None for group in groups]
    model(x).sum().backward()
    return found, left


def test_forward_gathers_the_next_module():
    for found, left in run_ranks(gathers_ahead, 2):
        assert found[:6] == [False, False, False, True, True, False]
        assert left == [False] * 3


def inner_parts(rank, size):
    """What a parameter is between forward and backward, with 2 parts of the 4 processes' 4."""
    from torch.distributed.fsdp import fully_shard

    model = nn.Sequential(nn.Linear(4, 6), nn.Linear(6, 5))
    fully_shard(model[1], reshard_after_forward=2)
    fully_shard(model)
    before = model[1].weight
    output = model(torch.ones(2, 4))
    between = model[1].weight
    expected = before.full_tensor().chunk(2)[rank % 2]
    assert torch.equal(between.to_local(), expected) and between.device_mesh.shape == (2, 2)
    assert model.state_dict()["1.weight"].device_mesh.shape == (4,)  # puts the parts back
    output.sum().backward()
    assert model[1].weight is before and before.grad.device_mesh.shape == (4,)
    with pytest.raises(ValueError, match="reshard_after_forward=3 does not divide"):
        fully_shard(nn.Linear(4, 4), reshard_after_forward=3)
    with pytest.raises(ValueError, match="expected a bool"):
        model.set_reshard_after_forward(2)


def test_parts_of_another_size_after_forward():
    run_ranks(inner_parts, 4)


class CountingGather:
    def __init__(self):
        self.calls = 0

    def allocate(self, size, *, dtype, device):
        return torch.empty(size, dtype=dtype, device=device)

    def __call__(self, output_tensor, input_tensor, group, async_op=False):
        self.calls += 1
        return dist.all_gather_into_tensor(output_tensor, input_tensor, group, async_op)


class CountingScatter(CountingGather):
    def __call__(self, output_tensor, input_tensor, group, op, async_op=False):
        self.calls += 1
        return dist.reduce_scatter_tensor(output_tensor, input_tensor, op, group, async_op)


def own_messages(rank, size):
    """Messages of the caller's, and a parameter that one process only uses."""
    from torch.distributed.fsdp import fully_shard

    class Either(nn.Module):
        def __init__(self):
            super().__init__()
            self.a, self.b = nn.Linear(3, 3), nn.Linear(3, 3)

        def forward(self, x):
            return self.a(x) if rank == 0 else self.b(x)

    model = fully_shard(Either())
    model.set_reduce_scatter_unused_params(True)
    model.set_reduce_scatter_max_input_buffers(2)
    model.set_separate_reduce_scatter_group()
    gather, scatter = CountingGather(), CountingScatter()
    model.set_custom_all_gather(gather)
    model.set_custom_reduce_scatter(scatter)
    model(torch.ones(1, 3)).sum().backward()
    for layer in (model.a, model.b):
        assert torch.equal(layer.weight.grad.full_tensor(), torch.full((3, 3), 0.5))
    return gather.calls, scatter.calls


def test_messages_of_the_caller():
    assert run_ranks(own_messages, 2) == [(1, 1)] * 2
