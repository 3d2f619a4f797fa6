"""Attention: the operator, and the multi-head layer around it."""

from __future__ import annotations

import math
import warnings

import torch
from torch._operators import NN as _nn
from torch.nn.functional._common import overridable
from torch.nn.functional.dropout import dropout

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from torch import Tensor
    from torch._C._nn import scaled_dot_product_attention as scaled_dot_product_attention
else:
    scaled_dot_product_attention = _nn.scaled_dot_product_attention

__all__ = ["scaled_dot_product_attention", "multi_head_attention_forward"]


def _additive(mask, name, dtype, other_dtype=None):
    """A mask that is added to the scores: -inf where a boolean mask hides a position."""
    if mask is None:
        return None
    if mask.dtype != torch.bool and not mask.is_floating_point():
        raise AssertionError(f"only bool and floating types of {name} are supported")
    if mask.dtype == torch.bool:
        return torch.zeros_like(mask, dtype=dtype).masked_fill_(mask, float("-inf"))
    if other_dtype is not None and other_dtype != mask.dtype:
        warnings.warn(f"Support for mismatched {name} and the other mask is deprecated. Use same type for both instead.")
    return mask


def _check_shapes(query, key, value, key_padding_mask, attn_mask, num_heads):
    """True for batched inputs, (length, batch, width)."""
    if query.dim() not in (2, 3):
        raise AssertionError(f"query should be unbatched 2D or batched 3D tensor but received {query.dim()}-D query tensor")
    if key.dim() != query.dim() or value.dim() != query.dim():
        raise AssertionError(
            f"For {query.dim()}-D `query`, expected `key` and `value` to be {query.dim()}-D but found "
            f"{key.dim()}-D and {value.dim()}-D tensors respectively"
        )
    if key_padding_mask is not None and key_padding_mask.dim() != query.dim() - 1:
        raise AssertionError(f"expected `key_padding_mask` to be None or {query.dim() - 1}-D, got {key_padding_mask.dim()}-D")
    if attn_mask is not None and attn_mask.dim() not in (2, 3):
        raise AssertionError(f"expected `attn_mask` to be None, 2-D or 3-D but found {attn_mask.dim()}-D")
    return query.dim() == 3


def _project(query, key, value, weight, bias):
    """Queries, keys and values from the three stacked blocks of one weight, with as few products as possible."""
    width = query.size(-1)
    if key is value:
        if query is key:
            packed = _nn.linear(query, weight, bias)
            packed = packed.unflatten(-1, (3, width)).unsqueeze(0).transpose(0, -2).squeeze(-2).contiguous()
            return packed[0], packed[1], packed[2]
        weights = weight.split([width, 2 * width])
        biases = (None, None) if bias is None else bias.split([width, 2 * width])
        pair = _nn.linear(key, weights[1], biases[1])
        pair = pair.unflatten(-1, (2, width)).unsqueeze(0).transpose(0, -2).squeeze(-2).contiguous()
        return _nn.linear(query, weights[0], biases[0]), pair[0], pair[1]
    weights = weight.chunk(3)
    biases = (None, None, None) if bias is None else bias.chunk(3)
    return tuple(_nn.linear(x, w, b) for x, w, b in zip((query, key, value), weights, biases))


