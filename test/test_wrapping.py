"""Sums and products of integers wrap around like the type, in every operator that adds or multiplies elements."""

import numpy as np
import pytest

import torch
import torch.nn.functional as F

TYPES = [torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64]


def random(shape, dtype):
    limits = torch.iinfo(dtype)
    drawn = np.random.default_rng(sum(shape)).integers(limits.min, limits.max, shape, endpoint=True)
    return torch.from_numpy(drawn).to(dtype)


def wide(x):
    """Python's integers, which have no limits."""
    return x.numpy().astype(object)


def narrow(x, dtype):
    bits = torch.iinfo(dtype).bits
    low = torch.iinfo(dtype).min
    wrapped = (np.asarray(x, dtype=object) - low) % 2**bits + low
    return torch.tensor(np.asarray(wrapped, dtype=object).tolist(), dtype=dtype)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("n", [1, 7, 300])
def test_rows_and_elements_that_are_chosen_by_indices(dtype, n):
    x, source = random((4, 5), dtype), random((n, 5), dtype)
    index = torch.arange(n) % 3
    sums, products, scaled = wide(x), wide(x), wide(x)
    for k in range(n):
        sums[k % 3] += wide(source)[k]
        products[k % 3] *= wide(source)[k]
        scaled[k % 3] += 3 * wide(source)[k]
    every = index[:, None].expand(n, 5)
    for indices in (every, every.contiguous()):
        assert torch.equal(x.scatter_add(0, indices, source), narrow(sums, dtype))
        assert torch.equal(x.scatter_reduce(0, indices, source, "prod"), narrow(products, dtype))
        assert torch.equal(x.t().contiguous().scatter_add(1, indices.t(), source.t()), narrow(sums.T, dtype))
    assert torch.equal(x.index_add(0, index, source), narrow(sums, dtype))
    assert torch.equal(x.index_add(0, index, source, alpha=3), narrow(scaled, dtype))
    assert torch.equal(x.index_put((index,), source, accumulate=True), narrow(sums, dtype))
    assert torch.equal(x.index_put((every, torch.arange(5).expand(n, 5)), source, accumulate=True), narrow(sums, dtype))


@pytest.mark.parametrize("dtype", TYPES)
def test_vectors(dtype):
    a, b = random((6, 3), dtype), random((6, 3), dtype).flip(0)
    x, y = a[:, 0], b[:, 1]
    assert torch.dot(x, y) == narrow((wide(x) * wide(y)).sum(), dtype)
    assert torch.dot(x.clone(), y.clone()) == torch.dot(x, y)
    assert torch.equal(torch.add(a, b, alpha=7), narrow(wide(a) + 7 * wide(b), dtype))
    assert torch.equal(torch.linalg.cross(a, b), narrow(np.cross(wide(a), wide(b)), dtype))
    assert torch.trace(a) == narrow(sum(wide(a)[k, k] for k in range(3)), torch.int64)


@pytest.mark.parametrize("dtype", TYPES)
def test_columns_that_overlap(dtype):
    columns = random((1, 4, 9), dtype)
    sums = np.zeros((4, 4), dtype=object)
    for k in range(4):
        sums[k // 2 : k // 2 + 3, k % 2 : k % 2 + 3] += wide(columns)[0, k].reshape(3, 3)
    assert torch.equal(F.fold(columns, (4, 4), (2, 2))[0, 0], narrow(sums, dtype))


@pytest.mark.parametrize("channels_last", [False, True])
@pytest.mark.parametrize("width", [3, 40])
def test_means_of_windows(channels_last, width):
    x = random((1, 2, 3, width), torch.int64)
    if channels_last:
        x = x.contiguous(memory_format=torch.channels_last)
    found = F.avg_pool2d(x, 2, 1, divisor_override=1)
    parts = wide(x)
    assert torch.equal(
        found, narrow(parts[..., 1:, 1:] + parts[..., 1:, :-1] + parts[..., :-1, 1:] + parts[..., :-1, :-1], torch.int64)
    )
    # This quotient is a trap of the processor.
    minimum = torch.full_like(x, -(2**63))
    assert torch.equal(F.avg_pool2d(minimum, 1, 1, divisor_override=-1), minimum)
