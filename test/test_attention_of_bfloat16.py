"""Attention of bfloat16 against that of the same numbers in double: kernels with matrix tiles pad rows and columns."""

import pytest

import torch
import torch.nn.functional as F


def close(got, expected):
    # Weights and results are rounded to bfloat16.
    difference = (got.double() - expected).abs() / (expected.abs() + 0.3)
    return difference.max().item() < 0.02


def heads(length, width, dtype=torch.bfloat16):
    """Two batches of three heads whose rows are not neighbours in memory."""
    return torch.randn(2, length, 3, width).to(dtype).transpose(1, 2)


@pytest.mark.parametrize("mask", [None, "causal", "rows", "column", "bool"])
@pytest.mark.parametrize("width", [2, 16, 30, 32, 33, 80, 128])
@pytest.mark.parametrize("queries, keys", [(1, 1), (1, 300), (7, 31), (8, 48), (9, 33), (17, 257), (130, 129), (300, 300)])
def test_every_shape(queries, keys, width, mask):
    torch.manual_seed(queries + keys + width)
    q, k, v = heads(queries, width), heads(keys, width), heads(keys, width)
    kwargs, wide = {"is_causal": mask == "causal"}, {"is_causal": mask == "causal"}
    if mask == "bool":
        kwargs["attn_mask"] = wide["attn_mask"] = torch.rand(2, 3, queries, keys) > 0.3
    elif mask in ("rows", "column"):
        m = torch.randn(queries, keys) if mask == "rows" else torch.randn(2, 1, queries, 1).expand(2, 1, queries, keys)
        kwargs["attn_mask"] = m.bfloat16()
        wide["attn_mask"] = kwargs["attn_mask"].double()
    got = F.scaled_dot_product_attention(q, k, v, **kwargs)
    expected = F.scaled_dot_product_attention(q.double(), k.double(), v.double(), **wide)
    assert got.dtype == torch.bfloat16
    assert close(got, expected)


def test_rows_without_keys_are_zero():
    q, k, v = heads(20, 32), heads(40, 32), heads(40, 32)
    mask = torch.ones(20, 40, dtype=torch.bool)
    mask[3] = False
    out = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
    assert (out[:, :, 3] == 0).all()
    assert out.isfinite().all()


@pytest.mark.parametrize("queries", [1, 5, 40])
def test_not_a_number_stays_in_its_row(queries):
    q, k, v = heads(queries, 64), heads(50, 64), heads(50, 64)
    q[:, :, queries - 1] = float("nan")
    out = F.scaled_dot_product_attention(q, k, v)
    assert out[:, :, queries - 1].isnan().all()
    assert out[:, :, : queries - 1].isfinite().all()


def test_nothing_beyond_a_tensor_counts():
    """Keys and values that end where numbers begin that are not finite."""
    for queries, keys, width in ((1, 17, 32), (3, 50, 64), (40, 50, 30)):
        torch.manual_seed(keys)
        whole = torch.full((2, 2, keys + 20, width + 10), float("nan"), dtype=torch.bfloat16)
        k, v = (whole.clone()[:, :, :keys, :width] for _ in range(2))
        k.copy_(torch.randn(k.shape)), v.copy_(torch.randn(v.shape))
        q = torch.randn(2, 2, queries, width).bfloat16()
        out = F.scaled_dot_product_attention(q, k, v)
        assert close(out, F.scaled_dot_product_attention(q.double(), k.double(), v.double()))


def gradients(operands, grad, **kwargs):
    x = [t.detach().requires_grad_() for t in operands]
    F.scaled_dot_product_attention(*x, **kwargs).backward(grad.to(x[0].dtype))
    return [t.grad for t in x]


@pytest.mark.parametrize("mask", [None, "causal", "rows", "column"])
@pytest.mark.parametrize("width", [2, 16, 30, 32, 33, 80])
@pytest.mark.parametrize(
    "queries, keys", [(1, 1), (1, 300), (7, 31), (17, 257), (33, 48), (130, 129), (300, 300), (300, 20), (20, 600)]
)
def test_gradients_of_every_shape(queries, keys, width, mask):
    torch.manual_seed(queries + keys + width)
    operands, grad = [heads(queries, width), heads(keys, width), heads(keys, width)], heads(queries, width)
    narrow, wide = {"is_causal": mask == "causal"}, {"is_causal": mask == "causal"}
    if mask in ("rows", "column"):
        m = torch.randn(queries, keys) if mask == "rows" else torch.randn(2, 1, queries, 1).expand(2, 1, queries, keys)
        narrow["attn_mask"], wide["attn_mask"] = m.bfloat16(), m.bfloat16().double()
    expected = gradients([t.double() for t in operands], grad, **wide)
    for got, exact in zip(gradients(operands, grad, **narrow), expected):
        assert got.dtype == torch.bfloat16
        assert (got.double() - exact).abs().max() < 0.02 * (exact.abs().max() + 0.3)


def test_gradients_of_rows_without_keys_are_zero():
    operands, mask = [heads(20, 32), heads(40, 32), heads(40, 32)], torch.ones(20, 40, dtype=torch.bool)
    mask[3] = False
    got = gradients(operands, heads(20, 32), attn_mask=mask)
    assert (got[0][:, :, 3] == 0).all()
    assert all(t.isfinite().all() for t in got)


def test_gradients_use_nothing_beyond_a_tensor():
    """Operands that end where numbers begin that are not finite, in a head that follows one of other numbers."""
    for queries, keys, width in ((1, 17, 32), (19, 50, 64), (40, 31, 30)):
        torch.manual_seed(keys)
        parts = []
        for rows in (queries, keys, keys, queries):
            part = torch.full((2, 2, rows + 20, width + 10), float("nan"), dtype=torch.bfloat16)[:, :, :rows, :width]
            parts.append(part.copy_(torch.randn(part.shape)))
        expected = gradients([t.double() for t in parts[:3]], parts[3])
        for got, exact in zip(gradients(parts[:3], parts[3]), expected):
            assert (got.double() - exact).abs().max() < 0.02 * (exact.abs().max() + 0.3)


def test_negative_and_large_scales():
    torch.manual_seed(1)
    q, k, v = heads(33, 32), heads(65, 32), heads(65, 32)
    for scale in (-0.5, 3.0, 0.0):
        out = F.scaled_dot_product_attention(q, k, v, scale=scale)
        expected = F.scaled_dot_product_attention(q.double(), k.double(), v.double(), scale=scale)
        assert close(out, expected)
