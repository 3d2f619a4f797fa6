"""Padding as modules, by mode and number of dimensions."""

from __future__ import annotations

from torch.nn import functional as F
from torch.nn.modules._shared import repeat
from torch.nn.modules.module import Module

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from torch import Tensor
    from torch.nn.common_types import _size_2_t, _size_4_t, _size_6_t, _size_any_t


class _PadNd(Module):
    _dims, _mode, _check = 0, "constant", False

    def __init__(self, padding: _size_any_t) -> None:
        super().__init__()
        self.padding = repeat(padding, 2 * self._dims)

    def forward(self, input: Tensor) -> Tensor:
        if self._check and input.dim() not in (self._dims + 1, self._dims + 2):
            raise ValueError(f"expected {self._dims + 1}D or {self._dims + 2}D input (got {input.dim()}D input)")
        return F.pad(input, self.padding, self._mode)

    def extra_repr(self) -> str:
        return f"{self.padding}"


class _ConstantPadNd(_PadNd):
    def __init__(self, padding: _size_any_t, value: float) -> None:
        super().__init__(padding)
        self.value = value

    def forward(self, input: Tensor) -> Tensor:
        return F.pad(input, self.padding, "constant", self.value)

    def extra_repr(self) -> str:
        return f"padding={self.padding}, value={self.value}"


class _ZeroPadNd(_ConstantPadNd):
    def __init__(self, padding: _size_any_t) -> None:
        super().__init__(padding, 0.0)

    def extra_repr(self) -> str:
        return f"{self.padding}"


class ConstantPad1d(_ConstantPadNd):
    """Pads the last dimension with one number.

    Args:
        padding (int or pair): one number for all sides, or (left, right)
        value (float): the number

    Shape:
        (N, C, L) or (C, L), the padded dimensions growing

    Example:
        >>> nn.ConstantPad1d(1, 7.0)(torch.tensor([[1., 2., 3.]]))
        tensor([[7., 1., 2., 3., 7.]])
    """

    _dims = 1

    def __init__(self, padding: _size_2_t, value: float) -> None:
        super().__init__(padding, value)


class ConstantPad2d(_ConstantPadNd):
    """Pads the last 2 dimensions with one number.

    Args:
        padding (int or 4-tuple): one number for all sides, or (left, right, top, bottom)
        value (float): the number

    Shape:
        (N, C, H, W) or (C, H, W), the padded dimensions growing

    Example:
        >>> nn.ConstantPad2d(1, 7.0)(torch.ones(1, 2, 3)).shape
        torch.Size([1, 4, 5])
    """

    _dims = 2

    def __init__(self, padding: _size_4_t, value: float) -> None:
        super().__init__(padding, value)


class ConstantPad3d(_ConstantPadNd):
    """Pads the last 3 dimensions with one number.

    Args:
        padding (int or 6-tuple): one number for all sides, or (left, right, top, bottom, front, back)
        value (float): the number

    Shape:
        (N, C, D, H, W) or (C, D, H, W), the padded dimensions growing

    Example:
        >>> nn.ConstantPad3d(1, 7.0)(torch.ones(1, 2, 2, 3)).shape
        torch.Size([1, 4, 4, 5])
    """

    _dims = 3

    def __init__(self, padding: _size_6_t, value: float) -> None:
        super().__init__(padding, value)


class ZeroPad1d(_ZeroPadNd):
    """Pads the last dimension with zeros.

    Args:
        padding (int or pair): one number for all sides, or (left, right)

    Shape:
        (N, C, L) or (C, L), the padded dimensions growing

    Example:
        >>> nn.ZeroPad1d(1)(torch.tensor([[1., 2., 3.]]))
        tensor([[0., 1., 2., 3., 0.]])
    """

    _dims = 1

    def __init__(self, padding: _size_2_t) -> None:
        super().__init__(padding)


class ZeroPad2d(_ZeroPadNd):
    """Pads the last 2 dimensions with zeros.

    Args:
        padding (int or 4-tuple): one number for all sides, or (left, right, top, bottom)

    Shape:
        (N, C, H, W) or (C, H, W), the padded dimensions growing

    Example:
        >>> nn.ZeroPad2d(1)(torch.ones(1, 2, 3)).shape
        torch.Size([1, 4, 5])
    """

    _dims = 2

    def __init__(self, padding: _size_4_t) -> None:
        super().__init__(padding)


class ZeroPad3d(_ZeroPadNd):
    """Pads the last 3 dimensions with zeros.

    Args:
        padding (int or 6-tuple): one number for all sides, or (left, right, top, bottom, front, back)

    Shape:
        (N, C, D, H, W) or (C, D, H, W), the padded dimensions growing

    Example:
        >>> nn.ZeroPad3d(1)(torch.ones(1, 2, 2, 3)).shape
        torch.Size([1, 4, 4, 5])
    """

    _dims = 3

    def __init__(self, padding: _size_6_t) -> None:
        super().__init__(padding)


class _ReflectionPadNd(_PadNd):
    pass


class ReflectionPad1d(_ReflectionPadNd):
    """Pads the last dimension with what mirrors the input, without the edge.

    Args:
        padding (int or pair): one number for all sides, or (left, right); smaller than the dimension

    Shape:
        (N, C, L) or (C, L), the padded dimensions growing

    Example:
        >>> nn.ReflectionPad1d(1)(torch.tensor([[1., 2., 3.]]))
        tensor([[2., 1., 2., 3., 2.]])
    """

    _dims, _mode = 1, "reflect"

    def __init__(self, padding: _size_2_t) -> None:
        super().__init__(padding)


