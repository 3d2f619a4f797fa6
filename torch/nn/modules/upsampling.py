"""Resizing and rearranging images, as modules."""

from __future__ import annotations

from torch.nn import functional as F
from torch.nn.modules._shared import show
from torch.nn.modules.module import Module

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from collections.abc import Sequence

    from torch import Tensor


class Upsample(Module):
    """Resizes to `size`, or by `scale_factor`; see `F.interpolate`.

    Args:
        size (int or Sequence[int] or None): size of each spatial dimension of the result; give it or `scale_factor`
        scale_factor (float or tuple[float, ...] or None): factor of each spatial dimension
        mode (str, default "nearest"): 'nearest', 'linear' (3-D), 'bilinear', 'bicubic' (4-D) or 'trilinear' (5-D)
        align_corners (bool or None): whether the centres of the corner pixels coincide, or their outer corners
        recompute_scale_factor (bool or None): derive the factors from the rounded size

    Shape:
        (N, C, L), (N, C, H, W) or (N, C, D, H, W) to (N, C, *size)

    Example:
        >>> nn.Upsample(scale_factor=2)(torch.ones(1, 1, 2, 3)).shape
        torch.Size([1, 1, 4, 6])
    """

    def __init__(
        self,
        size: int | Sequence[int] | None = None,
        scale_factor: float | tuple[float, ...] | None = None,
        mode: str = "nearest",
        align_corners: bool | None = None,
        recompute_scale_factor: bool | None = None,
    ) -> None:
        super().__init__()
        self.name, self.size = type(self).__name__, size
        if isinstance(scale_factor, tuple):
            self.scale_factor = tuple(float(factor) for factor in scale_factor)
        else:
            self.scale_factor = float(scale_factor) if scale_factor else None
        self.mode, self.align_corners, self.recompute_scale_factor = (
            mode,
            align_corners,
            recompute_scale_factor,
        )

    def forward(self, input: Tensor) -> Tensor:
        return F.interpolate(
            input, self.size, self.scale_factor, self.mode, self.align_corners, recompute_scale_factor=self.recompute_scale_factor
        )

    def extra_repr(self) -> str:
        how = "size" if self.scale_factor is None else "scale_factor"
        return f"{how}={getattr(self, how)!r}, mode={self.mode!r}"


class UpsamplingNearest2d(Upsample):
    """Resizes images by repeating the nearest pixel.

    Args:
        size (int or tuple[int, int] or None): size of each spatial dimension of the result; give it or `scale_factor`
        scale_factor (float or tuple[float, float] or None): factor of each spatial dimension

    Shape:
        (N, C, H, W) to (N, C, *size)

    Example:
        >>> nn.UpsamplingNearest2d(scale_factor=2)(torch.ones(1, 1, 2, 3)).shape
        torch.Size([1, 1, 4, 6])
    """

    def __init__(
        self,
        size: int | tuple[int, int] | None = None,
        scale_factor: float | tuple[float, float] | None = None,
    ) -> None:
        super().__init__(size, scale_factor, mode="nearest")


class UpsamplingBilinear2d(Upsample):
    """Resizes images linearly, the centres of the corner pixels staying where they are.

    Args:
        size (int or tuple[int, int] or None): size of each spatial dimension of the result; give it or `scale_factor`
        scale_factor (float or tuple[float, float] or None): factor of each spatial dimension

    Shape:
        (N, C, H, W) to (N, C, *size)

    Example:
        >>> nn.UpsamplingBilinear2d(size=(1, 3))(torch.tensor([[[[1., 3.]]]]))
        tensor([[[[1., 2., 3.]]]])
    """

    def __init__(
        self,
        size: int | tuple[int, int] | None = None,
        scale_factor: float | tuple[float, float] | None = None,
    ) -> None:
        super().__init__(size, scale_factor, mode="bilinear", align_corners=True)


class PixelShuffle(Module):
    """Channels into pixels: an image r times as large in both directions (Shi et al. 2016).

    Args:
        upscale_factor (int): r

    Shape:
        (*, C * r * r, H, W) to (*, C, H * r, W * r)

    Example:
        >>> nn.PixelShuffle(2)(torch.arange(4.).view(1, 4, 1, 1))
        tensor([[[[0., 1.],
                  [2., 3.]]]])
    """

    def __init__(self, upscale_factor: int) -> None:
        super().__init__()
        self.upscale_factor = upscale_factor

    def forward(self, input: Tensor) -> Tensor:
        return F.pixel_shuffle(input, self.upscale_factor)

    def extra_repr(self) -> str:
        return show(self, "upscale_factor")


class PixelUnshuffle(Module):
    """Pixels into channels: the inverse of PixelShuffle.

    Args:
        downscale_factor (int): r

    Shape:
        (*, C, H * r, W * r) to (*, C * r * r, H, W)

    Example:
        >>> nn.PixelUnshuffle(2)(torch.ones(1, 1, 4, 6)).shape
        torch.Size([1, 4, 2, 3])
    """

    def __init__(self, downscale_factor: int) -> None:
        super().__init__()
        self.downscale_factor = downscale_factor

    def forward(self, input: Tensor) -> Tensor:
        return F.pixel_unshuffle(input, self.downscale_factor)

    def extra_repr(self) -> str:
        return show(self, "downscale_factor")


class ChannelShuffle(Module):
    """Interleaves the channels of several groups (Zhang et al. 2017).

    Args:
        groups (int): the groups; they divide the channels

    Shape:
        (N, C, ...), which stays

    Example:
        >>> nn.ChannelShuffle(2)(torch.arange(4.).view(1, 4, 1, 1)).flatten()
        tensor([0., 2., 1., 3.])
    """

    def __init__(self, groups: int) -> None:
        super().__init__()
        self.groups = groups

    def forward(self, input: Tensor) -> Tensor:
        return F.channel_shuffle(input, self.groups)

    def extra_repr(self) -> str:
        return show(self, "groups")


__all__ = [
    "Upsample", "UpsamplingNearest2d", "UpsamplingBilinear2d", "PixelShuffle", "PixelUnshuffle",
    "ChannelShuffle",
]  # fmt: skip
