"""Convolutions, and the unfolding that they can be written with."""

from __future__ import annotations

from torch._operators import NN as _nn
from torch._operators import VF as _VF
from torch.nn.functional._common import overridable, repeat

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from collections.abc import Callable

    from torch import Tensor
    from torch._C._VariableFunctions import conv1d as conv1d
    from torch._C._VariableFunctions import conv2d as conv2d
    from torch._C._VariableFunctions import conv3d as conv3d
    from torch._C._VariableFunctions import conv_transpose1d as conv_transpose1d
    from torch._C._VariableFunctions import conv_transpose2d as conv_transpose2d
    from torch._C._VariableFunctions import conv_transpose3d as conv_transpose3d
    from torch.nn.common_types import _size_2_t

    conv_tbc: Callable[..., Tensor]
else:
    conv1d, conv2d, conv3d, conv_tbc = _VF.conv1d, _VF.conv2d, _VF.conv3d, _VF.conv_tbc
    conv_transpose1d, conv_transpose2d, conv_transpose3d = (
        _VF.conv_transpose1d,
        _VF.conv_transpose2d,
        _VF.conv_transpose3d,
    )

__all__ = ["conv1d", "conv2d", "conv3d", "conv_tbc", "conv_transpose1d", "conv_transpose2d", "conv_transpose3d", "unfold", "fold"]


@overridable(1)
def unfold(
    input: Tensor,
    kernel_size: _size_2_t,
    dilation: _size_2_t = 1,
    padding: _size_2_t = 0,
    stride: _size_2_t = 1,
) -> Tensor:
    """Sliding blocks of an image as columns: a convolution is a product with them (im2col).

    Args:
        input (Tensor): (N, C, H, W) or (C, H, W)
        kernel_size (int or pair): height and width of a block
        dilation (int or pair, default 1): distance between the elements of a block
        padding (int or pair, default 0): zeros on both sides of each dimension
        stride (int or pair, default 1): distance between neighbouring blocks

    Returns:
        (N, C * kernel height * kernel width, number of blocks)

    Raises:
        RuntimeError: no block fits into the image

    Example:
        >>> F.unfold(torch.arange(9.).view(1, 1, 3, 3), 2)
        tensor([[[0., 1., 3., 4.],
                 [1., 2., 4., 5.],
                 [3., 4., 6., 7.],
                 [4., 5., 7., 8.]]])
    """
    return _nn.im2col(input, repeat(kernel_size, 2), repeat(dilation, 2), repeat(padding, 2), repeat(stride, 2))


@overridable(1)
def fold(
    input: Tensor,
    output_size: _size_2_t,
    kernel_size: _size_2_t,
    dilation: _size_2_t = 1,
    padding: _size_2_t = 0,
    stride: _size_2_t = 1,
) -> Tensor:
    """The sum of sliding blocks back into an image: the transpose of `unfold` (col2im).

    Args:
        input (Tensor): (N, C * kernel height * kernel width, number of blocks), or without N
        output_size (int or pair): height and width of the image
        kernel_size (int or pair): height and width of a block
        dilation (int or pair, default 1): distance between the elements of a block
        padding (int or pair, default 0): zeros on both sides of each dimension
        stride (int or pair, default 1): distance between neighbouring blocks

    Returns:
        (N, C, height, width)

    Raises:
        RuntimeError: the number of columns or rows does not fit the sizes

    Example:
        >>> F.fold(torch.ones(1, 4, 4), output_size=3, kernel_size=2)
        tensor([[[[1., 2., 1.],
                  [2., 4., 2.],
                  [1., 2., 1.]]]])
    """
    return _nn.col2im(
        input, repeat(output_size, 2), repeat(kernel_size, 2), repeat(dilation, 2), repeat(padding, 2), repeat(stride, 2)
    )
