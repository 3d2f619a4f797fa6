"""Attention over sequences of different lengths that are packed one after the other, without padding."""

from __future__ import annotations

import math
from typing import NamedTuple

import torch
from torch import Tensor

__all__ = ["AuxRequest", "varlen_attn", "varlen_attn_out"]


class AuxRequest(NamedTuple):
    """What `varlen_attn` shall return beside the result.

    Args:
        lse (bool, default False): the logarithm of the sum of the exponentials of each query's scores

    Example:
        >>> from torch.nn.attention.varlen import AuxRequest
        >>> AuxRequest(lse=True)
        AuxRequest(lse=True)
    """

    lse: bool = False


def _bounds(name: str, cumulative: Tensor, total: int) -> list[int]:
    """The borders of the sequences, checked."""
    if cumulative.dim() != 1 or cumulative.is_floating_point() or cumulative.numel() < 1:
        raise RuntimeError(f"varlen_attn: {name} must be a 1-dimensional tensor of integers, got {tuple(cumulative.shape)}")
    borders = [int(x) for x in cumulative.tolist()]
    if borders[0] != 0 or borders[-1] > total or any(b < a for a, b in zip(borders, borders[1:])):
        raise RuntimeError(f"varlen_attn: {name} must start at 0, not decrease, and end at most at {total}, got {borders}")
    return borders


def _mask(num_q: int, num_k: int, window: tuple[int, int], device: torch.device) -> Tensor | None:
    """Which keys each query sees; the last query is beside the last key. None: all."""
    left, right = window
    if left < 0 and right < 0:
        return None
    place = torch.arange(num_q, device=device)[:, None] + (num_k - num_q)
    distance = torch.arange(num_k, device=device)[None, :] - place
    seen = torch.ones(num_q, num_k, dtype=torch.bool, device=device)
    if left >= 0:
        seen &= distance >= -left
    if right >= 0:
        seen &= distance <= right
    return seen


def varlen_attn(
    query: Tensor, key: Tensor, value: Tensor, cu_seq_q: Tensor, cu_seq_k: Tensor | None, max_q: int, max_k: int, *,
    return_aux: AuxRequest | None = None, scale: float | None = None, window_size: tuple[int, int] = (-1, -1),
    enable_gqa: bool = False, seqused_k: Tensor | None = None, block_table: Tensor | None = None, num_splits: int | None = None,
) -> Tensor | tuple[Tensor, Tensor]:  # fmt: skip
    """Attention within each of several packed sequences. It runs on any device, sequence by sequence.

    Args:
        query (Tensor): (tokens of all sequences, heads, features)
        key (Tensor): the same for keys
        value (Tensor): the same for values
        cu_seq_q (Tensor): where each sequence of queries begins, and where the last one ends: integers, (sequences + 1)
        cu_seq_k (Tensor): the same for keys and values
        max_q (int): the longest sequence of queries; only for kernels of a GPU
        max_k (int): the longest sequence of keys; only for kernels of a GPU
        return_aux (AuxRequest, optional): what to return beside the result
        scale (float, optional): what scores are multiplied by; by default 1 / sqrt(features)
        window_size (tuple of int, default (-1, -1)): how many keys before and after its own place a query sees; -1: all. The
            places of the last query and the last key are the same; (-1, 0) is causal
        enable_gqa (bool, default False): there may be fewer heads of keys and values, which are repeated
        seqused_k (Tensor, optional): how many keys of each sequence are used
        block_table (Tensor, optional): not supported
        num_splits (int, optional): only for kernels of a GPU

    Returns:
        (tokens, heads, features), and with `return_aux.lse` also (heads, tokens)

    Raises:
        RuntimeError: borders that are no borders, or numbers of heads that do not fit
        NotImplementedError: `block_table` is given, or no `cu_seq_k`

    Example:
        >>> from torch.nn.attention.varlen import varlen_attn
        >>> x = torch.randn(5, 2, 4)
        >>> borders = torch.tensor([0, 2, 5])
        >>> y = varlen_attn(x, x, x, borders, borders, 3, 3)
        >>> alone = x[:2].transpose(0, 1)
        >>> one = nn.functional.scaled_dot_product_attention(alone, alone, alone)
        >>> torch.allclose(y[:2], one.transpose(0, 1), atol=1e-6)
        True
    """
    if block_table is not None or cu_seq_k is None:
        raise NotImplementedError("varlen_attn: keys and values in pages (block_table) are not supported")
    if query.dim() != 3 or key.dim() != 3 or value.dim() != 3:
        raise RuntimeError(f"varlen_attn: expected 3 dimensions, got {query.dim()}, {key.dim()} and {value.dim()}")
    if query.size(1) != key.size(1) and not enable_gqa:
        raise RuntimeError(f"varlen_attn: {query.size(1)} heads of queries and {key.size(1)} of keys need enable_gqa=True")
    borders_q, borders_k = _bounds("cu_seq_q", cu_seq_q, query.size(0)), _bounds("cu_seq_k", cu_seq_k, key.size(0))
    if len(borders_q) != len(borders_k):
        raise RuntimeError(f"varlen_attn: {len(borders_q) - 1} sequences of queries and {len(borders_k) - 1} of keys")
    used = None if seqused_k is None else seqused_k.tolist()
    results, sums = [], []
    for place in range(len(borders_q) - 1):
        begin, end = borders_k[place], borders_k[place + 1]
        if used is not None:
            end = min(end, begin + int(used[place]))
        q = query[borders_q[place] : borders_q[place + 1]].transpose(0, 1)
        k, v = key[begin:end].transpose(0, 1), value[begin:end].transpose(0, 1)
        mask = _mask(q.size(1), k.size(1), window_size, query.device)
        if k.size(1) == 0 or q.size(1) == 0:
            result = q.new_zeros(q.size(0), q.size(1), v.size(2))
        else:
            result = torch.nn.functional.scaled_dot_product_attention(
                q[None], k[None], v[None], attn_mask=mask, scale=scale, enable_gqa=enable_gqa
            )[0]
            if mask is not None:  # a query that sees no key gets zeros
                result = result.masked_fill(~mask.any(1)[None, :, None], 0.0)
        results.append(result.transpose(0, 1))
        if return_aux is not None and return_aux.lse:
            sums.append(_log_sum(q, k, mask, scale))
    out = torch.cat(results) if results else query.new_zeros(0, query.size(1), value.size(2))
    if return_aux is None or not return_aux.lse:
        return out
    return out, torch.cat(sums, 1) if sums else query.new_zeros(query.size(1), 0)


