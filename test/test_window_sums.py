"""Means of windows are summed along one dimension after the other, in an order that keeps rows long."""

import numpy as np
import pytest

import torch
from torch.nn import functional


def adaptive_matrix(size, count):
    """[count, size]: the weight of each element in each mean."""
    weights = np.zeros((count, size))
    for k in range(count):
        begin, end = k * size // count, -(-(k + 1) * size // count)
        weights[k, begin:end] = 1 / (end - begin)
    return weights


def padded_matrix(size, kernel, stride, padding):
    count = (size + 2 * padding - kernel) // stride + 1
    weights = np.zeros((count, size))
    for k in range(count):
        begin = k * stride - padding
        weights[k, max(begin, 0) : min(begin + kernel, size)] = 1 / kernel
    return weights


def check(pool, matrices):
    sizes = [m.shape[1] for m in matrices]
    x = torch.arange(3 * int(np.prod(sizes)), dtype=torch.float64).sin().reshape(1, 3, *sizes).requires_grad_()
    y = pool(x)
    letters = "abc"[: len(sizes)]
    upper, matrix = letters.upper(), "".join(f",{letter.upper()}{letter}" for letter in letters)
    formula = f"nk{letters}{matrix}->nk{upper}"
    np.testing.assert_allclose(y.detach().numpy(), np.einsum(formula, x.detach().numpy(), *matrices), rtol=1e-12, atol=1e-14)
    weight = torch.arange(y.numel(), dtype=torch.float64).cos().reshape(y.shape)
    y.backward(weight)
    back = f"nk{upper}{matrix}->nk{letters}"
    np.testing.assert_allclose(x.grad.numpy(), np.einsum(back, weight.numpy(), *matrices), rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("sizes", [(17,), (40, 33), (5, 6), (9, 8, 35)])
@pytest.mark.parametrize("counts", [(1, 1, 1), (4, 4, 4), (7, 3, 5), (16, 30, 13)])
def test_adaptive_means(sizes, counts):
    counts = counts[: len(sizes)]
    pool = getattr(functional, f"adaptive_avg_pool{len(sizes)}d")
    check(lambda x: pool(x, counts), [adaptive_matrix(*pair) for pair in zip(sizes, counts)])


@pytest.mark.parametrize("kernel, stride, padding", [(3, 6, 0), (5, 5, 2), (4, 7, 1), (6, 2, 3)])
def test_means_of_few_windows(kernel, stride, padding):
    check(
        lambda x: functional.avg_pool2d(x, kernel, stride, padding),
        [padded_matrix(size, kernel, stride, padding) for size in (19, 15)],
    )
