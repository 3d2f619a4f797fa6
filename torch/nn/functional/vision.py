"""Padding, resizing and sampling of images."""

from __future__ import annotations

import math
import warnings

from torch._operators import NN as _nn
from torch._operators import VF as _VF
from torch.nn.functional._common import overridable, repeat

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from torch import Tensor
    from torch._C._VariableFunctions import channel_shuffle as channel_shuffle
    from torch._C._VariableFunctions import pixel_shuffle as pixel_shuffle
    from torch._C._VariableFunctions import pixel_unshuffle as pixel_unshuffle

    native_channel_shuffle: Callable[..., Tensor]
else:
    pixel_shuffle, pixel_unshuffle = _VF.pixel_shuffle, _VF.pixel_unshuffle
    channel_shuffle, native_channel_shuffle = _VF.channel_shuffle, _VF.native_channel_shuffle

__all__ = [
    "pixel_shuffle",
    "pixel_unshuffle",
    "channel_shuffle",
    "native_channel_shuffle",
    "pad",
    "interpolate",
    "upsample",
    "upsample_nearest",
    "upsample_bilinear",
    "grid_sample",
    "affine_grid",
]


@overridable(1)
def pad(input: Tensor, pad: Sequence[int], mode: str = "constant", value: float | None = None) -> Tensor:
    """Adds elements around the last dimensions.

    Args:
        input (Tensor): any shape; for the modes other than 'constant' with 1 or 2 dimensions more than are padded
        pad (Sequence[int]): pairs (before, after), the last dimension first; negative numbers cut off
        mode (str, default "constant"): 'constant'; 'reflect': mirrored without the edge; 'replicate': the edge
            repeated; 'circular': from the other end
        value (float or None): what is added in mode 'constant'; None: 0

    Returns:
        a tensor with the padded dimensions longer

    Raises:
        RuntimeError: an odd number of entries, or more padding than the mode can fill

    Example:
        >>> F.pad(torch.tensor([[1., 2.]]), (1, 2))
        tensor([[0., 1., 2., 0., 0.]])
        >>> F.pad(torch.tensor([[1., 2., 3.]]), (2, 0), mode="reflect")
        tensor([[3., 2., 1., 2., 3.]])
    """
    return _nn.pad(input, pad, mode, value)


_ALIGNED = ("linear", "bilinear", "bicubic", "trilinear")
_OPERATORS = {  # by number of dimensions and mode: (operator, takes align_corners)
    (3, "nearest"): ("upsample_nearest1d", False),
    (4, "nearest"): ("upsample_nearest2d", False),
    (5, "nearest"): ("upsample_nearest3d", False),
    (3, "nearest-exact"): ("_upsample_nearest_exact1d", False),
    (4, "nearest-exact"): ("_upsample_nearest_exact2d", False),
    (5, "nearest-exact"): ("_upsample_nearest_exact3d", False),
    (3, "linear"): ("upsample_linear1d", True),
    (4, "bilinear"): ("upsample_bilinear2d", True),
    (5, "trilinear"): ("upsample_trilinear3d", True),
    (4, "bicubic"): ("upsample_bicubic2d", True),
    (4, "lanczos"): ("_upsample_lanczos2d", True),  # antialiased only
}


def _spatial(input, size, scale_factor, recompute):
    """(output size or None, scale factors or None): an operator takes exactly one of them."""
    dims = input.dim() - 2
    if size is not None and scale_factor is not None:
        raise ValueError("only one of size or scale_factor should be defined")
    if size is not None:
        if isinstance(size, (list, tuple)) and len(size) != dims:
            raise ValueError(
                "Input and output must have the same number of spatial dimensions, but got input with spatial "
                f"dimensions of {list(input.shape[2:])} and output size of {size}. Please provide input tensor in "
                "(N, C, d1, d2, ...,dK) format and output size in (o1, o2, ...,oK) format."
            )
        return list(repeat(size, dims)), None
    if scale_factor is None:
        raise ValueError("either size or scale_factor should be defined")
    if isinstance(scale_factor, (list, tuple)) and len(scale_factor) != dims:
        raise ValueError(
            "Input and scale_factor must have the same number of spatial dimensions, but got input with spatial "
            f"dimensions of {list(input.shape[2:])} and scale_factor of shape {scale_factor}. Please provide "
            "input tensor in (N, C, d1, d2, ...,dK) format and scale_factor in (s1, s2, ...,sK) format."
        )
    factors = [float(factor) for factor in repeat(scale_factor, dims)]
    if recompute:
        return [math.floor(length * factor) for length, factor in zip(input.shape[2:], factors)], None
    return None, factors


