"""Pooling: maxima of windows, and their adaptive and fractional forms."""

from __future__ import annotations

import torch
from torch._operators import NN as _nn
from torch._operators import VF as _VF
from torch.nn.functional._common import handle_torch_function, overridable, repeat
from torch.nn.functional._common import has_torch_function_unary as _overridden
from torch.nn.functional.pooling_average import adaptive_size

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Literal, overload

    from torch import Tensor
    from torch.nn.common_types import _ratio_2_t, _ratio_3_t, _size_1_t, _size_2_opt_t, _size_2_t, _size_3_opt_t, _size_3_t

__all__ = [
    "max_pool1d", "max_pool1d_with_indices", "max_pool2d", "max_pool2d_with_indices", "max_pool3d",
    "max_pool3d_with_indices", "adaptive_max_pool1d", "adaptive_max_pool1d_with_indices", "adaptive_max_pool2d",
    "adaptive_max_pool2d_with_indices", "adaptive_max_pool3d", "adaptive_max_pool3d_with_indices",
    "fractional_max_pool2d", "fractional_max_pool2d_with_indices", "fractional_max_pool3d",
    "fractional_max_pool3d_with_indices",
]  # fmt: skip


if TYPE_CHECKING:

    @overload
    def max_pool1d(
        input: Tensor,
        kernel_size: _size_1_t,
        stride: _size_1_t | None = None,
        padding: _size_1_t = 0,
        dilation: _size_1_t = 1,
        ceil_mode: bool = False,
        return_indices: Literal[False] = False,
    ) -> Tensor: ...

    @overload
    def max_pool1d(
        input: Tensor,
        kernel_size: _size_1_t,
        stride: _size_1_t | None = None,
        padding: _size_1_t = 0,
        dilation: _size_1_t = 1,
        ceil_mode: bool = False,
        *,
        return_indices: Literal[True],
    ) -> tuple[Tensor, Tensor]: ...


