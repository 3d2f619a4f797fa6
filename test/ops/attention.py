"""Attention."""

import numpy as np
from scipy import special

import torch
import torch.nn.functional as F
from ops.common import ALL, ALL_FLOATS, FLOATS, LIB, REDUCED, VALUES, Op, Sample, internal, rand


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


def efficient(q, k, v, **kwargs):
    return LIB._scaled_dot_product_efficient_attention(q, k, v, None, True, **kwargs)[0]


X = rand(3, 4)


def heads(x, n):
    return x.reshape(*x.shape[:2], n, -1).swapaxes(1, 2)


def rescaled(qkv, bias, n):
    q, k, v = (heads(p, n) for p in np.split(qkv + bias, 3, 2))
    return [q / np.sqrt(q.shape[-1]), k, v]


def exponents(x):
    y = np.exp(x - x.max(-1, keepdims=True))
    return y / y.sum(-1, keepdims=True)


def native_attention(query, key, value, width, n, w, b, pw, pb, mask=None, need_weights=True, average=True, mask_type=None):
    q, k, v = (heads(x @ u.T + c, n) for x, u, c in zip((query, key, value), np.split(w, 3), np.split(b, 3)))
    scores = q @ k.swapaxes(-1, -2) / np.sqrt(width // n)
    if mask is not None:
        scores = np.where(mask[:, None, None] if mask_type == 1 else mask, -np.inf, scores)
    a = exponents(scores)
    out = (a @ v).swapaxes(1, 2).reshape(query.shape) @ pw.T + pb
    return [out, a.mean(1) if average else a] if need_weights else [out]


def attention_weights(dtype):
    return [rand(*s, dtype=dtype, seed=k + 3, low=-1, high=1) for k, s in enumerate(((24, 8), (24,), (8, 8), (8,)))]


def native_samples(dtype):
    x, y = rand(2, 3, 8, dtype=dtype), rand(2, 3, 8, dtype=dtype, seed=1)
    pairs, places = torch.ones(3, 3).triu(1).bool(), torch.tensor([[False, False, True], [False, True, True]])
    for k, v, *rest in (
        (x, x),
        (y, y),
        (y, x),
        (x, x, None, True, False),
        (x, x, pairs, True, True, 0),
        (x, x, places, True, True, 1),
        (y, y, places[:, None, None].expand(2, 2, 3, 3), True, True, 2),
    ):
        yield Sample(x, (k, v, 8, 2, *attention_weights(dtype), *rest))


def normal(x, w, b, eps):
    return (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + eps) * w + b


def encoder(x, width, n, w, b, pw, pb, gelu, first, eps, w1, b1, w2, b2, u1, c1, u2, c2, mask=None, mask_type=None):
    def attend(x):
        return native_attention(x, x, x, width, n, w, b, pw, pb, mask, False, True, mask_type)[0]

    def feed(x):
        y = x @ u1.T + c1
        return (y * special.ndtr(y) if gelu else np.maximum(y, 0)) @ u2.T + c2

    if first:
        x = x + attend(normal(x, w1, b1, eps))
        return x + feed(normal(x, w2, b2, eps))
    x = normal(x + attend(x), w1, b1, eps)
    return normal(x + feed(x), w2, b2, eps)


def encoder_samples(dtype):
    norms = [rand(8, dtype=dtype, seed=k, low=0.5, high=1.5) for k in range(4)]
    inner = [rand(*s, dtype=dtype, seed=k, low=-1, high=1) for k, s in enumerate(((16, 8), (16,), (8, 16), (8,)))]
    for gelu in (False, True):
        for first in (False, True):
            yield Sample(
                rand(2, 3, 8, dtype=dtype),
                (8, 2, *attention_weights(dtype), gelu, first, 1e-5, *norms, *inner, torch.ones(3, 3).triu(1).bool(), 0),
            )


NATIVE = torch.ops.aten._native_multi_head_attention
XA, WA = torch.ones(2, 3, 8), (torch.ones(24, 8), torch.ones(24), torch.ones(8, 8), torch.ones(8))

OPS = [
    Op("scaled_dot_product_attention", samples, attention, FLOATS + REDUCED, call=F.scaled_dot_product_attention, gradgrad=False,
       method=False, out=False, tolerance=1e-5,
       errors=((lambda: F.scaled_dot_product_attention(X[0], X, X), RuntimeError, "at least 2 dimensional"),
               (lambda: F.scaled_dot_product_attention(X, X, X.double()), RuntimeError, "same dtype"),
               (lambda: F.scaled_dot_product_attention(X, X, X, torch.ones(3, 3, dtype=torch.int)), RuntimeError, "attn_mask dtype"),
               (lambda: F.scaled_dot_product_attention(X, X, X, torch.ones(3, 3), is_causal=True), RuntimeError, "is_causal=True"))),
    internal("_scaled_dot_product_attention_math", queries, call=lambda *a, **k: LIB._scaled_dot_product_attention_math(*a, **k)[0], ref=attention, tolerance=1e-5, gradgrad=False, dtypes=ALL_FLOATS),
    internal("_scaled_dot_product_flash_attention_for_cpu", queries, call=lambda *a, **k: LIB._scaled_dot_product_flash_attention_for_cpu(*a, **k)[0], ref=attention, tolerance=1e-5, gradgrad=False, meta=False, dtypes=ALL_FLOATS),
    internal("_scaled_dot_product_efficient_attention", queries, call=efficient, ref=attention, tolerance=1e-5, gradgrad=False, dtypes=ALL_FLOATS, errors=(
        (lambda: LIB._scaled_dot_product_efficient_attention(X[None, None].expand(1, 2, 3, 4), X[None, None], X[None, None], None, True), RuntimeError, "same batch", VALUES),)),
    internal("_fused_sdp_choice", queries, lambda *a, **k: np.array(1), call=lambda *a, **k: torch.tensor(LIB._fused_sdp_choice(*a, **k)), grad=False, meta=False, noncontiguous=False, dtypes=ALL_FLOATS, takes=ALL),
    internal("_safe_softmax", masked_rows, softmax, tolerance=1e-5, gradgrad=False, grad=False, dtypes=ALL_FLOATS),
    internal("_transform_bias_rescale_qkv", lambda dtype: [Sample(rand(2, 3, 12, dtype=dtype), (rand(12, dtype=dtype, seed=1), n)) for n in (1, 2)], rescaled, FLOATS, takes=REDUCED, errors=(
        (lambda: torch.ops.aten._transform_bias_rescale_qkv(torch.ones(1, 2, 12), torch.ones(12), 5), RuntimeError, "divisible by 3"), (lambda: torch.ops.aten._transform_bias_rescale_qkv(torch.ones(1, 2, 12), torch.ones(11), 2), RuntimeError, "12 elements"))),
    internal("_native_multi_head_attention", native_samples, native_attention, FLOATS, takes=REDUCED, noncontiguous=False, gradgrad=False, tolerance=1e-4, errors=(
        (lambda: NATIVE(XA, XA, XA, 8, 3, *WA), RuntimeError, "divisible by num_head"), (lambda: NATIVE(XA[0], XA, XA, 8, 2, *WA), RuntimeError, "must have the shape"),
        (lambda: NATIVE(XA, XA, XA[:1], 8, 2, *WA), RuntimeError, "one shape"), (lambda: NATIVE(XA, XA, XA, 8, 2, WA[0][:8], *WA[1:]), RuntimeError, "24 rows"),
        (lambda: NATIVE(XA, XA, XA, 8, 2, *WA, torch.ones(3, 3).bool()), RuntimeError, "needs a mask_type"), (lambda: NATIVE(XA, XA, XA, 8, 2, *WA, torch.ones(3, 3), True, True, 0), RuntimeError, "must be bool"),
        (lambda: NATIVE(XA, XA, XA, 8, 2, *WA, torch.ones(3).bool(), True, True, 0), RuntimeError, "2 dimensions"))),
    internal("_transformer_encoder_layer_fwd", encoder_samples, encoder, FLOATS, takes=REDUCED, noncontiguous=False, gradgrad=False, tolerance=1e-4),
]  # fmt: skip
