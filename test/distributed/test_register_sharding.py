"""Rules of the user's for operators with DTensors."""

from __future__ import annotations

import pytest
from ranks import needs_gloo, run_ranks

import torch
from torch.distributed.device_mesh import init_device_mesh

pytestmark = [needs_gloo, pytest.mark.timeout(60)]


def rules(rank, size):
    from torch.distributed.tensor import Partial, Replicate, Shard, distribute_tensor
    from torch.distributed.tensor.experimental import register_sharding

    aten = torch.ops.aten
    mesh = init_device_mesh("cpu", (size,))
    x = torch.randn(4, 6, generator=torch.Generator().manual_seed(0))
    seen = []

    # A rule in the place of another one, for a call that had a plan before.
    torch.softmax(distribute_tensor(x, mesh, [Shard(1)]), 0)

    @register_sharding(aten._softmax.default)
    def softmax(x, dim, half_to_float):
        seen.append((x.shape, x.ndim, x.placements))
        return [([Replicate()], [Replicate(), None, None])]

    found = torch.softmax(distribute_tensor(x, mesh, [Shard(1)]), 0)
    assert found.placements == (Replicate(),) and seen == [((4, 6), 2, (Shard(1),))]
    torch.testing.assert_close(found.full_tensor(), torch.softmax(x, 0))

    # An operator of the user's; whole copies are not possible unless the rule says so.
    @torch.library.custom_op("sharding_test::row_sums", mutates_args=())
    def row_sums(x: torch.Tensor, factor: float) -> torch.Tensor:
        assert x.size(0) == 4 // size or x.size(1) == 6 // size
        return factor * x.sum(1)

    @row_sums.register_fake
    def _(x, factor):
        return x.new_empty(x.size(0))

    @register_sharding(torch.ops.sharding_test.row_sums.default)
    def sharding(x, factor):
        return [([Shard(0)], [Shard(0), None]), ([Partial()], [Shard(1), None])]

    for given, expected in ((Shard(0), Shard(0)), (Shard(1), Partial()), (Replicate(), None)):
        found = row_sums(distribute_tensor(x, mesh, [given]), 2.0)
        assert expected is None or found.placements == (expected,)
        torch.testing.assert_close(found.full_tensor(), 2 * x.sum(1))

    # Several results, several operators, and a list of tensors.
    @register_sharding([aten.min.dim, aten.max.dim])
    def extremes(x, dim, keepdim=False):
        return [([Shard(0), Shard(0)], [Shard(0), None])]

    values, places = torch.max(distribute_tensor(x, mesh, [Shard(0)]), 1)
    assert values.placements == places.placements == (Shard(0),)
    torch.testing.assert_close(places.full_tensor(), x.max(1).indices)

    @register_sharding(aten.cat.default)
    def cat(tensors, dim=0):
        return [([Shard(1)], [Shard(1)] * len(tensors))]

    found = torch.cat([distribute_tensor(x, mesh, [Replicate()]), distribute_tensor(x, mesh, [Shard(1)])])
    assert found.placements == (Shard(1),)
    torch.testing.assert_close(found.full_tensor(), torch.cat([x, x]))


def wrong_rules(rank, size):
    from torch.distributed.tensor import Shard, distribute_tensor
    from torch.distributed.tensor.experimental import register_sharding

    neg = torch.ops.aten.neg.default
    x = distribute_tensor(torch.ones(4, 6), init_device_mesh("cpu", (size,)), [Shard(0)])
    for given, text in (
        ([([Shard(0)], [Shard(0), Shard(0)])], "neg.*2 inputs, expected 1"),
        ([([], [Shard(0)])], "neg.*0 outputs, expected 1"),
        (None, "neg.*pairs of lists.*got None"),
        ([(["S"], [Shard(0)])], "neg.*Placement of each tensor, got 'S'"),
        ([([Shard(0)], [None])], "neg.*Placement of each tensor, got None"),
    ):
        register_sharding(neg)(lambda x, given=given: given)
        with pytest.raises(ValueError, match=text):
            torch.neg(x)
    register_sharding(neg)(lambda x: [])
    with pytest.raises(RuntimeError, match="neg.*has no layouts"):
        torch.neg(x)
    with pytest.raises(TypeError, match="expected an OpOverload"):
        register_sharding("neg")


def test_register_sharding():
    run_ranks(rules, 2)


def test_wrong_rules():
    run_ranks(wrong_rules, 2)
