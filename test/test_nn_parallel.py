"""torch.nn.parallel on one device, and names of torch.nn.functional that belong to PyTorch's own code."""

from collections import namedtuple

import pytest

import torch
import torch.nn.functional as F
from torch import nn
from torch.nn import parallel
from torch.nn.parallel import comm
from torch.nn.parallel.scatter_gather import scatter_kwargs


def test_data_parallel_runs_the_module():
    m = nn.Linear(2, 3)
    wrapped = nn.DataParallel(m, device_ids=[0])
    x = torch.randn(4, 2)
    assert torch.equal(wrapped(x), m(x)) and wrapped.device_ids == [] and wrapped.module is m
    assert list(wrapped.state_dict()) == ["module.weight", "module.bias"]
    with pytest.warns(UserWarning, match="2 devices are asked for"):
        nn.DataParallel(m, device_ids=[0, 1])
    assert nn.DataParallel is parallel.DataParallel and not isinstance(wrapped, parallel.DistributedDataParallel)


def test_distributed_data_parallel_needs_a_group():
    error = ValueError if torch.distributed.is_available() else RuntimeError
    with pytest.raises(error, match="init_process_group|is_available"):
        parallel.DistributedDataParallel(nn.Linear(1, 1))


Pair = namedtuple("Pair", "first second")


def test_scatter_and_gather_are_inverse():
    x = torch.arange(6.0).view(3, 2)
    value = (x, [x, 1], {"a": x}, Pair(x, None))
    parts = parallel.scatter(value, ["cpu", "cpu"])
    assert len(parts) == 2 and parts[0][0].shape == (2, 2) and parts[1][1][0].shape == (1, 2) and parts[1][3].second is None
    joined = parallel.gather([(p[0], p[2], p[3]) for p in parts], "cpu")
    assert torch.equal(joined[0], x) and torch.equal(joined[1]["a"], x) and torch.equal(joined[2].first, x)
    assert parallel.gather([torch.tensor(1), torch.tensor(2)], "cpu").tolist() == [1, 2]
    assert scatter_kwargs((), {"k": 1}, ["cpu", "cpu"]) == (((), ()), ({"k": 1}, {"k": 1}))
    with pytest.raises(RuntimeError, match="'cuda:0' is not available"):
        parallel.scatter(x, [0])
    with pytest.raises(ValueError, match="same keys"):
        parallel.gather([{"a": x}, {"b": x}], "cpu")


def test_gradients_of_replicas_reach_the_module():
    torch.manual_seed(0)
    m, x = nn.Sequential(nn.Linear(2, 3), nn.Tanh(), nn.Linear(3, 1)), torch.randn(5, 2)
    (m(x) ** 2).sum().backward()
    expected = [p.grad.clone() for p in m.parameters()]
    m.zero_grad()
    (parallel.data_parallel(m, x, ["cpu", "cpu"]) ** 2).sum().backward()
    for p, grad in zip(m.parameters(), expected):
        torch.testing.assert_close(p.grad, grad)
    replica = parallel.replicate(m, ["cpu"])[0]
    assert list(replica.parameters()) == [] and len(list(m.parameters())) == 4
    assert not parallel.replicate(m, ["cpu"], detach=True)[0](x).requires_grad


def test_parallel_apply():
    out = parallel.parallel_apply([nn.ReLU(), nn.Identity()], [(torch.tensor([-1.0]),), torch.tensor([-1.0])])
    assert [x.item() for x in out] == [0, -1]
    with pytest.raises(AssertionError, match="1 modules, but 2 inputs"):
        parallel.parallel_apply([nn.ReLU()], [1, 2])


def test_copies_and_sums():
    x = torch.arange(6.0).view(3, 2)
    assert all(torch.equal(y, x) for y in comm.broadcast(x, ["cpu", "cpu"]))
    out = torch.zeros(3, 2)
    assert comm.broadcast(x, out=[out])[0] is out and torch.equal(out, x)
    parts = comm.scatter(x, ["cpu", "cpu"], chunk_sizes=[1, 2])
    assert [len(part) for part in parts] == [1, 2] and torch.equal(comm.gather(parts, destination="cpu"), x)
    assert [part.shape for part in comm.scatter(x, ["cpu", "cpu"], dim=1)] == [(3, 1), (3, 1)]
    halves = torch.zeros(2, 2), torch.zeros(1, 2)
    assert comm.scatter(x, out=halves)[0] is halves[0] and torch.equal(torch.cat(halves), x)
    assert torch.equal(comm.reduce_add([x, x, x], "cpu"), 3 * x)
    assert [y.tolist() for y in comm.reduce_add_coalesced([[x[0], x[1]], [x[0], x[1]]], "cpu")] == [[0, 2], [4, 6]]
    assert comm.broadcast_coalesced([x], ["cpu"])[0][0] is x
    with pytest.warns(FutureWarning, match="name it"):
        assert comm.gather([torch.tensor(1), torch.tensor(2)], destination=-1).tolist() == [1, 2]
    for call, text in (
        (lambda: comm.broadcast(x), "either 'devices' or 'out', got neither"),
        (lambda: comm.scatter(x, ["cpu"], out=[x]), "either 'devices' or 'out', got both"),
        (lambda: comm.scatter(x, ["cpu"], chunk_sizes=[1, 2]), "a size for each of 1 devices, got 2"),
        (lambda: comm.gather([], destination="cpu"), "one tensor or more, got none"),
        (lambda: comm.broadcast(x, [0]), "'cuda:0' is not available"),
    ):
        with pytest.raises(RuntimeError, match=text):
            call()
    with pytest.raises(ValueError, match="expected one shape"):
        comm.reduce_add([x, x[0]], "cpu")


@pytest.mark.filterwarnings("ignore::FutureWarning")
def test_container():
    assert list(nn.Container(act=nn.ReLU()).named_children())[0][0] == "act"


def test_names_of_functional():
    f = F.boolean_dispatch("flag", 1, False, lambda x, flag=False: ("yes", x), lambda x, flag=False: ("no", x), "place", "name")
    assert (f(1), f(1, True), f(1, flag=True)) == (("no", 1), ("yes", 1), ("yes", 1))
    assert (f.__module__, f.__name__) == ("place", "name")
    with pytest.raises(AssertionError, match="stride must be"):
        F.assert_int_or_pair((1, 2, 3), "stride", "{} must be one number or two")
    assert F.BroadcastingList2[int] is None and F.DType is int and F.Tensor is torch.Tensor
    assert F.GRID_SAMPLE_INTERPOLATION_MODES["bicubic"] == 2 and F.ScalingType.RowWise.value == 1
    mask = F._canonical_mask(torch.tensor([True, False]), "mask", None, "", torch.float32)
    assert mask.tolist() == [float("-inf"), 0.0]
