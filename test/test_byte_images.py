"""Resizing images of bytes: integer weights, and bytes between the two passes, as PyTorch and Pillow have it."""

import math

import numpy as np
import pytest

import torch
import torch.nn.functional as F


def kernel(x, mode, antialias):
    x = abs(x)
    if mode == "bilinear":
        return max(0.0, 1 - x)
    a = -0.5 if antialias else -0.75
    if x < 1:
        return ((a + 2) * x - (a + 3)) * x * x + 1
    return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a if x < 2 else 0.0


def taps(n, out, mode, antialias, align_corners):
    """For each element of the result, the weights of the elements that it is the sum of."""
    step = n / out
    if align_corners:
        step = (n - 1) / (out - 1) if out > 1 else 0.0
    for o in range(out):
        weights = {}
        if antialias:
            reach = (1 if mode == "bilinear" else 2) * max(step, 1.0)
            center = step * (o + 0.5)
            first, end = max(int(center - reach + 0.5), 0), min(int(center + reach + 0.5), n)
            found = [kernel((k - center + 0.5) / max(step, 1.0), mode, True) for k in range(first, end)]
            weights = {first + k: w / sum(found) for k, w in enumerate(found)}
        else:
            at = step * o if align_corners else step * (o + 0.5) - 0.5
            if mode == "bilinear":
                at = max(at, 0.0)
            first = math.floor(at)
            for k in range(first, first + 2) if mode == "bilinear" else range(first - 1, first + 3):
                inside = min(max(k, 0), n - 1)
                weights[inside] = weights.get(inside, 0.0) + kernel(k - at, mode, False)
        yield weights


def one_pass(images, out, *how):
    """Resizes the last dimension."""
    rows = list(taps(images.shape[-1], out, *how))
    largest = max(max(weights.values()) for weights in rows)
    places = 0
    while places < 22 and int(0.5 + largest * 2 ** (places + 1)) < 2**15:
        places += 1
    result = np.zeros((*images.shape[:-1], out), np.int64)
    for o, weights in enumerate(rows):
        for k, w in weights.items():
            result[..., o] += images[..., k] * int(w * 2**places + (0.5 if w >= 0 else -0.5))
    return np.clip((result + 2 ** (places - 1)) >> places, 0, 255)


def resized(images, size, *how):
    found = images.astype(np.int64)
    for dim in (3, 2):
        if size[dim - 2] != images.shape[dim] or how[-1]:
            found = np.moveaxis(one_pass(np.moveaxis(found, dim, -1), size[dim - 2], *how), -1, dim)
    return found.astype(np.uint8)


@pytest.mark.parametrize("channels", (1, 2, 3, 4, 5, 17))
@pytest.mark.parametrize("antialias", (False, True))
@pytest.mark.parametrize("mode", ("bilinear", "bicubic"))
def test_resized(mode, antialias, channels):
    torch.manual_seed(0)
    for shape in ((9, 37), (40, 3), (1, 50), (64, 64)):
        images = torch.randint(0, 256, (2, channels, *shape), dtype=torch.uint8)
        for layout in (torch.contiguous_format, torch.channels_last):
            for size in ((5, 7), (shape[0], 90), (31, shape[1]), (shape[0] * 3, 2), (1, 1)):
                for align_corners in (False, True):
                    options = {"size": size, "mode": mode, "antialias": antialias, "align_corners": align_corners}
                    found = F.interpolate(images.contiguous(memory_format=layout), **options)
                    expected = resized(images.numpy(), size, mode, antialias, align_corners)
                    np.testing.assert_array_equal(found.numpy(), expected, str((shape, layout, options)))


def test_bytes_stay_in_range():
    edges = torch.tensor([[0, 255] * 16, [255, 0] * 16], dtype=torch.uint8).repeat(16, 1)[None, None]
    for antialias in (False, True):
        found = F.interpolate(edges, size=(50, 70), mode="bicubic", antialias=antialias)
        assert found.min() == 0 and found.max() == 255


def test_empty_batch():
    assert F.interpolate(torch.empty(0, 3, 8, 8, dtype=torch.uint8), size=(4, 4), mode="bilinear").shape == (0, 3, 4, 4)


def test_two_threads_give_the_same():
    images = torch.randint(0, 256, (1, 17, 300, 200), dtype=torch.uint8)
    before = torch.get_num_threads()
    try:
        found = []
        for threads in (1, 2):
            torch.set_num_threads(threads)
            found.append(F.interpolate(images, size=(123, 456), mode="bicubic", antialias=True))
    finally:
        torch.set_num_threads(before)
    assert torch.equal(*found)


@pytest.mark.parametrize("channels", (3, 4))
@pytest.mark.parametrize("mode, antialias", (("bilinear", False), ("bilinear", True), ("bicubic", True)))
@pytest.mark.parametrize("height", range(1, 8))
def test_pixels_side_by_side_are_those_of_planes(channels, mode, antialias, height):
    """Several lines are computed together: all heights and widths leave a rest."""
    for width in (1, 2, 3, 5, 40, 301):
        images = torch.randint(0, 256, (1, channels, height, width), dtype=torch.uint8)
        for size in ((height, width + 1), (3, 7), (9, 1), (2, 6), (height, max(1, width // 5))):
            planes = F.interpolate(images, size, mode=mode, antialias=antialias)
            pixels = F.interpolate(images.contiguous(memory_format=torch.channels_last), size, mode=mode, antialias=antialias)
            assert torch.equal(pixels, planes), (width, size)
