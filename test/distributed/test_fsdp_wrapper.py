"""FullyShardedDataParallel: training, strategies, state dictionaries, whole parameters, wrapping policies."""

from __future__ import annotations

import copy
import functools

import pytest
from ranks import needs_gloo, run_ranks

import torch
import torch.distributed as dist
from torch import nn

pytestmark = [needs_gloo, pytest.mark.timeout(120)]


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.up, self.down = nn.Linear(width, 2 * width), nn.Linear(2 * width, width)

    def forward(self, x):
        return x + self.down(torch.nn.functional.gelu(self.up(x)))


def network():
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(5, 6), Block(6), Block(6), nn.BatchNorm1d(6).eval(), nn.Linear(6, 3))


def policy():
    from torch.distributed.fsdp.wrap import transformer_auto_wrap_policy

    return functools.partial(transformer_auto_wrap_policy, transformer_layer_cls={Block})


def step(models, optimizers, k, rank, size):
    """One step of the plain model with the whole batch, and of the wrapped one with a part of it."""
    x = torch.randn(8, 5, generator=torch.Generator().manual_seed(k))
    for model, optimizer, own in zip(models, optimizers, (x, x.chunk(size)[rank])):
        model(own).square().mean().backward()
        nn.utils.clip_grad_norm_(model.parameters(), 0.5) if model is models[0] else model.clip_grad_norm_(0.5)
        optimizer.step()
        optimizer.zero_grad()


