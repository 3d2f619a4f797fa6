"""Tensor and sequence parallelism: a transformer block whose modules are spread computes as the whole one."""

from __future__ import annotations

import copy

import pytest
from ranks import needs_gloo, run_ranks

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn

pytestmark = [needs_gloo, pytest.mark.timeout(120)]


class Attention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.q, self.k, self.v, self.out = (nn.Linear(width, width) for _ in range(4))
        self.head = width // heads

    def forward(self, x):
        q, k, v = (f(x).unflatten(-1, (-1, self.head)).transpose(1, 2) for f in (self.q, self.k, self.v))
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.out(y.transpose(1, 2).flatten(2))


class Block(nn.Module):
    def __init__(self, width=8, heads=4, vocabulary=11):
        super().__init__()
        self.table = nn.Embedding(vocabulary, width)
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.attention = Attention(width, heads)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
        self.head = nn.Linear(width, vocabulary)

    def forward(self, tokens):
        x = self.table(tokens)
        x = x + self.attention(self.norm1(x))
        x = x + self.down(F.gelu(self.up(self.norm2(x))))
        return self.head(x)


def plans():
    from torch.distributed.tensor import Replicate, Shard
    from torch.distributed.tensor.parallel import ColwiseParallel, PrepareModuleInput, RowwiseParallel, SequenceParallel

    whole = {
        "table": RowwiseParallel(input_layouts=Replicate()), "attention.[qkv]": ColwiseParallel(),
        "attention.out": RowwiseParallel(), "up": ColwiseParallel(), "down": RowwiseParallel(),
        "head": ColwiseParallel(output_layouts=Replicate()),
    }  # fmt: skip
    sequence = {
        "table": RowwiseParallel(input_layouts=Replicate(), output_layouts=Shard(1), use_local_output=False),
        "norm1": SequenceParallel(), "norm2": SequenceParallel(), "attention": PrepareModuleInput(
            input_layouts=(Shard(1),), desired_input_layouts=(Replicate(),)),
        "attention.[qkv]": ColwiseParallel(), "attention.out": RowwiseParallel(output_layouts=Shard(1), use_local_output=False),
        "up": ColwiseParallel(), "down": RowwiseParallel(output_layouts=Shard(1), use_local_output=False),
        "head": ColwiseParallel(output_layouts=Shard(-1), use_local_output=False),
    }  # fmt: skip
    return whole, sequence


def train(rank, size):
    from torch.distributed.tensor import DTensor, Shard, distribute_tensor
    from torch.distributed.tensor.parallel import loss_parallel, parallelize_module

    mesh = dist.init_device_mesh("cpu", (size,))
    torch.manual_seed(0)
    reference = Block()
    tokens, targets = torch.randint(0, 11, (3, 6)), torch.randint(0, 11, (18,))
    models = [parallelize_module(copy.deepcopy(reference), mesh, plan) for plan in plans()]
    assert models[0].up.weight.placements == (Shard(0),) and models[0].down.weight.placements == (Shard(1),)
    losses = []
    for model in (reference, *models):
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1, foreach=False)
        own = []
        for _ in range(3):
            optimizer.zero_grad()
            with loss_parallel():
                scores = model(tokens).flatten(0, 1)
                if isinstance(scores, DTensor):
                    assert scores.placements == (Shard(1),)
                    # In the block plain classes count as a whole copy.
                    loss = F.cross_entropy(scores, targets if len(own) == 1 else distribute_tensor(targets, mesh))
                else:
                    loss = F.cross_entropy(scores, targets)
                loss.backward()
            optimizer.step()
            own.append(loss.item())
        losses.append(own)
    for model in models:
        for (name, p), q in zip(reference.named_parameters(), model.parameters()):
            q = q.full_tensor() if isinstance(q, DTensor) else q
            torch.testing.assert_close(q, p, atol=2e-4, rtol=1e-3, msg=lambda m: f"{name}: {m}")
    return losses


def outputs(rank, size):
    from torch.distributed.tensor import Replicate, Shard
    from torch.distributed.tensor.parallel import PrepareModuleInputOutput, PrepareModuleOutput, parallelize_module

    mesh = dist.init_device_mesh("cpu", (size,))
    model = parallelize_module(nn.ReLU(), mesh, PrepareModuleOutput(output_layouts=Shard(0), desired_output_layouts=Replicate()))
    both = parallelize_module(
        nn.ReLU(),
        mesh,
        PrepareModuleInputOutput(
            input_layouts=Replicate(), desired_input_layouts=Shard(0), output_layouts=Shard(0), desired_output_layouts=Shard(1)
        ),
    )
    with pytest.raises(NotImplementedError, match="expected a Linear or an Embedding"):
        from torch.distributed.tensor.parallel import ColwiseParallel

        parallelize_module(nn.ReLU(), mesh, ColwiseParallel())
    with pytest.warns(UserWarning, match="no submodule 'missing'"):
        parallelize_module(nn.Sequential(nn.ReLU()), mesh, {"missing": ColwiseParallel()})
    return model(torch.tensor([float(rank)])).tolist(), both(torch.eye(2)).tolist()


def test_transformer_block():
    for losses in run_ranks(train, 2):
        for other in losses[1:]:
            assert other == pytest.approx(losses[0], rel=1e-4)


def test_outputs():
    assert run_ranks(outputs, 2) == [([0, 1], [[1], [0]]), ([0, 1], [[0], [1]])]
