"""DTensor: layouts, changes of layout with their gradients, distribution of tensors and modules, factories, files."""

from __future__ import annotations

import copy
import io
import itertools

import pytest
from ranks import needs_gloo, run_ranks

import torch
import torch.distributed as dist
from torch import nn

pytestmark = [needs_gloo, pytest.mark.timeout(120)]


def layouts(ndim):
    from torch.distributed.tensor import Partial, Replicate, Shard

    return [Replicate(), Partial(), *(Shard(d) for d in range(ndim))]


def changes(rank, size, shape, sizes):
    """Every change between two layouts keeps the values, and its gradient is that of the identity."""
    from torch.distributed.tensor import distribute_tensor

    mesh, count = dist.init_device_mesh("cpu", shape), 0
    whole = torch.arange(float(torch.Size(sizes).numel())).reshape(sizes)
    every = list(itertools.product(layouts(len(sizes)), repeat=mesh.ndim))
    for source, target in itertools.product(every, every):
        if any(b.is_partial() and a != b for a, b in zip(source, target)):
            continue
        x = distribute_tensor(whole, mesh, source).requires_grad_()
        y = x.redistribute(placements=target)
        assert y.placements == tuple(target) and y.shape == whole.shape
        full = y.full_tensor()
        assert torch.equal(full, whole), (source, target)
        (full * whole).sum().backward()
        assert torch.equal(x.grad.full_tensor(), whole), (source, target, x.grad)
        count += 1
    return count


def after_other_shards(rank, size):
    """A cut by an earlier dimension of the mesh inside of one by a later dimension, as FSDP makes it."""
    from torch.distributed.tensor import Replicate, Shard, distribute_tensor
    from torch.distributed.tensor.placement_types import _StridedShard

    mesh = dist.init_device_mesh("cpu", (2, 2))
    for n in (8, 6, 5, 3):
        whole = torch.arange(float(n))
        x = distribute_tensor(whole, mesh, [_StridedShard(0, split_factor=2), Shard(0)])
        assert torch.equal(x.full_tensor(), whole)
        i, j = mesh.get_coordinate()
        assert torch.equal(x.to_local(), whole.chunk(2)[j].chunk(2)[i] if n != 3 or (i, j) != (1, 1) else whole[:0])
        for target in ([Shard(0), Replicate()], [Replicate(), Shard(0)], [Shard(0), Shard(0)]):
            assert torch.equal(x.redistribute(placements=target).full_tensor(), whole)
        assert torch.equal((x * 2 + x).full_tensor(), whole * 3)


def local_parts(rank, size):
    from torch.distributed.tensor import DTensor, Partial, Replicate, Shard
    from torch.distributed.tensor._utils import compute_local_shape_and_global_offset

    mesh = dist.init_device_mesh("cpu", (size,))
    own = torch.full((2, 3), float(rank), requires_grad=True)
    shard = DTensor.from_local(own, mesh, [Shard(0)])
    assert shard.shape == (2 * size, 3) and shard.stride() == (3, 1)
    (shard.full_tensor() * torch.arange(2.0 * size)[:, None]).sum().backward()
    first = own.grad.clone()
    own.grad = None
    total = DTensor.from_local(own, mesh, [Partial()])
    assert total.full_tensor()[0, 0] == sum(range(size))
    total.redistribute(placements=[Shard(1)]).to_local().sum().backward()
    assert torch.equal(own.grad, torch.ones(2, 3))
    average = DTensor.from_local(own.detach(), mesh, [Partial("avg")]).full_tensor()[0, 0].item()
    copies = DTensor.from_local(torch.full((1,), float(rank)), mesh, [Replicate()], run_check=True)
    uneven = DTensor.from_local(torch.ones(2 if rank == 0 else 1), mesh, [Shard(0)], shape=torch.Size([3]), stride=(1,))
    place = compute_local_shape_and_global_offset((5,), mesh, [Shard(-1 % 1)])
    assert torch.equal(uneven.full_tensor(), torch.ones(3))
    return first[0, 0].item(), average, copies.to_local().item(), place


