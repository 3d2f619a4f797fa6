"""Operators on DTensors: values and gradients are those of whole tensors, in any layout of the arguments."""

from __future__ import annotations

import itertools
import random

import pytest
from ranks import needs_gloo, run_ranks

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn

pytestmark = [needs_gloo, pytest.mark.timeout(120)]


def like(x, values):
    from torch.distributed.tensor import DTensor, distribute_tensor

    return distribute_tensor(values, x.device_mesh) if isinstance(x, DTensor) else values


def cases():
    x, y, w, b = torch.randn(4, 6, 8), torch.randn(4, 6, 8), torch.randn(8, 8), torch.randn(8)
    u, v, q = torch.randn(5, 3), torch.randn(3, 7), torch.randn(2, 4, 6, 8)
    scores, classes = torch.randn(24, 8), torch.randint(0, 8, (24,))
    ignored = classes.masked_fill(torch.arange(24) < 5, -100)
    one = {
        "softmax": lambda x: x.softmax(-1), "log_softmax": lambda x: x.log_softmax(1), "sum": lambda x: x.sum(1),
        "mean": lambda x: x.mean(-1, keepdim=True), "mean of all": lambda x: x.mean(), "var": lambda x: x.var(1),
        "amax": lambda x: x.amax(1), "norm": torch.linalg.vector_norm, "std": lambda x: x.std(),
        "norm of rows": lambda x: torch.linalg.vector_norm(x, 1, dim=1), "view": lambda x: x.view(24, 8),
        "heads": lambda x: x.view(4, 6, 4, 2).transpose(1, 2), "views": lambda x: x.reshape(4, 48).view(2, 2, 6, 8),
        "split": lambda x: x.split(4, -1)[1], "chunk": lambda x: x.chunk(3, 1)[2] * 2, "select": lambda x: x[:, -1, :],
        "slice": lambda x: x[:, 1:5], "index": lambda x: x[like(x, torch.tensor([0, 2]))], "gelu": F.gelu, "silu": F.silu,
        "rsqrt": lambda x: (x.pow(2) + 1).rsqrt(), "masked_fill": lambda x: x.masked_fill(x > 0, 0.0),
        "rope": lambda x: torch.cat((-x[..., 4:], x[..., :4]), -1), "flatten": lambda x: x.flatten(0, 1).unflatten(0, (4, 6)),
        "expand": lambda x: x[:, None].expand(4, 3, 6, 8).reshape(12, 6, 8), "clamp": lambda x: x.clamp(min=0),
        "tril": lambda x: x.tril(), "cumsum": lambda x: x.cumsum(1), "topk": lambda x: x.topk(2, -1)[0],
        "logsumexp": lambda x: x.logsumexp(-1), "unbind": lambda x: x.unbind(1)[1], "repeat": lambda x: x.repeat(1, 2, 1),
        "permute": lambda x: x.permute(2, 0, 1).contiguous(), "pad": lambda x: F.pad(x, (1, 1)), "flip": lambda x: x.flip(1),
        "no rule": lambda x: x.diag_embed(), "to": lambda x: x.double(), "squeeze": lambda x: x[:, :1].squeeze(1),
        "dropout of nothing": lambda x: F.dropout(x, 0.0), "inplace": lambda x: (x * 1).add_(1).mul_(x),
    }  # fmt: skip
    two = {
        "add": lambda x, y: x + y, "div": lambda x, y: x / (y.abs() + 1), "bmm": lambda x, y: x @ y.transpose(1, 2),
        "cat": lambda x, y: torch.cat([x, y], 1), "stack": lambda x, y: torch.stack([x, y], 1),
        "where": lambda x, y: torch.where(x > y, x, y), "einsum": lambda x, y: torch.einsum("bij,bkj->bik", x, y),
        "mse": F.mse_loss, "bce": lambda x, y: F.binary_cross_entropy_with_logits(x, y), "lerp": lambda x, y: x.lerp(y, 0.3),
        "maximum": torch.maximum, "smooth_l1": lambda x, y: F.smooth_l1_loss(x, y, reduction="sum"),
    }  # fmt: skip
    for name, f in one.items():
        yield name, f, (x,)
    for name, f in two.items():
        yield name, f, (x, y)
    yield "mul of a row", lambda x, b: x * b, (x, b)
    yield "linear", F.linear, (x, w, b)
    yield "matmul", lambda u, v: u @ v, (u, v)
    yield "linear without bias", lambda u, v: F.linear(u, v.t()), (u, v)
    yield "layer_norm", lambda x, w, b: F.layer_norm(x, (8,), w, b), (x, b, b.clone())
    yield "rms_norm", lambda x, w: F.rms_norm(x, (8,), w), (x, b)
    yield "attention", lambda q: F.scaled_dot_product_attention(q, q, q, is_causal=True), (q,)
    yield "masked attention", lambda q, m: F.scaled_dot_product_attention(q, q, q, m), (q, torch.randn(2, 1, 6, 6))
    yield "shared heads", lambda q, k: F.scaled_dot_product_attention(q, k, k, enable_gqa=True), (q, torch.randn(2, 2, 6, 8))
    yield "embedding", lambda w, i: F.embedding(i, w), (torch.randn(10, 8), torch.randint(0, 10, (4, 6)))
    yield "cross_entropy", F.cross_entropy, (scores, classes)
    yield "sum of cross_entropy", lambda x, t: F.cross_entropy(x, t, reduction="sum"), (scores, classes)
    yield "cross_entropy that ignores", F.cross_entropy, (scores, ignored)
    yield "gather", lambda x, i: x.gather(2, i), (x, torch.randint(0, 8, (4, 6, 1)))
    yield "conv1d", F.conv1d, (x, torch.randn(3, 6, 2))
    yield "baddbmm", torch.baddbmm, (torch.randn(1, 6, 6), x, x.transpose(1, 2).contiguous())


