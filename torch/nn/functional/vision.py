"""Padding, resizing and sampling of images."""

import math
import warnings

from torch._operators import NN as _nn
from torch._operators import VF as _VF
from torch.nn.functional._common import overridable, repeat

pixel_shuffle, pixel_unshuffle = _VF.pixel_shuffle, _VF.pixel_unshuffle
channel_shuffle, native_channel_shuffle = _VF.channel_shuffle, _VF.native_channel_shuffle

__all__ = ["pixel_shuffle", "pixel_unshuffle", "channel_shuffle", "native_channel_shuffle", "pad",
           "interpolate",
           "upsample", "upsample_nearest", "upsample_bilinear", "grid_sample", "affine_grid"]


@overridable(1)
def pad(input, pad, mode="constant", value=None):
    """Pad the last dimensions by pairs (before, after), the last dimension first.

    mode: "constant" (with `value`), "reflect", "replicate" or "circular"."""
    return _nn.pad(input, pad, mode, value)


_ALIGNED = ("linear", "bilinear", "bicubic", "trilinear")
_OPERATORS = {  # by number of dimensions and mode: (operator, takes align_corners)
    (3, "nearest"): ("upsample_nearest1d", False), (4, "nearest"): ("upsample_nearest2d", False),
    (5, "nearest"): ("upsample_nearest3d", False), (3, "nearest-exact"): ("_upsample_nearest_exact1d", False),
    (4, "nearest-exact"): ("_upsample_nearest_exact2d", False),
    (5, "nearest-exact"): ("_upsample_nearest_exact3d", False), (3, "linear"): ("upsample_linear1d", True),
    (4, "bilinear"): ("upsample_bilinear2d", True), (5, "trilinear"): ("upsample_trilinear3d", True),
    (4, "bicubic"): ("upsample_bicubic2d", True),
}


def _spatial(input, size, scale_factor, recompute):
    """(output size or None, scale factors or None): an operator takes exactly one of them."""
    dims = input.dim() - 2
    if size is not None and scale_factor is not None:
        raise ValueError("only one of size or scale_factor should be defined")
    if size is not None:
        if isinstance(size, (list, tuple)) and len(size) != dims:
            raise ValueError("Input and output must have the same number of spatial dimensions, but got "
                             "input with spatial "
                             f"dimensions of {list(input.shape[2:])} and output size of {size}. Please "
                             "provide input tensor in "
                             "(N, C, d1, d2, ...,dK) format and output size in (o1, o2, ...,oK) format.")
        return list(repeat(size, dims)), None
    if scale_factor is None:
        raise ValueError("either size or scale_factor should be defined")
    if isinstance(scale_factor, (list, tuple)) and len(scale_factor) != dims:
        raise ValueError("Input and scale_factor must have the same number of spatial dimensions, but got "
                         "input with spatial "
                         f"dimensions of {list(input.shape[2:])} and scale_factor of shape {scale_factor}. "
                         "Please provide input "
                         "tensor in (N, C, d1, d2, ...,dK) format and scale_factor in (s1, s2, ...,sK) "
                         "format.")
    factors = [float(factor) for factor in repeat(scale_factor, dims)]
    if recompute:
        return [math.floor(length * factor) for length, factor in zip(input.shape[2:], factors)], None
    return None, factors


@overridable(1)
def interpolate(input, size=None, scale_factor=None, mode="nearest", align_corners=None,
                recompute_scale_factor=None,
                antialias=False):
    """Resize (N, C, ...) to `size`, or by `scale_factor`.

    mode: nearest, nearest-exact, linear (3-D), bilinear, bicubic (4-D), trilinear (5-D) or area."""
    if mode not in (*_ALIGNED, "lanczos"):
        if align_corners is not None and mode in ("nearest", "area", "nearest-exact"):
            raise ValueError("align_corners option can only be set with the interpolating modes: linear | "
                             "bilinear | bicubic "
                             "| trilinear")
    elif align_corners is None:
        align_corners = False
    if recompute_scale_factor and size is not None:
        raise ValueError("recompute_scale_factor is not meaningful with an explicit size.")
    sizes, factors = _spatial(input, size, scale_factor, recompute_scale_factor)
    if antialias and not (mode in ("bilinear", "bicubic") and input.ndim == 4):
        raise ValueError("Anti-alias option is restricted to bilinear and bicubic modes and requires a 4-D "
                         "tensor as input")
    if mode == "area":
        return _area(input, sizes, factors)
    found = _OPERATORS.get((input.dim(), mode))
    if found is None:
        for (_, known), _ in _OPERATORS.items():
            if known == mode and 3 <= input.dim() <= 5:
                needs = {"linear": 3, "bilinear": 4, "bicubic": 4, "trilinear": 5}[mode]
                raise NotImplementedError(f"Got {input.dim()}D input, but {mode} mode needs {needs}D input")
        raise NotImplementedError("Input Error: Only 3D, 4D and 5D input Tensors supported "
                                  f"(got {input.dim()}D) for the modes: nearest | linear | bilinear | "
                                  "bicubic | trilinear | "
                                  f"area | nearest-exact (got {mode})")
    name, aligned = found
    if antialias:
        name = f"_{name}_aa"
    operator = getattr(_nn, name)
    return operator(input, sizes, align_corners, factors) if aligned else operator(input, sizes, factors)