def strategies(rank, size, name):
    from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
    from torch.distributed.fsdp import ShardingStrategy

    options = {"device_mesh": dist.init_device_mesh("cpu", (2, size // 2))} if name == "HYBRID_SHARD" else {}
    plain = network()
    torch.manual_seed(rank)
    own = network() if rank == 0 else nn.Sequential(
        nn.Linear(5, 6), Block(6), Block(6), nn.BatchNorm1d(6).eval(), nn.Linear(6, 3))  # fmt: skip
    model = FSDP(own, sharding_strategy=ShardingStrategy[name], auto_wrap_policy=policy(), sync_module_states=True,
                 forward_prefetch=True, **options)  # fmt: skip
    optimizers = [torch.optim.AdamW(m.parameters(), lr=0.01) for m in (plain, model)]
    for k in range(3):
        step((plain, model), optimizers, k, rank, size)
    state = model.state_dict()
    assert list(state) == list(plain.state_dict())
    for key, value in plain.state_dict().items():
        torch.testing.assert_close(state[key], value, atol=1e-4, rtol=1e-3)
    assert len(FSDP.fsdp_modules(model)) == 3 and FSDP.fsdp_modules(model, root_only=True) == [model]
    return sum(p.to_local().numel() for p in model.parameters())


def dictionaries(rank, size):
    """Whole and sharded state dictionaries of the module and the optimizer, and training on from them."""
    from torch.distributed.fsdp import FullOptimStateDictConfig, FullStateDictConfig, StateDictType
    from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
    from torch.distributed.tensor import DTensor

    plain, model = network(), FSDP(network(), auto_wrap_policy=policy())
    optimizers = [torch.optim.AdamW(m.parameters(), lr=0.01) for m in (plain, model)]
    step((plain, model), optimizers, 0, rank, size)
    with FSDP.state_dict_type(
        model, StateDictType.FULL_STATE_DICT, FullStateDictConfig(True, True), FullOptimStateDictConfig(True, True)
    ):
        only_first, optim_first = model.state_dict(), FSDP.optim_state_dict(model, optimizers[1])
    assert bool(only_first) == bool(optim_first) == (rank == 0)
    full_optim = FSDP.optim_state_dict(model, optimizers[1])
    assert set(full_optim["state"]) == {name for name, _ in plain.named_parameters()}
    reference = optimizers[0].state_dict()["state"][0]["exp_avg"]
    torch.testing.assert_close(full_optim["state"]["0.weight"]["exp_avg"], reference, atol=1e-5, rtol=1e-4)
    full = model.state_dict()
    with FSDP.state_dict_type(model, StateDictType.SHARDED_STATE_DICT):
        sharded, sharded_optim = model.state_dict(), FSDP.optim_state_dict(model, optimizers[1])
    assert type(sharded["1.up.weight"]) is DTensor and type(sharded_optim["state"]["0.weight"]["exp_avg"]) is DTensor
    with pytest.raises(NotImplementedError, match="SHARDED_STATE_DICT"):
        FSDP.set_state_dict_type(model, StateDictType.LOCAL_STATE_DICT)
    results = []
    for state, optim_state in ((full, full_optim), (sharded, sharded_optim)):
        twin = FSDP(network(), auto_wrap_policy=policy())
        for p in twin.parameters():
            p.data.zero_()
        twin.load_state_dict(state)
        optimizer = torch.optim.AdamW(twin.parameters(), lr=0.01)
        optimizer.load_state_dict(FSDP.optim_state_dict_to_load(twin, optimizer, copy.deepcopy(optim_state)))
        step((network(), twin), (torch.optim.SGD(network().parameters()), optimizer), 1, rank, size)
        results.append(twin.state_dict())
    step((plain, model), optimizers, 1, rank, size)
    for key, value in model.state_dict().items():
        for other in results:
            assert torch.equal(other[key], value), key
    numbers = FSDP.rekey_optim_state_dict(full_optim, __import__("torch").distributed.fsdp.OptimStateKeyType.PARAM_ID, plain)
    assert sorted(numbers["state"]) == list(range(len(list(plain.parameters()))))
    scattered = FSDP.scatter_full_optim_state_dict(full_optim if rank == 0 else None, model, optim=optimizers[1])
    assert type(scattered["state"][0]["exp_avg"]) is DTensor


def whole_parameters(rank, size):
    from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
    from torch.distributed.fsdp import MixedPrecision

    model = FSDP(network(), auto_wrap_policy=policy())
    x = torch.ones(4, 5)
    with model.no_sync():
        model(x).sum().backward()
    model(x).sum().backward()
    with FSDP.summon_full_params(model, with_grads=True):
        assert [n for n, _ in model.named_parameters()] == [n for n, _ in network().named_parameters()]
        plain = network()
        (2 * plain(x).sum()).backward()
        for a, b in zip(plain.parameters(), model.parameters()):
            torch.testing.assert_close(b.grad, a.grad, atol=1e-4, rtol=1e-4)
        with torch.no_grad():
            model[0].weight.fill_(3.0)
    assert torch.equal(model.state_dict()["0.weight"], torch.full((6, 5), 3.0))
    model.apply(lambda m: nn.init.zeros_(m.bias) if isinstance(m, nn.Linear) else None)
    assert not model.state_dict()["4.bias"].any()
    half = FSDP(network(), mixed_precision=MixedPrecision(torch.bfloat16, torch.float32, torch.bfloat16))
    output = half(x)
    output.float().sum().backward()
    assert output.dtype == torch.bfloat16 and half.module[0].weight.grad.dtype == torch.float32
    with torch.device("meta"):
        made = nn.Sequential(nn.Linear(5, 6), nn.Linear(6, 6))
    assert not FSDP(made).module[0].weight.is_meta
    with pytest.raises(ValueError, match="mesh of 2 dimensions"):
        from torch.distributed.fsdp import ShardingStrategy

        FSDP(nn.Linear(2, 2), sharding_strategy=ShardingStrategy.HYBRID_SHARD, device_mesh=dist.init_device_mesh("cpu", (size,)))


def policies(rank, size):
    from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
    from torch.distributed.fsdp.wrap import CustomPolicy, ModuleWrapPolicy, enable_wrap, size_based_auto_wrap_policy, wrap

    found = []
    for chosen in (
        ModuleWrapPolicy({Block, nn.Linear}), CustomPolicy(lambda m: isinstance(m, Block)),
        functools.partial(size_based_auto_wrap_policy, min_num_params=150), policy(),
    ):  # fmt: skip
        model = FSDP(network(), auto_wrap_policy=chosen)
        assert model(torch.ones(2, 5)).shape == (2, 3)
        found.append(len(FSDP.fsdp_modules(model)))
    with enable_wrap(wrapper_cls=FSDP):
        assert isinstance(wrap(nn.Linear(2, 2)), FSDP)
    return found


@pytest.mark.parametrize(
    "name, size",
    [("FULL_SHARD", 2), ("SHARD_GRAD_OP", 2), ("NO_SHARD", 2), ("HYBRID_SHARD", 4)],
)
def test_strategies(name, size):
    found = run_ranks(strategies, size, name)
    total = sum(p.numel() for p in network().parameters())
    assert sum(found) == total * (2 if name in ("NO_SHARD", "HYBRID_SHARD") else 1)


def test_state_dictionaries():
    run_ranks(dictionaries, 2)


def test_whole_parameters():
    run_ranks(whole_parameters, 2)


def test_policies():
    assert run_ranks(policies, 2) == [[9, 3, 3, 3]] * 2


def low_precision_gradients(rank, size):
    from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
    from torch.distributed.fsdp import MixedPrecision

    found = []
    for settings in (
        {"param_dtype": torch.bfloat16}, {"param_dtype": torch.bfloat16, "reduce_dtype": torch.float32},
        {"reduce_dtype": torch.float16},
    ):  # fmt: skip
        model = FSDP(network()[:3], mixed_precision=MixedPrecision(**settings, keep_low_precision_grads=True))
        for _ in range(2):
            model(torch.ones(2, 5)).float().sum().backward()
        grads = [p.grad.to_local() for p in model.parameters()]
        assert {p.dtype for p in model.parameters()} == {torch.float32}
        found.append(str(grads[0].dtype))
        before = model.state_dict()["0.weight"].clone()
        torch.optim.SGD(model.parameters(), lr=0.1).step()
        assert not torch.equal(model.state_dict()["0.weight"], before)
    return found


def test_gradients_in_low_precision():
    assert run_ranks(low_precision_gradients, 2) == [["torch.bfloat16", "torch.bfloat16", "torch.float32"]] * 2


def hooks(rank, size):
    """Gradients that hooks sum, beside those without a hook."""
    from torch.distributed.algorithms._comm_hooks import default_hooks
    from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
    from torch.distributed.fsdp import ShardingStrategy

    x = torch.randn(4, 5, generator=torch.Generator().manual_seed(rank))
    group, low = dist.group.WORLD, default_hooks.LowPrecisionState(dist.group.WORLD)

    def grads(strategy, hook=None, state=None):
        model = FSDP(network(), sharding_strategy=strategy, auto_wrap_policy=policy())
        if hook is not None:
            model.register_comm_hook(state, hook)
            with pytest.raises(AssertionError, match="a hook already"):
                model.register_comm_hook(state, hook)
        model(x).square().mean().backward()
        return [p.grad.full_tensor() for p in model.parameters()]

    full, whole = ShardingStrategy.FULL_SHARD, ShardingStrategy.NO_SHARD
    expected = grads(full)
    for strategy, hook in ((full, default_hooks.reduce_scatter_hook), (whole, default_hooks.allreduce_hook)):
        torch.testing.assert_close(grads(strategy, hook, default_hooks.DefaultState(group)), expected)
        for hook in (default_hooks.fp16_compress_hook, default_hooks.bf16_compress_hook):
            found = grads(strategy, hook, low)
            torch.testing.assert_close(found, expected, rtol=2e-2, atol=2e-3)
            assert any(not torch.equal(a, b) for a, b in zip(found, expected))
    assert not any(g.any() for g in grads(full, lambda state, grad, output: output.zero_()))
    with pytest.raises(ValueError, match="expected a function"):
        FSDP(network()).register_comm_hook(None, 3)
    with pytest.raises(AssertionError, match="HYBRID_SHARD"):
        mesh = dist.init_device_mesh("cpu", (1, size))
        FSDP(network(), sharding_strategy=ShardingStrategy.HYBRID_SHARD, device_mesh=mesh).register_comm_hook(None, max)
    model = FSDP(network(), auto_wrap_policy=policy())
    model(x)
    with pytest.raises(AssertionError, match="on the root"):
        model.module[1].register_comm_hook(None, max)
    state = default_hooks.DefaultState(group)
    return state.gradient_predivide_factor, state.gradient_postdivide_factor


def test_hooks():
    assert run_ranks(hooks, 2) == [(2.0, 1.0)] * 2


def full_precision_inside(rank, size):
    """Batch normalization computes in float32 among modules in bfloat16."""
    from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
    from torch.distributed.fsdp import MixedPrecision
    from torch.distributed.fsdp.wrap import ModuleWrapPolicy

    inner = nn.Sequential(nn.Linear(4, 4), nn.BatchNorm1d(4), nn.Linear(4, 4))
    seen = []
    inner[1].register_forward_pre_hook(lambda m, args: seen.append((args[0].dtype, m.weight.dtype)))
    precision = MixedPrecision(torch.bfloat16, buffer_dtype=torch.bfloat16)
    model = FSDP(inner, auto_wrap_policy=ModuleWrapPolicy({nn.Linear}), mixed_precision=precision)
    output = model(torch.randn(6, 4))
    output.float().sum().backward()
    assert [type(m).__name__ for m in inner] == ["FullyShardedDataParallel"] * 3
    assert output.dtype == torch.bfloat16 and seen == [(torch.float32, torch.float32)]
    assert inner[1].running_mean.dtype == torch.float32 and inner[1].weight.grad is not None
    assert inner[1](torch.ones(2, 4, dtype=torch.bfloat16)).dtype == torch.bfloat16


def test_full_precision_inside():
    run_ranks(full_precision_inside, 2)
