"""Matrix products at the limits of tiles, panels and blocks: numbers are small integers, so that results are exact."""

import itertools

import pytest

import torch

ROWS = (1, 5, 24, 47, 48, 97, 200)
COLUMNS = (1, 7, 23, 25, 32, 33, 97, 130)
INNER = (1, 2, 15, 33, 255, 257, 520)


def whole(shape, dtype):
    numbers = torch.randint(-3, 4, shape)
    return (
        torch.complex(numbers.double(), torch.randint(-3, 4, shape).double()).to(dtype) if dtype.is_complex else numbers.to(dtype)
    )


def product(a, b):
    """By sums of products, without a matrix product."""
    return (a.unsqueeze(-1) * b.unsqueeze(0)).sum(1)


def layouts(matrix):
    """The matrix as it is, transposed in memory, and within a larger one, by rows and by columns."""
    yield matrix
    yield matrix.t().contiguous().t()
    rows, columns = matrix.shape
    larger = torch.full((rows + 2, 512 * (columns // 512 + 1)), float("nan"), dtype=matrix.dtype)
    larger[1:-1, :columns] = matrix
    yield larger[1:-1, :columns]
    larger = torch.full((512 * (rows // 512 + 1), columns + 2), float("nan"), dtype=matrix.dtype).t()
    larger[1:-1, :rows] = matrix.t()
    yield larger[1:-1, :rows].t()


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.complex64, torch.complex128, torch.bfloat16])
@pytest.mark.parametrize("m", ROWS)
def test_products_are_exact(m, dtype):
    torch.manual_seed(m)
    wide = dtype if dtype != torch.bfloat16 else torch.float32
    for n, k in itertools.product(COLUMNS, INNER):
        a, b, c = whole((m, k), dtype), whole((k, n), dtype), whole((m, n), dtype)
        right = product(a.to(wide), b.to(wide))
        for x, y in zip(layouts(a), reversed(list(layouts(b)))):
            assert torch.equal(torch.mm(x, y), right.to(dtype)), (n, k, x.stride(), y.stride())
        if dtype != torch.bfloat16:
            assert torch.equal(torch.addmm(c, a, b, beta=2, alpha=-3), 2 * c - 3 * right), (n, k)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.complex64])
def test_large_products_are_exact(dtype):
    torch.manual_seed(0)
    for m, n, k in [(1025, 1030, 16), (1025, 1030, 40), (16, 1024, 1024), (100, 512, 700), (1030, 512, 300)]:
        a, b = whole((m, k), dtype), whole((k, n), dtype)
        right = (
            product(a.double(), b.double()).to(dtype) if not dtype.is_complex else a.to(torch.complex128) @ b.to(torch.complex128)
        )
        for x, y in itertools.product(itertools.islice(layouts(a), 2), itertools.islice(layouts(b), 2)):
            assert torch.equal(torch.mm(x, y), right.to(dtype)), (m, n, k, x.stride(), y.stride())


def test_complex_factors_and_values_that_are_not_finite():
    torch.manual_seed(0)
    a, b, c = (whole(shape, torch.complex64) for shape in ((70, 9), (9, 80), (70, 80)))
    right = product(a, b)
    assert torch.equal(torch.addmm(c, a, b, beta=2, alpha=1 - 2j), 2 * c + (1 - 2j) * right)
    assert torch.equal(torch.addmm(c, a, b, beta=1j, alpha=1), 1j * c + right)
    b[3, 5] = complex(float("inf"), 0)
    result = torch.mm(a, b)
    others = torch.ones(80, dtype=torch.bool)
    others[5] = False
    assert torch.equal(result[:, others], right[:, others])
    assert not result[:, 5].isfinite().any()
    # What is overwritten is not read.
    out = torch.full((70, 80), float("nan"), dtype=torch.complex64)
    torch.mm(a[:, :2], b[:2], out=out)
    assert torch.equal(out, product(a[:, :2], b[:2]))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16, torch.float16])
@pytest.mark.parametrize("k", [63, 64, 100, 128, 129, 300])
def test_few_rows_with_many(k, dtype):
    torch.manual_seed(k)
    for few, many in itertools.product((2, 3, 4, 5, 7, 8, 11, 12, 13, 16, 29, 32, 33), (1, 12, 23, 100)):
        a, b = whole((few, k), torch.float32).clamp(-1, 1), whole((many, k), torch.float32).clamp(-1, 1)
        right = product(a, b.t()).to(dtype)
        a, b = a.to(dtype), b.to(dtype)
        for x, y in itertools.product(layouts(a), itertools.islice(layouts(b), 3)):
            assert torch.equal(torch.mm(x, y.t()), right), (few, many)
            assert torch.equal(torch.mm(y, x.t()), right.t()), (few, many)
        added = torch.addmm(torch.ones(many, few, dtype=dtype), b, a.t(), beta=3, alpha=2)
        assert torch.equal(added, (2 * right.t().double() + 3).to(dtype))
