"""DistributedDataParallel beside one process that works on the whole batch."""

from __future__ import annotations

import gc

import pytest
from ranks import needs_gloo, run_ranks

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.checkpoint import checkpoint
from torch.utils.data import DistributedSampler

pytestmark = [needs_gloo, pytest.mark.timeout(180)]


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second, self.last = nn.Linear(6, 8), nn.Linear(8, 8), nn.Linear(8, 3)
        self.extra = nn.Linear(2, 2, bias=False)

    def forward(self, x):
        return self.last(self.second(torch.relu(self.first(x)))), self.extra.weight.sum() * 0


def batch(step, size):
    generator = torch.Generator().manual_seed(step)
    return torch.randn(4 * size, 6, generator=generator), torch.randint(0, 3, (4 * size,), generator=generator)


def train(model, rank, size, steps=5, accumulate=False, set_to_none=True):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    loss_of = nn.CrossEntropyLoss()
    for step in range(steps):
        x, y = batch(step, size)
        part = slice(4 * rank, 4 * rank + 4) if rank is not None else slice(None)
        optimizer.zero_grad(set_to_none)
        if accumulate:
            with model.no_sync() if rank is not None else torch.enable_grad():
                output, zero = model(x[part])
                (loss_of(output, y[part]) + zero).backward()
        output, zero = model(x[part])
        (loss_of(output, y[part]) + zero).backward()
        optimizer.step()
    return [p.detach().clone() for p in model.parameters()]


def same_as_one_process(rank, size, options, accumulate, set_to_none):
    torch.manual_seed(rank)  # the ranks start with different parameters: rank 0's count
    model = DistributedDataParallel(Net(), **options)
    found = train(model, rank, size, accumulate=accumulate, set_to_none=set_to_none)
    torch.manual_seed(0)
    expected = train(Net(), None, size, accumulate=accumulate)
    torch.testing.assert_close(found, expected, rtol=1e-5, atol=1e-6)
    gathered = [None] * size
    dist.all_gather_object(gathered, [p.tolist() for p in found])
    assert all(g == gathered[0] for g in gathered)  # bit for bit
    return len(model.reducer._bucket_sizes())


@pytest.mark.parametrize("options", [
    {}, {"gradient_as_bucket_view": True}, {"bucket_cap_mb": 0.0001}, {"find_unused_parameters": True},
    {"static_graph": True, "gradient_as_bucket_view": True},
], ids=lambda o: "-".join(o) or "plain")  # fmt: skip
@pytest.mark.parametrize("size", [2, 3])
def test_training(size, options):
    buckets = run_ranks(same_as_one_process, size, options, False, True)
    assert buckets[0] == (1 if "bucket_cap_mb" not in options else 3)


def test_accumulating_and_keeping_gradients():
    run_ranks(same_as_one_process, 2, {}, True, True)
    run_ranks(same_as_one_process, 2, {"gradient_as_bucket_view": True}, True, False)


class Partial(nn.Module):
    def __init__(self):
        super().__init__()
        self.always, self.sometimes, self.never = nn.Linear(2, 2), nn.Linear(2, 2), nn.Linear(2, 2)

    def forward(self, x, use):
        x = self.always(x)
        return {"out": [self.sometimes(x) if use else x]}


def unused_parameters(rank, size, as_view):
    torch.manual_seed(0)
    model = DistributedDataParallel(Partial(), find_unused_parameters=True, gradient_as_bucket_view=as_view)
    x = torch.ones(1, 2)
    for _ in range(2):
        model.zero_grad()
        model(x, rank == 0)["out"][0].sum().backward()
        # Rank 0 alone used it: half of its gradient. Nobody used the other one.
        grad = model.module.always(x).detach().expand(2, 2) / size
        torch.testing.assert_close(model.module.sometimes.weight.grad, grad)
        assert model.module.never.weight.grad is None


@pytest.mark.parametrize("as_view", [False, True])
def test_unused_parameters(as_view):
    run_ranks(unused_parameters, 2, as_view)


