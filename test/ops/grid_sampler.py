"""Images sampled on a grid."""

import itertools
import math

import numpy as np

import torch
from ops.common import ALL_FLOATS, COMPLEX, FLOATS, INTS, LIB, REDUCED, Op, Sample, internal, rand
from ops.shared.gradients import gradient
from ops.shared.interpolation import cubic


def reflected(x, low, high):
    """Back and forth between low and high."""
    if low == high:
        return 0.0
    span = high - low
    x = abs(x - low)
    extra, flips = math.fmod(x, span), math.floor(x / span)
    return extra + low if flips % 2 == 0 else span - extra + low


def coordinate(x, n, padding, align):
    x = (x + 1) / 2 * (n - 1) if align else ((x + 1) * n - 1) / 2
    return inside(x, n, padding, align)


def inside(x, n, padding, align):
    if padding == 2:
        x = reflected(x, 0, n - 1) if align else reflected(x, -0.5, n - 0.5)
    return min(max(x, 0), n - 1) if padding else x


def grid_sampler(x, grid, mode, padding, align):
    """mode: 0 linear, 1 nearest, 2 cubic; padding: 0 zeros, 1 border, 2 reflection."""
    sizes, n = x.shape[2:], x.ndim - 2
    out = np.zeros((len(x), x.shape[1], *grid.shape[1:-1]))

    def value(b, at):
        return x[(b, slice(None), *at)] if all(0 <= a < s for a, s in zip(at, sizes)) else 0.0

    for b, *at in np.ndindex(*grid.shape[:-1]):
        raw = [float(v) for v in grid[(b, *at)][::-1]]
        to = (b, slice(None), *at)
        if mode == 2:
            where = [(v + 1) / 2 * (s - 1) if align else ((v + 1) * s - 1) / 2 for v, s in zip(raw, sizes)]
            for step in itertools.product(range(-1, 3), repeat=n):
                places = [math.floor(v) + k for v, k in zip(where, step)]
                weight = math.prod(cubic(v - p) for v, p in zip(where, places))
                out[to] += weight * value(b, [int(inside(p, s, padding, align)) for p, s in zip(places, sizes)])
            continue
        where = [coordinate(v, s, padding, align) for v, s in zip(raw, sizes)]
        if mode == 1:
            out[to] = value(b, [int(np.rint(v)) for v in where])
            continue
        for step in itertools.product((0, 1), repeat=n):
            places = [math.floor(v) + k for v, k in zip(where, step)]
            out[to] += math.prod(1 - abs(v - p) for v, p in zip(where, places)) * value(b, places)
    return out


def grid_samples(n, modes):
    def samples(dtype):
        for mode, padding, align in itertools.product(modes, (0, 1, 2), (False, True)):
            for shape, points in (((1, 1, 2, 2, 1), (1, 2, 1)), ((2, 2, 3, 4, 2), (3, 2, 2))):
                grid = rand(shape[0], *points[:n], n, dtype=dtype, low=-1.4, high=1.4, seed=4)
                yield Sample(rand(*shape[: n + 2], dtype=dtype), (grid, mode, padding, align))
        yield Sample(rand(0, 2, *[3] * n, dtype=dtype), (rand(0, *[2] * n, n, dtype=dtype), 0, 0, False))

    return samples


def wild_points(n):
    """Points far outside, infinite or NaN, where nothing is read."""

    def samples(dtype):
        for value in (1e30, -1e30, float("inf"), -float("inf"), float("nan")):
            for mode, padding, align in itertools.product((0, 1, 2)[: 4 - n], (0, 1, 2), (False, True)):
                yield Sample(
                    rand(1, 2, *[3] * n, dtype=dtype), (torch.full((1, *[2] * n, n), value, dtype=dtype), mode, padding, align)
                )

    return samples


def grid_errors(n, fn):
    x, grid = torch.zeros(1, 1, *[3] * n), torch.zeros(1, *[2] * n, n)
    return ((lambda: fn(x, torch.zeros(2, *[2] * n, n), 0, 0, False), RuntimeError, "same batch size|batch"),
            (lambda: fn(x, torch.zeros(1, *[2] * n, n + 1), 0, 0, False), RuntimeError, "last dimension|size"),
            (lambda: fn(x[..., :0], grid, 0, 0, False), RuntimeError, "non-empty"),
            (lambda: fn(x, grid.double(), 0, 0, False), RuntimeError, "same dtype|type"),
            (lambda: fn(x[0], grid, 0, 0, False), RuntimeError, "4D or 5D|dimension|D"))  # fmt: skip


