"""Operators along short rows of all lengths, beside NumPy: rows that are parts of longer ones, columns, sums of a row,
products of two rows."""

import numpy as np
import pytest

import torch

DTYPES = (torch.uint8, torch.int16, torch.float32, torch.float64, torch.complex128)
FLOATING = (torch.bfloat16, torch.float16, torch.float32, torch.float64)
WIDTHS = (*range(1, 36), 64, 65, 127, 128, 129, 300)


def table(width, dtype, rows=37):
    return torch.randint(1, 7, (rows, width)).to(dtype)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_parts_of_rows(dtype):
    for width in WIDTHS:
        x = table(width + 3, dtype)
        part, n = x[:, 1:-2], x.numpy()[:, 1:-2]
        np.testing.assert_array_equal((part + x[:, 3:]).numpy(), n + x.numpy()[:, 3:])
        np.testing.assert_array_equal((part * x[:, :1]).numpy(), n * x.numpy()[:, :1])
        np.testing.assert_array_equal((part - part[1]).numpy(), n - n[1])
        np.testing.assert_array_equal(part.clone().numpy(), n)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_what_lies_between_rows_stays(dtype):
    for width in WIDTHS:
        x = table(width + 3, dtype)
        expected = x.numpy().copy()
        expected[:, 1:-2] *= expected[:, 1:-2]
        x[:, 1:-2].mul_(x[:, 1:-2])
        np.testing.assert_array_equal(x.numpy(), expected)
        x[:, 1:-2] = table(width, dtype)
        np.testing.assert_array_equal(x[:, [0, -2, -1]].numpy(), expected[:, [0, -2, -1]])


@pytest.mark.parametrize("dtype", FLOATING, ids=str)
def test_functions_in_registers(dtype):
    """The last register of a row overlaps the one before it, also where results replace operands."""
    for width in WIDTHS:
        x = torch.randn(37, width + 3).to(dtype)
        expected = torch.stack([torch.stack([e.sigmoid() for e in row]) for row in x[:5, 1:-2]])
        np.testing.assert_array_equal(x[:5, 1:-2].sigmoid().float().numpy(), expected.float().numpy())
        x[:5, 1:-2].sigmoid_()
        np.testing.assert_array_equal(x[:5, 1:-2].float().numpy(), expected.float().numpy())


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("rows", (3, 16, 37, 700))
def test_reductions(dtype, rows):
    for width in range(1, 30):
        x = table(width, dtype, rows)
        n = x.numpy()
        np.testing.assert_array_equal(x.sum(1).numpy(), n.sum(1))
        np.testing.assert_array_equal(x[:, 1:].sum(1).numpy(), n[:, 1:].sum(1))
        np.testing.assert_array_equal(x.t().contiguous().t().sum(1).numpy(), n.sum(1))
        if not dtype.is_complex:
            np.testing.assert_array_equal(x.amax(1).numpy(), n.max(1))
            np.testing.assert_array_equal(x.argmax(1).numpy(), n.argmax(1))