def an_unused_parameter_is_an_error(rank, size):
    model = DistributedDataParallel(Partial())
    model(torch.ones(1, 2), True)["out"][0].sum().backward()
    with pytest.raises(RuntimeError, match="never.weight.*find_unused_parameters"):
        model(torch.ones(1, 2), True)


def test_an_unused_parameter_is_an_error():
    run_ranks(an_unused_parameter_is_an_error, 2)


def other_shapes(rank, size):
    with pytest.raises(RuntimeError, match="rank 1 has .*weight"):
        DistributedDataParallel(nn.Linear(2 + rank, 1))


def test_other_shapes():
    run_ranks(other_shapes, 2)


def buffers_and_state(rank, size):
    torch.manual_seed(rank)
    model = DistributedDataParallel(nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2)))
    model(torch.randn(4, 2))[0].sum().backward()
    model(torch.randn(4, 2))  # sends what rank 0 has after the first step
    mean = model.module[1].running_mean.tolist()
    before = [None] * size
    dist.all_gather_object(before, mean)
    assert before[0] != before[1]  # each has gone on with its own batch
    model.eval()
    model(torch.randn(4, 2))
    after = [None] * size
    dist.all_gather_object(after, model.module[1].running_mean.tolist())
    assert after[0] == after[1]
    plain = nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2))
    plain.load_state_dict({k.removeprefix("module."): v for k, v in model.state_dict().items()})
    with torch.no_grad():
        model(torch.ones(1, 2))  # no communication for gradients


def test_buffers_and_state():
    run_ranks(buffers_and_state, 2)


class Checkpointed(nn.Module):
    def __init__(self):
        super().__init__()
        self.shared, self.last = nn.Linear(3, 3), nn.Linear(3, 1)

    def forward(self, x):
        for _ in range(2):  # its gradient arrives in two parts
            x = checkpoint(self.shared, x, use_reentrant=True)
        return self.last(x)


def checkpoints(rank, size):
    torch.manual_seed(0)
    model, plain = DistributedDataParallel(Checkpointed(), static_graph=True), Checkpointed()
    plain.load_state_dict(model.module.state_dict())
    for step in range(3):
        model.zero_grad()
        plain.zero_grad()
        x = torch.randn(size, 3, generator=torch.Generator().manual_seed(step), requires_grad=True)
        model(x[rank : rank + 1]).sum().backward()
        plain(x).sum().div(size).backward()
        torch.testing.assert_close([p.grad for p in model.parameters()], [p.grad for p in plain.parameters()])


def test_a_static_graph_with_checkpoints():
    run_ranks(checkpoints, 2)


def hooks(rank, size):
    from torch.distributed.algorithms.ddp_comm_hooks import default_hooks

    seen = []

    def counting(state, bucket):
        seen.append((state, bucket.index(), bucket.is_last(), [tuple(g.shape) for g in bucket.gradients()]))
        return default_hooks.allreduce_hook(None, bucket)

    grads = []
    for hook, state in ((None, None), (counting, "state"), (default_hooks.fp16_compress_hook, None),
                        (default_hooks.bf16_compress_wrapper(default_hooks.allreduce_hook), None)):  # fmt: skip
        torch.manual_seed(0)
        model = DistributedDataParallel(nn.Linear(4, 2))
        if hook is not None:
            model.register_comm_hook(state, hook)
        model(torch.randn(3, 4, generator=torch.Generator().manual_seed(rank))).sum().backward()
        grads.append(model.module.weight.grad.clone())
    assert torch.equal(grads[0], grads[1]) and not torch.equal(grads[0], grads[2])
    assert len(seen) == 1 and seen[0][:3] == ("state", 0, True) and sorted(seen[0][3]) == [(2,), (2, 4)]
    torch.testing.assert_close(grads[2], grads[0], rtol=2e-3, atol=2e-3)
    torch.testing.assert_close(grads[3], grads[0], rtol=2e-2, atol=2e-2)
    with pytest.raises(RuntimeError, match="already"):
        model.register_comm_hook(None, counting)


