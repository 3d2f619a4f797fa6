"""Convolutions, and the unfolding that they can be written with."""

from torch._operators import NN as _nn
from torch._operators import VF as _VF
from torch.nn.functional._common import overridable, repeat

conv1d, conv2d, conv3d, conv_tbc = _VF.conv1d, _VF.conv2d, _VF.conv3d, _VF.conv_tbc
conv_transpose1d, conv_transpose2d, conv_transpose3d = (
    _VF.conv_transpose1d,
    _VF.conv_transpose2d,
    _VF.conv_transpose3d,
)

__all__ = ["conv1d", "conv2d", "conv3d", "conv_tbc", "conv_transpose1d", "conv_transpose2d",
           "conv_transpose3d",
           "unfold", "fold"]


@overridable(1)
def unfold(input, kernel_size, dilation=1, padding=0, stride=1):
    """Sliding blocks of an image as columns: (N, C, H, W) to (N, C * kernel elements, blocks)."""
    return _nn.im2col(input, repeat(kernel_size, 2), repeat(dilation, 2), repeat(padding, 2), repeat(stride,
                                                                                                     2))


@overridable(1)
def fold(input, output_size, kernel_size, dilation=1, padding=0, stride=1):
    """Sum columns of sliding blocks back into an image: the transpose of unfold."""
    return _nn.col2im(input, repeat(output_size, 2), repeat(kernel_size, 2), repeat(dilation, 2),
                      repeat(padding, 2),
                      repeat(stride, 2))