def functions(rank, size):
    from torch.distributed.tensor import (
        DTensor,
        Replicate,
        Shard,
        distribute_module,
        distribute_tensor,
        empty,
        full,
        ones,
        rand,
        randn,
        zeros,
    )

    mesh = dist.init_device_mesh("cpu", (size,))
    for make in (ones, zeros, empty, rand, randn):
        x = make(5, 2, device_mesh=mesh, placements=[Shard(0)], dtype=torch.float64, requires_grad=True)
        assert x.shape == (5, 2) and x.to_local().shape[0] == 3 - rank and x.dtype == torch.float64 and x.requires_grad
    with mesh:
        assert torch.equal(full((3,), 7.0).full_tensor(), torch.full((3,), 7.0))
    torch.manual_seed(rank)  # the values of rank 0 count
    module = nn.Sequential(nn.Linear(4, 4), nn.BatchNorm1d(4))

    def part(name, child, mesh):
        if isinstance(child, nn.Linear):
            child.weight = nn.Parameter(distribute_tensor(child.weight.detach(), mesh, [Shard(0)]))

    distribute_module(
        module, mesh, part, lambda m, inputs, mesh: DTensor.from_local(inputs[0], mesh, [Shard(0)]),
        lambda m, output, mesh: output.redistribute(placements=[Replicate()]).to_local(),
    )  # fmt: skip
    module.eval()
    assert module[0].weight.placements == (Shard(0),) and module[0].bias.placements == (Replicate(),)
    output = module(torch.full((2, 4), float(rank)))
    file = io.BytesIO()
    torch.save(module.state_dict(), file)
    file.seek(0)
    loaded = torch.load(file)
    assert type(loaded["0.weight"]) is DTensor and torch.equal(loaded["0.weight"].full_tensor(), module[0].weight.full_tensor())
    twin = copy.deepcopy(module).to(torch.float64)
    assert twin[0].weight.to_local().dtype == torch.float64 and module[0].weight.dtype == torch.float32
    module.load_state_dict(loaded)
    return output.tolist(), output.shape


def mistakes(rank, size):
    from torch.distributed.tensor import DTensor, Partial, Shard, distribute_tensor
    from torch.distributed.tensor.experimental import implicit_replication

    mesh, other = dist.init_device_mesh("cpu", (size,)), dist.init_device_mesh("cpu", (1, size))
    x = distribute_tensor(torch.ones(4, 4), mesh, [Shard(0)])
    for call, error, text in (
        (lambda: x + torch.ones(4, 4), RuntimeError, "plain tensor of shape"),
        (lambda: x @ distribute_tensor(torch.ones(4, 4), other, None), RuntimeError, "different meshes"),
        (lambda: distribute_tensor(torch.ones(2), mesh, [Shard(1)]), ValueError, "along dimension 1"),
        (lambda: distribute_tensor(torch.ones(2), mesh, []), ValueError, "a placement for each of the 1"),
        (lambda: x.redistribute(placements=[Partial()]), RuntimeError, "cannot become"),
        (lambda: DTensor.from_local(x, mesh), RuntimeError, "a DTensor already"),
        (lambda: DTensor.from_local(torch.ones(3), mesh, [Shard(0)], shape=(4,), stride=(1,)), ValueError, "has the shape"),
        (lambda: DTensor.from_local(torch.ones(2), mesh, [Partial()]).add_(1), RuntimeError, "in place"),
        (lambda: distribute_tensor(torch.ones(2)), RuntimeError, "no device mesh"),
        (lambda: x.sum(5), IndexError, ""),
        (lambda: x @ distribute_tensor(torch.ones(3, 3), mesh), RuntimeError, ""),
    ):
        with pytest.raises(error, match=text):
            call()
    with implicit_replication():
        assert torch.equal((x + torch.ones(4, 4)).full_tensor(), torch.full((4, 4), 2.0))
    one = distribute_tensor(torch.ones(1, 3), mesh, [Shard(0)])  # of which only the first process has something
    assert torch.equal((one.clone().copy_(one * 2) + one).add_(one).full_tensor(), torch.full((1, 3), 4.0))
    assert (one + x[:, :3]).placements == x.placements and torch.equal((one + x[:, :3]).full_tensor(), torch.full((4, 3), 2.0))
    assert x.sum().item() == 16 and torch.equal(x, x.clone()) and not torch.equal(x, x + 1)