def _log_sum(q: Tensor, k: Tensor, mask: Tensor | None, scale: float | None) -> Tensor:
    k = k.repeat_interleave(q.size(0) // k.size(0), 0)
    scores = q.float() @ k.float().transpose(1, 2) * (1 / math.sqrt(q.size(2)) if scale is None else scale)
    if mask is not None:
        scores = scores.masked_fill(~mask, -math.inf)
    return scores.logsumexp(2)


def varlen_attn_out(
    out: Tensor, query: Tensor, key: Tensor, value: Tensor, cu_seq_q: Tensor, cu_seq_k: Tensor | None, max_q: int, max_k: int, *,
    return_aux: AuxRequest | None = None, scale: float | None = None, window_size: tuple[int, int] = (-1, -1),
    enable_gqa: bool = False, seqused_k: Tensor | None = None, block_table: Tensor | None = None, num_splits: int | None = None,
) -> Tensor | tuple[Tensor, Tensor]:  # fmt: skip
    """The same as `varlen_attn`, written into a tensor. No gradient flows through it.

    Args:
        out (Tensor): takes the result
        query (Tensor): as for `varlen_attn`
        key (Tensor): likewise
        value (Tensor): likewise
        cu_seq_q (Tensor): likewise
        cu_seq_k (Tensor): likewise
        max_q (int): likewise
        max_k (int): likewise
        return_aux (AuxRequest, optional): likewise
        scale (float, optional): likewise
        window_size (tuple of int, default (-1, -1)): likewise
        enable_gqa (bool, default False): likewise
        seqused_k (Tensor, optional): likewise
        block_table (Tensor, optional): likewise
        num_splits (int, optional): likewise

    Returns:
        `out`, and with `return_aux.lse` also the sums

    Example:
        >>> from torch.nn.attention.varlen import varlen_attn_out
        >>> x, borders = torch.ones(3, 1, 2), torch.tensor([0, 3])
        >>> varlen_attn_out(torch.empty(3, 1, 2), x, x, x, borders, borders, 3, 3).flatten()
        tensor([1., 1., 1., 1., 1., 1.])
    """
    with torch.no_grad():
        result = varlen_attn(query, key, value, cu_seq_q, cu_seq_k, max_q, max_k, return_aux=return_aux, scale=scale,
                             window_size=window_size, enable_gqa=enable_gqa, seqused_k=seqused_k, block_table=block_table,
                             num_splits=num_splits)  # fmt: skip
        first = result[0] if isinstance(result, tuple) else result
        if out.shape != first.shape or out.dtype != first.dtype:
            raise RuntimeError(
                f"varlen_attn_out: out must be {first.dtype} of {tuple(first.shape)}, got {out.dtype} of {tuple(out.shape)}"
            )
        out.copy_(first)
    return (out, result[1]) if isinstance(result, tuple) else out
