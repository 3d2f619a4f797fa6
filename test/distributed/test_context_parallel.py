"""Attention of sequences that are cut over processes: it is compared with that of the whole sequence."""

from __future__ import annotations

import itertools

import pytest
from ranks import needs_gloo, run_ranks

import torch
import torch.nn.functional as F
from torch import nn
from torch.distributed.device_mesh import init_device_mesh

pytestmark = [needs_gloo, pytest.mark.timeout(90)]


def qkv(heads, dtype=torch.float64, length=24):
    generator = torch.Generator().manual_seed(0)
    sizes = ((2, 4, length, 8), (2, heads, length, 8), (2, heads, length, 8), (2, 4, length, 8))
    return [torch.randn(size, generator=generator, dtype=dtype) for size in sizes]


def attention(rank, size):
    from torch.distributed.tensor.experimental import context_parallel
    from torch.distributed.tensor.experimental._attention import _cp_options, context_parallel_unshard, set_rotate_method

    mesh = init_device_mesh("cpu", (size,))
    for method, causal, balanced, heads in itertools.product(("allgather", "alltoall"), (True, False), (True, False), (4, 2)):
        set_rotate_method(method)
        _cp_options.enable_load_balance = balanced
        settings = {"is_causal": causal, "enable_gqa": heads == 2, "scale": 0.3}
        whole = [t.requires_grad_() for t in qkv(heads)[:3]]
        weights = qkv(heads)[3]
        expected = F.scaled_dot_product_attention(*whole, **settings)
        (expected * weights).sum().backward()
        buffers = [*(t.detach().clone() for t in whole), weights.clone()]
        with context_parallel(mesh, buffers=buffers, buffer_seq_dims=[2] * 4):
            assert buffers[0].shape == (2, 4, 24 // size, 8)
            own = [t.clone().requires_grad_() for t in buffers[:3]]
            found = F.scaled_dot_product_attention(*own, **settings)
            (found * buffers[3]).sum().backward()
        results = context_parallel_unshard(mesh, [found, *(t.grad for t in own)], [2] * 4)
        for a, b in zip(results, [expected, *(t.grad for t in whole)]):
            torch.testing.assert_close(a, b)
        torch.testing.assert_close(buffers[0], whole[0].detach(), rtol=0, atol=0)


@pytest.mark.parametrize("size", [2, 4])
def test_attention(size):
    run_ranks(attention, size)


class Model(nn.Module):
    """A layer of attention with embeddings of positions, and a layer after it."""

    def __init__(self):
        super().__init__()
        self.qkv, self.out = nn.Linear(16, 48), nn.Linear(16, 5)
        self.register_buffer("positions", torch.randn(24, 16))

    def forward(self, x):
        q, k, v = self.qkv(x + self.positions).unflatten(2, (12, 4)).transpose(1, 2).chunk(3, 1)
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.out(y.transpose(1, 2).flatten(2))


def training(rank, size):
    import torch.distributed as dist
    from torch.distributed.tensor.experimental import context_parallel
    from torch.distributed.tensor.experimental._attention import context_parallel_unshard

    mesh = init_device_mesh("cpu", (size,))
    torch.manual_seed(0)
    model, x, labels = Model(), torch.randn(3, 24, 16), torch.randint(0, 5, (3, 24))
    expected = F.cross_entropy(model(x).flatten(0, 1), labels.flatten())
    expected.backward()
    grads = [p.grad.clone() for p in model.parameters()]
    model.zero_grad()
    memory = model.positions.data_ptr()
    with context_parallel(
        mesh, buffers=[x, labels, model.positions], buffer_seq_dims=[1, 1, 0], no_restore_buffers={x, labels}
    ):  # fmt: skip
        loss = F.cross_entropy(model(x).flatten(0, 1), labels.flatten())
        loss.backward()
    assert model.positions.shape == (24, 16) and model.positions.data_ptr() == memory
    assert x.shape == (3, 24 // size, 16)  # it was not to be restored
    assert context_parallel_unshard(mesh, [x], [1])[0].shape == (3, 24, 16)
    for tensor in (loss.detach(), *(p.grad for p in model.parameters())):
        dist.all_reduce(tensor)
        tensor /= size
    torch.testing.assert_close(loss.detach(), expected.detach())
    for p, grad in zip(model.parameters(), grads):
        torch.testing.assert_close(p.grad, grad)


def test_training():
    run_ranks(training, 3)


def other_meshes_and_dtypes(rank, size):
    from torch.distributed.tensor import Shard, distribute_tensor
    from torch.distributed.tensor.experimental import context_parallel
    from torch.distributed.tensor.experimental._attention import context_parallel_unshard, set_rotate_method

    mesh = init_device_mesh("cpu", (2, 2), mesh_dim_names=("cp", "tp"))
    q, k, v, _ = qkv(4, torch.bfloat16)
    expected = F.scaled_dot_product_attention(q.float(), k.float(), v.float(), is_causal=True)
    for method in ("allgather", "alltoall"):
        set_rotate_method(method)
        with context_parallel(mesh["cp"], buffers=[q, k, v], buffer_seq_dims=[2] * 3):
            heads = [distribute_tensor(t, mesh["tp"], [Shard(1)]) for t in (q, k, v)]
            found = F.scaled_dot_product_attention(*heads, is_causal=True)
            assert found.placements == (Shard(1),) and found.dtype is torch.bfloat16
            result = context_parallel_unshard(mesh["cp"], [found.full_tensor()], [2])[0]
        torch.testing.assert_close(result.float(), expected, atol=2e-2, rtol=2e-2)


def test_heads_over_another_mesh():
    run_ranks(other_meshes_and_dtypes, 4)


def errors(rank, size):
    from torch.distributed.tensor.experimental import context_parallel
    from torch.distributed.tensor.experimental._attention import set_rotate_method

    mesh = init_device_mesh("cpu", (size,))
    before = F.scaled_dot_product_attention

    def enter(*buffers, dims=None, **settings):
        with context_parallel(mesh, buffers=list(buffers), buffer_seq_dims=dims or [0] * len(buffers), **settings):
            pass

    q = torch.randn(1, 2, 4, 8)
    with pytest.raises(ValueError, match="multiple of 4.*got 6"):
        enter(torch.ones(6))
    with pytest.raises(ValueError, match="2 for 1"):
        enter(torch.ones(4), dims=[0, 1])
    with pytest.raises(ValueError, match="a dimension of a buffer that has 1, got 1"):
        enter(torch.ones(4), dims=[1])
    with pytest.raises(TypeError, match="expected a list of tensors"), context_parallel(mesh, buffers=torch.ones(4)):
        pass
    with pytest.raises(ValueError, match="not among buffers"):
        enter(torch.ones(4), no_restore_buffers={torch.ones(4)})
    with pytest.raises(TypeError, match="gradients"):
        enter(nn.Parameter(torch.ones(4)))
    with pytest.raises(NotImplementedError, match="'ring'"):
        set_rotate_method("ring")
    buffer = torch.arange(8)
    for text, error, arguments in (
        ("attn_mask", NotImplementedError, {"attn_mask": torch.ones(4, 4, dtype=torch.bool)}),
        ("dropout_p", NotImplementedError, {"dropout_p": 0.5}),
        ("2 heads of queries and 1 of keys", ValueError, {"key": q[:, :1], "value": q[:, :1]}),
        ("4 and 2", ValueError, {"key": q[:, :, :2], "value": q[:, :, :2]}),
        ("one shape", ValueError, {"value": q[..., :4]}),
    ):
        with pytest.raises(error, match=text), context_parallel(mesh, buffers=[buffer], buffer_seq_dims=[0]):
            F.scaled_dot_product_attention(**{"query": q, "key": q, "value": q, **arguments})
    assert F.scaled_dot_product_attention is before and buffer.tolist() == list(range(8))


def test_errors():
    run_ranks(errors, 2)
