"""Eigenvalues and singular values of matrices on which the iterations stop early, start late, or meet zeros; sizes at which other
code takes over."""

import numpy as np
import pytest

import torch

TYPES = [torch.float32, torch.float64, torch.complex64, torch.complex128]
SIZES = [1, 2, 3, 4, 5, 8, 13, 16, 33, 40, 64, 65, 100]


def random(dtype, *shape):
    rng = np.random.RandomState(0)
    a = rng.randn(*shape) + (1j * rng.randn(*shape) if dtype.is_complex else 0)
    return torch.from_numpy(np.asarray(a)).to(dtype)


def powers(n, exponent):
    """n factors from 1 down to about 10 ** -exponent."""
    return 10 ** (-exponent * torch.arange(n, dtype=torch.float64) / n)


def low_rank(dtype, n):
    rows = torch.arange(n) % 3
    return random(dtype, 3, 3)[rows][:, rows]


def cyclic(dtype, n):
    return torch.eye(n, dtype=dtype).roll(1, 0)


def jordan(dtype, n):
    return 2 * torch.eye(n, dtype=dtype) + torch.diag(torch.ones(n - 1, dtype=dtype), 1)


def badly_scaled(dtype, n):
    scale = powers(n, 6).to(dtype)
    return random(dtype, n, n) * scale / scale[:, None]


