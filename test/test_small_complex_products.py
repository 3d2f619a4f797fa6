"""Products of small complex matrices, which have a kernel of their own, beside NumPy's."""

import itertools

import numpy as np
import pytest

import torch

SIZES = (1, 2, 3, 4, 5, 7, 8, 9, 16, 31, 32, 33)
TOLERANCE = {torch.complex64: 2e-5, torch.complex128: 1e-13}


def matrices(generator, dtype, *shape):
    return torch.randn(shape, dtype=dtype, generator=generator)


def check(found, expected, dtype):
    np.testing.assert_allclose(found.numpy(), expected, rtol=TOLERANCE[dtype], atol=TOLERANCE[dtype] * 10)


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("transposed", list(itertools.product([False, True], repeat=2)))
def test_products_of_all_shapes(dtype, transposed):
    generator = torch.Generator().manual_seed(1)
    for m, n, k in itertools.product(SIZES, repeat=3):
        a = matrices(generator, dtype, k, m).t() if transposed[0] else matrices(generator, dtype, m, k)
        b = matrices(generator, dtype, n, k).t() if transposed[1] else matrices(generator, dtype, k, n)
        check(a @ b, a.numpy() @ b.numpy(), dtype)


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("m, n, k", [(3, 5, 4), (16, 16, 16), (7, 1, 9), (1, 6, 2), (32, 31, 30)])
def test_alpha_and_beta(dtype, m, n, k):
    generator = torch.Generator().manual_seed(2)
    a, b, c = (matrices(generator, dtype, 6, *shape) for shape in ((m, k), (k, n), (m, n)))
    for alpha, beta in ((1, 1), (2 - 1j, 0), (0.5j, 1 + 3j), (1, -2j)):
        expected = beta * c.numpy() + alpha * (a.numpy() @ b.numpy())
        check(torch.baddbmm(c, a, b, alpha=alpha, beta=beta), expected, dtype)
        check(torch.addmm(c[0], a[0], b[0], alpha=alpha, beta=beta), expected[0], dtype)


def test_what_is_not_a_number_in_the_result_is_not_read():
    c = torch.full((5, 3), complex("nan"), dtype=torch.complex64)
    a, b = torch.ones(5, 4, dtype=torch.complex64), torch.ones(4, 3, dtype=torch.complex64)
    assert torch.equal(torch.addmm(c, a, b, beta=0), torch.full((5, 3), 4, dtype=torch.complex64))


def test_columns_of_a_larger_matrix():
    """Rows of the operands and of the result are apart."""
    generator = torch.Generator().manual_seed(3)
    a, b, c = (matrices(generator, torch.complex64, 40, 40) for _ in range(3))
    expected = c.numpy().copy()
    expected[3:9, 5:8] = a.numpy()[:6, 7:17] @ b.numpy()[2:12, 11:14]
    torch.mm(a[:6, 7:17], b[2:12, 11:14], out=c[3:9, 5:8])
    check(c, expected, torch.complex64)


@pytest.mark.parametrize("dtype", TOLERANCE)
def test_strided_vectors(dtype):
    generator = torch.Generator().manual_seed(4)
    for n in (2, 3, 8, 13, 32):
        a, x = matrices(generator, dtype, n, n), matrices(generator, dtype, n, 3)
        check(a @ x[:, 1], a.numpy() @ x.numpy()[:, 1], dtype)
        check(a.t() @ x[:, 1], a.numpy().T @ x.numpy()[:, 1], dtype)
        check(x[:, 1] @ a, x.numpy()[:, 1] @ a.numpy(), dtype)


def test_halves_are_refused():
    x = torch.ones(3, 2, 2, dtype=torch.complex64).to(torch.complex32)
    for run in (lambda: torch.bmm(x, x), lambda: x[0] @ x[0], lambda: x @ x[:, :, :1], lambda: x[0] @ x[0, 0]):
        with pytest.raises(NotImplementedError, match="ComplexHalf"):
            run()
