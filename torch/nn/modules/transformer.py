"""Transformer encoder and decoder (Vaswani et al. 2017)."""

from __future__ import annotations

import copy

import torch
from torch.nn import functional as F
from torch.nn import init
from torch.nn.functional.attention import _additive
from torch.nn.modules.attention import MultiheadAttention
from torch.nn.modules.container import ModuleList
from torch.nn.modules.dropout import Dropout
from torch.nn.modules.linear import Linear
from torch.nn.modules.module import Module
from torch.nn.modules.normalization import LayerNorm

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from torch import Tensor
    from torch.types import Device


def _activation(name: str) -> Callable[[Tensor], Tensor]:
    if name not in ("relu", "gelu"):
        raise RuntimeError(f"activation should be relu/gelu, not {name}")
    return getattr(F, name)


def _clones(module: Module, count: int) -> ModuleList:
    return ModuleList([copy.deepcopy(module) for _ in range(count)])


def _is_causal(mask: Tensor | None, hint: bool | None, size: int) -> bool:
    """Whether the mask hides exactly the later positions; a hint saves the comparison."""
    if mask is None or hint is not None:
        return bool(hint)
    causal = Transformer.generate_square_subsequent_mask(size, device=mask.device, dtype=mask.dtype)
    return mask.size() == causal.size() and bool((mask == causal).all())


class _Layer(Module):
    """Attention and feed-forward blocks, each with a residual connection and a norm before or after."""

    def _common(
        self, d_model: int, dim_feedforward: int, dropout: float, activation: Any, bias: bool, norm_first: bool, factory: Any,
    ) -> None:  # fmt: skip
        self.linear1 = Linear(d_model, dim_feedforward, bias=bias, **factory)
        self.dropout = Dropout(dropout)
        self.linear2 = Linear(dim_feedforward, d_model, bias=bias, **factory)
        self.norm_first = norm_first
        self.activation = _activation(activation) if isinstance(activation, str) else activation
        # PyTorch reads it in pickled modules: 1 for relu, 2 for gelu.
        self.activation_relu_or_gelu = 1 if self.activation is F.relu else 2 if self.activation is F.gelu else 0

    def _feed(self, x: Tensor) -> Tensor:
        return self.linear2(self.dropout(self.activation(self.linear1(x))))


