"""Functions that change a module in place: contract, replicate and checkpoint."""

from __future__ import annotations

import copy

import pytest
from ranks import needs_gloo, run_ranks

import torch
import torch.distributed as dist
from torch import nn

pytestmark = [needs_gloo, pytest.mark.timeout(120)]


def network():
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(4, 5), nn.Tanh(), nn.Linear(5, 3), nn.Linear(3, 2))


def test_contract():
    from torch.distributed._composable import _get_registry, contract

    @contract()
    def mark(module, value):
        mark.state(module).value = value

    @contract()
    def rename(module):
        module.extra = nn.Parameter(torch.ones(1))
        return module

    @contract()
    def exchange(module):
        return copy.deepcopy(module)

    model = nn.Linear(2, 2)
    assert _get_registry(model) is None and mark.state(model) is None
    assert mark(model, 3) is model and mark.state(model).value == 3
    assert list(_get_registry(model)) == ["mark"]
    assert list(model.state_dict()) == ["weight", "bias"]
    with pytest.raises(AssertionError, match="mark.*applied"):
        mark(model, 4)
    with pytest.raises(RuntimeError, match="parameters.*extra"):
        rename(nn.Linear(2, 2))
    with pytest.raises(RuntimeError, match="in place"):
        exchange(nn.Linear(2, 2))
    with pytest.raises(TypeError, match="expected a Module"):
        mark(3, 4)
    other = nn.Linear(2, 2)
    with pytest.raises(TypeError, match="value"):
        mark(other)
    assert mark(other, 6) is other  # the call that failed does not count
    pair = [nn.Linear(1, 1), nn.Linear(1, 1)]
    assert mark(pair, 5) is pair and mark.state(pair[0]) is mark.state(pair[1])


def test_checkpoint():
    from torch.distributed._composable import checkpoint

    plain = network()
    plain.insert(1, nn.Dropout(0.5))
    made = copy.deepcopy(plain)
    calls = []
    made[1].register_forward_hook(lambda *_: calls.append(1))
    assert checkpoint(made) is made and list(made.state_dict()) == list(plain.state_dict())
    x = torch.randn(3, 4)
    for model in (plain, made, copy.deepcopy(made)):
        torch.manual_seed(1)
        model(x).square().sum().backward()
    assert len(calls) == 4  # two runs of the module, and two of its copy
    for a, b in zip(plain.parameters(), made.parameters()):
        torch.testing.assert_close(a.grad, b.grad)
    with pytest.raises(RuntimeError, match="shapes"):
        made(torch.randn(3, 5))
    made(x).sum().backward()  # an error leaves nothing behind


def replicated(rank, size):
    from torch.distributed._composable.replicate import replicate
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.fsdp import fully_shard

    x = torch.randn(size * 2, 4, generator=torch.Generator().manual_seed(3))
    own = x.chunk(size)[rank]

    def expected(part):
        model = network()
        (model(part).square().sum() / (part.size(0) // 2)).backward()
        return [p.grad for p in model.parameters()]

    model = network()
    with torch.no_grad():
        model[0].weight.add_(rank)  # the first forward gives all the parameters of rank 0
    assert replicate(model, device_mesh=init_device_mesh("cpu", (size,)), bucket_cap_mb=1) is model
    assert isinstance(model, nn.Sequential) and "0.weight" in model.state_dict()
    model(own).square().sum().backward()
    for p, grad in zip(model.parameters(), expected(x)):
        torch.testing.assert_close(p.grad, grad)
    model.zero_grad()
    model.set_requires_gradient_sync(False)
    model(own).square().sum().backward()
    for p, grad in zip(model.parameters(), expected(own)):
        torch.testing.assert_close(p.grad, grad)
    model.set_requires_gradient_sync(True)

    model, calls = network(), []
    replicate(model, ignored_modules=[model[2]])

    def hook(state, bucket):
        calls.append(state)
        return dist.all_reduce(bucket.buffer().div_(size), async_op=True).get_future().then(lambda f: f.value()[0])

    model.register_comm_hook("state", hook)
    model(own).square().sum().backward()
    whole, part = expected(x), expected(own)
    for k, p in enumerate(model.parameters()):
        torch.testing.assert_close(p.grad, (part if k in (2, 3) else whole)[k])
    assert calls == ["state"]

    # A module inside that is sharded keeps to itself.
    model = network()
    fully_shard(model[0])
    replicate(model)
    model(own).square().sum().backward()
    torch.testing.assert_close(model[0].weight.grad.full_tensor(), whole[0])
    torch.testing.assert_close(model[3].weight.grad, whole[4])
    with pytest.raises(RuntimeError, match="fully_shard"):
        replicate(fully_shard(network()))
    with pytest.raises(AssertionError, match="applied"):
        replicate(model)
    with pytest.raises(AssertionError, match="copied"):
        copy.deepcopy(model)


def test_replicate():
    run_ranks(replicated, 2)