class ReflectionPad2d(_ReflectionPadNd):
    """Pads the last 2 dimensions with what mirrors the input, without the edge.

    Args:
        padding (int or 4-tuple): one number for all sides, or (left, right, top, bottom); smaller than the dimension

    Shape:
        (N, C, H, W) or (C, H, W), the padded dimensions growing

    Example:
        >>> nn.ReflectionPad2d(1)(torch.ones(1, 2, 3)).shape
        torch.Size([1, 4, 5])
    """

    _dims, _mode = 2, "reflect"

    def __init__(self, padding: _size_4_t) -> None:
        super().__init__(padding)


class ReflectionPad3d(_ReflectionPadNd):
    """Pads the last 3 dimensions with what mirrors the input, without the edge.

    Args:
        padding (int or 6-tuple): one number for all sides, or (left, right, top, bottom, front, back); smaller than the
            dimension

    Shape:
        (N, C, D, H, W) or (C, D, H, W), the padded dimensions growing

    Example:
        >>> nn.ReflectionPad3d(1)(torch.ones(1, 2, 2, 3)).shape
        torch.Size([1, 4, 4, 5])
    """

    _dims, _mode = 3, "reflect"

    def __init__(self, padding: _size_6_t) -> None:
        super().__init__(padding)


class _ReplicationPadNd(_PadNd):
    pass


class ReplicationPad1d(_ReplicationPadNd):
    """Pads the last dimension with the edge repeated.

    Args:
        padding (int or pair): one number for all sides, or (left, right)

    Shape:
        (N, C, L) or (C, L), the padded dimensions growing

    Example:
        >>> nn.ReplicationPad1d(1)(torch.tensor([[1., 2., 3.]]))
        tensor([[1., 1., 2., 3., 3.]])
    """

    _dims, _mode = 1, "replicate"

    def __init__(self, padding: _size_2_t) -> None:
        super().__init__(padding)


class ReplicationPad2d(_ReplicationPadNd):
    """Pads the last 2 dimensions with the edge repeated.

    Args:
        padding (int or 4-tuple): one number for all sides, or (left, right, top, bottom)

    Shape:
        (N, C, H, W) or (C, H, W), the padded dimensions growing

    Example:
        >>> nn.ReplicationPad2d(1)(torch.ones(1, 2, 3)).shape
        torch.Size([1, 4, 5])
    """

    _dims, _mode = 2, "replicate"

    def __init__(self, padding: _size_4_t) -> None:
        super().__init__(padding)


class ReplicationPad3d(_ReplicationPadNd):
    """Pads the last 3 dimensions with the edge repeated.

    Args:
        padding (int or 6-tuple): one number for all sides, or (left, right, top, bottom, front, back)

    Shape:
        (N, C, D, H, W) or (C, D, H, W), the padded dimensions growing

    Example:
        >>> nn.ReplicationPad3d(1)(torch.ones(1, 2, 2, 3)).shape
        torch.Size([1, 4, 4, 5])
    """

    _dims, _mode = 3, "replicate"

    def __init__(self, padding: _size_6_t) -> None:
        super().__init__(padding)


class _CircularPadNd(_PadNd):
    pass


class CircularPad1d(_CircularPadNd):
    """Pads the last dimension with what comes from the other end.

    Args:
        padding (int or pair): one number for all sides, or (left, right); at most the size of the dimension

    Shape:
        (N, C, L) or (C, L), the padded dimensions growing

    Example:
        >>> nn.CircularPad1d(1)(torch.tensor([[1., 2., 3.]]))
        tensor([[3., 1., 2., 3., 1.]])
    """

    _dims, _mode, _check = 1, "circular", True

    def __init__(self, padding: _size_2_t) -> None:
        super().__init__(padding)


class CircularPad2d(_CircularPadNd):
    """Pads the last 2 dimensions with what comes from the other end.

    Args:
        padding (int or 4-tuple): one number for all sides, or (left, right, top, bottom); at most the size of the
            dimension

    Shape:
        (N, C, H, W) or (C, H, W), the padded dimensions growing

    Example:
        >>> nn.CircularPad2d(1)(torch.ones(1, 2, 3)).shape
        torch.Size([1, 4, 5])
    """

    _dims, _mode, _check = 2, "circular", True

    def __init__(self, padding: _size_4_t) -> None:
        super().__init__(padding)


class CircularPad3d(_CircularPadNd):
    """Pads the last 3 dimensions with what comes from the other end.

    Args:
        padding (int or 6-tuple): one number for all sides, or (left, right, top, bottom, front, back); at most the size
            of the dimension

    Shape:
        (N, C, D, H, W) or (C, D, H, W), the padded dimensions growing

    Example:
        >>> nn.CircularPad3d(1)(torch.ones(1, 2, 2, 3)).shape
        torch.Size([1, 4, 4, 5])
    """

    _dims, _mode, _check = 3, "circular", True

    def __init__(self, padding: _size_6_t) -> None:
        super().__init__(padding)


__all__ = [
    "ConstantPad1d", "ConstantPad2d", "ConstantPad3d", "ZeroPad1d", "ZeroPad2d", "ZeroPad3d",
    "ReflectionPad1d", "ReflectionPad2d", "ReflectionPad3d", "ReplicationPad1d", "ReplicationPad2d",
    "ReplicationPad3d", "CircularPad1d", "CircularPad2d", "CircularPad3d",
]  # fmt: skip