def test_hooks():
    run_ranks(hooks, 2)


def named_hooks(rank, size):
    from torch.distributed import BuiltinCommHookType
    from torch.distributed.algorithms.ddp_comm_hooks import DDPCommHookType, register_ddp_comm_hook

    def grads(register):
        torch.manual_seed(0)
        model = DistributedDataParallel(nn.Linear(4, 2))
        register(model)
        model(torch.randn(3, 4, generator=torch.Generator().manual_seed(rank))).sum().backward()
        return model.module.weight.grad.clone()

    expected = grads(lambda model: None)
    assert torch.equal(grads(lambda model: model._register_builtin_comm_hook(BuiltinCommHookType.ALLREDUCE)), expected)
    halves = grads(lambda model: model._register_builtin_comm_hook(BuiltinCommHookType.FP16_COMPRESS))
    assert torch.equal(halves, grads(lambda model: register_ddp_comm_hook(DDPCommHookType.FP16_COMPRESS, model)))
    assert not torch.equal(halves, expected)
    for hook in (h for h in DDPCommHookType if h is not DDPCommHookType.NOOP):
        torch.testing.assert_close(grads(lambda model: register_ddp_comm_hook(hook, model)), expected, rtol=2e-2, atol=2e-2)
    model = DistributedDataParallel(nn.Linear(4, 2))
    with pytest.raises(TypeError, match="DDPCommHookType"):
        register_ddp_comm_hook("fp16", model)
    with pytest.raises(TypeError, match="BuiltinCommHookType"):
        model._register_builtin_comm_hook("fp16")


def test_hooks_by_name():
    run_ranks(named_hooks, 2)


def sampler(rank, size):
    return list(DistributedSampler(range(7), seed=3))


def test_the_sampler_asks_the_group():
    first, second = run_ranks(sampler, 2)
    assert len(first) == len(second) == 4 and set(first) | set(second) == set(range(7))


def test_what_is_not_there_says_so():
    dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    try:
        model = nn.Linear(1, 1)
        with pytest.raises(ValueError, match="together or not at all"):
            DistributedDataParallel(model, delay_all_reduce_named_params=[("weight", model.weight)])
        with pytest.raises(KeyError, match="'nothing', which is no parameter"):
            DistributedDataParallel(model, delay_all_reduce_named_params=[("nothing", model.weight)],
                                    param_to_hook_all_reduce=model.bias)  # fmt: skip
        with pytest.raises(RuntimeError, match="not both"):
            DistributedDataParallel(model, process_group=dist.group.WORLD, device_mesh=dist.init_device_mesh("cpu", (1,)))
        with pytest.raises(RuntimeError, match="no parameter"):
            DistributedDataParallel(nn.ReLU())
    finally:
        dist.destroy_process_group()


def uneven(rank, size, by_all):
    ddp = DistributedDataParallel(nn.Linear(1, 1))
    with ddp.join(divide_by_initial_world_size=by_all):
        for _ in range(2 + rank):
            ddp.zero_grad()
            ddp(torch.full((1, 1), 1.0 + rank)).sum().backward()
    return ddp.module.weight.grad.item()


@pytest.mark.parametrize("by_all, last", [(True, 1.0), (False, 2.0)])
def test_join_divides_by_those_that_have_batches(by_all, last):
    assert run_ranks(uneven, 2, by_all)[1] == last


class Dtypes:
    def __init__(self, param, reduce, buffer=None):
        self.param_dtype, self.reduce_dtype, self.buffer_dtype = param, reduce, buffer


