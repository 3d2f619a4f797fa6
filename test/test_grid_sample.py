"""Sampling on grids at the edges: beside, on and far from the border, in images with infinite elements."""

import math

import pytest

import torch
import torch.nn.functional as F

COORDINATES = [-1.0, 1.0, 0.0, -1.5, 1.5, 0.999, -0.999, 1e30, -1e30, math.inf, -math.inf, math.nan, 0.3, -0.7]


def grid_of(d, dtype):
    points = torch.cartesian_prod(*[torch.tensor(COORDINATES, dtype=dtype)] * d)
    return points.reshape(1, -1, *(1,) * (d - 1), d)


def coordinate(x, size, padding, align):
    x = (x + 1) / 2 * (size - 1) if align else ((x + 1) * size - 1) / 2
    return min(max(x, 0.0), size - 1.0) if padding == "border" and x == x else 0.0 if padding == "border" else x


def sampled(image, point, mode, padding, align):
    """The sample of one plane, element by element."""
    at = [coordinate(x, size, padding, align) for x, size in zip(point, reversed(image.shape))]
    if not all(math.isfinite(x) and abs(x) < 1e9 for x in at):
        return 0.0
    if mode == "nearest":
        corners = [[(round(x), 1.0)] for x in at]
    else:
        corners = [[(math.floor(x), 1 - (x - math.floor(x))), (math.floor(x) + 1, x - math.floor(x))] for x in at]
    total = 0.0
    for choice in torch.cartesian_prod(*[torch.arange(len(c)) for c in corners]).reshape(-1, len(corners)).tolist():
        index, weight = zip(*[c[k] for c, k in zip(corners, choice)])
        if all(0 <= i < size for i, size in zip(index, reversed(image.shape))):
            total += math.prod(weight) * image[tuple(reversed(index))].item()
    return total


@pytest.mark.parametrize("align", [False, True])
@pytest.mark.parametrize("padding", ["zeros", "border"])
@pytest.mark.parametrize("mode", ["bilinear", "nearest"])
@pytest.mark.parametrize("size", [(1, 1), (4, 7), (3, 1, 5)])
def test_by_element(size, mode, padding, align):
    torch.manual_seed(0)
    image = torch.randn(1, 3, *size, dtype=torch.float64)
    grid = grid_of(len(size), torch.float64)
    result = F.grid_sample(image, grid, mode, padding, align)
    for c in range(3):
        expected = [sampled(image[0, c], point, mode, padding, align) for point in grid.reshape(-1, len(size)).tolist()]
        torch.testing.assert_close(result[0, c].flatten(), torch.tensor(expected, dtype=torch.float64))


@pytest.mark.parametrize("mode", ["bilinear", "nearest", "bicubic"])
def test_elements_that_do_not_count(mode):
    image = torch.full((1, 2, 6, 6), math.inf)
    far = torch.tensor([5.0, math.nan]).repeat(1, 100, 1)[:, :, None].expand(1, 100, 3, 2)
    assert (F.grid_sample(image, far, mode, "zeros", False) == 0).all()


@pytest.mark.parametrize("padding", ["zeros", "border", "reflection"])
@pytest.mark.parametrize("mode", ["bilinear", "nearest", "bicubic"])
def test_more_samples_than_a_block(mode, padding):
    torch.manual_seed(0)
    image = torch.randn(2, 3, 5, 6, dtype=torch.float64, requires_grad=True)
    grid = (torch.rand(2, 9, 33, 2, dtype=torch.float64) * 2.6 - 1.3).requires_grad_()
    whole = F.grid_sample(image, grid, mode, padding, False)
    parts = [F.grid_sample(image[k : k + 1], grid[k : k + 1, i : i + 1], mode, padding, False) for k in (0, 1) for i in range(9)]
    parts = torch.cat([torch.cat(parts[:9], 2), torch.cat(parts[9:], 2)])
    assert torch.equal(whole, parts)
    weight = torch.randn_like(whole)
    for one, other in zip(torch.autograd.grad(whole, (image, grid), weight), torch.autograd.grad(parts, (image, grid), weight)):
        torch.testing.assert_close(one, other)


@pytest.mark.parametrize("mode", ["bilinear", "nearest", "bicubic"])
@pytest.mark.parametrize("expanded", ["images", "grids", "both"])
def test_expanded_batches(expanded, mode):
    images, grids = torch.randn(3, 2, 5, 7, dtype=torch.float64), torch.rand(3, 4, 6, 2, dtype=torch.float64) * 2.4 - 1.2
    if expanded != "grids":
        images = images[:1].expand(3, -1, -1, -1)
    if expanded != "images":
        grids = grids[1:2].expand(3, -1, -1, -1)
    results = []
    for x, grid in ((images, grids), (images.clone(memory_format=torch.contiguous_format), grids.contiguous())):
        x, grid = x.detach().requires_grad_(), grid.detach().requires_grad_()
        y = torch.nn.functional.grid_sample(x, grid, mode=mode, align_corners=False)
        weights = torch.arange(float(y.numel()), dtype=y.dtype).view_as(y)
        results.append([y, *torch.autograd.grad(y, (x, grid), weights)])
    for a, b in zip(*results):
        assert torch.equal(a, b)


def test_integer_grids_are_rounded_towards_zero():
    theta = torch.tensor([[[1, 2, 3], [4, 5, 6]]])
    assert torch.affine_grid_generator(theta, [1, 1, 2, 3], False).tolist() == [[[[3, 6]] * 3] * 2]
    ends = torch.affine_grid_generator(theta, [1, 1, 2, 3], True)
    assert torch.equal(ends, torch.affine_grid_generator(theta.double(), [1, 1, 2, 3], True).long())
