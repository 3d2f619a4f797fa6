"""Reductions that leave masked elements out. What is left without any element is the operation's identity, or NaN."""

from __future__ import annotations

import torch
from torch.masked._mask import _combine_input_and_mask, _input_mask, canonical_dims, split_masked

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from typing import Any

    from torch import Tensor
    from torch.masked.maskedtensor.core import MaskedTensor


def _prepared(op: str, input: Any, dim: Any, dtype: Any, mask: Any, *args: Any) -> tuple[Tensor, tuple[int, ...]]:
    """The input in its dtype, with the identity where it is masked out, and the dimensions."""
    data, mask = split_masked(input, mask)
    if dtype is not None:
        data = data.to(dtype)
    return _combine_input_and_mask(op, data, mask, *args), canonical_dims(dim, data.dim())


# fmt: off
def sum(input: Tensor | MaskedTensor, dim: Any = None, *, keepdim: bool | None = False,
        dtype: Any = None, mask: Tensor | None = None) -> Tensor:
# fmt: on
    """Sum of the elements that are not masked out.

    Args:
        input (Tensor or MaskedTensor): the elements
        dim (int or tuple of int, optional): the dimensions to reduce; all of them by default
        keepdim (bool, default False): whether reduced dimensions stay, of size 1
        dtype (dtype, optional): the input is converted to it first
        mask (Tensor, optional): True where an element takes part; broadcasts to the input

    Returns:
        a tensor; 0 where no element is left

    Example:
        >>> x = torch.tensor([[3.0, 1.0, 2.0], [6.0, 5.0, 4.0]])
        >>> mask = torch.tensor([[True, False, True], [False, False, False]])
        >>> torch.masked.sum(x, 1, mask=mask)
        tensor([5., 0.])
    """
    data, dims = _prepared("sum", input, dim, dtype, mask)
    return torch.sum(data, dims, bool(keepdim), dtype=dtype)


# fmt: off
def prod(input: Tensor | MaskedTensor, dim: Any = None, *, keepdim: bool | None = False,
         dtype: Any = None, mask: Tensor | None = None) -> Tensor:
# fmt: on
    """Product of the elements that are not masked out.

    Args:
        input (Tensor or MaskedTensor): the elements
        dim (int or tuple of int, optional): the dimensions to reduce; all of them by default
        keepdim (bool, default False): whether reduced dimensions stay, of size 1
        dtype (dtype, optional): the input is converted to it first
        mask (Tensor, optional): True where an element takes part; broadcasts to the input

    Returns:
        a tensor; 1 where no element is left

    Example:
        >>> x = torch.tensor([[3.0, 1.0, 2.0], [6.0, 5.0, 4.0]])
        >>> mask = torch.tensor([[True, False, True], [False, False, False]])
        >>> torch.masked.prod(x, 1, mask=mask)
        tensor([6., 1.])
    """
    data, dims = _prepared("prod", input, dim, dtype, mask)
    if not dims:
        return torch.prod(data, dtype=dtype)
    for d in reversed(dims):
        data = torch.prod(data, d, bool(keepdim), dtype=dtype)
    return data


# fmt: off
def amax(input: Tensor | MaskedTensor, dim: Any = None, *, keepdim: bool | None = False,
         dtype: Any = None, mask: Tensor | None = None) -> Tensor:
# fmt: on
    """Largest of the elements that are not masked out.

    Args:
        input (Tensor or MaskedTensor): the elements
        dim (int or tuple of int, optional): the dimensions to reduce; all of them by default
        keepdim (bool, default False): whether reduced dimensions stay, of size 1
        dtype (dtype, optional): the input is converted to it first
        mask (Tensor, optional): True where an element takes part; broadcasts to the input

    Returns:
        a tensor; the lowest value of the dtype where no element is left

    Example:
        >>> x = torch.tensor([[3.0, 1.0, 2.0], [6.0, 5.0, 4.0]])
        >>> mask = torch.tensor([[True, False, True], [False, False, False]])
        >>> torch.masked.amax(x, 1, mask=mask)
        tensor([3., -inf])
    """
    data, dims = _prepared("amax", input, dim, dtype, mask)
    return torch.amax(data, dims, bool(keepdim))