class TransformerEncoderLayer(_Layer):
    """Self-attention, then two linear layers, each added to its input and normalised (Vaswani et al. 2017).

    Args:
        d_model (int): width, E
        nhead (int): heads; they divide E
        dim_feedforward (int, default 2048): width between the two linear layers
        dropout (float, default 0.1): probability of dropping in training
        activation (str or Callable[[Tensor], Tensor], default F.relu): between the linear layers: 'relu', 'gelu' or a
            function
        layer_norm_eps (float, default 1e-5): what the norms add to the variance
        batch_first (bool, default False): the batch is dimension 0 instead of 1
        norm_first (bool, default False): the norms come before attention and linear layers instead of after
        bias (bool, default True): whether linear layers and norms have a bias
        device (device or None): where the parameters are made; None: the default device
        dtype (dtype or None): their type; None: the default dtype

    Shape:
        (S, N, E), or (N, S, E) with batch_first, which stays

    Example:
        >>> nn.TransformerEncoderLayer(8, 2, dim_feedforward=16)(torch.ones(5, 3, 8)).shape
        torch.Size([5, 3, 8])
    """

    self_attn: MultiheadAttention
    linear1: Linear
    linear2: Linear

    def __init__(
        self, d_model: int, nhead: int, dim_feedforward: int = 2048, dropout: float = 0.1,
        activation: str | Callable[[Tensor], Tensor] = F.relu, layer_norm_eps: float = 1e-5, batch_first: bool = False,
        norm_first: bool = False, bias: bool = True, device: Device = None, dtype: torch.dtype | None = None,
    ) -> None:  # fmt: skip
        super().__init__()
        factory = {"device": device, "dtype": dtype}
        self.self_attn = MultiheadAttention(d_model, nhead, dropout=dropout, bias=bias, batch_first=batch_first, **factory)
        self._common(d_model, dim_feedforward, dropout, activation, bias, norm_first, factory)
        self.norm1 = LayerNorm(d_model, eps=layer_norm_eps, bias=bias, **factory)
        self.norm2 = LayerNorm(d_model, eps=layer_norm_eps, bias=bias, **factory)
        self.dropout1, self.dropout2 = Dropout(dropout), Dropout(dropout)

    def _attend(self, x: Tensor, mask: Tensor | None, padding: Tensor | None, is_causal: bool | None) -> Tensor:
        out = self.self_attn(x, x, x, attn_mask=mask, key_padding_mask=padding, need_weights=False, is_causal=is_causal)
        return self.dropout1(out[0])

    def forward(
        self, src: Tensor, src_mask: Tensor | None = None, src_key_padding_mask: Tensor | None = None,
        is_causal: bool = False,
    ) -> Tensor:  # fmt: skip
        """Attends, then feeds forward.

        Args:
            src (Tensor): the source, (S, N, E), (N, S, E) with batch_first, or (S, E)
            src_mask (Tensor or None): (S, S): True hides a place, a number is added to the score
            src_key_padding_mask (Tensor or None): (N, S): True or -inf hides a place of the source
            is_causal (bool, default False): a hint that the mask is the causal one; None: find out

        Returns:
            a tensor of the shape of `src`

        Example:
            >>> layer = nn.TransformerEncoderLayer(8, 2, dim_feedforward=16, batch_first=True)
            >>> layer(torch.ones(1, 5, 8), src_key_padding_mask=torch.zeros(1, 5, dtype=torch.bool)).shape
            torch.Size([1, 5, 8])
        """
        padding = _additive(src_key_padding_mask, "src_key_padding_mask", src.dtype)
        mask = _additive(src_mask, "src_mask", src.dtype)
        if self.norm_first:
            x = src + self._attend(self.norm1(src), mask, padding, is_causal)
            return x + self.dropout2(self._feed(self.norm2(x)))
        x = self.norm1(src + self._attend(src, mask, padding, is_causal))
        return self.norm2(x + self.dropout2(self._feed(x)))