@pytest.mark.parametrize("dtype", FLOATING, ids=str)
@pytest.mark.parametrize("rows", (17, 18, 64, 131))
def test_sums_of_columns(dtype, rows):
    for width in WIDTHS:
        x = table(width + 1, dtype, rows)
        expected = x.double().sum(0).to(dtype)
        assert torch.equal(x.sum(0), expected)
        assert torch.equal(x[:, 1:].sum(0), expected[1:])
        assert torch.equal(x.norm(dim=0), x.double().square().sum(0).sqrt().to(dtype))


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_roll(dtype):
    for width in WIDTHS:
        x = torch.arange(37 * width).reshape(37, width).to(dtype)
        for shift in {1, width // 2, width - 1}:
            np.testing.assert_array_equal(x.roll(shift, 1).numpy(), np.roll(x.numpy(), shift, 1))


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("rows", (1, 37, 1100))
def test_gather(dtype, rows):
    for width in (1, 2, 3, 4, 5, 10, 40, 513, 1025):
        x, at = table(7, dtype, rows), torch.randint(0, 7, (rows, width))
        np.testing.assert_array_equal(x.gather(1, at).numpy(), np.take_along_axis(x.numpy(), at.numpy(), 1))
        at[-1, -1] = 7
        with pytest.raises(RuntimeError, match="index 7 is out of bounds"):
            x.gather(1, at)


@pytest.mark.parametrize("dtype", (*DTYPES, torch.complex128), ids=str)
def test_fills_of_parts(dtype):
    for width in (*range(1, 70), 130, 1500):
        for step in (1, 3):
            x = torch.zeros(5, 3, (width + 2) * step, dtype=dtype)
            expected = x.numpy().copy()
            x[1:4, ::2, step : (width + 1) * step : step] = 3
            expected[1:4, ::2, step : (width + 1) * step : step] = 3
            np.testing.assert_array_equal(x.numpy(), expected)
    # Elements that are not aligned to their size.
    memory = np.zeros(4001, np.uint8)
    x = torch.from_numpy(memory[1:].view(np.float64 if dtype.is_complex else np.float32).reshape(10, -1))
    x[:, 1:-1].fill_(2)
    assert (x[:, 1:-1] == 2).all() and (x[:, 0] == 0).all() and (x[:, -1] == 0).all()


@pytest.mark.parametrize("dtype", FLOATING, ids=str)
@pytest.mark.parametrize("rows", (1, 2, 3, 4, 7, 37))
def test_products_with_a_vector(dtype, rows):
    for width in (*range(36), 40, 56, 63, 64, 65, 100, 129):
        x, y = torch.randint(-3, 4, (rows, width)).to(dtype), torch.randint(-3, 4, (width,)).to(dtype)
        np.testing.assert_array_equal((x @ y).float().numpy(), (x.double() @ y.double()).to(dtype).float().numpy())
        if width:
            x[-1, 0] = torch.inf  # as the last row, it ends up in a register of its own
            y[0] = 2
            assert (x @ y)[-1] == torch.inf


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_selected_columns(dtype):
    for width in (3, 10, 70, 600):
        x = table(width, dtype, 40)
        for count in (1, 2, 5, 16, 70):
            at = torch.randint(0, width, (count,))
            np.testing.assert_array_equal(x.index_select(1, at).numpy(), x.numpy()[:, at.numpy()])


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_transposed_copies(dtype):
    for width in range(1, 36):
        for rows in (1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 37):
            x = table(width, dtype, rows)
            np.testing.assert_array_equal(x.t().contiguous().numpy(), x.numpy().T)


@pytest.mark.parametrize("dtype", (*FLOATING, torch.complex64), ids=str)
@pytest.mark.parametrize("count", (1, 2, 3, 4, 5, 9, 40))
def test_products_of_two_rows(dtype, count):
    for width in (*range(36), 300):
        x, y = (torch.randint(-3, 4, (count, width)).to(dtype) for _ in range(2))
        if dtype.is_complex:
            x = x + 1j * y
        expected = (x.to(torch.complex128) * y.to(torch.complex128)).sum(1).to(dtype)
        assert torch.equal(torch.einsum("bi,bi->b", x, y), expected)
        assert torch.equal(torch.linalg.vecdot(x.conj(), y), expected)
        both = torch.stack((x, y), 2)  # neither is dense
        assert torch.equal(torch.einsum("bi,bi->b", both[..., 0], both[..., 1]), expected)


@pytest.mark.parametrize("dtype", FLOATING, ids=str)
def test_large_numbers(dtype):
    """gelu is 0 or the number itself far out, and subnormal before that; -inf times 0 is NaN."""
    x = torch.tensor([-torch.inf, -300, -41, -38.2, -17, -14, -13.5, -9.5, 9.5, 10.5, 13.5, 17, 300, torch.inf, torch.nan])
    x = x.to(dtype).repeat(5)
    y = torch.nn.functional.gelu(x)
    exact = x.double() / 2 * torch.special.erfc(-x.double() / 2**0.5)
    torch.testing.assert_close(y, exact.to(dtype), equal_nan=True, rtol=2e-5 if dtype.itemsize > 2 else 1e-2, atol=1e-40)