@overridable(3)
def multi_head_attention_forward(
    query: Tensor, key: Tensor, value: Tensor, embed_dim_to_check: int, num_heads: int, in_proj_weight: Tensor | None,
    in_proj_bias: Tensor | None, bias_k: Tensor | None, bias_v: Tensor | None, add_zero_attn: bool, dropout_p: float,
    out_proj_weight: Tensor, out_proj_bias: Tensor | None, training: bool = True, key_padding_mask: Tensor | None = None,
    need_weights: bool = True, attn_mask: Tensor | None = None, use_separate_proj_weight: bool = False,
    q_proj_weight: Tensor | None = None, k_proj_weight: Tensor | None = None, v_proj_weight: Tensor | None = None,
    static_k: Tensor | None = None, static_v: Tensor | None = None, average_attn_weights: bool = True,
    is_causal: bool = False,
) -> tuple[Tensor, Tensor | None]:  # fmt: skip
    """Attention of several heads (Vaswani et al. 2017): what nn.MultiheadAttention computes.

    L is the length of the queries, S that of the keys, N the batch, E the width.

    Args:
        query (Tensor): (L, N, E) or (L, E)
        key (Tensor): (S, N, E of the keys) or without N
        value (Tensor): (S, N, E of the values) or without N
        embed_dim_to_check (int): the width that `query` must have
        num_heads (int): heads; they divide E
        in_proj_weight (Tensor or None): the three projections, (3 * E, E)
        in_proj_bias (Tensor or None): (3 * E)
        bias_k (Tensor or None): a further key and value, (1, 1, E)
        bias_v (Tensor or None): a further key and value, (1, 1, E)
        add_zero_attn (bool): add a key and a value of zeros
        dropout_p (float): probability with which a weight is dropped in training
        out_proj_weight (Tensor): (E, E)
        out_proj_bias (Tensor or None): (E)
        training (bool, default True): whether to drop
        key_padding_mask (Tensor or None): (N, S): True or -inf hides a key
        need_weights (bool, default True): return the attention weights too
        attn_mask (Tensor or None): (L, S) or (N * num_heads, L, S): True hides a place, a number is added to the score
        use_separate_proj_weight (bool, default False): take the next three instead of `in_proj_weight`
        q_proj_weight (Tensor or None): (E, E)
        k_proj_weight (Tensor or None): (E, E of the keys)
        v_proj_weight (Tensor or None): (E, E of the values)
        static_k (Tensor or None): (N * num_heads, S, E / num_heads), instead of projected ones
        static_v (Tensor or None): (N * num_heads, S, E / num_heads), instead of projected ones
        average_attn_weights (bool, default True): return the mean of the weights over the heads
        is_causal (bool, default False): a hint that `attn_mask` is the causal one

    Returns:
        (output (L, N, E), weights (N, L, S), (N, num_heads, L, S) where they are not averaged, or None)

    Raises:
        AssertionError: the shapes do not fit together
        RuntimeError: a mask has the wrong shape, or `is_causal` is given without `attn_mask`

    Example:
        >>> x, weight = torch.ones(3, 2, 4), torch.eye(4)
        >>> out, shares = F.multi_head_attention_forward(
        ...     x, x, x, 4, 2, weight.repeat(3, 1), None, None, None, False, 0.0, weight, None)
        >>> out.shape, shares.shape
        (torch.Size([3, 2, 4]), torch.Size([2, 3, 3]))
    """
    batched = _check_shapes(query, key, value, key_padding_mask, attn_mask, num_heads)
    if not batched:
        query, key, value = query.unsqueeze(1), key.unsqueeze(1), value.unsqueeze(1)
        key_padding_mask = None if key_padding_mask is None else key_padding_mask.unsqueeze(0)
    target, batch, width = query.shape
    source = key.shape[0]
    key_padding_mask = _additive(
        key_padding_mask, "key_padding_mask", query.dtype, None if attn_mask is None else attn_mask.dtype
    )
    if is_causal and attn_mask is None:
        raise RuntimeError("Need attn_mask if specifying the is_causal hint.")
    if is_causal and key_padding_mask is None and not need_weights:
        attn_mask = None  # the hint says everything that the mask says
    else:
        attn_mask = _additive(attn_mask, "attn_mask", query.dtype)
        is_causal = False if key_padding_mask is not None else is_causal
    assert width == embed_dim_to_check, f"was expecting embedding dimension of {embed_dim_to_check}, but got {width}"
    head = width // num_heads
    assert head * num_heads == width, f"embed_dim {width} not divisible by num_heads {num_heads}"
    if use_separate_proj_weight:
        biases = (None, None, None) if in_proj_bias is None else in_proj_bias.chunk(3)
        q, k, v = (
            _nn.linear(x, w, b) for x, w, b in zip((query, key, value), (q_proj_weight, k_proj_weight, v_proj_weight), biases)
        )
    else:
        assert key.shape == value.shape, f"key shape {key.shape} does not match value shape {value.shape}"
        q, k, v = _project(query, key, value, in_proj_weight, in_proj_bias)
    attn_mask = _mask_shape(attn_mask, target, source, batch * num_heads)
    if bias_k is not None and bias_v is not None:
        k, v = torch.cat([k, bias_k.repeat(1, batch, 1)]), torch.cat([v, bias_v.repeat(1, batch, 1)])
        attn_mask = None if attn_mask is None else _nn.pad(attn_mask, (0, 1))
        key_padding_mask = None if key_padding_mask is None else _nn.pad(key_padding_mask, (0, 1))
    q = q.view(target, batch * num_heads, head).transpose(0, 1)
    k = static_k if static_k is not None else k.view(k.shape[0], batch * num_heads, head).transpose(0, 1)
    v = static_v if static_v is not None else v.view(v.shape[0], batch * num_heads, head).transpose(0, 1)
    if add_zero_attn:
        empty = torch.zeros((batch * num_heads, 1, head), dtype=k.dtype, device=k.device)
        k, v = torch.cat([k, empty], dim=1), torch.cat([v, empty], dim=1)
        attn_mask = None if attn_mask is None else _nn.pad(attn_mask, (0, 1))
        key_padding_mask = None if key_padding_mask is None else _nn.pad(key_padding_mask, (0, 1))
    source = k.size(1)
    if key_padding_mask is not None:
        hidden = key_padding_mask.view(batch, 1, 1, source).expand(-1, num_heads, -1, -1)
        hidden = hidden.reshape(batch * num_heads, 1, source)
        attn_mask = hidden if attn_mask is None else attn_mask + hidden
    dropout_p = dropout_p if training else 0.0
    if need_weights:
        return _with_weights(
            q, k, v, attn_mask, dropout_p, out_proj_weight, out_proj_bias, batch, num_heads, batched, average_attn_weights
        )
    if attn_mask is not None:
        attn_mask = (
            attn_mask.unsqueeze(0)
            if attn_mask.size(0) == 1 and attn_mask.dim() == 3
            else attn_mask.view(batch, num_heads, -1, source)
        )
    q, k, v = (x.view(batch, num_heads, -1, head) for x in (q, k, v))
    out = scaled_dot_product_attention(q, k, v, attn_mask, dropout_p, is_causal)
    out = out.permute(2, 0, 1, 3).contiguous().view(batch * target, width)
    out = _nn.linear(out, out_proj_weight, out_proj_bias).view(target, batch, -1)
    return (out if batched else out.squeeze(1)), None


def _mask_shape(mask, target, source, heads):
    if mask is None:
        return None
    expected = (target, source) if mask.dim() == 2 else (heads, target, source)
    if tuple(mask.shape) != expected:
        raise RuntimeError(f"The shape of the {mask.dim()}D attn_mask is {mask.shape}, but should be {expected}.")
    return mask.unsqueeze(0) if mask.dim() == 2 else mask


def _with_weights(q, k, v, mask, dropout_p, weight, bias, batch, num_heads, batched, average):
    target, head = q.shape[1:]
    q = q * math.sqrt(1.0 / float(head))
    scores = torch.bmm(q, k.transpose(-2, -1)) if mask is None else torch.baddbmm(mask, q, k.transpose(-2, -1))
    shares = scores.softmax(dim=-1)
    if dropout_p > 0.0:
        shares = dropout(shares, dropout_p)
    out = torch.bmm(shares, v).transpose(0, 1).contiguous().view(target * batch, num_heads * head)
    out = _nn.linear(out, weight, bias).view(target, batch, -1)
    shares = shares.view(batch, num_heads, target, -1)
    shares = shares.mean(dim=1) if average else shares
    return (out, shares) if batched else (out.squeeze(1), shares.squeeze(0))