class TransformerDecoderLayer(_Layer):
    """Self-attention, attention to the encoder's output, then two linear layers (Vaswani et al. 2017).

    Args:
        d_model (int): width, E
        nhead (int): heads; they divide E
        dim_feedforward (int, default 2048): width between the two linear layers
        dropout (float, default 0.1): probability of dropping in training
        activation (str or Callable[[Tensor], Tensor], default F.relu): between the linear layers: 'relu', 'gelu' or a
            function
        layer_norm_eps (float, default 1e-5): what the norms add to the variance
        batch_first (bool, default False): the batch is dimension 0 instead of 1
        norm_first (bool, default False): the norms come before attention and linear layers instead of after
        bias (bool, default True): whether linear layers and norms have a bias
        device (device or None): where the parameters are made; None: the default device
        dtype (dtype or None): their type; None: the default dtype

    Shape:
        target (T, N, E) and memory (S, N, E), or with N first, to the target's

    Example:
        >>> nn.TransformerDecoderLayer(8, 2, dim_feedforward=16)(torch.ones(4, 3, 8), torch.ones(5, 3, 8)).shape
        torch.Size([4, 3, 8])
    """

    self_attn: MultiheadAttention
    multihead_attn: MultiheadAttention
    linear1: Linear
    linear2: Linear
    norm1: LayerNorm
    norm2: LayerNorm
    norm3: LayerNorm

    def __init__(
        self, d_model: int, nhead: int, dim_feedforward: int = 2048, dropout: float = 0.1,
        activation: str | Callable[[Tensor], Tensor] = F.relu, layer_norm_eps: float = 1e-5, batch_first: bool = False,
        norm_first: bool = False, bias: bool = True, device: Device = None, dtype: torch.dtype | None = None,
    ) -> None:  # fmt: skip
        super().__init__()
        factory = {"device": device, "dtype": dtype}
        for name in ("self_attn", "multihead_attn"):
            setattr(
                self, name, MultiheadAttention(d_model, nhead, dropout=dropout, bias=bias, batch_first=batch_first, **factory)
            )
        self._common(d_model, dim_feedforward, dropout, activation, bias, norm_first, factory)
        for name in ("norm1", "norm2", "norm3"):
            setattr(self, name, LayerNorm(d_model, eps=layer_norm_eps, bias=bias, **factory))
        self.dropout1, self.dropout2, self.dropout3 = Dropout(dropout), Dropout(dropout), Dropout(dropout)

    def forward(
        self, tgt: Tensor, memory: Tensor, tgt_mask: Tensor | None = None, memory_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None, memory_key_padding_mask: Tensor | None = None,
        tgt_is_causal: bool = False, memory_is_causal: bool = False,
    ) -> Tensor:  # fmt: skip
        """Attends to itself, then to the memory, then feeds forward.

        Args:
            tgt (Tensor): the target, (T, N, E), (N, T, E) with batch_first, or (T, E)
            memory (Tensor): the encoder's output
            tgt_mask (Tensor or None): (T, T), likewise
            memory_mask (Tensor or None): (T, S), likewise
            tgt_key_padding_mask (Tensor or None): (N, T): True or -inf hides a place of the target
            memory_key_padding_mask (Tensor or None): (N, S): True or -inf hides a place of the source
            tgt_is_causal (bool, default False): a hint that the mask is the causal one; None: find out
            memory_is_causal (bool, default False): a hint that the mask is the causal one; None: find out

        Returns:
            a tensor of the shape of `tgt`

        Example:
            >>> layer = nn.TransformerDecoderLayer(8, 2, dim_feedforward=16)
            >>> layer(torch.ones(4, 8), torch.ones(5, 8)).shape
            torch.Size([4, 8])
        """

        def to_itself(x):
            return self.dropout1(
                self.self_attn(
                    x,
                    x,
                    x,
                    attn_mask=tgt_mask,
                    key_padding_mask=tgt_key_padding_mask,
                    is_causal=tgt_is_causal,
                    need_weights=False,
                )[0]  # fmt: skip
            )

        def to_memory(x):
            return self.dropout2(
                self.multihead_attn(
                    x,
                    memory,
                    memory,
                    attn_mask=memory_mask,
                    key_padding_mask=memory_key_padding_mask,
                    is_causal=memory_is_causal,
                    need_weights=False,
                )[0]  # fmt: skip
            )

        x = tgt
        if self.norm_first:
            x = x + to_itself(self.norm1(x))
            x = x + to_memory(self.norm2(x))
            return x + self.dropout3(self._feed(self.norm3(x)))
        x = self.norm1(x + to_itself(x))
        x = self.norm2(x + to_memory(x))
        return self.norm3(x + self.dropout3(self._feed(x)))