@overridable(1)
def interpolate(
    input: Tensor,
    size: int | Sequence[int] | None = None,
    scale_factor: float | Sequence[float] | None = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
    recompute_scale_factor: bool | None = None,
    antialias: bool = False,
) -> Tensor:
    """Resizes (N, C, L...) to `size`, or by `scale_factor`.

    Args:
        input (Tensor): (N, C, L), (N, C, H, W) or (N, C, D, H, W)
        size (int or Sequence[int] or None): size of each spatial dimension of the result; give it or `scale_factor`
        scale_factor (float or Sequence[float] or None): factor of each spatial dimension
        mode (str, default "nearest"): 'nearest', 'nearest-exact', 'area', 'linear' (3-D), 'bilinear', 'bicubic', 'lanczos' (4-D)
            or 'trilinear' (5-D)
        align_corners (bool or None): whether the centres of the corner pixels coincide, or their outer corners; for the
            linear and cubic modes
        recompute_scale_factor (bool or None): derive the factors from the rounded size
        antialias (bool, default False): smooth when shrinking, in modes 'bilinear', 'bicubic' and 'lanczos'

    Returns:
        (N, C, *size)

    Raises:
        ValueError: neither or both of `size` and `scale_factor`, or settings that the mode does not take
        NotImplementedError: the mode is not one for this number of dimensions

    Example:
        >>> F.interpolate(torch.tensor([[[1., 2.]]]), scale_factor=2)
        tensor([[[1., 1., 2., 2.]]])
        >>> F.interpolate(torch.tensor([[[1., 3.]]]), size=3, mode="linear", align_corners=True)
        tensor([[[1., 2., 3.]]])
    """
    if mode not in (*_ALIGNED, "lanczos"):
        if align_corners is not None and mode in ("nearest", "area", "nearest-exact"):
            raise ValueError(
                "align_corners option can only be set with the interpolating modes: linear | bilinear | bicubic | trilinear"
            )
    elif align_corners is None:
        align_corners = False
    if recompute_scale_factor and size is not None:
        raise ValueError("recompute_scale_factor is not meaningful with an explicit size.")
    sizes, factors = _spatial(input, size, scale_factor, recompute_scale_factor)
    if antialias and not (mode in ("bilinear", "bicubic", "lanczos") and input.ndim == 4):
        raise ValueError("antialias=True is for 4-D input in the modes bilinear, bicubic and lanczos")
    if mode == "lanczos" and not antialias:
        raise ValueError("mode='lanczos' needs antialias=True")
    if mode == "lanczos" and align_corners:
        raise ValueError("mode='lanczos' has no align_corners=True")
    if mode == "area":
        return _area(input, sizes, factors)
    found = _OPERATORS.get((input.dim(), mode))
    if found is None:
        for (_, known), _ in _OPERATORS.items():
            if known == mode and 3 <= input.dim() <= 5:
                needs = {"linear": 3, "bilinear": 4, "bicubic": 4, "lanczos": 4, "trilinear": 5}[mode]
                raise NotImplementedError(f"Got {input.dim()}D input, but {mode} mode needs {needs}D input")
        raise NotImplementedError(
            f"Input Error: Only 3D, 4D and 5D input Tensors supported (got {input.dim()}D) for the modes: nearest "
            f"| linear | bilinear | bicubic | trilinear | area | nearest-exact (got {mode})"
        )
    name, aligned = found
    if antialias:
        name = f"_{name.removeprefix('_')}_aa"
    operator = getattr(_nn, name)
    return operator(input, sizes, align_corners, factors) if aligned else operator(input, sizes, factors)


def _area(input, sizes, factors):
    from torch.nn.functional import pooling_average as pooling

    if sizes is None:
        sizes = [math.floor(length * factor) for length, factor in zip(input.shape[2:], factors)]
    pool = {3: pooling.adaptive_avg_pool1d, 4: pooling.adaptive_avg_pool2d, 5: pooling.adaptive_avg_pool3d}
    return pool[input.dim()](input, sizes)


def upsample(
    input: Tensor,
    size: int | Sequence[int] | None = None,
    scale_factor: float | Sequence[float] | None = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
) -> Tensor:
    """The old name of `interpolate`; it warns.

    Args:
        input (Tensor): (N, C, L...)
        size (int or Sequence[int] or None): size of each spatial dimension of the result; give it or `scale_factor`
        scale_factor (float or Sequence[float] or None): factor of each spatial dimension
        mode (str, default "nearest"): as for `interpolate`
        align_corners (bool or None): whether the centres of the corner pixels coincide, or their outer corners; for the
            linear and cubic modes

    Returns:
        (N, C, *size)

    Example:
        >>> F.upsample(torch.tensor([[[1., 2.]]]), size=4)
        tensor([[[1., 1., 2., 2.]]])
    """
    warnings.warn("`nn.functional.upsample` is deprecated. Use `nn.functional.interpolate` instead.", stacklevel=2)
    return interpolate(input, size, scale_factor, mode, align_corners)


def upsample_nearest(
    input: Tensor,
    size: int | Sequence[int] | None = None,
    scale_factor: float | Sequence[float] | None = None,
) -> Tensor:
    """`interpolate` in mode 'nearest'; it warns that the name is old.

    Args:
        input (Tensor): (N, C, L...)
        size (int or Sequence[int] or None): size of each spatial dimension of the result; give it or `scale_factor`
        scale_factor (float or Sequence[float] or None): factor of each spatial dimension

    Returns:
        (N, C, *size)

    Example:
        >>> F.upsample_nearest(torch.tensor([[[1., 2.]]]), size=4)
        tensor([[[1., 1., 2., 2.]]])
    """
    warnings.warn("`nn.functional.upsample_nearest` is deprecated. Use `nn.functional.interpolate` instead.", stacklevel=2)
    return interpolate(input, size, scale_factor, mode="nearest")


