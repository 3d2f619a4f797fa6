"""Attention as a module."""

from __future__ import annotations

from torch.nn import functional as F
from torch.nn import init
from torch.nn.modules._shared import empty_parameter
from torch.nn.modules.linear import NonDynamicallyQuantizableLinear
from torch.nn.modules.module import Module

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from typing import Any

    import torch
    from torch import Tensor
    from torch.nn.parameter import Parameter
    from torch.types import Device


class MultiheadAttention(Module):
    """Attention of several heads (Vaswani et al. 2017): (query, key, value) to (output, weights).

    L is the length of the queries, S that of keys and values, N the batch, E embed_dim.

    Args:
        embed_dim (int): width of queries and output
        num_heads (int): heads; they divide embed_dim
        dropout (float, default 0.0): probability with which a weight is dropped in training
        bias (bool, default True): whether the projections have a bias
        add_bias_kv (bool, default False): add a trained key and value
        add_zero_attn (bool, default False): add a key and a value of zeros
        kdim (int or None): width of the keys; None: embed_dim
        vdim (int or None): width of the values; None: embed_dim
        batch_first (bool, default False): the batch is dimension 0 instead of 1
        device (device or None): where the parameters are made; None: the default device
        dtype (dtype or None): their type; None: the default dtype

    Shape:
        query (L, N, E), key and value (S, N, kdim or vdim) to (L, N, E) and (N, L, S); or without N; or N first

    Attributes:
        in_proj_weight: the three projections, (3 * E, E), where all widths are E
        q_proj_weight, k_proj_weight, v_proj_weight: the projections where they are not
        out_proj: the projection of the output

    Raises:
        ValueError: embed_dim or num_heads is not positive
        AssertionError: num_heads does not divide embed_dim

    Example:
        >>> x = torch.ones(3, 2, 4)
        >>> output, weights = nn.MultiheadAttention(4, 2)(x, x, x)
        >>> output.shape, weights.shape
        (torch.Size([3, 2, 4]), torch.Size([2, 3, 3]))
    """

    embed_dim: int
    num_heads: int
    batch_first: bool
    in_proj_weight: Parameter | None
    in_proj_bias: Parameter | None
    q_proj_weight: Parameter | None
    k_proj_weight: Parameter | None
    v_proj_weight: Parameter | None
    bias_k: Parameter | None
    bias_v: Parameter | None
    out_proj: NonDynamicallyQuantizableLinear

    def __init__(
        self, embed_dim: int, num_heads: int, dropout: float = 0.0, bias: bool = True, add_bias_kv: bool = False,
        add_zero_attn: bool = False, kdim: int | None = None, vdim: int | None = None, batch_first: bool = False,
        device: Device = None, dtype: torch.dtype | None = None,
    ) -> None:  # fmt: skip
        if embed_dim <= 0 or num_heads <= 0:
            raise ValueError(
                f"embed_dim and num_heads must be greater than 0, got embed_dim={embed_dim} and num_heads={num_heads} instead"
            )
        super().__init__()
        self.embed_dim, self.num_heads, self.dropout, self.batch_first = (
            embed_dim,
            num_heads,
            dropout,
            batch_first,
        )
        self.kdim = embed_dim if kdim is None else kdim
        self.vdim = embed_dim if vdim is None else vdim
        self._qkv_same_embed_dim = self.kdim == embed_dim and self.vdim == embed_dim
        self.head_dim = embed_dim // num_heads
        assert self.head_dim * num_heads == embed_dim, "embed_dim must be divisible by num_heads"
        if self._qkv_same_embed_dim:
            self.in_proj_weight = empty_parameter((3 * embed_dim, embed_dim), device, dtype)
            shapes = {}
        else:
            shapes = {"q_proj_weight": embed_dim, "k_proj_weight": self.kdim, "v_proj_weight": self.vdim}
            for name, width in shapes.items():
                setattr(self, name, empty_parameter((embed_dim, width), device, dtype))
            self.register_parameter("in_proj_weight", None)
        for name in () if shapes else ("q_proj_weight", "k_proj_weight", "v_proj_weight"):
            self.register_parameter(name, None)
        self.register_parameter("in_proj_bias", empty_parameter(3 * embed_dim, device, dtype) if bias else None)
        self.out_proj = NonDynamicallyQuantizableLinear(embed_dim, embed_dim, bias=bias, device=device, dtype=dtype)
        if add_bias_kv:
            self.bias_k = empty_parameter((1, 1, embed_dim), device, dtype)
            self.bias_v = empty_parameter((1, 1, embed_dim), device, dtype)
        else:
            self.bias_k = self.bias_v = None
        self.add_zero_attn = add_zero_attn
        self._reset_parameters()

    def _reset_parameters(self) -> None:
        if self._qkv_same_embed_dim:
            init.xavier_uniform_(self.in_proj_weight)
        else:
            for weight in (self.q_proj_weight, self.k_proj_weight, self.v_proj_weight):
                init.xavier_uniform_(weight)
        if self.in_proj_bias is not None:
            init.constant_(self.in_proj_bias, 0.0)
            init.constant_(self.out_proj.bias, 0.0)
        for bias in (self.bias_k, self.bias_v):
            if bias is not None:
                init.xavier_normal_(bias)

    def __setstate__(self, state: Any) -> None:
        super().__setstate__({"_qkv_same_embed_dim": True, **state})

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, key_padding_mask: Tensor | None = None, need_weights: bool = True,
        attn_mask: Tensor | None = None, average_attn_weights: bool = True, is_causal: bool = False,
    ) -> tuple[Tensor, Tensor | None]:  # fmt: skip
        """The output, and the weights or None.

        Args:
            query (Tensor): (L, N, E), (N, L, E) with batch_first, or (L, E)
            key (Tensor): likewise with S and kdim
            value (Tensor): likewise with S and vdim
            key_padding_mask (Tensor or None): (N, S): True or -inf hides a key
            need_weights (bool, default True): return the weights too; without them it is faster
            attn_mask (Tensor or None): (L, S) or (N * num_heads, L, S): True hides a place, a number is added to the score
            average_attn_weights (bool, default True): return the mean of the weights over the heads
            is_causal (bool, default False): a hint that `attn_mask` is the causal one

        Returns:
            (output, weights or None)

        Raises:
            RuntimeError: a mask has the wrong shape

        Example:
            >>> x = torch.ones(1, 3, 4)
            >>> nn.MultiheadAttention(4, 2, batch_first=True)(x, x, x, need_weights=False)[1] is None
            True
        """
        swap = self.batch_first and query.dim() == 3
        if swap:
            query, key, value = _swapped(query, key, value)
        output, weights = F.multi_head_attention_forward(
            query,
            key,
            value,
            self.embed_dim,
            self.num_heads,
            self.in_proj_weight,
            self.in_proj_bias,
            self.bias_k,
            self.bias_v,
            self.add_zero_attn,
            self.dropout,
            self.out_proj.weight,
            self.out_proj.bias,
            training=self.training,
            key_padding_mask=key_padding_mask,
            need_weights=need_weights,
            attn_mask=attn_mask,
            use_separate_proj_weight=not self._qkv_same_embed_dim,
            q_proj_weight=self.q_proj_weight,
            k_proj_weight=self.k_proj_weight,
            v_proj_weight=self.v_proj_weight,
            average_attn_weights=average_attn_weights,
            is_causal=is_causal,
        )
        return (output.transpose(1, 0) if swap else output), weights


def _swapped(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Swaps batch and length. Identical inputs stay identical, so that one product projects all of them."""
    transposed = {}
    for x in (query, key, value):
        if id(x) not in transposed:
            transposed[id(x)] = x.transpose(1, 0)
    return transposed[id(query)], transposed[id(key)], transposed[id(value)]


__all__ = ["MultiheadAttention"]
