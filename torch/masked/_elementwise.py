"""Operators of the shape of their input that leave masked elements out: softmax, normalization, cumulative sums, logaddexp."""

from __future__ import annotations

import torch
from torch.masked._mask import _combine_input_and_mask, split_masked
from torch.masked._reductions import norm

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from typing import Any

    from torch import Tensor
    from torch.masked.maskedtensor.core import MaskedTensor


def _filled(op: str, input: Any, dtype: Any, mask: Any) -> Tensor:
    """The input in its dtype, with the identity where it is masked out."""
    data, mask = split_masked(input, mask)
    return _combine_input_and_mask(op, data if dtype is None else data.to(dtype), mask)


# fmt: off
def softmax(input: Tensor | MaskedTensor, dim: int, *, dtype: Any = None, mask: Tensor | None = None) -> Tensor:
# fmt: on
    """Softmax over the elements that are not masked out.

    Args:
        input (Tensor or MaskedTensor): the elements
        dim (int): the dimension
        dtype (dtype, optional): the input is converted to it first
        mask (Tensor, optional): True where an element takes part; broadcasts to the input

    Returns:
        a tensor; 0 where an element is masked out, NaN where all are

    Example:
        >>> x = torch.tensor([3.0, 1.0, 2.0])
        >>> mask = torch.tensor([True, False, True])
        >>> torch.masked.softmax(x, 0, mask=mask)
        tensor([0.7311, 0.0000, 0.2689])
    """
    return torch.softmax(_filled("softmax", input, dtype, mask), dim)


# fmt: off
def log_softmax(input: Tensor | MaskedTensor, dim: int, *, dtype: Any = None, mask: Tensor | None = None) -> Tensor:
# fmt: on
    """Logarithm of the softmax over the elements that are not masked out.

    Args:
        input (Tensor or MaskedTensor): the elements
        dim (int): the dimension
        dtype (dtype, optional): the input is converted to it first
        mask (Tensor, optional): True where an element takes part; broadcasts to the input

    Returns:
        a tensor; -inf where an element is masked out, NaN where all are

    Example:
        >>> x = torch.tensor([3.0, 1.0, 2.0])
        >>> mask = torch.tensor([True, False, True])
        >>> torch.masked.log_softmax(x, 0, mask=mask)
        tensor([-0.3133,    -inf, -1.3133])
    """
    return torch.log_softmax(_filled("log_softmax", input, dtype, mask), dim)


# fmt: off
def softmin(input: Tensor | MaskedTensor, dim: int, *, dtype: Any = None, mask: Tensor | None = None) -> Tensor:
# fmt: on
    """Softmax of the negated elements that are not masked out.

    Args:
        input (Tensor or MaskedTensor): the elements
        dim (int): the dimension
        dtype (dtype, optional): the input is converted to it first
        mask (Tensor, optional): True where an element takes part; broadcasts to the input

    Returns:
        a tensor; 0 where an element is masked out, NaN where all are

    Example:
        >>> x = torch.tensor([3.0, 1.0, 2.0])
        >>> mask = torch.tensor([True, False, True])
        >>> torch.masked.softmin(x, 0, mask=mask)
        tensor([0.2689, 0.0000, 0.7311])
    """
    return torch.softmax(-_filled("softmin", input, dtype, mask), dim)


def _kept_dtype(function: Any, op: str, input: Any, dim: int, dtype: Any, mask: Any) -> Tensor:
    """A cumulative operator in the dtype of its input, integers too."""
    data = _filled(op, input, dtype, mask)
    return function(data, dim, dtype=data.dtype)


# fmt: off
def cumsum(input: Tensor | MaskedTensor, dim: int, *, dtype: Any = None, mask: Tensor | None = None) -> Tensor:
# fmt: on
    """Cumulative sum of the elements that are not masked out.

    Args:
        input (Tensor or MaskedTensor): the elements
        dim (int): the dimension
        dtype (dtype, optional): the input is converted to it first
        mask (Tensor, optional): True where an element takes part; broadcasts to the input

    Returns:
        a tensor; masked elements add nothing

    Example:
        >>> x = torch.tensor([3.0, 1.0, 2.0])
        >>> mask = torch.tensor([True, False, True])
        >>> torch.masked.cumsum(x, 0, mask=mask)
        tensor([3., 3., 5.])
    """
    return _kept_dtype(torch.cumsum, "cumsum", input, dim, dtype, mask)


# fmt: off
def cumprod(input: Tensor | MaskedTensor, dim: int, *, dtype: Any = None, mask: Tensor | None = None) -> Tensor:
# fmt: on
    """Cumulative product of the elements that are not masked out.

    Args:
        input (Tensor or MaskedTensor): the elements
        dim (int): the dimension
        dtype (dtype, optional): the input is converted to it first
        mask (Tensor, optional): True where an element takes part; broadcasts to the input

    Returns:
        a tensor; masked elements multiply by 1

    Example:
        >>> x = torch.tensor([3.0, 1.0, 2.0])
        >>> mask = torch.tensor([True, False, True])
        >>> torch.masked.cumprod(x, 0, mask=mask)
        tensor([3., 3., 6.])
    """
    return _kept_dtype(torch.cumprod, "cumprod", input, dim, dtype, mask)


# fmt: off
def normalize(input: Tensor | MaskedTensor, ord: float, dim: int, *, eps: float = 1e-12, dtype: Any = None,
              mask: Tensor | None = None) -> Tensor:
# fmt: on
    """The elements divided by the norm of those that are not masked out.

    Args:
        input (Tensor or MaskedTensor): the elements
        ord (float): the order of the norm
        dim (int): the dimension
        eps (float, default 1e-12): the smallest divisor
        dtype (dtype, optional): the input is converted to it first
        mask (Tensor, optional): True where an element takes part; broadcasts to the input

    Returns:
        a tensor; 0 where an element is masked out

    Example:
        >>> x = torch.tensor([3.0, 1.0, 2.0])
        >>> mask = torch.tensor([True, False, True])
        >>> torch.masked.normalize(x, 1.0, 0, mask=mask)
        tensor([0.6000, 0.0000, 0.4000])
    """
    length = norm(input, ord, dim, keepdim=True, dtype=dtype, mask=mask)
    return _filled("normalize", input, dtype, mask) / length.clamp(min=eps)


# fmt: off
def logaddexp(input: Tensor | MaskedTensor, other: Tensor | MaskedTensor, *, dtype: Any = None,
              input_mask: Tensor | None = None, other_mask: Tensor | None = None) -> Tensor:
# fmt: on
    """Logarithm of exp(input) + exp(other), without what is masked out.

    Args:
        input (Tensor or MaskedTensor): the elements
        other (Tensor or MaskedTensor): the other elements
        dtype (dtype, optional): dtype of the result
        input_mask (Tensor, optional): True where an element of `input` takes part
        other_mask (Tensor, optional): True where an element of `other` takes part

    Returns:
        a tensor; -inf where both are masked out

    Example:
        >>> x = torch.tensor([0.0, 0.0])
        >>> torch.masked.logaddexp(x, x, other_mask=torch.tensor([True, False]))
        tensor([0.6931, 0.0000])
    """
    first = _filled("logaddexp", input, None, input_mask)
    result = torch.logaddexp(first, _filled("logaddexp", other, None, other_mask))
    return result.to(first.dtype if dtype is None else dtype)