def affine_grid(theta, size, align):
    n = len(size) - 2
    axes = [
        np.linspace(-1, 1, s) if align and s > 1 else (np.arange(s) * 2 + 1) / s - 1 if not align else np.zeros(s)
        for s in size[2:]
    ]
    points = np.stack([*np.meshgrid(*axes, indexing="ij")][::-1] + [np.ones(size[2:])], -1)
    return np.einsum("...j,bij->b...i", points, theta.reshape(-1, n, n + 1)) if len(theta) else np.zeros((0, *size[2:], n))


def affine_samples(dtype):
    for align in (False, True):
        yield Sample(rand(1, 2, 3, dtype=dtype), ([1, 1, 2, 3], align))
        yield Sample(rand(2, 2, 3, dtype=dtype), ([2, 4, 3, 1], align))
        yield Sample(rand(1, 3, 4, dtype=dtype), ([1, 2, 2, 1, 3], align))


def as_backward(*args):
    found = LIB._grid_sampler_2d_cpu_fallback_backward(*args)
    expected = LIB.grid_sampler_2d_backward(*args, [True, True])
    assert all(torch.equal(a, b) for a, b in zip(found, expected))
    return found


def affine_gradients(dtype):
    for align in (False, True):
        yield Sample(rand(2, 3, 4, 2, dtype=dtype), ([2, 5, 3, 4], align))
        yield Sample(rand(1, 2, 3, 2, 3, dtype=dtype), ([1, 1, 2, 3, 2], align))


def affine_gradient(grad, size, align):
    """The grid is linear in theta: its Jacobian is found by unit matrices."""
    n = len(size) - 2
    out = np.zeros((size[0], n, n + 1), grad.dtype)
    for index in np.ndindex(*out.shape):
        unit = np.zeros_like(out)
        unit[index] = 1
        out[index] = (affine_grid(unit, size, align) * grad).sum()
    return out


T = torch.zeros(1, 2, 3)

GRID = {"method": False, "out": False, "gradgrad": False, "tolerance": 1e-4, "meta": False}

OPS = [
    Op("grid_sampler", grid_samples(2, (0, 1)), grid_sampler, **GRID, errors=grid_errors(2, torch.grid_sampler), dtypes=ALL_FLOATS),
    Op("grid_sampler_2d", grid_samples(2, (0, 1, 2)), grid_sampler, FLOATS + REDUCED, **GRID,
       errors=grid_errors(2, torch.grid_sampler_2d)[:3]),
    Op("grid_sampler_3d", grid_samples(3, (0, 1)), grid_sampler, FLOATS + REDUCED, **GRID,
       errors=(*grid_errors(3, torch.grid_sampler_3d)[:3],
               (lambda: torch.grid_sampler_3d(torch.zeros(1, 1, 2, 2, 2), torch.zeros(1, 1, 1, 1, 3), 2, 0, False), RuntimeError, "bicubic"))),
    Op("grid_sampler_2d", wild_points(2), **{**GRID, "grad": False}),
    Op("grid_sampler_3d", wild_points(3), **{**GRID, "grad": False}),
    Op("affine_grid_generator", affine_samples, affine_grid, method=False, out=False, tolerance=1e-5,
       errors=((lambda: torch.affine_grid_generator(T, [1, 1, 2], False), RuntimeError, "needs 4d|size|xpected"),
               (lambda: torch.affine_grid_generator(T, [2, 1, 2, 2], False), RuntimeError, "heta|size|shape|invalid")), dtypes=ALL_FLOATS + COMPLEX, takes=INTS),
    gradient("grid_sampler_2d_backward", (1, 2, 3, 4), (1, 2, 5, 6), (1, 3, 4, 2), 0, 0, False, [True, True], meta=False),
    gradient("grid_sampler_3d_backward", (1, 2, 2, 3, 4), (1, 2, 3, 5, 6), (1, 2, 3, 4, 3), 0, 0, False, [True, True], meta=False),
    internal("_grid_sampler_2d_cpu_fallback", grid_samples(2, (0, 1, 2)), grid_sampler, FLOATS, takes=REDUCED, gradgrad=False, tolerance=1e-4, meta=False),
    internal("_grid_sampler_2d_cpu_fallback_backward", lambda dtype: [Sample(rand(1, 2, 3, 4, dtype=dtype), (rand(1, 2, 5, 6, dtype=dtype, seed=1), rand(1, 3, 4, 2, dtype=dtype, seed=2), 0, 0, False))],
             None, FLOATS, takes=REDUCED, grad=False, meta=False, noncontiguous=False, call=as_backward),
    internal("affine_grid_generator_backward", affine_gradients, affine_gradient, FLOATS, takes=REDUCED + COMPLEX + INTS, tolerance=1e-4, errors=(
        (lambda: LIB.affine_grid_generator_backward(T, [1, 1, 2, 2], False), RuntimeError, "must have the shape"),
        (lambda: LIB.affine_grid_generator_backward(T, [1, 1, 2], False), RuntimeError, "4 or 5 numbers"))),
]  # fmt: skip