# fmt: off
def amin(input: Tensor | MaskedTensor, dim: Any = None, *, keepdim: bool | None = False,
         dtype: Any = None, mask: Tensor | None = None) -> Tensor:
# fmt: on
    """Smallest of the elements that are not masked out.

    Args:
        input (Tensor or MaskedTensor): the elements
        dim (int or tuple of int, optional): the dimensions to reduce; all of them by default
        keepdim (bool, default False): whether reduced dimensions stay, of size 1
        dtype (dtype, optional): the input is converted to it first
        mask (Tensor, optional): True where an element takes part; broadcasts to the input

    Returns:
        a tensor; the highest value of the dtype where no element is left

    Example:
        >>> x = torch.tensor([[3.0, 1.0, 2.0], [6.0, 5.0, 4.0]])
        >>> mask = torch.tensor([[True, False, True], [False, False, False]])
        >>> torch.masked.amin(x, 1, mask=mask)
        tensor([2., inf])
    """
    data, dims = _prepared("amin", input, dim, dtype, mask)
    return torch.amin(data, dims, bool(keepdim))


# fmt: off
def argmax(input: Tensor | MaskedTensor, dim: int | None = None, *, keepdim: bool | None = False,
           dtype: Any = None, mask: Tensor | None = None) -> Tensor:
# fmt: on
    """Index of the largest of the elements that are not masked out.

    Args:
        input (Tensor or MaskedTensor): the elements
        dim (int, optional): the dimension to reduce; all of them by default
        keepdim (bool, default False): whether reduced dimensions stay, of size 1
        dtype (dtype, optional): the input is converted to it first
        mask (Tensor, optional): True where an element takes part; broadcasts to the input

    Returns:
        indices, in the dtype of the input; 0 where no element is left

    Example:
        >>> x = torch.tensor([[3.0, 1.0, 2.0], [6.0, 5.0, 4.0]])
        >>> mask = torch.tensor([[True, False, True], [False, False, False]])
        >>> torch.masked.argmax(x, 1, mask=mask)
        tensor([0., 0.])
    """
    data, _ = _prepared("argmax", input, None, dtype, mask)
    return torch.argmax(data, dim, bool(keepdim)).to(data.dtype)


# fmt: off
def argmin(input: Tensor | MaskedTensor, dim: int | None = None, *, keepdim: bool | None = False,
           dtype: Any = None, mask: Tensor | None = None) -> Tensor:
# fmt: on
    """Index of the smallest of the elements that are not masked out.

    Args:
        input (Tensor or MaskedTensor): the elements
        dim (int, optional): the dimension to reduce; all of them by default
        keepdim (bool, default False): whether reduced dimensions stay, of size 1
        dtype (dtype, optional): the input is converted to it first
        mask (Tensor, optional): True where an element takes part; broadcasts to the input

    Returns:
        indices, in the dtype of the input; 0 where no element is left

    Example:
        >>> x = torch.tensor([[3.0, 1.0, 2.0], [6.0, 5.0, 4.0]])
        >>> mask = torch.tensor([[True, False, True], [False, False, False]])
        >>> torch.masked.argmin(x, 1, mask=mask)
        tensor([2., 0.])
    """
    data, _ = _prepared("argmin", input, None, dtype, mask)
    return torch.argmin(data, dim, bool(keepdim)).to(data.dtype)


# fmt: off
def logsumexp(input: Tensor | MaskedTensor, dim: Any = None, *, keepdim: bool = False,
              dtype: Any = None, mask: Tensor | None = None) -> Tensor:
# fmt: on
    """Logarithm of the sum of the exponentials of the elements that are not masked out.

    Args:
        input (Tensor or MaskedTensor): the elements
        dim (int or tuple of int, optional): the dimensions to reduce; all of them by default
        keepdim (bool, default False): whether reduced dimensions stay, of size 1
        dtype (dtype, optional): the input is converted to it first
        mask (Tensor, optional): True where an element takes part; broadcasts to the input

    Returns:
        a tensor; -inf where no element is left

    Example:
        >>> x = torch.tensor([[3.0, 1.0, 2.0], [6.0, 5.0, 4.0]])
        >>> mask = torch.tensor([[True, False, True], [False, False, False]])
        >>> torch.masked.logsumexp(x, 1, mask=mask)
        tensor([3.3133,   -inf])
    """
    data, dims = _prepared("logsumexp", input, dim, dtype, mask)
    return torch.logsumexp(data, dims, keepdim).to(data.dtype)


