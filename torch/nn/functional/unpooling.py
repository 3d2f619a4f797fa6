"""Unpooling: puts maxima back at their positions."""

from __future__ import annotations

from torch._operators import NN as _nn
from torch.nn.functional._common import overridable, repeat

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from torch import Tensor
    from torch.nn.common_types import _size_1_t, _size_2_t, _size_3_t

__all__ = ["max_unpool1d", "max_unpool2d", "max_unpool3d"]


def _unpool_size(
    input: Tensor,
    kernel: Sequence[int],
    stride: Any,
    padding: Any,
    requested: Sequence[int] | None,
) -> Sequence[int]:
    natural = [
        (length - 1) * step + size - 2 * edge
        for length, size, step, edge in zip(input.size()[-len(kernel) :], kernel, stride, padding)
    ]
    if requested is None:
        return natural
    requested = list(requested)
    if len(requested) == len(kernel) + 2:
        requested = requested[2:]
    if len(requested) != len(kernel):
        raise ValueError(
            f"output_size should be a sequence containing {len(kernel)} or {len(kernel) + 2} elements, but it has "
            f"a length of '{len(requested)}'"
        )
    for d, (length, step) in enumerate(zip(natural, stride)):
        if not length - step < requested[d] < length + step:
            shown = tuple(requested)
            raise ValueError(f'invalid output_size "{shown}" (dim {d} must be between {length - step} and {length + step})')
    return requested


def _unpool_window(dims: int, kernel_size: Any, stride: Any, padding: Any) -> tuple[Any, Any, Any]:
    kernel = repeat(kernel_size, dims)
    return kernel, kernel if stride is None else repeat(stride, dims), repeat(padding, dims)


@overridable(2)
def max_unpool1d(
    input: Tensor,
    indices: Tensor,
    kernel_size: _size_1_t,
    stride: _size_1_t | None = None,
    padding: _size_1_t = 0,
    output_size: Sequence[int] | None = None,
) -> Tensor:
    """Puts pooled maxima back where they were, among zeros: a partial inverse of `max_pool1d`.

    Args:
        input (Tensor): (N, C, number of windows) or (C, number of windows)
        indices (Tensor): the places that pooling returned
        kernel_size (int or 1-tuple): length of a window
        stride (int or 1-tuple or None): distance between windows; None: their size
        padding (int or 1-tuple, default 0): what pooling had
        output_size (Sequence[int] or None): size of the result where pooling rounded; None: the smallest possible

    Returns:
        a tensor of the size that pooling had

    Raises:
        ValueError: `output_size` is none that pooling could have had

    Example:
        >>> x, places = F.max_pool1d(torch.tensor([[1., 3., 2., 5.]]), 2, return_indices=True)
        >>> F.max_unpool1d(x, places, 2)
        tensor([[0., 3., 0., 5.]])
    """
    size = _unpool_size(input, *_unpool_window(1, kernel_size, stride, padding), output_size)
    return _nn.max_unpool2d(input.unsqueeze(-1), indices.unsqueeze(-1), [*size, 1]).squeeze(-1)


@overridable(2)
def max_unpool2d(
    input: Tensor,
    indices: Tensor,
    kernel_size: _size_2_t,
    stride: _size_2_t | None = None,
    padding: _size_2_t = 0,
    output_size: Sequence[int] | None = None,
) -> Tensor:
    """Puts pooled maxima back where they were, among zeros: a partial inverse of `max_pool2d`.

    Args:
        input (Tensor): the maxima, (N, C, H, W) or (C, H, W)
        indices (Tensor): the places that pooling returned
        kernel_size (int or pair): height and width of a window
        stride (int or pair or None): distance between windows; None: their size
        padding (int or pair, default 0): what pooling had
        output_size (Sequence[int] or None): size of the result where pooling rounded; None: the smallest possible

    Returns:
        a tensor of the size that pooling had

    Raises:
        ValueError: `output_size` is none that pooling could have had

    Example:
        >>> x, places = F.max_pool2d(torch.tensor([[[1., 3.], [2., 0.]]]), 2, return_indices=True)
        >>> F.max_unpool2d(x, places, 2)
        tensor([[[0., 3.],
                 [0., 0.]]])
    """
    size = _unpool_size(input, *_unpool_window(2, kernel_size, stride, padding), output_size)
    return _nn.max_unpool2d(input, indices, size)


@overridable(2)
def max_unpool3d(
    input: Tensor,
    indices: Tensor,
    kernel_size: _size_3_t,
    stride: _size_3_t | None = None,
    padding: _size_3_t = 0,
    output_size: Sequence[int] | None = None,
) -> Tensor:
    """Puts pooled maxima back where they were, among zeros: a partial inverse of `max_pool3d`.

    Args:
        input (Tensor): the maxima, (N, C, D, H, W) or (C, D, H, W)
        indices (Tensor): the places that pooling returned
        kernel_size (int or triple): depth, height and width of a window
        stride (int or triple or None): distance between windows; None: their size
        padding (int or triple, default 0): what pooling had
        output_size (Sequence[int] or None): size of the result where pooling rounded; None: the smallest possible

    Returns:
        a tensor of the size that pooling had

    Raises:
        ValueError: `output_size` is none that pooling could have had

    Example:
        >>> x, places = F.max_pool3d(torch.arange(8.).view(1, 2, 2, 2), 2, return_indices=True)
        >>> F.max_unpool3d(x, places, 2)
        tensor([[[[0., 0.],
                  [0., 0.]],
        <BLANKLINE>
                 [[0., 0.],
                  [0., 7.]]]])
    """
    kernel, step, edge = _unpool_window(3, kernel_size, stride, padding)
    return _nn.max_unpool3d(input, indices, _unpool_size(input, kernel, step, edge, output_size), step, edge)