def test_changes_of_layout():
    assert run_ranks(changes, 3, (3,), (4, 5)) == [13] * 3
    assert run_ranks(changes, 4, (2, 2), (5, 3)) == [169] * 4


def test_cuts_inside_of_others():
    run_ranks(after_other_shards, 4)


def test_local_parts():
    assert run_ranks(local_parts, 2) == [(0.0, 0.5, 0.0, ((3,), (0,))), (2.0, 0.5, 0.0, ((2,), (3,)))]


def test_functions():
    first, second = run_ranks(functions, 2)
    assert first == second and first[1] == (4, 4)


def test_mistakes():
    run_ranks(mistakes, 2)


def functions_of_parts(rank, size):
    from torch.distributed.tensor import DTensor, Partial, Replicate, Shard, distribute_tensor
    from torch.distributed.tensor.experimental import local_map

    mesh = dist.init_device_mesh("cpu", (size,))
    x = distribute_tensor(torch.arange(8.0).view(2, 4), mesh, [Shard(1)])
    w = distribute_tensor(torch.arange(12.0).view(4, 3), mesh, [Shard(0)]).requires_grad_()
    product = local_map(torch.mm, [Partial()], in_placements=([Shard(1)], [Shard(0)]), redistribute_inputs=True)
    expected = x.full_tensor() @ w.full_tensor()
    for given in (x, x.redistribute(mesh, [Replicate()])):
        found = product(given, w)
        assert found.placements == (Partial(),)
        torch.testing.assert_close(found.full_tensor(), expected)
    found.sum().backward()
    torch.testing.assert_close(w.grad.full_tensor(), x.full_tensor().sum(0).view(4, 1).expand(4, 3))
    assert type(product(torch.ones(2, 2), torch.ones(2, 2))) is torch.Tensor

    @local_map(out_placements=([Shard(1)], None, None))
    def several(x, factor):
        return x * factor, x.sum(), 3

    a, b, c = several(x, 2.0)
    assert torch.equal(a.full_tensor(), x.full_tensor() * 2) and type(b) is DTensor and c == 3
    strict = {"in_placements": ([Shard(0)],)}
    for f, arguments, error, message in (
        (local_map(torch.neg, [Shard(0)], **strict), (x,), ValueError, "argument 0 has the layout"),
        (local_map(torch.neg, [Shard(0)], in_placements=(None,)), (x,), AssertionError, "has no layout for it"),
        (local_map(torch.add, [Shard(0)], **strict), (x, x), AssertionError, "1 layouts for 2 arguments"),
        (local_map(torch.neg, ([Shard(0)], [Shard(0)])), (x,), AssertionError, "2 layouts for 1 results"),
        (local_map(lambda x: 3, [Shard(0)]), (x,), AssertionError, "result 0 is a int"),
    ):
        with pytest.raises(error, match=message):
            f(*arguments)


def test_functions_of_parts():
    run_ranks(functions_of_parts, 2)


def counted(rank, size):
    from torch.distributed.tensor import Replicate, Shard, distribute_tensor
    from torch.distributed.tensor.debug import CommDebugMode
    from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module

    mesh, mode = dist.init_device_mesh("cpu", (size,)), CommDebugMode()
    model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Linear(8, 4))
    parallelize_module(model, mesh, {"0": ColwiseParallel(), "2": RowwiseParallel()})
    with mode:
        model(torch.ones(2, 4)).sum().backward()
    ops = torch.ops.c10d_functional
    assert mode.get_comm_counts() == {ops.all_reduce: 1} and mode.get_total_counts() == 1
    x = distribute_tensor(torch.ones(4, 4), mesh, [Shard(0)])
    x.full_tensor()
    with mode:
        x.redistribute(mesh, [Replicate()])
        x.redistribute(mesh, [Shard(1)])
    counts = mode.get_comm_counts()
    assert counts[ops.all_reduce] == 0
    return counts[ops.all_gather_into_tensor], counts[ops.all_to_all_single], mode.get_total_counts()


def test_counts_of_messages():
    assert run_ranks(counted, 2) == [(1, 1, 2)] * 2