def upsample_bilinear(
    input: Tensor,
    size: int | Sequence[int] | None = None,
    scale_factor: float | Sequence[float] | None = None,
) -> Tensor:
    """`interpolate` in mode 'bilinear' with aligned corners; it warns that the name is old.

    Args:
        input (Tensor): (N, C, H, W)
        size (int or Sequence[int] or None): size of each spatial dimension of the result; give it or `scale_factor`
        scale_factor (float or Sequence[float] or None): factor of each spatial dimension

    Returns:
        (N, C, *size)

    Example:
        >>> F.upsample_bilinear(torch.tensor([[[[1., 3.]]]]), size=(1, 3))
        tensor([[[[1., 2., 3.]]]])
    """
    warnings.warn("`nn.functional.upsample_bilinear` is deprecated. Use `nn.functional.interpolate` instead.", stacklevel=2)
    return interpolate(input, size, scale_factor, mode="bilinear", align_corners=True)


@overridable(2)
def grid_sample(
    input: Tensor,
    grid: Tensor,
    mode: str = "bilinear",
    padding_mode: str = "zeros",
    align_corners: bool | None = None,
) -> Tensor:
    """Values of an image at given places, by interpolation (Jaderberg et al. 2015).

    Args:
        input (Tensor): (N, C, H, W) or (N, C, D, H, W)
        grid (Tensor): (N, rows, columns, 2), or with a depth and 3: places (x, y[, z]) from -1, the left or upper edge,
            to 1
        mode (str, default "bilinear"): 'bilinear', 'nearest' or, for images, 'bicubic'
        padding_mode (str, default "zeros"): outside: 'zeros', 'border' (the nearest pixel) or 'reflection'
        align_corners (bool or None): whether -1 and 1 are the centres of the corner pixels, or their outer edges

    Returns:
        (N, C, rows, columns), or with a depth

    Raises:
        ValueError: an unknown mode or padding mode

    Example:
        >>> image = torch.tensor([[[[1., 3.]]]])
        >>> F.grid_sample(image, torch.zeros(1, 1, 1, 2), align_corners=True)
        tensor([[[[2.]]]])
    """
    modes, paddings = ("bilinear", "nearest", "bicubic"), ("zeros", "border", "reflection")
    if mode not in modes:
        raise ValueError(
            f"nn.functional.grid_sample(): expected mode to be 'bilinear', 'nearest' or 'bicubic', but got: '{mode}'"
        )
    if padding_mode not in paddings:
        raise ValueError(
            "nn.functional.grid_sample(): expected padding_mode to be 'zeros', 'border', or 'reflection', but "
            f"got: '{padding_mode}'"
        )
    if align_corners is None:
        warnings.warn(
            "grid_sample: align_corners is False by default; before version 1.3 it was True. Say which you mean.", stacklevel=3
        )
    return _VF.grid_sampler(input, grid, modes.index(mode), paddings.index(padding_mode), bool(align_corners))


@overridable(1)
def affine_grid(theta: Tensor, size: Sequence[int], align_corners: bool | None = None) -> Tensor:
    """The grid for `grid_sample` that applies an affine map to each image.

    Args:
        theta (Tensor): the maps, (N, 2, 3) for images or (N, 3, 4) for volumes
        size (Sequence[int]): size of the result, (N, C, H, W) or (N, C, D, H, W)
        align_corners (bool or None): as for `grid_sample`

    Returns:
        (N, H, W, 2) or (N, D, H, W, 3)

    Raises:
        ValueError: `theta` is not floating point or of another shape, or a size is not positive
        NotImplementedError: `size` has other than 4 or 5 entries

    Example:
        >>> same = torch.tensor([[[1., 0., 0.], [0., 1., 0.]]])
        >>> F.affine_grid(same, (1, 1, 1, 2), align_corners=True)
        tensor([[[[-1.,  0.],
                  [ 1.,  0.]]]])
    """
    if align_corners is None:
        warnings.warn(
            "affine_grid: align_corners is False by default; before version 1.3 it was True. Say which you mean.", stacklevel=3
        )
        align_corners = False
    if not theta.is_floating_point():
        raise ValueError(f"Expected theta to have floating point type, but got {theta.dtype}")
    shapes = {4: (2, 3), 5: (3, 4)}
    if len(size) not in shapes:
        raise NotImplementedError(
            f"affine_grid only supports 4D and 5D sizes, for 2D and 3D affine transforms, respectively. Got size {size}."
        )
    if theta.dim() != 3 or tuple(theta.shape[-2:]) != shapes[len(size)]:
        rows, columns = shapes[len(size)]
        raise ValueError(
            f"Expected a batch of {rows - 0}D affine matrices of shape Nx{rows}x{columns} for size {size}. Got {theta.shape}."
        )
    if min(size) <= 0:
        raise ValueError(f"Expected non-zero, positive output size. Got {size}")
    return _VF.affine_grid_generator(theta, size, align_corners)