MATRICES = {
    "random": lambda dtype, n: random(dtype, n, n),
    "low rank": low_rank,
    "cyclic": cyclic,
    "jordan": jordan,
    "nilpotent": lambda dtype, n: jordan(dtype, n) - 2 * torch.eye(n, dtype=dtype),
    "triangular": lambda dtype, n: random(dtype, n, n).triu(),
    "zero": lambda dtype, n: torch.zeros(n, n, dtype=dtype),
    "ones": lambda dtype, n: torch.ones(n, n, dtype=dtype),
    "badly scaled": badly_scaled,
    "integers": lambda dtype, n: random(dtype, n, n).real.trunc().to(dtype),
    "block": lambda dtype, n: torch.block_diag(random(dtype, n // 2, n // 2), random(dtype, n - n // 2, n - n // 2)),
}
each_matrix = pytest.mark.parametrize("name", MATRICES)
each_type = pytest.mark.parametrize("dtype", TYPES, ids=lambda dtype: str(dtype).removeprefix("torch."))


def assert_small(error, size, dtype, factor=60):
    assert error.abs().max() <= factor * torch.finfo(dtype).eps * max(float(size), 1e-30)


@each_type
@each_matrix
def test_eig(name, dtype):
    for n in SIZES:
        a = MATRICES[name](dtype, n)
        values, vectors = torch.linalg.eig(a)
        norm = torch.linalg.matrix_norm(a)
        assert_small(a.to(values.dtype) @ vectors - vectors * values, norm, dtype)
        assert_small(torch.linalg.vector_norm(vectors, dim=0) - 1, 1, dtype)
        # Sums of powers do not depend on the order.
        for own in (values, torch.linalg.eigvals(a)):
            assert_small(own.sum() - a.trace(), norm, dtype, 20 * n)
            assert_small((own * own).sum() - (a @ a).trace(), norm * norm, dtype, 20 * n)
        if not dtype.is_complex:
            pairs = values[values.imag != 0]
            assert torch.equal(pairs[::2], pairs[1::2].conj()) and (pairs.imag[::2] > 0).all()
            assert (vectors[:, values.imag == 0].imag == 0).all()


def test_eig_of_batches_and_larger_matrices():
    a = random(torch.float64, 3, 2, 20, 20)
    values, vectors = torch.linalg.eig(a)
    torch.testing.assert_close(a.to(values.dtype) @ vectors, vectors * values.unsqueeze(-2))
    for k in range(3):
        torch.testing.assert_close(torch.linalg.eigvals(a[k]), values[k])
    for n in (255, 300, 520):
        a = random(torch.float64, n, n)
        values, vectors = torch.linalg.eig(a)
        assert_small(a.to(values.dtype) @ vectors - vectors * values, torch.linalg.matrix_norm(a), a.dtype)


@each_type
def test_products_of_several_threads_within(dtype):
    """Sizes at which products are divided among threads, and LAPACK may use all of them."""
    threads = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        for n in (201, 256, 257):
            a = random(dtype, n, n)
            u, s, vh = torch.linalg.svd(a)
            assert_small(u * s @ vh - a, torch.linalg.matrix_norm(a), dtype)
            values, vectors = torch.linalg.eig(a)
            assert_small(a.to(values.dtype) @ vectors - vectors * values, torch.linalg.matrix_norm(a), dtype)
            values, vectors = torch.linalg.eigh(a + a.mH)
            assert_small((a + a.mH) @ vectors - vectors * values, torch.linalg.matrix_norm(a), dtype)
    finally:
        torch.set_num_threads(threads)


def test_eig_of_extreme_sizes():
    for scale in (1e-300, 1e-160, 1e150, 1e300):
        a = random(torch.float64, 12, 12)
        torch.testing.assert_close(
            torch.linalg.eigvals(a * scale).abs().sort()[0] / scale, torch.linalg.eigvals(a).abs().sort()[0]
        )


@each_type
@each_matrix
def test_eigh(name, dtype):
    for n in SIZES:
        a = MATRICES[name](dtype, n)
        a = a + a.mH
        values, vectors = torch.linalg.eigh(a)
        norm = torch.linalg.matrix_norm(a)
        assert_small(a @ vectors - vectors * values, norm, dtype)
        assert_small(vectors.mH @ vectors - torch.eye(n), 1, dtype)
        assert (values.diff() >= 0).all()
        assert_small(torch.linalg.eigvalsh(a) - values, norm, dtype)


@each_type
@each_matrix
def test_svd(name, dtype):
    shapes = [(n, n) for n in SIZES] + [(5, 3), (3, 5), (31, 20), (20, 33), (100, 60), (70, 90)]
    for m, n in shapes:
        a = MATRICES[name](dtype, max(m, n))[:m, :n]
        for full in (False, True):
            u, s, vh = torch.linalg.svd(a, full_matrices=full)
            k = s.numel()
            assert u.shape == (m, m if full else k) and vh.shape == (n if full else k, n)
            assert_small(u[:, :k] * s @ vh[:k] - a, torch.linalg.matrix_norm(a), dtype)
            assert_small(u.mH @ u - torch.eye(u.shape[1]), 1, dtype)
            assert_small(vh @ vh.mH - torch.eye(vh.shape[0]), 1, dtype)
            assert (s >= 0).all() and (s.diff() <= 0).all()
        assert_small(torch.linalg.svdvals(a) - s, s[0], dtype)


@pytest.mark.parametrize("descending", [True, False])
@pytest.mark.parametrize("n", [2, 8, 30])
def test_small_singular_values_keep_their_digits(n, descending):
    values = powers(n, 40)
    given = values if descending else values.flip(0)
    torch.testing.assert_close(torch.linalg.svdvals(torch.diag(given)), values, rtol=1e-14, atol=0)
    u, s, vh = torch.linalg.svd(torch.diag(given))
    torch.testing.assert_close(s, values, rtol=1e-14, atol=0)


@each_type
def test_triangles_of_all_sizes(dtype):
    for n in (1, 2, 7, 16, 31, 32, 33, 64, 90):
        a = random(dtype, n, n) / n + 2 * torch.eye(n, dtype=dtype)
        for columns in (1, 4, 5, 7, 16, 17, 33, 70):
            b = random(dtype, n, columns)
            for upper in (True, False):
                triangle = a.triu() if upper else a.tril()
                for unit in (True, False):
                    own = triangle - triangle.diag().diag() + torch.eye(n) if unit else triangle
                    for matrix in (triangle, triangle.mT.contiguous().mT):
                        x = torch.linalg.solve_triangular(matrix, b, upper=upper, unitriangular=unit)
                        assert_small(own.to(dtype) @ x - b, torch.linalg.matrix_norm(own) * x.abs().max(), dtype)
            assert_small(a @ torch.linalg.solve(a, b) - b, torch.linalg.matrix_norm(a) * b.abs().max(), dtype)
        p, lower, upper = torch.linalg.lu(a)
        assert_small(p @ lower @ upper - a, torch.linalg.matrix_norm(a), dtype)
