"""Modules whose batches are split over the GPUs of one process."""

import pytest
from gpus import two_devices

import torch
from torch import nn
from torch.cuda import comm
from torch.nn import parallel

pytestmark = two_devices


def test_gradients_are_those_of_one_device():
    torch.manual_seed(0)
    m = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
    x = torch.randn(7, 4)
    expected = m(x)
    expected.square().sum().backward()
    gradients = [p.grad.clone() for p in m.parameters()]
    m.zero_grad()
    split = nn.DataParallel(m.cuda())
    assert split.device_ids == [0, 1] and split.output_device == 0
    found = split(x.cuda())
    found.square().sum().backward()
    assert found.device == torch.device("cuda", 0)
    torch.testing.assert_close(found.cpu(), expected, rtol=1e-4, atol=1e-5)
    for p, gradient in zip(m.parameters(), gradients):
        torch.testing.assert_close(p.grad.cpu(), gradient, rtol=1e-4, atol=1e-5)


class Where(nn.Module):
    """Says what it is given, and where."""

    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(1))
        self.register_buffer("calls", torch.zeros(1))
        self.seen = []

    def forward(self, x, scale=1, options=None):
        self.calls += 1
        self.seen.append((x.device.index, torch.cuda.current_device(), tuple(x.shape), torch.is_grad_enabled()))
        assert options is None or options["kind"] == "all"
        return {"y": x * self.weight * scale, "sum": x.sum()}


def test_what_each_copy_sees():
    m = Where().cuda()
    split = nn.DataParallel(m, output_device=1)
    with torch.no_grad():
        result = split(torch.ones(3, 2, device="cuda"), scale=2, options={"kind": "all"})
    assert sorted(m.seen) == [(0, 0, (2, 2), False), (1, 1, (1, 2), False)]
    assert result["y"].device.index == 1 and result["y"].shape == (3, 2) and result["sum"].tolist() == [4, 2]
    assert m.calls.item() == 1  # the first copy has the module's buffers
    m.seen.clear()
    split(torch.ones(1, 2, device="cuda"))  # too small to be split: the module itself
    assert m.seen == [(0, 0, (1, 2), True)]


def test_one_device_and_wrong_ones():
    m = nn.DataParallel(nn.Linear(2, 2), device_ids=[1])
    assert m.module.weight.device.index == 1 and m(torch.ones(2, 2)).device.index == 1
    with pytest.raises(RuntimeError, match="'cuda:5' is not available; there are 2 GPUs"):
        nn.DataParallel(nn.Linear(2, 2), device_ids=[0, 5])
    with pytest.raises(RuntimeError, match="expected the module on cuda:0, .* on cpu"):
        nn.DataParallel(nn.Linear(2, 2))(torch.ones(2, 2))


def test_errors_of_a_copy():
    class Fails(nn.Module):
        def forward(self, x):
            if x.device.index == 1:
                raise ValueError("on the second device")
            return x

    with pytest.raises(ValueError, match="on the second device"):
        nn.DataParallel(Fails())(torch.ones(2, device="cuda"))


def test_mixed_precision_and_batch_norm():
    m = nn.Sequential(nn.Linear(3, 3), nn.BatchNorm1d(3)).cuda()
    kinds = []
    m[0].register_forward_hook(lambda module, inputs, output: kinds.append(output.dtype))
    with torch.autocast("cuda", dtype=torch.bfloat16):
        nn.DataParallel(m)(torch.randn(6, 3, device="cuda")).float().sum().backward()
    assert kinds == [torch.bfloat16] * 2 and m[1].num_batches_tracked.item() == 1 and m[0].weight.grad is not None


def test_copies_and_sums():
    x = torch.arange(4.0, device="cuda:0")
    first, second = comm.broadcast(x, [0, 1])
    assert first is x and second.device.index == 1
    assert torch.equal(comm.reduce_add([first, second], 1).cpu(), 2 * x.cpu())
    parts = comm.scatter(torch.arange(3.0), [0, 1], streams=[None, torch.cuda.Stream(1)])
    torch.cuda.synchronize(1)
    assert [part.tolist() for part in parts] == [[0, 1], [2]]
    assert comm.gather(parts).device.index == torch.cuda.current_device()
    leaf = x.clone().requires_grad_()
    comm.reduce_add(comm.broadcast(leaf, [0, 1])).sum().backward()
    assert leaf.grad.tolist() == [2, 2, 2, 2]
    with pytest.raises(RuntimeError, match="expected all tensors on cuda:1, got tensor 0 on cuda:0"):
        comm.broadcast_coalesced([x], [1, 0])
    replica = parallel.replicate(nn.Linear(2, 2).cuda(), [1])[0]
    assert replica.weight.device.index == 1