def mixed_precision(rank, size):
    found = []
    for dtypes in (
        Dtypes(torch.bfloat16, torch.float32, torch.bfloat16),
        Dtypes(torch.bfloat16, None),
        Dtypes(None, torch.float16),
    ):
        torch.manual_seed(0)
        model = nn.Sequential(nn.Linear(4, 8), nn.LayerNorm(8), nn.Linear(8, 2))
        model.register_buffer("kept", torch.ones(2))
        ddp = DistributedDataParallel(model, mixed_precision=dtypes)
        seen = []
        model[0].register_forward_pre_hook(lambda module, args: seen.append((module.weight.dtype, args[0].dtype)))
        torch.manual_seed(rank)
        output = ddp(torch.randn(3, 4))
        output.sum().backward()
        own = model[2].bias.grad.clone()
        dist.broadcast(own, 0)
        dtypes = (*seen[0], output.dtype, model[0].weight.dtype, model[0].weight.grad.dtype, model.kept.dtype)
        found.append([*map(str, dtypes), torch.equal(own, model[2].bias.grad), model[2].bias.grad.tolist()])
    return found


def test_mixed_precision():
    low, full = "torch.bfloat16", "torch.float32"
    for found in run_ranks(mixed_precision, 2):
        assert found[0] == [low, low, low, full, full, low, True, [3.0, 3.0]]
        assert found[1] == [low, low, low, full, full, full, True, [3.0, 3.0]]
        assert found[2] == [full, full, full, full, full, full, True, [3.0, 3.0]]


def delayed(rank, size):
    """Gradients of parameters that are averaged apart, beside those of the usual way."""

    def network():
        torch.manual_seed(0)
        return nn.Sequential(nn.Linear(3, 3), nn.Linear(3, 3), nn.Linear(3, 2))

    def grads(model, ddp, x):
        with ddp.no_sync():
            ddp(x).sum().backward()
        ddp(x).square().mean().backward()
        return [p.grad for p in model.parameters()]

    x = torch.randn(4, 3, generator=torch.Generator().manual_seed(rank))
    plain = network()
    expected = grads(plain, DistributedDataParallel(plain, device_mesh=dist.init_device_mesh("cpu", (size,))), x)
    for names, starter in ((["0.weight", "0.bias"], "0.weight"), (["2.weight"], "1.bias"), (["0.weight", "2.bias"], "2.weight")):
        model = network()
        params = dict(model.named_parameters())
        ddp = DistributedDataParallel(
            model, delay_all_reduce_named_params=[(n, params[n]) for n in names], param_to_hook_all_reduce=params[starter]
        )
        torch.testing.assert_close(grads(model, ddp, x), expected)
        assert ddp.parameters_to_ignore == set(names)
        assert params[starter]._post_accumulate_grad_hooks
        del ddp
        gc.collect()
        assert not params[starter]._post_accumulate_grad_hooks
    # A hook of the caller's sees the gradient of this process, and takes none from the reducer.
    seen = []
    plain[0].bias.register_post_accumulate_grad_hook(lambda p: seen.append(p.grad.clone()))
    plain.zero_grad()
    ddp = DistributedDataParallel(plain)
    plain[0].weight.register_post_accumulate_grad_hook(lambda p: None)
    ddp(x).sum().backward()
    ddp(x).sum().backward()
    return len(seen)


def test_gradients_of_a_message_of_their_own():
    assert run_ranks(delayed, 2) == [2] * 2


class WithBuffer(nn.Module):
    def __init__(self, value):
        super().__init__()
        self.linear = nn.Linear(1, 1)
        self.register_buffer("value", torch.tensor([value]))

    def forward(self, x):
        return self.linear(x) + self.value


def buffers(rank, size):
    """The buffer after the module is made, and after a forward pass before which each rank has set its own."""
    found = []
    for options in (
        {}, {"broadcast_buffers": False}, {"forward_sync_buffers": False},
        {"broadcast_buffers": False, "forward_sync_buffers": True},
    ):  # fmt: skip
        module = WithBuffer(float(rank + 1))
        ddp = DistributedDataParallel(module, bucket_cap_mb_list=[1, 2], **options)
        first = module.value.item()
        module.value.fill_(float(rank + 5))
        ddp(torch.ones(1, 1)).sum().backward()
        found.append((first, module.value.item()))
    return found


def test_buffers_of_the_first_rank():
    assert run_ranks(buffers, 2)[1] == [(1.0, 5.0), (2.0, 6.0), (1.0, 6.0), (1.0, 5.0)]