@overridable(1)
def max_pool1d(
    input: Tensor,
    kernel_size: _size_1_t,
    stride: _size_1_t | None = None,
    padding: _size_1_t = 0,
    dilation: _size_1_t = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    """The largest value of each window.

    Args:
        input (Tensor): (N, C, L) or (C, L)
        kernel_size (int or 1-tuple): length of a window
        stride (int or 1-tuple or None): distance between windows; None: their size
        padding (int or 1-tuple, default 0): places added on both sides, which are never the largest; at most half a
            window
        dilation (int or 1-tuple, default 1): distance between the elements of a window
        ceil_mode (bool, default False): windows may begin inside and end outside
        return_indices (bool, default False): return the places of the maxima too, in the flattened channel

    Returns:
        (N, C, number of windows), or (maxima, indices)

    Raises:
        RuntimeError: `padding` is more than half a window, or no window fits

    Example:
        >>> F.max_pool1d(torch.tensor([[1., 3., 2., 5.]]), 2, return_indices=True)
        (tensor([[3., 5.]]), tensor([[1, 3]]))
    """
    pool = _VF.max_pool1d_with_indices if return_indices else _VF.max_pool1d
    return pool(input, kernel_size, kernel_size if stride is None else stride, padding, dilation, ceil_mode)


if TYPE_CHECKING:

    @overload
    def max_pool2d(
        input: Tensor,
        kernel_size: _size_2_t,
        stride: _size_2_t | None = None,
        padding: _size_2_t = 0,
        dilation: _size_2_t = 1,
        ceil_mode: bool = False,
        return_indices: Literal[False] = False,
    ) -> Tensor: ...

    @overload
    def max_pool2d(
        input: Tensor,
        kernel_size: _size_2_t,
        stride: _size_2_t | None = None,
        padding: _size_2_t = 0,
        dilation: _size_2_t = 1,
        ceil_mode: bool = False,
        *,
        return_indices: Literal[True],
    ) -> tuple[Tensor, Tensor]: ...


def max_pool2d(
    input: Tensor,
    kernel_size: _size_2_t,
    stride: _size_2_t | None = None,
    padding: _size_2_t = 0,
    dilation: _size_2_t = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    """The largest value of each window.

    Args:
        input (Tensor): (N, C, H, W) or (C, H, W)
        kernel_size (int or pair): height and width of a window
        stride (int or pair or None): distance between windows; None: their size
        padding (int or pair, default 0): places added on both sides, which are never the largest; at most half a window
        dilation (int or pair, default 1): distance between the elements of a window
        ceil_mode (bool, default False): windows may begin inside and end outside
        return_indices (bool, default False): return the places of the maxima too, in the flattened channel

    Returns:
        (N, C, rows, columns of windows), or (maxima, indices)

    Raises:
        RuntimeError: `padding` is more than half a window, or no window fits

    Example:
        >>> F.max_pool2d(torch.arange(16.).view(1, 4, 4), 2)
        tensor([[[ 5.,  7.],
                 [13., 15.]]])
    """
    if _overridden(input):
        return handle_torch_function(
            max_pool2d,
            (input,),
            input,
            kernel_size,
            stride=stride,
            padding=padding,
            dilation=dilation,
            ceil_mode=ceil_mode,
            return_indices=return_indices,
        )
    if stride is None:
        stride = kernel_size
    if return_indices:
        return _nn.max_pool2d_with_indices(input, kernel_size, stride, padding, dilation, ceil_mode)
    return _VF.max_pool2d(input, kernel_size, stride, padding, dilation, ceil_mode)


if TYPE_CHECKING:

    @overload
    def max_pool3d(
        input: Tensor,
        kernel_size: _size_3_t,
        stride: _size_3_t | None = None,
        padding: _size_3_t = 0,
        dilation: _size_3_t = 1,
        ceil_mode: bool = False,
        return_indices: Literal[False] = False,
    ) -> Tensor: ...

    @overload
    def max_pool3d(
        input: Tensor,
        kernel_size: _size_3_t,
        stride: _size_3_t | None = None,
        padding: _size_3_t = 0,
        dilation: _size_3_t = 1,
        ceil_mode: bool = False,
        *,
        return_indices: Literal[True],
    ) -> tuple[Tensor, Tensor]: ...


@overridable(1)
def max_pool3d(
    input: Tensor,
    kernel_size: _size_3_t,
    stride: _size_3_t | None = None,
    padding: _size_3_t = 0,
    dilation: _size_3_t = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    """The largest value of each window.

    Args:
        input (Tensor): (N, C, D, H, W) or (C, D, H, W)
        kernel_size (int or triple): depth, height and width of a window
        stride (int or triple or None): distance between windows; None: their size
        padding (int or triple, default 0): places added on both sides, which are never the largest; at most half a
            window
        dilation (int or triple, default 1): distance between the elements of a window
        ceil_mode (bool, default False): windows may begin inside and end outside
        return_indices (bool, default False): return the places of the maxima too, in the flattened channel

    Returns:
        (N, C, and the number of windows in each dimension), or (maxima, indices)

    Raises:
        RuntimeError: `padding` is more than half a window, or no window fits

    Example:
        >>> F.max_pool3d(torch.arange(8.).view(1, 2, 2, 2), 2)
        tensor([[[[7.]]]])
    """
    pool = _nn.max_pool3d_with_indices if return_indices else _VF.max_pool3d
    return pool(input, kernel_size, kernel_size if stride is None else stride, padding, dilation, ceil_mode)


if TYPE_CHECKING:

    @overload
    def adaptive_max_pool1d(
        input: Tensor,
        output_size: _size_1_t,
        return_indices: Literal[False] = False,
    ) -> Tensor: ...

    @overload
    def adaptive_max_pool1d(
        input: Tensor,
        output_size: _size_1_t,
        *,
        return_indices: Literal[True],
    ) -> tuple[Tensor, Tensor]: ...


@overridable(1)
def adaptive_max_pool1d(input: Tensor, output_size: _size_1_t, return_indices: bool = False) -> Any:
    """Maxima of windows that cut the input into `output_size`.

    Args:
        input (Tensor): (N, C, L) or (C, L)
        output_size (int or 1-tuple): length of the result
        return_indices (bool, default False): return the places of the maxima too, in the flattened channel

    Returns:
        (N, C, *output_size), or (maxima, indices)

    Example:
        >>> F.adaptive_max_pool1d(torch.tensor([[1., 3., 2., 5.]]), 2)
        tensor([[3., 5.]])
    """
    found = _VF.adaptive_max_pool1d(input, output_size)
    return found if return_indices else found[0]


if TYPE_CHECKING:

    @overload
    def adaptive_max_pool2d(
        input: Tensor,
        output_size: _size_2_opt_t,
        return_indices: Literal[False] = False,
    ) -> Tensor: ...

    @overload
    def adaptive_max_pool2d(
        input: Tensor,
        output_size: _size_2_opt_t,
        *,
        return_indices: Literal[True],
    ) -> tuple[Tensor, Tensor]: ...


@overridable(1)
def adaptive_max_pool2d(input: Tensor, output_size: _size_2_opt_t, return_indices: bool = False) -> Any:
    """Maxima of windows that cut the input into `output_size`.

    Args:
        input (Tensor): (N, C, H, W) or (C, H, W)
        output_size (int, None or pair): height and width of the result; None: those of the input
        return_indices (bool, default False): return the places of the maxima too, in the flattened channel

    Returns:
        (N, C, *output_size), or (maxima, indices)

    Example:
        >>> F.adaptive_max_pool2d(torch.arange(16.).view(1, 4, 4), (1, 2))
        tensor([[[13., 15.]]])
    """
    found = _nn.adaptive_max_pool2d(input, adaptive_size(output_size, input, 2))
    return found if return_indices else found[0]


if TYPE_CHECKING:

    @overload
    def adaptive_max_pool3d(
        input: Tensor,
        output_size: _size_3_opt_t,
        return_indices: Literal[False] = False,
    ) -> Tensor: ...

    @overload
    def adaptive_max_pool3d(
        input: Tensor,
        output_size: _size_3_opt_t,
        *,
        return_indices: Literal[True],
    ) -> tuple[Tensor, Tensor]: ...


@overridable(1)
def adaptive_max_pool3d(input: Tensor, output_size: _size_3_opt_t, return_indices: bool = False) -> Any:
    """Maxima of windows that cut the input into `output_size`.

    Args:
        input (Tensor): (N, C, D, H, W) or (C, D, H, W)
        output_size (int, None or triple): depth, height and width of the result; None: those of the input
        return_indices (bool, default False): return the places of the maxima too, in the flattened channel

    Returns:
        (N, C, *output_size), or (maxima, indices)

    Example:
        >>> F.adaptive_max_pool3d(torch.ones(1, 4, 4, 4), (1, 2, None)).shape
        torch.Size([1, 1, 2, 4])
    """
    found = _nn.adaptive_max_pool3d(input, adaptive_size(output_size, input, 3))
    return found if return_indices else found[0]


def _fractional(
    dims: int,
    operator: Any,
    input: Tensor,
    kernel_size: Any,
    output_size: Any,
    output_ratio: Any,
    samples: Tensor | None,
) -> tuple[Tensor, Tensor]:
    """(maxima, indices). The samples determine where the windows begin; by default they are drawn at random."""
    if output_size is None and output_ratio is None:
        raise ValueError(f"fractional_max_pool{dims}d requires specifying either an output_size or an output_ratio")
    if output_size is None:
        ratios = repeat(output_ratio, dims)
        output_size = [int(length * ratio) for length, ratio in zip(input.size()[-dims:], ratios)]
    if samples is None:
        batch = 1 if input.dim() == dims + 1 else input.size(0)
        samples = torch.rand(batch, input.size(-dims - 1), dims, dtype=input.dtype, device=input.device)
    return operator(input, repeat(kernel_size, dims), repeat(output_size, dims), samples)


if TYPE_CHECKING:

    @overload
    def fractional_max_pool2d(
        input: Tensor,
        kernel_size: _size_2_t,
        output_size: _size_2_t | None = None,
        output_ratio: _ratio_2_t | None = None,
        return_indices: Literal[False] = False,
        _random_samples: Tensor | None = None,
    ) -> Tensor: ...

    @overload
    def fractional_max_pool2d(
        input: Tensor,
        kernel_size: _size_2_t,
        output_size: _size_2_t | None = None,
        output_ratio: _ratio_2_t | None = None,
        *,
        return_indices: Literal[True],
        _random_samples: Tensor | None = None,
    ) -> tuple[Tensor, Tensor]: ...


@overridable(1)
def fractional_max_pool2d(
    input: Tensor,
    kernel_size: _size_2_t,
    output_size: _size_2_t | None = None,
    output_ratio: _ratio_2_t | None = None,
    return_indices: bool = False,
    _random_samples: Tensor | None = None,
) -> Any:
    """Maxima of windows whose distances vary at random (Graham 2015), so that sizes need not divide.

    Args:
        input (Tensor): (N, C, H, W) or (C, H, W)
        kernel_size (int or pair): height and width of a window
        output_size (int or pair or None): height and width of the result
        output_ratio (_ratio_2_t or None): size of the result over that of the input, between 0 and 1; give it or
            `output_size`
        return_indices (bool, default False): return the places of the maxima too, in the flattened channel

    Returns:
        (N, C, *output_size), or (maxima, indices)

    Raises:
        ValueError: neither `output_size` nor `output_ratio` is given

    Example:
        >>> F.fractional_max_pool2d(torch.ones(1, 1, 5, 5), 2, output_size=3).shape
        torch.Size([1, 1, 3, 3])
    """
    found = _fractional(2, _nn.fractional_max_pool2d, input, kernel_size, output_size, output_ratio, _random_samples)
    return found if return_indices else found[0]


if TYPE_CHECKING:

    @overload
    def fractional_max_pool3d(
        input: Tensor,
        kernel_size: _size_3_t,
        output_size: _size_3_t | None = None,
        output_ratio: _ratio_3_t | None = None,
        return_indices: Literal[False] = False,
        _random_samples: Tensor | None = None,
    ) -> Tensor: ...

    @overload
    def fractional_max_pool3d(
        input: Tensor,
        kernel_size: _size_3_t,
        output_size: _size_3_t | None = None,
        output_ratio: _ratio_3_t | None = None,
        *,
        return_indices: Literal[True],
        _random_samples: Tensor | None = None,
    ) -> tuple[Tensor, Tensor]: ...


@overridable(1)
def fractional_max_pool3d(
    input: Tensor,
    kernel_size: _size_3_t,
    output_size: _size_3_t | None = None,
    output_ratio: _ratio_3_t | None = None,
    return_indices: bool = False,
    _random_samples: Tensor | None = None,
) -> Any:
    """Maxima of windows whose distances vary at random (Graham 2015), so that sizes need not divide.

    Args:
        input (Tensor): (N, C, D, H, W) or (C, D, H, W)
        kernel_size (int or triple): depth, height and width of a window
        output_size (int or triple or None): depth, height and width of the result
        output_ratio (_ratio_3_t or None): size of the result over that of the input, between 0 and 1; give it or
            `output_size`
        return_indices (bool, default False): return the places of the maxima too, in the flattened channel

    Returns:
        (N, C, *output_size), or (maxima, indices)

    Raises:
        ValueError: neither `output_size` nor `output_ratio` is given

    Example:
        >>> F.fractional_max_pool3d(torch.ones(1, 1, 5, 5, 5), 2, output_size=3).shape
        torch.Size([1, 1, 3, 3, 3])
    """
    found = _fractional(3, _nn.fractional_max_pool3d, input, kernel_size, output_size, output_ratio, _random_samples)
    return found if return_indices else found[0]


_WITH_INDICES = """`POOL` with `return_indices=True`.

    Args:
        *args, **kwargs: those of `POOL`, but `return_indices`

    Returns:
        (maxima, their places in the flattened channel)

    Example:
        >>> maxima, places = F.POOL_with_indices(INPUT, 2)
        >>> maxima.shape == places.shape
        True
    """
_FRACTIONAL = """

    Example:
        >>> maxima, places = F.POOL_with_indices(INPUT, 2, output_size=2)
        >>> maxima.shape == places.shape
        True
    """


def _with_indices(pool: Any, input: str) -> Callable[..., tuple[Tensor, Tensor]]:
    def with_indices(*args: Any, **kwargs: Any) -> Any:
        return pool(*args, **{**kwargs, "return_indices": True})

    with_indices.__name__ = with_indices.__qualname__ = pool.__name__ + "_with_indices"
    text = _WITH_INDICES
    if pool.__name__.startswith("fractional"):
        text = text[: text.index("\n\n    Example:")] + _FRACTIONAL
    with_indices.__doc__ = text.replace("POOL", pool.__name__).replace("INPUT", input)
    return with_indices


max_pool1d_with_indices = _with_indices(max_pool1d, "torch.ones(1, 4)")
max_pool2d_with_indices = _with_indices(max_pool2d, "torch.ones(1, 4, 4)")
max_pool3d_with_indices = _with_indices(max_pool3d, "torch.ones(1, 4, 4, 4)")
adaptive_max_pool1d_with_indices = _with_indices(adaptive_max_pool1d, "torch.ones(1, 4)")
adaptive_max_pool2d_with_indices = _with_indices(adaptive_max_pool2d, "torch.ones(1, 4, 4)")
adaptive_max_pool3d_with_indices = _with_indices(adaptive_max_pool3d, "torch.ones(1, 4, 4, 4)")
fractional_max_pool2d_with_indices = _with_indices(fractional_max_pool2d, "torch.ones(1, 4, 4)")
fractional_max_pool3d_with_indices = _with_indices(fractional_max_pool3d, "torch.ones(1, 4, 4, 4)")
