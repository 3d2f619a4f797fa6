"""The layout of results: channels-last in, channels-last out, where PyTorch's results are so."""

import pytest

import torch
import torch.nn.functional as F

X = torch.randn(2, 4, 4, 6)
LAST = X.to(memory_format=torch.channels_last)

KEPT = {
    "group_norm": lambda x: F.group_norm(x, 2),
    "reflection_pad": lambda x: F.pad(x, (1, 2, 0, 1), mode="reflect"),
    "replication_pad": lambda x: F.pad(x, (1, 2, 0, 1), mode="replicate"),
    "constant_pad": lambda x: F.pad(x, (1, 2, 0, 1)),
    "channel_shuffle": lambda x: F.channel_shuffle(x, 2),
    "pixel_unshuffle": lambda x: F.pixel_unshuffle(x, 2),
    "pixel_shuffle": lambda x: F.pixel_shuffle(torch.cat([x, x], 1), 2),
    "roll": lambda x: x.roll((1, 2), (1, 3)),
    "flip": lambda x: x.flip(1),
    "cat": lambda x: torch.cat([x, x], 1),
    "where": lambda x: torch.where(x > 0, x, 0),
    "max_pool": lambda x: F.max_pool2d(x, 2),
    "avg_pool": lambda x: F.avg_pool2d(x, 2),
    "max_unpool": lambda x: F.max_unpool2d(*F.max_pool2d(x, 2, return_indices=True), 2),
    "dropout": lambda x: F.dropout(x, 0.5, training=False),
}
PLAIN = {
    "scatter": lambda x: x.scatter(1, torch.zeros(2, 1, 4, 6, dtype=torch.int64), 0.0),
    "scatter_add": lambda x: x.scatter_add(1, torch.zeros(2, 4, 4, 6, dtype=torch.int64), torch.ones(2, 4, 4, 6)),
    "index_add": lambda x: x.index_add(1, torch.tensor([0]), torch.ones(2, 1, 4, 6)),
    "index_copy": lambda x: x.index_copy(1, torch.tensor([0]), torch.ones(2, 1, 4, 6)),
    "gather": lambda x: x.gather(1, torch.zeros(2, 1, 4, 6, dtype=torch.int64).expand(2, 3, 4, 6).contiguous()),
}


@pytest.mark.parametrize("call", [pytest.param(f, id=name) for name, f in KEPT.items()])
def test_channels_last_is_kept(call):
    plain, last = call(X), call(LAST)
    assert last.is_contiguous(memory_format=torch.channels_last) and plain.is_contiguous()
    torch.testing.assert_close(last.contiguous(), plain)


@pytest.mark.parametrize("call", [pytest.param(f, id=name) for name, f in PLAIN.items()])
def test_results_that_are_contiguous(call):
    for x in (X, LAST, X.mT.contiguous().mT):
        result = call(x)
        assert result.is_contiguous()
        torch.testing.assert_close(result, call(X))


def test_the_gradient_through_the_other_layout():
    for call in (KEPT["group_norm"], KEPT["reflection_pad"], KEPT["channel_shuffle"], KEPT["pixel_unshuffle"], KEPT["roll"]):
        grads = []
        for x in (X, LAST):
            leaf = x.clone().requires_grad_()
            call(leaf).square().sum().backward()
            grads.append(leaf.grad)
        torch.testing.assert_close(grads[0], grads[1], rtol=1e-4, atol=1e-5)
