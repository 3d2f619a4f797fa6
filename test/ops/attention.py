"""Attention."""

import numpy as np

import torch
import torch.nn.functional as F
from ops.common import ALL, ALL_FLOATS, FLOATS, LIB, REDUCED, Op, Sample, internal, rand


def attention(q, k, v, attn_mask=None, is_causal=False, scale=None, enable_gqa=False):
    if enable_gqa:
        k, v = (np.repeat(x, q.shape[-3] // x.shape[-3], -3) for x in (k, v))
    scores = q @ np.swapaxes(k, -2, -1) * (q.shape[-1] ** -0.5 if scale is None else scale)
    if is_causal:
        attn_mask = np.tril(np.ones(scores.shape[-2:], bool))
    if attn_mask is not None:
        scores = np.where(attn_mask, scores, -np.inf) if attn_mask.dtype == bool else scores + attn_mask
    top = scores.max(-1, keepdims=True)
    weights = np.exp(scores - np.where(np.isinf(top), 0, top))
    total = weights.sum(-1, keepdims=True)
    return weights / np.where(total == 0, 1, total) @ v


def samples(dtype):
    """Flash (4 dimensions) and other inputs; more keys than a block; masks with fully masked rows."""
    for shape, keys in (((1, 2, 3, 2), 3), ((1, 1, 2, 3), 4), ((2, 2, 70, 20), 150), ((2, 3, 4), 5), ((3, 4), 3)):
        *batch, queries, width = shape
        q = rand(*shape, dtype=dtype, low=-1, high=1)
        k, v = (rand(*batch, keys, width, dtype=dtype, low=-1, high=1, seed=s) for s in (1, 2))
        mask = rand(queries, keys)
        seen = mask > 0
        seen[0] = False
        for kwargs in ({}, {"is_causal": True}, {"scale": 0.3}, {"attn_mask": mask.to(dtype)}, {"attn_mask": seen}):
            yield Sample(q, (k, v), kwargs)
    k = rand(1, 1, 3, 2, dtype=dtype)
    yield Sample(rand(1, 2, 3, 2, dtype=dtype), (k, k + 1), {"enable_gqa": True})


def softmax(x, dim):
    """Fully masked rows are zeros."""
    top = x.max(dim, keepdims=True)
    weights = np.exp(x - np.where(np.isinf(top), 0, top))
    total = weights.sum(dim, keepdims=True)
    return weights / np.where(total == 0, 1, total)


def masked_rows(dtype):
    x = rand(3, 4, dtype=dtype)
    x[1] = -float("inf")
    return [Sample(x, (d,)) for d in (0, 1)]


def queries(dtype):
    """Four dimensions each: what the fast kernel takes."""
    q, k, v = (rand(1, 2, n, 4, dtype=dtype, low=-1, high=1, seed=s) for n, s in ((3, 0), (5, 1), (5, 2)))
    return [Sample(q, (k, v)), Sample(q, (k, v), {"is_causal": True}), Sample(q, (k, v), {"scale": 0.3})]


X = rand(3, 4)

OPS = [
    Op("scaled_dot_product_attention", samples, attention, FLOATS + REDUCED, call=F.scaled_dot_product_attention, gradgrad=False,
       method=False, out=False, tolerance=1e-5,
       errors=((lambda: F.scaled_dot_product_attention(X[0], X, X), RuntimeError, "at least 2 dimensional"),
               (lambda: F.scaled_dot_product_attention(X, X, X.double()), RuntimeError, "same dtype"),
               (lambda: F.scaled_dot_product_attention(X, X, X, torch.ones(3, 3, dtype=torch.int)), RuntimeError, "attn_mask dtype"),
               (lambda: F.scaled_dot_product_attention(X, X, X, torch.ones(3, 3), is_causal=True), RuntimeError, "is_causal=True"))),
    internal("_scaled_dot_product_attention_math", queries, call=lambda *a, **k: LIB._scaled_dot_product_attention_math(*a, **k)[0], ref=attention, tolerance=1e-5, gradgrad=False, dtypes=ALL_FLOATS),
    internal("_scaled_dot_product_flash_attention_for_cpu", queries, call=lambda *a, **k: LIB._scaled_dot_product_flash_attention_for_cpu(*a, **k)[0], ref=attention, tolerance=1e-5, gradgrad=False, meta=False, dtypes=ALL_FLOATS),
    internal("_fused_sdp_choice", queries, lambda *a, **k: np.array(1), call=lambda *a, **k: torch.tensor(LIB._fused_sdp_choice(*a, **k)), grad=False, meta=False, noncontiguous=False, dtypes=ALL_FLOATS, takes=ALL),
    internal("_safe_softmax", masked_rows, softmax, tolerance=1e-5, gradgrad=False, grad=False, dtypes=ALL_FLOATS),
]  # fmt: skip
