"""Causal masks as objects that say which of the two kinds they are, so that attention needs no matrix for them."""

from __future__ import annotations

from enum import IntEnum, auto

import torch

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from typing import Any

    from torch import Tensor

__all__ = ["causal_upper_left", "causal_lower_right", "CausalVariant", "CausalBias"]


class CausalVariant(IntEnum):
    """Where the diagonal of a causal mask begins, if there are more keys than queries or fewer.

    UPPER_LEFT: query i sees the keys up to i. LOWER_RIGHT: the last query sees all keys.

    Args:
        value (int): the number of a kind

    Example:
        >>> torch.nn.attention.bias.CausalVariant(1)
        <CausalVariant.UPPER_LEFT: 1>
    """

    UPPER_LEFT = auto()
    LOWER_RIGHT = auto()


class CausalBias(torch.Tensor):
    """A causal mask, for `attn_mask` of `scaled_dot_product_attention`; in other functions it is the matrix.

    Args:
        variant (CausalVariant): where the diagonal begins
        seq_len_q (int): number of queries
        seq_len_kv (int): number of keys

    Raises:
        TypeError: `variant` is no CausalVariant

    Example:
        >>> bias = torch.nn.attention.bias.causal_lower_right(2, 3)
        >>> bias
        tensor([[ True,  True, False],
                [ True,  True,  True]])
        >>> x = torch.ones(1, 1, 3, 4)
        >>> torch.nn.functional.scaled_dot_product_attention(x[:, :, :2], x, x, bias).shape
        torch.Size([1, 1, 2, 4])
    """

    variant: CausalVariant
    seq_len_q: int
    seq_len_kv: int

    def __new__(cls, variant: CausalVariant, seq_len_q: int, seq_len_kv: int) -> CausalBias:
        if not isinstance(variant, CausalVariant):
            raise TypeError(f"CausalBias: variant is a CausalVariant, but got {type(variant).__name__}")
        # Of the mask's shape, but without its memory.
        return torch.empty(1).expand(seq_len_q, seq_len_kv).as_subclass(cls)

    def __init__(self, variant: CausalVariant, seq_len_q: int, seq_len_kv: int) -> None:
        self.variant, self.seq_len_q, self.seq_len_kv = variant, seq_len_q, seq_len_kv
        if variant is CausalVariant.LOWER_RIGHT and seq_len_q > seq_len_kv:
            import warnings

            warnings.warn("a lower right causal mask with more queries than keys hides all keys from some", stacklevel=3)

    def _offset(self) -> int:
        return 0 if self.variant is CausalVariant.UPPER_LEFT else self.seq_len_kv - self.seq_len_q

    def _materialize(self, device: torch.device | None = None) -> Tensor:
        """The matrix: True where a query sees a key."""
        return torch.ones(self.seq_len_q, self.seq_len_kv, dtype=torch.bool, device=device).tril_(self._offset())

    @staticmethod
    def _dispatch(
        query: Tensor, key: Tensor, value: Tensor, attn_mask: CausalBias, dropout_p: float = 0.0, is_causal: bool = False,
        scale: float | None = None, enable_gqa: bool = False,
    ) -> Tensor:  # fmt: skip
        if is_causal:
            raise ValueError("scaled_dot_product_attention: a CausalBias is causal by itself; do not pass is_causal=True")
        attend = torch.nn.functional.scaled_dot_product_attention
        if attn_mask._offset() == 0:
            return attend(query, key, value, None, dropout_p, True, scale=scale, enable_gqa=enable_gqa)
        mask = attn_mask._materialize(query.device)
        return attend(query, key, value, mask, dropout_p, False, scale=scale, enable_gqa=enable_gqa)

    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        if func is torch.nn.functional.scaled_dot_product_attention:
            return cls._dispatch(*args, **kwargs)
        if func in _OF_THE_OBJECT:
            return super().__torch_function__(func, types, args, kwargs)

        def matrix(value: Any) -> Any:
            if isinstance(value, (list, tuple)) and type(value) in (list, tuple):
                return type(value)(map(matrix, value))
            return value._materialize() if isinstance(value, CausalBias) else value

        return func(*map(matrix, args), **{name: matrix(value) for name, value in kwargs.items()})

    def __repr__(self, *args: Any, **kwargs: Any) -> str:
        return repr(self._materialize())


# Questions that need no matrix.
_OF_THE_OBJECT = {
    torch.Tensor.shape.__get__, torch.Tensor.dtype.__get__, torch.Tensor.device.__get__, torch.Tensor.size, torch.Tensor.dim,
    torch.Tensor.ndim.__get__, torch.Tensor.numel, torch.Tensor.is_floating_point, torch.Tensor.requires_grad.__get__,
}  # fmt: skip


def _sizes(name: str, size: tuple[int, ...]) -> tuple[int, int]:
    if len(size) != 2:
        raise AssertionError(f"{name}: expected the numbers of queries and of keys, but got {len(size)} numbers")
    return size[0], size[1]


def causal_upper_left(*size: int) -> CausalBias:
    """A mask by which query i sees the keys up to i.

    Args:
        *size (int): the numbers of queries and of keys

    Returns:
        the mask, for `attn_mask` of `scaled_dot_product_attention`

    Raises:
        AssertionError: there are not two numbers

    Example:
        >>> torch.nn.attention.bias.causal_upper_left(2, 3)
        tensor([[ True, False, False],
                [ True,  True, False]])
    """
    return CausalBias(CausalVariant.UPPER_LEFT, *_sizes("causal_upper_left", size))


def causal_lower_right(*size: int) -> CausalBias:
    """A mask by which the last query sees all keys, the one before it all but the last, and so on.

    Args:
        *size (int): the numbers of queries and of keys

    Returns:
        the mask, for `attn_mask` of `scaled_dot_product_attention`

    Raises:
        AssertionError: there are not two numbers

    Example:
        >>> torch.nn.attention.bias.causal_lower_right(2, 3)
        tensor([[ True,  True, False],
                [ True,  True,  True]])
    """
    return CausalBias(CausalVariant.LOWER_RIGHT, *_sizes("causal_lower_right", size))