# fmt: off
def mean(input: Tensor | MaskedTensor, dim: Any = None, *, keepdim: bool | None = False,
         dtype: Any = None, mask: Tensor | None = None) -> Tensor:
# fmt: on
    """Mean of the elements that are not masked out.

    Args:
        input (Tensor or MaskedTensor): the elements
        dim (int or tuple of int, optional): the dimensions to reduce; all of them by default
        keepdim (bool, default False): whether reduced dimensions stay, of size 1
        dtype (dtype, optional): the input is converted to it first
        mask (Tensor, optional): True where an element takes part; broadcasts to the input

    Returns:
        a tensor; NaN where no element is left

    Example:
        >>> x = torch.tensor([[3.0, 1.0, 2.0], [6.0, 5.0, 4.0]])
        >>> mask = torch.tensor([[True, False, True], [False, False, False]])
        >>> torch.masked.mean(x, 1, mask=mask)
        tensor([2.5000,    nan])
    """
    data, mask = split_masked(input, mask)
    if dtype is None and not (data.is_floating_point() or data.is_complex()):
        raise ValueError(f"torch.masked.mean: the input must be floating point or complex, or dtype given, got {data.dtype}")
    total = sum(data, dim, keepdim=keepdim, dtype=dtype, mask=mask)
    return total / _count(data, dim, keepdim, mask)


def _count(data: Tensor, dim: Any, keepdim: Any, mask: Any) -> Tensor:
    """How many elements are left."""
    return sum(_input_mask(data, mask=mask), dim, keepdim=keepdim)


# fmt: off
def median(input: Tensor | MaskedTensor, dim: int = -1, *, keepdim: bool = False,
           dtype: Any = None, mask: Tensor | None = None) -> Tensor:
# fmt: on
    """Median of the elements that are not masked out; the lower one of two.

    Args:
        input (Tensor or MaskedTensor): the elements
        dim (int, default -1): the dimension to reduce
        keepdim (bool, default False): whether reduced dimensions stay, of size 1
        dtype (dtype, optional): the input is converted to it first
        mask (Tensor, optional): True where an element takes part; broadcasts to the input

    Returns:
        a tensor; NaN where no element is left

    Raises:
        ValueError: integers, and no element is left

    Example:
        >>> x = torch.tensor([[3.0, 1.0, 2.0], [6.0, 5.0, 4.0]])
        >>> mask = torch.tensor([[True, False, True], [False, False, False]])
        >>> torch.masked.median(x, 1, mask=mask)
        tensor([2., nan])
    """
    data, mask = split_masked(input, mask)
    kind = data.dtype if dtype is None else dtype
    is_float = data.is_floating_point()
    filled = _combine_input_and_mask("median", data if is_float else data.float(), mask)
    dims = canonical_dims(dim, data.dim())
    result = torch.nanmedian(filled, dims[0] if dims else 0, keepdim).values
    if is_float:
        return result
    if result.isnan().any():
        raise ValueError(f"torch.masked.median: no element is left in a row, and {data.dtype} has no NaN")
    return result.to(kind)


# fmt: off
def norm(input: Tensor | MaskedTensor, ord: float | None = 2.0, dim: Any = None, *, keepdim: bool | None = False,
         dtype: Any = None, mask: Tensor | None = None) -> Tensor:
