"""QR factors and singular values of matrices that take several blocks of reflectors, or none."""

import pytest

import torch

SHAPES = [
    (33, 33),
    (40, 40),
    (64, 64),
    (65, 65),
    (150, 100),
    (100, 150),
    (300, 8),
    (300, 35),
    (35, 300),
    (36, 36),
    (36, 45),
    (37, 36),
    (1, 40),
    (5, 40),
    (200, 200),
    (129, 1),
    (300, 2),
    (70, 3),
    (3, 1000, 4),
    (2, 110, 20),
]
TYPES = [torch.float32, torch.float64, torch.complex64, torch.complex128]


def matrix(shape, dtype):
    return torch.randn(shape, dtype=dtype, generator=torch.Generator().manual_seed(0))


def close(a, b, dtype):
    limit = 2e-4 if dtype in (torch.float32, torch.complex64) else 1e-11
    torch.testing.assert_close(a, b, rtol=limit, atol=limit)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("mode", ["reduced", "complete"])
def test_qr(shape, dtype, mode):
    a = matrix(shape, dtype)
    q, r = torch.linalg.qr(a, mode)
    close(q @ r, a, dtype)
    close(q.mH @ q, torch.eye(q.shape[-1], dtype=dtype).expand(*shape[:-2], -1, -1), dtype)
    assert torch.equal(r, r.triu())


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("shape", [(9000, 3), (9000, 6), (2000, 60)])
def test_long_matrices(shape, dtype):
    a = matrix(shape, dtype)
    q, r = torch.linalg.qr(a)
    close(q @ r, a, dtype)
    close(q.mH @ q, torch.eye(shape[1], dtype=dtype), dtype)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("zeros", [slice(0, 1), slice(2, 7), slice(5, None), slice(None)])
def test_qr_of_columns_of_zeros(zeros, dtype):
    a = matrix((90, 39), dtype)
    a[:, zeros] = 0
    q, r = torch.linalg.qr(a)
    close(q @ r, a, dtype)
    close(q.mH @ q, torch.eye(39, dtype=dtype), dtype)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("m, k, columns", [(100, 70, 5), (100, 33, 100), (40, 40, 3)])
@pytest.mark.parametrize("transpose", [False, True])
def test_products_with_the_reflectors(m, k, columns, dtype, transpose):
    reflectors, tau = torch.geqrf(matrix((m, k), dtype))
    q = torch.linalg.qr(matrix((m, k), dtype), "complete")[0]
    c = matrix((m, columns), dtype)
    factor = q.mH if transpose else q
    close(torch.ormqr(reflectors, tau, c, True, transpose), factor @ c, dtype)
    close(torch.ormqr(reflectors, tau, c.mT.contiguous(), False, transpose), c.mT @ factor, dtype)
    close(torch.linalg.householder_product(reflectors, tau), q[:, :k], dtype)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("shape", [(200, 5), (5, 200), (300, 64), (64, 300), (3, 120, 7), (20000, 9), (2, 9, 20001)])
@pytest.mark.parametrize("full", [False, True])
def test_singular_values_of_long_matrices(shape, dtype, full):
    if full and max(shape) > 1000:
        return  # U would be 20,000 x 20,000
    a = matrix(shape, dtype)
    u, s, vh = torch.linalg.svd(a, full)
    k = s.shape[-1]
    close((u[..., :k] * s[..., None, :]) @ vh[..., :k, :], a, dtype)
    close(u.mH @ u, torch.eye(u.shape[-1], dtype=dtype).expand(*shape[:-2], -1, -1), dtype)
    close(vh @ vh.mH, torch.eye(vh.shape[-2], dtype=dtype).expand(*shape[:-2], -1, -1), dtype)
    close(torch.linalg.svdvals(a), s, dtype)
    assert (s.diff() <= 0).all()


def test_numbers_whose_squares_leave_the_type():
    a = matrix((60, 40), torch.float32)
    for scale in (1e30, 1e-30):
        close(torch.linalg.qr(a * scale)[1] / scale, torch.linalg.qr(a)[1], torch.float32)
    a[3, 4] = torch.nan
    assert torch.linalg.qr(a)[1].isnan().any()
    with pytest.raises(torch.linalg.LinAlgError, match="not finite"):
        torch.linalg.svd(matrix((200, 4), torch.float32).index_fill(0, torch.tensor([5]), torch.inf))


@pytest.mark.parametrize("n", [3, 32, 40, 100])
def test_columns_that_begin_with_zero(n):
    """The factor R of a permutation is -1, as PyTorch's, whatever the sign of the zeros."""
    q, r = torch.linalg.qr(torch.eye(n).roll(1, 0))
    assert torch.equal(q @ r, torch.eye(n).roll(1, 0))
    assert r[0, 0] == -1
    assert torch.linalg.qr(-torch.eye(n).roll(1, 0))[1][0, 0] == -1


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("columns", [1, 2, 3, 4])
def test_qr_of_few_columns_of_any_size(dtype, columns):
    a = matrix((500, columns), dtype)
    tiny, huge = (1e-25, 1e25) if dtype in (torch.float32, torch.complex64) else (1e-200, 1e200)
    for factor in (tiny, huge):
        scaled = a * factor
        q, r = torch.linalg.qr(scaled)
        close(q @ (r / factor), a, dtype)
        close(q.mH @ q, torch.eye(columns, dtype=dtype), dtype)
    # Columns that depend on each other, and zeros.
    dependent = a[:, :1].expand(500, columns).contiguous()
    q, r = torch.linalg.qr(dependent)
    close(q @ r, dependent, dtype)
    close(q.mH @ q, torch.eye(columns, dtype=dtype), dtype)
    q, r = torch.linalg.qr(torch.zeros(500, columns, dtype=dtype))
    assert not r.any() and torch.equal(q, torch.eye(500, columns, dtype=dtype))
    assert torch.linalg.qr(a.index_fill(0, torch.tensor([7]), float("nan")))[1].isnan().any()


@pytest.mark.parametrize("dtype", TYPES)
def test_qr_of_few_columns_by_several_threads(dtype):
    a = matrix((150_001, 3), dtype)
    q, r = torch.linalg.qr(a)
    close(q @ r, a, dtype)
    close(q.mH @ q, torch.eye(3, dtype=dtype), dtype)
