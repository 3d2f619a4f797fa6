"""Changes of shape as modules."""

from __future__ import annotations

from torch.nn import functional as F
from torch.nn.modules._shared import show
from torch.nn.modules.module import Module

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from collections.abc import Sequence

    from torch import Tensor
    from torch.nn.common_types import _size_2_t


class Flatten(Module):
    """Makes one dimension of several.

    Args:
        start_dim (int, default 1): the first of them
        end_dim (int, default -1): the last of them

    Shape:
        (N, *) to (N, product of the others), with the defaults

    Example:
        >>> nn.Flatten()(torch.ones(2, 3, 4)).shape
        torch.Size([2, 12])
    """

    def __init__(self, start_dim: int = 1, end_dim: int = -1) -> None:
        super().__init__()
        self.start_dim, self.end_dim = start_dim, end_dim

    def forward(self, input: Tensor) -> Tensor:
        return input.flatten(self.start_dim, self.end_dim)

    def extra_repr(self) -> str:
        return show(self, "start_dim", "end_dim")


class Unflatten(Module):
    """Makes several dimensions of one.

    Args:
        dim (int): the dimension
        unflattened_size (Sequence[int]): their sizes; one may be -1

    Shape:
        (*, product, *) to (*, *unflattened_size, *)

    Raises:
        TypeError: `dim` is no int, or the sizes are no tuple or list of them

    Example:
        >>> nn.Unflatten(1, (2, 3))(torch.ones(4, 6)).shape
        torch.Size([4, 2, 3])
    """

    def __init__(self, dim: int, unflattened_size: Sequence[int]) -> None:
        super().__init__()
        if not isinstance(dim, int):
            raise TypeError(f"invalid argument type for dim parameter, got {type(dim).__name__}")
        if not isinstance(unflattened_size, (tuple, list)):
            raise TypeError(f"unflattened_size must be a tuple of ints, but found type {type(unflattened_size).__name__}")
        for k, length in enumerate(unflattened_size):
            if not isinstance(length, int):
                raise TypeError(
                    f"unflattened_size must be tuple of ints, but found element of type {type(length).__name__} at pos {k}"
                )
        self.dim, self.unflattened_size = dim, unflattened_size

    def forward(self, input: Tensor) -> Tensor:
        return input.unflatten(self.dim, self.unflattened_size)

    def extra_repr(self) -> str:
        return show(self, "dim", "unflattened_size")


class Unfold(Module):
    """Sliding blocks of an image as columns; see `F.unfold`.

    Args:
        kernel_size (int or pair): height and width of a block
        dilation (int or pair, default 1): distance between the elements of a block
        padding (int or pair, default 0): zeros on both sides of each dimension
        stride (int or pair, default 1): distance between neighbouring blocks

    Shape:
        (N, C, H, W) to (N, C * kernel elements, number of blocks)

    Example:
        >>> nn.Unfold(2)(torch.ones(1, 3, 4, 4)).shape
        torch.Size([1, 12, 9])
    """

    def __init__(self, kernel_size: _size_2_t, dilation: _size_2_t = 1, padding: _size_2_t = 0, stride: _size_2_t = 1) -> None:
        super().__init__()
        self.kernel_size, self.dilation, self.padding, self.stride = kernel_size, dilation, padding, stride

    def forward(self, input: Tensor) -> Tensor:
        return F.unfold(input, self.kernel_size, self.dilation, self.padding, self.stride)

    def extra_repr(self) -> str:
        return show(self, "kernel_size", "dilation", "padding", "stride")


class Fold(Unfold):
    """The sum of sliding blocks back into an image, the transpose of Unfold; see `F.fold`.

    Args:
        output_size (int or pair): height and width of the image
        kernel_size (int or pair): height and width of a block
        dilation (int or pair, default 1): distance between the elements of a block
        padding (int or pair, default 0): zeros on both sides of each dimension
        stride (int or pair, default 1): distance between neighbouring blocks

    Shape:
        (N, C * kernel elements, number of blocks) to (N, C, *output_size)

    Example:
        >>> nn.Fold((4, 4), 2)(torch.ones(1, 12, 9)).shape
        torch.Size([1, 3, 4, 4])
    """

    def __init__(
        self,
        output_size: _size_2_t,
        kernel_size: _size_2_t,
        dilation: _size_2_t = 1,
        padding: _size_2_t = 0,
        stride: _size_2_t = 1,
    ) -> None:
        super().__init__(kernel_size, dilation, padding, stride)
        self.output_size = output_size

    def forward(self, input: Tensor) -> Tensor:
        return F.fold(input, self.output_size, self.kernel_size, self.dilation, self.padding, self.stride)

    def extra_repr(self) -> str:
        return show(self, "output_size", "kernel_size", "dilation", "padding", "stride")


__all__ = ["Flatten", "Unflatten", "Unfold", "Fold"]