# fmt: on
    """Vector norm of the elements that are not masked out.

    Args:
        input (Tensor or MaskedTensor): the elements
        ord (float, default 2.0): the order, as in `torch.linalg.vector_norm`
        dim (int or tuple of int, optional): the dimensions to reduce; all of them by default
        keepdim (bool, default False): whether reduced dimensions stay, of size 1
        dtype (dtype, optional): the input is converted to it first
        mask (Tensor, optional): True where an element takes part; broadcasts to the input

    Returns:
        a tensor; 0 where no element is left, or infinity for the order -inf

    Example:
        >>> x = torch.tensor([[3.0, 1.0, 2.0], [6.0, 5.0, 4.0]])
        >>> mask = torch.tensor([[True, False, True], [False, False, False]])
        >>> torch.masked.norm(x, 1.0, 1, mask=mask)
        tensor([5., 0.])
    """
    data, dims = _prepared("norm", input, dim, dtype, mask, ord)
    return torch.linalg.vector_norm(data, 2.0 if ord is None else ord, dims, bool(keepdim), dtype=dtype)


def _spread(op: str, input: Any, dim: Any, unbiased: Any, correction: Any, keepdim: Any, dtype: Any, mask: Any) -> Tensor:
    """Sum of squared differences from the mean, by the corrected count."""
    if unbiased is not None and correction is not None:
        raise RuntimeError(f"torch.masked.{op}: give unbiased or correction, not both")
    if correction is None:
        correction = 1 if unbiased is None or unbiased else 0
    data, mask = split_masked(input, mask)
    if dtype is not None:
        data = data.to(dtype)
    elif not (data.is_floating_point() or data.is_complex() or data.dtype is torch.bool):
        data = data.to(torch.get_default_dtype())
    if data.dtype is torch.bool:
        raise RuntimeError(f"torch.masked.{op}: the input must be numbers, got torch.bool")
    off = data - sum(data, dim, keepdim=True, mask=mask) / _count(data, dim, True, mask)
    squares = (off * off.conj()).real if data.is_complex() else off * off
    count = (_count(data, dim, keepdim, mask) - correction).clamp(min=0)
    return sum(squares, dim, keepdim=keepdim, mask=mask) / count


# fmt: off
def var(input: Tensor | MaskedTensor, dim: Any = None, unbiased: bool | None = None, *, correction: float | None = None,
        keepdim: bool | None = False, dtype: Any = None, mask: Tensor | None = None) -> Tensor:
# fmt: on
    """Variance of the elements that are not masked out.

    Args:
        input (Tensor or MaskedTensor): the elements
        dim (int or tuple of int, optional): the dimensions to reduce; all of them by default
        unbiased (bool, optional): whether the correction is 1 or 0
        correction (int, optional): what is subtracted from the count; 1 by default
        keepdim (bool, default False): whether reduced dimensions stay, of size 1
        dtype (dtype, optional): the input is converted to it first
        mask (Tensor, optional): True where an element takes part; broadcasts to the input

    Returns:
        a tensor; NaN where too few elements are left

    Example:
        >>> x = torch.tensor([[3.0, 1.0, 2.0], [6.0, 5.0, 4.0]])
        >>> mask = torch.tensor([[True, False, True], [False, False, False]])
        >>> torch.masked.var(x, 1, mask=mask)
        tensor([0.5000,    nan])
    """
    return _spread("var", input, dim, unbiased, correction, keepdim, dtype, mask)


# fmt: off
def std(input: Tensor | MaskedTensor, dim: Any = None, unbiased: bool | None = None, *, correction: float | None = None,
        keepdim: bool | None = False, dtype: Any = None, mask: Tensor | None = None) -> Tensor:
# fmt: on
    """Standard deviation of the elements that are not masked out.

    Args:
        input (Tensor or MaskedTensor): the elements
        dim (int or tuple of int, optional): the dimensions to reduce; all of them by default
        unbiased (bool, optional): whether the correction is 1 or 0
        correction (int, optional): what is subtracted from the count; 1 by default
        keepdim (bool, default False): whether reduced dimensions stay, of size 1
        dtype (dtype, optional): the input is converted to it first
        mask (Tensor, optional): True where an element takes part; broadcasts to the input

    Returns:
        a tensor; NaN where too few elements are left

    Example:
        >>> x = torch.tensor([[3.0, 1.0, 2.0], [6.0, 5.0, 4.0]])
        >>> mask = torch.tensor([[True, False, True], [False, False, False]])
        >>> torch.masked.std(x, 1, mask=mask)
        tensor([0.7071,    nan])
    """
    return _spread("std", input, dim, unbiased, correction, keepdim, dtype, mask).sqrt()