class TransformerEncoder(Module):
    """Copies of an encoder layer, one after the other.

    Args:
        encoder_layer (TransformerEncoderLayer): what is copied
        num_layers (int): number of copies
        norm (Module or None): a module at the end; None: none
        enable_nested_tensor (bool, default True): no effect here
        mask_check (bool, default True): no effect here

    Shape:
        (S, N, E), or (N, S, E) with batch_first, which stays

    Example:
        >>> layer = nn.TransformerEncoderLayer(8, 2, dim_feedforward=16)
        >>> nn.TransformerEncoder(layer, num_layers=2)(torch.ones(5, 3, 8)).shape
        torch.Size([5, 3, 8])
    """

    layers: ModuleList

    def __init__(
        self, encoder_layer: TransformerEncoderLayer, num_layers: int, norm: Module | None = None,
        enable_nested_tensor: bool = True, mask_check: bool = True,
    ) -> None:  # fmt: skip
        super().__init__()
        self.layers = _clones(encoder_layer, num_layers)
        self.num_layers, self.norm = num_layers, norm
        self.enable_nested_tensor, self.mask_check = enable_nested_tensor, mask_check
        self.use_nested_tensor = False

    def forward(
        self, src: Tensor, mask: Tensor | None = None, src_key_padding_mask: Tensor | None = None,
        is_causal: bool | None = None,
    ) -> Tensor:  # fmt: skip
        """All layers in turn, then the norm.

        Args:
            src (Tensor): the source, (S, N, E), (N, S, E) with batch_first, or (S, E)
            mask (Tensor or None): (S, S): True hides a place, a number is added to the score
            src_key_padding_mask (Tensor or None): (N, S): True or -inf hides a place of the source
            is_causal (bool or None): a hint that the mask is the causal one; None: find out

        Returns:
            a tensor of the shape of `src`

        Example:
            >>> layer = nn.TransformerEncoderLayer(8, 2, dim_feedforward=16)
            >>> mask = nn.Transformer.generate_square_subsequent_mask(5)
            >>> nn.TransformerEncoder(layer, num_layers=2)(torch.ones(5, 3, 8), mask=mask).shape
            torch.Size([5, 3, 8])
        """
        padding = _additive(src_key_padding_mask, "src_key_padding_mask", src.dtype)
        mask = _additive(mask, "mask", src.dtype)
        length = src.size(1 if self.layers[0].self_attn.batch_first and src.dim() == 3 else 0)
        is_causal = _is_causal(mask, is_causal, length)
        for layer in self.layers:
            src = layer(src, src_mask=mask, is_causal=is_causal, src_key_padding_mask=padding)
        return src if self.norm is None else self.norm(src)


class TransformerDecoder(Module):
    """Copies of a decoder layer, one after the other.

    Args:
        decoder_layer (TransformerDecoderLayer): what is copied
        num_layers (int): number of copies
        norm (Module or None): a module at the end; None: none

    Shape:
        target (T, N, E) and memory (S, N, E), or with N first, to the target's

    Example:
        >>> layer = nn.TransformerDecoderLayer(8, 2, dim_feedforward=16)
        >>> nn.TransformerDecoder(layer, num_layers=2)(torch.ones(4, 3, 8), torch.ones(5, 3, 8)).shape
        torch.Size([4, 3, 8])
    """

    layers: ModuleList

    def __init__(self, decoder_layer: TransformerDecoderLayer, num_layers: int, norm: Module | None = None) -> None:
        super().__init__()
        self.layers = _clones(decoder_layer, num_layers)
        self.num_layers, self.norm = num_layers, norm

    def forward(
        self, tgt: Tensor, memory: Tensor, tgt_mask: Tensor | None = None, memory_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None, memory_key_padding_mask: Tensor | None = None,
        tgt_is_causal: bool | None = None, memory_is_causal: bool = False,
    ) -> Tensor:  # fmt: skip
        """All layers in turn, then the norm.

        Args:
            tgt (Tensor): the target, (T, N, E), (N, T, E) with batch_first, or (T, E)
            memory (Tensor): the encoder's output
            tgt_mask (Tensor or None): (T, T), likewise
            memory_mask (Tensor or None): (T, S), likewise
            tgt_key_padding_mask (Tensor or None): (N, T): True or -inf hides a place of the target
            memory_key_padding_mask (Tensor or None): (N, S): True or -inf hides a place of the source
            tgt_is_causal (bool or None): a hint that the mask is the causal one; None: find out
            memory_is_causal (bool, default False): a hint that the mask is the causal one; None: find out

        Returns:
            a tensor of the shape of `tgt`

        Example:
            >>> layer = nn.TransformerDecoderLayer(8, 2, dim_feedforward=16)
            >>> nn.TransformerDecoder(layer, num_layers=1)(torch.ones(4, 8), torch.ones(5, 8)).shape
            torch.Size([4, 8])
        """
        length = tgt.size(1 if self.layers[0].self_attn.batch_first and tgt.dim() == 3 else 0)
        tgt_is_causal = _is_causal(tgt_mask, tgt_is_causal, length)
        for layer in self.layers:
            tgt = layer(
                tgt, memory, tgt_mask=tgt_mask, memory_mask=memory_mask, tgt_key_padding_mask=tgt_key_padding_mask,
                memory_key_padding_mask=memory_key_padding_mask, tgt_is_causal=tgt_is_causal,
                memory_is_causal=memory_is_causal,
            )  # fmt: skip
        return tgt if self.norm is None else self.norm(tgt)