def compare(rank, size, shape):
    from torch.distributed.tensor import Replicate, Shard, distribute_tensor

    mesh, count = dist.init_device_mesh("cpu", shape), 0
    torch.manual_seed(0)
    for name, f, inputs in cases():
        plain = [t.clone().requires_grad_(t.is_floating_point()) for t in inputs]
        expected = f(*plain)
        weights = torch.randn_like(expected)
        (expected * weights).sum().backward()
        each = [itertools.product([Replicate(), *map(Shard, range(t.dim()))], repeat=mesh.ndim) for t in inputs]
        every = list(itertools.product(*each))
        random.Random(0).shuffle(every)
        for places in every[:6]:
            own = [distribute_tensor(t, mesh, p).requires_grad_(t.is_floating_point()) for t, p in zip(inputs, places)]
            result = f(*own)
            full = result.full_tensor()
            assert result.shape == expected.shape == full.shape, (name, places)
            torch.testing.assert_close(full, expected, atol=1e-4, rtol=1e-4, msg=lambda m: f"{name} {places}: {m}")
            (full * weights).sum().backward()
            for d, p in zip(own, plain):
                if p.grad is not None:
                    torch.testing.assert_close(
                        d.grad.full_tensor(), p.grad, atol=1e-3, rtol=1e-3, msg=lambda m: f"gradient of {name} {places}: {m}"
                    )
            count += 1
    return count


def chosen(rank, size):
    """Layouts of results: nothing is gathered where an operator can work on parts."""
    from torch.distributed.tensor import DTensor, Partial, Replicate, Shard, distribute_tensor

    mesh = dist.init_device_mesh("cpu", (size,))

    def make(*shape, at=None):
        return distribute_tensor(torch.randn(shape), mesh, [Replicate() if at is None else Shard(at)])

    x, rows, columns = make(4, 6, 8), make(8, 8, at=0), make(8, 8, at=1)
    found = {
        "column": F.linear(x, rows), "row": F.linear(F.linear(x, rows), columns),
        "batch": F.linear(make(4, 6, 8, at=0), make(8, 8)),
        "heads": F.linear(x, rows).view(4, 6, 2, 4).transpose(1, 2), "sum": make(4, 6, at=0).sum(),
        "mean": make(4, 6, at=0).mean(),
        "norm": F.layer_norm(make(4, 6, 8, at=1), (8,)), "rows of a table": F.embedding(distribute_tensor(
            torch.zeros(2, dtype=torch.long), mesh), make(6, 4, at=0)), "zeros": torch.zeros_like(rows),
        "doubled sum": make(4, 6, at=0).sum() * 2, "view": make(4, 6, at=0).view(2, 2, 6),
    }  # fmt: skip
    assert all(type(t) is DTensor for t in found.values())
    sums, average = (Partial(),), (Partial("avg"),)
    expected = {
        "column": (Shard(2),), "row": sums, "batch": (Shard(0),), "heads": (Shard(1),), "sum": sums, "mean": average,
        "norm": (Shard(1),), "rows of a table": sums, "zeros": (Shard(0),), "doubled sum": sums, "view": (Shard(0),),
    }  # fmt: skip
    assert {name: t.placements for name, t in found.items()} == expected


OPTIMIZERS = [
    ("SGD", {"momentum": 0.9}), ("SGD", {"foreach": False}), ("AdamW", {}), ("AdamW", {"foreach": False}),
    ("Adam", {"fused": True}),
    ("RMSprop", {}), ("Adagrad", {}), ("NAdam", {}), ("Adamax", {}), ("Adafactor", {}),
]  # fmt: skip


def train(rank, size, shape):
    """Training with clipped gradients is that of plain tensors, with each optimizer."""
    from torch.distributed.tensor import Replicate, Shard, distribute_module, distribute_tensor

    mesh = dist.init_device_mesh("cpu", shape)
    x = torch.randn(6, 5, generator=torch.Generator().manual_seed(1))

    def part(name, child, mesh):
        for key, p in list(child._parameters.items()):
            child.register_parameter(key, nn.Parameter(distribute_tensor(p.detach(), mesh, [Shard(0)] * mesh.ndim)))

    def network():
        torch.manual_seed(0)
        return nn.Sequential(nn.Linear(5, 7), nn.GELU(), nn.Linear(7, 3))

    for name, options in OPTIMIZERS:
        plain, spread = network(), distribute_module(network(), mesh, part)
        optimizers = [getattr(torch.optim, name)(m.parameters(), lr=0.1, **options) for m in (plain, spread)]
        batches = x, distribute_tensor(x, mesh, [Shard(0), Replicate()][: mesh.ndim])
        for _ in range(3):
            norms = []
            for model, optimizer, batch in zip((plain, spread), optimizers, batches):
                optimizer.zero_grad()
                model(batch).square().mean().backward()
                norms.append(nn.utils.clip_grad_norm_(model.parameters(), 0.1))
                optimizer.step()
            torch.testing.assert_close(norms[1].full_tensor(), norms[0])
        for a, b in zip(plain.parameters(), spread.parameters()):
            torch.testing.assert_close(b.full_tensor(), a, atol=1e-5, rtol=1e-4, msg=lambda m: f"{name} {options}: {m}")


@pytest.mark.parametrize("shape", [(3,), (2, 2)])
def test_operators(shape):
    assert min(run_ranks(compare, torch.Size(shape).numel(), shape)) > 300


def test_layouts_of_results():
    run_ranks(chosen, 2)


@pytest.mark.parametrize("shape", [(2,), (2, 2)])
def test_training(shape):
    run_ranks(train, torch.Size(shape).numel(), shape)
