"""Attention of sequences that are cut over processes: the queries of a process meet the keys of all, part by part.

Each part gives a result and the logarithm of the sum of its exponentials, by which results are weighed. Backward uses the ones of
the whole, so that the gradients of parts just add up (Liu et al., Ring Attention with Blockwise Transformers, 2023).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import torch
from torch.autograd.function import once_differentiable
from torch.distributed.tensor.experimental._context_parallel._options import _cp_options
from torch.distributed.tensor.experimental._context_parallel._rotation import Gradients, parts

_SEQ = 2  # the dimension of positions in queries, and in keys and values of one kind
_KV_SEQ = 3  # the same in keys and values together
_forward = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu
_backward = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu_backward


class Block(NamedTuple):
    """Which queries meet which keys: a start and a length each, and whether a query sees only the keys up to its own place."""

    q_start: int
    q_length: int
    k_start: int
    k_length: int
    is_causal: bool


def block(rank: int, other: int, length: int, is_causal: bool, balanced: bool) -> Block | None:
    """What the queries of a process see of the keys of another one; None: nothing."""
    if not is_causal or rank == other:
        return Block(0, length, 0, length, is_causal)
    if not balanced:
        return Block(0, length, 0, length, False) if other < rank else None
    # Chunks r and 2n - 1 - r: of an earlier process, both see its first chunk; of a later one, the second sees both.
    half = length // 2
    return Block(0, length, 0, half, False) if other < rank else Block(half, half, 0, length, False)


def _expanded(key: torch.Tensor, heads: int) -> torch.Tensor:
    """A head of keys for each head of queries."""
    return key if key.size(1) == heads else key.repeat_interleave(heads // key.size(1), 1)


def _summed(gradient: torch.Tensor, heads: int) -> torch.Tensor:
    """The gradient of keys that several heads of queries share."""
    batch, all_heads, *rest = gradient.shape
    return gradient if all_heads == heads else gradient.view(batch, heads, all_heads // heads, *rest).sum(2)


def _weight(lse: torch.Tensor, total: torch.Tensor, like: torch.Tensor) -> torch.Tensor:
    """The share of a result in the sum."""
    return (lse - total).exp().unsqueeze(-1).to(like.dtype)


class RingAttention(torch.autograd.Function):
    """The attention of this process's queries to all keys."""

    @staticmethod
    def forward(
        ctx: Any, query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, is_causal: bool, scale: float | None, group: Any
    ) -> torch.Tensor:  # fmt: skip
        balanced, method = _cp_options.enable_load_balance and is_causal, _cp_options.rotate_method
        kv, length, heads = torch.stack([key, value]), query.size(_SEQ), query.size(1)
        out = lse = query.new_empty(0)
        for other, (k, v) in parts(kv, group, method):
            found = block(group.rank(), other, length, is_causal, balanced)
            if found is None:
                continue
            q_start, q_length, k_start, k_length, causal = found
            k, v = (_expanded(t.narrow(_SEQ, k_start, k_length), heads) for t in (k, v))
            o, part_lse = _forward(query.narrow(_SEQ, q_start, q_length), k, v, 0.0, causal, scale=scale)
            if other == group.rank():  # the first one: it has all queries
                lse = part_lse
                out = o.to(lse.dtype) if _cp_options.convert_to_f32 else o
                continue
            rows, rows_lse = out.narrow(_SEQ, q_start, q_length), lse.narrow(_SEQ, q_start, q_length)
            total = torch.logaddexp(rows_lse, part_lse)
            rows.mul_(_weight(rows_lse, total, rows)).add_(o * _weight(part_lse, total, rows))
            rows_lse.copy_(total)
        out = out.to(query.dtype)
        ctx.save_for_backward(query, key, value, out, lse)
        ctx.settings = is_causal, scale, group, balanced, method
        return out

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad_out: torch.Tensor) -> Any:
        query, key, value, out, lse = ctx.saved_tensors
        is_causal, scale, group, balanced, method = ctx.settings
        kv, length, heads = torch.stack([key, value]), query.size(_SEQ), query.size(1)
        grad_query = torch.zeros_like(query, dtype=lse.dtype)
        gradients = Gradients(kv.to(lse.dtype), group, method)
        for other, (k, v) in parts(kv, group, method):
            found = block(group.rank(), other, length, is_causal, balanced)
            if found is None:
                gradients.add(other, None, _KV_SEQ, 0, 0)
                continue
            q_start, q_length, k_start, k_length, causal = found
            q, o, part_lse, g = (t.narrow(_SEQ, q_start, q_length) for t in (query, out, lse, grad_out))
            k, v = (_expanded(t.narrow(_SEQ, k_start, k_length), heads) for t in (k, v))
            dq, dk, dv = _backward(g, q, k, v, o, part_lse, 0.0, causal, scale=scale)
            grad_query.narrow(_SEQ, q_start, q_length).add_(dq)
            both = torch.stack([_summed(d, key.size(1)) for d in (dk, dv)])
            gradients.add(other, both, _KV_SEQ, k_start, k_length)
        grad_key, grad_value = gradients.result().to(key.dtype)
        return grad_query.to(query.dtype), grad_key, grad_value, None, None, None


def attention(
    group: Any, query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, attn_mask: Any = None, dropout_p: float = 0.0,
    is_causal: bool = False, scale: float | None = None, enable_gqa: bool = False,
) -> torch.Tensor:  # fmt: skip
    """scaled_dot_product_attention of the parts that the processes of a group have."""
    name = "context_parallel: scaled_dot_product_attention()"
    if attn_mask is not None or dropout_p:
        raise NotImplementedError(f"{name}: attn_mask and dropout_p are not supported for sequences over processes")
    if any(t.dim() != 4 for t in (query, key, value)) or key.shape != value.shape:
        shapes = ", ".join(str(tuple(t.shape)) for t in (query, key, value))
        raise ValueError(f"{name}: expected query, key and value of 4 dimensions, key and value of one shape, got {shapes}")
    if query.device.type != "cpu":
        raise NotImplementedError(f"{name}: this version has it on the CPU, got tensors on {query.device}")
    if query.size(_SEQ) != key.size(_SEQ):
        raise ValueError(f"{name}: expected as many queries as keys, got {query.size(_SEQ)} and {key.size(_SEQ)}")
    if query.size(1) != key.size(1) and (not enable_gqa or query.size(1) % key.size(1)):
        heads = f"{query.size(1)} heads of queries and {key.size(1)} of keys"
        raise ValueError(f"{name}: expected as many heads, or a multiple with enable_gqa=True, got {heads}")
    if is_causal and _cp_options.enable_load_balance and query.size(_SEQ) % 2:
        raise ValueError(f"{name}: expected an even number of positions in each process, got {query.size(_SEQ)}")
    return RingAttention.apply(query, key, value, is_causal, scale, group)  # type: ignore[no-any-return]