class Transformer(Module):
    """Encoder and decoder (Vaswani et al. 2017).

    Args:
        d_model (int, default 512): width, E
        nhead (int, default 8): heads; they divide E
        num_encoder_layers (int, default 6): layers of the encoder
        num_decoder_layers (int, default 6): layers of the decoder
        dim_feedforward (int, default 2048): width between the two linear layers
        dropout (float, default 0.1): probability of dropping in training
        activation (str or Callable[[Tensor], Tensor], default F.relu): between the linear layers: 'relu', 'gelu' or a
            function
        custom_encoder (Module or None): modules to take instead
        custom_decoder (Module or None): modules to take instead
        layer_norm_eps (float, default 1e-5): what the norms add to the variance
        batch_first (bool, default False): the batch is dimension 0 instead of 1
        norm_first (bool, default False): the norms come before attention and linear layers instead of after
        bias (bool, default True): whether linear layers and norms have a bias
        device (device or None): where the parameters are made; None: the default device
        dtype (dtype or None): their type; None: the default dtype

    Shape:
        source (S, N, E) and target (T, N, E), or with N first, to the target's

    Example:
        >>> model = nn.Transformer(8, 2, 1, 1, dim_feedforward=16)
        >>> model(torch.ones(5, 3, 8), torch.ones(4, 3, 8)).shape
        torch.Size([4, 3, 8])
    """

    encoder: Module
    decoder: Module
    d_model: int
    nhead: int

    def __init__(
        self, d_model: int = 512, nhead: int = 8, num_encoder_layers: int = 6, num_decoder_layers: int = 6,
        dim_feedforward: int = 2048, dropout: float = 0.1, activation: str | Callable[[Tensor], Tensor] = F.relu,
        custom_encoder: Module | None = None, custom_decoder: Module | None = None, layer_norm_eps: float = 1e-5,
        batch_first: bool = False, norm_first: bool = False, bias: bool = True, device: Device = None,
        dtype: torch.dtype | None = None,
    ) -> None:  # fmt: skip
        super().__init__()
        factory = {"device": device, "dtype": dtype}
        settings = (d_model, nhead, dim_feedforward, dropout, activation, layer_norm_eps, batch_first, norm_first, bias)

        def end():
            return LayerNorm(d_model, eps=layer_norm_eps, bias=bias, **factory)

        self.encoder = (
            custom_encoder
            if custom_encoder is not None
            else TransformerEncoder(TransformerEncoderLayer(*settings, **factory), num_encoder_layers, end())
        )
        self.decoder = (
            custom_decoder
            if custom_decoder is not None
            else TransformerDecoder(TransformerDecoderLayer(*settings, **factory), num_decoder_layers, end())
        )
        for parameter in self.parameters():
            if parameter.dim() > 1:
                init.xavier_uniform_(parameter)
        self.d_model, self.nhead, self.batch_first = d_model, nhead, batch_first

    def forward(
        self, src: Tensor, tgt: Tensor, src_mask: Tensor | None = None, tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None, src_key_padding_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None, memory_key_padding_mask: Tensor | None = None,
        src_is_causal: bool | None = None, tgt_is_causal: bool | None = None, memory_is_causal: bool = False,
    ) -> Tensor:  # fmt: skip
        """Encodes the source, and decodes the target beside it.

        Args:
            src (Tensor): the source, (S, N, E), (N, S, E) with batch_first, or (S, E)
            tgt (Tensor): the target, (T, N, E), (N, T, E) with batch_first, or (T, E)
            src_mask (Tensor or None): (S, S): True hides a place, a number is added to the score
            tgt_mask (Tensor or None): (T, T), likewise
            memory_mask (Tensor or None): (T, S), likewise
            src_key_padding_mask (Tensor or None): (N, S): True or -inf hides a place of the source
            tgt_key_padding_mask (Tensor or None): (N, T): True or -inf hides a place of the target
            memory_key_padding_mask (Tensor or None): (N, S): True or -inf hides a place of the source
            src_is_causal (bool or None): a hint that the mask is the causal one; None: find out
            tgt_is_causal (bool or None): a hint that the mask is the causal one; None: find out
            memory_is_causal (bool, default False): a hint that the mask is the causal one; None: find out

        Returns:
            a tensor of the shape of `tgt`

        Raises:
            RuntimeError: the batches differ, or a width is not d_model

        Example:
            >>> model = nn.Transformer(8, 2, 1, 1, dim_feedforward=16)
            >>> model(torch.ones(5, 8), torch.ones(4, 8)).shape
            torch.Size([4, 8])
        """
        if src.dim() == 3 and src.size(0 if self.batch_first else 1) != tgt.size(0 if self.batch_first else 1):
            raise RuntimeError("the batch number of src and tgt must be equal")
        if src.size(-1) != self.d_model or tgt.size(-1) != self.d_model:
            raise RuntimeError("the feature number of src and tgt must be equal to d_model")
        memory = self.encoder(src, mask=src_mask, src_key_padding_mask=src_key_padding_mask, is_causal=src_is_causal)
        return self.decoder(
            tgt, memory, tgt_mask=tgt_mask, memory_mask=memory_mask, tgt_key_padding_mask=tgt_key_padding_mask,
            memory_key_padding_mask=memory_key_padding_mask, tgt_is_causal=tgt_is_causal, memory_is_causal=memory_is_causal,
        )  # fmt: skip

    @staticmethod
    def generate_square_subsequent_mask(sz: int, device: Device = None, dtype: torch.dtype | None = None) -> Tensor:
        """The causal mask: -inf above the diagonal, 0 elsewhere, so that every place sees itself and what came before.

        Args:
            sz (int): number of places
            device (device or None): where it is made; None: the default device
            dtype (dtype or None): its type; None: the default dtype

        Returns:
            (sz, sz)

        Example:
            >>> nn.Transformer.generate_square_subsequent_mask(3)
            tensor([[0., -inf, -inf],
                    [0., 0., -inf],
                    [0., 0., 0.]])
        """
        return torch.triu(torch.full((sz, sz), float("-inf"), dtype=dtype, device=device), diagonal=1)


# The names by which packages import these.
_get_activation_fn, _get_clones, _detect_is_causal_mask = _activation, _clones, _is_causal
_generate_square_subsequent_mask = Transformer.generate_square_subsequent_mask


def _get_seq_len(src: Tensor, batch_first: bool) -> int | None:
    """The length of a sequence without or with a batch."""
    if src.dim() not in (2, 3):
        return None
    return src.size(1 if batch_first and src.dim() == 3 else 0)


__all__ = [
    "TransformerEncoderLayer", "TransformerDecoderLayer", "TransformerEncoder", "TransformerDecoder",
    "Transformer",
]  # fmt: skip