def _area(input, sizes, factors):
    from torch.nn.functional import pooling

    if sizes is None:
        sizes = [math.floor(length * factor) for length, factor in zip(input.shape[2:], factors)]
    pool = {3: pooling.adaptive_avg_pool1d, 4: pooling.adaptive_avg_pool2d, 5: pooling.adaptive_avg_pool3d}
    return pool[input.dim()](input, sizes)


def upsample(input, size=None, scale_factor=None, mode="nearest", align_corners=None):
    """The old name of interpolate."""
    warnings.warn("`nn.functional.upsample` is deprecated. Use `nn.functional.interpolate` instead.",
                  stacklevel=2)
    return interpolate(input, size, scale_factor, mode, align_corners)


def upsample_nearest(input, size=None, scale_factor=None):
    warnings.warn("`nn.functional.upsample_nearest` is deprecated. Use `nn.functional.interpolate` instead.",
                  stacklevel=2)
    return interpolate(input, size, scale_factor, mode="nearest")


def upsample_bilinear(input, size=None, scale_factor=None):
    warnings.warn("`nn.functional.upsample_bilinear` is deprecated. Use `nn.functional.interpolate` instead.",
                  stacklevel=2)
    return interpolate(input, size, scale_factor, mode="bilinear", align_corners=True)


@overridable(2)
def grid_sample(input, grid, mode="bilinear", padding_mode="zeros", align_corners=None):
    """Values of the input at the places `grid`, coordinates from -1 to 1, the last dimension being (x, y[,
    z])."""
    modes, paddings = ("bilinear", "nearest", "bicubic"), ("zeros", "border", "reflection")
    if mode not in modes:
        raise ValueError("nn.functional.grid_sample(): expected mode to be 'bilinear', 'nearest' or "
                         "'bicubic', but got: "
                         f"'{mode}'")
    if padding_mode not in paddings:
        raise ValueError("nn.functional.grid_sample(): expected padding_mode to be 'zeros', 'border', or "
                         "'reflection', but "
                         f"got: '{padding_mode}'")
    if align_corners is None:
        warnings.warn("grid_sample: align_corners is False by default; before version 1.3 it was True. Say "
                      "which you mean.",
                      stacklevel=3)
    return _VF.grid_sampler(input, grid, modes.index(mode), paddings.index(padding_mode), bool(align_corners))


@overridable(1)
def affine_grid(theta, size, align_corners=None):
    """Sampling grid of the affine maps `theta` (N, 2, 3) or (N, 3, 4), for an output of `size`."""
    if align_corners is None:
        warnings.warn("affine_grid: align_corners is False by default; before version 1.3 it was True. Say "
                      "which you mean.",
                      stacklevel=3)
        align_corners = False
    if not theta.is_floating_point():
        raise ValueError(f"Expected theta to have floating point type, but got {theta.dtype}")
    shapes = {4: (2, 3), 5: (3, 4)}
    if len(size) not in shapes:
        raise NotImplementedError("affine_grid only supports 4D and 5D sizes, for 2D and 3D affine "
                                  "transforms, respectively. "
                                  f"Got size {size}.")
    if theta.dim() != 3 or tuple(theta.shape[-2:]) != shapes[len(size)]:
        rows, columns = shapes[len(size)]
        raise ValueError(f"Expected a batch of {rows - 0}D affine matrices of shape Nx{rows}x{columns} for "
                         f"size {size}. Got "
                         f"{theta.shape}.")
    if min(size) <= 0:
        raise ValueError(f"Expected non-zero, positive output size. Got {size}")
    return _VF.affine_grid_generator(theta, size, align_corners)
