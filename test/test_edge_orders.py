"""Orders, sets and draws where short lines, equal elements and layouts meet."""

import itertools
import math

import pytest

import torch


@pytest.mark.parametrize("n", range(1, 11))
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16, torch.int64, torch.uint8])
@pytest.mark.parametrize("descending", [False, True])
def test_short_lines_sort_stably(n, dtype, descending):
    x = torch.randint(0, 4, (5, n, 3), generator=torch.Generator().manual_seed(n)).to(dtype)
    if dtype.is_floating_point:
        x[2, n // 2] = torch.nan
    values, indices = torch.sort(x, dim=1, descending=descending, stable=True)
    for i in range(5):
        for j in range(3):
            line = x[i, :, j].tolist()
            order = sorted(range(n), key=lambda k: (line[k] != line[k], line[k] if line[k] == line[k] else 0), reverse=descending)
            assert indices[i, :, j].tolist() == order
            assert torch.equal(values[i, :, j], x[i, order, j]) or values[i, :, j].isnan().any()


@pytest.mark.parametrize("n", [2, 3, 4, 7, 8, 9])
def test_short_lines_have_their_largest_elements(n):
    x = torch.randperm(20 * n, generator=torch.Generator().manual_seed(4)).reshape(20, n).float()
    for k in range(1, n + 1):
        values, indices = x.topk(k, 1)
        expected = [sorted(line, reverse=True)[:k] for line in x.tolist()]
        assert values.tolist() == expected
        assert torch.equal(x.gather(1, indices), values)


@pytest.mark.parametrize("dtype", [torch.uint8, torch.int8, torch.int32, torch.int64])
@pytest.mark.parametrize("low, high", [(0, 100), (-100, 100), (-(2**40), 2**40)])
def test_membership_of_integers(dtype, low, high):
    limits = torch.iinfo(dtype)
    low, high = max(low, limits.min), min(high, limits.max)
    generator = torch.Generator().manual_seed(5)
    elements = torch.randint(low, high + 1, (300,), generator=generator, dtype=dtype)
    values = torch.randint(low, high + 1, (40,), generator=generator, dtype=dtype)
    expected = [v in set(values.tolist()) for v in elements.tolist()]
    assert torch.isin(elements, values).tolist() == expected
    assert torch.isin(elements, values, invert=True).tolist() == [not v for v in expected]


@pytest.mark.parametrize("dtype", [torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64])
def test_counts_of_integers(dtype):
    x = torch.randint(0, 100, (5000,), generator=torch.Generator().manual_seed(6)).to(dtype)
    counts = torch.bincount(x, minlength=120)
    assert counts.tolist() == [x.tolist().count(k) for k in range(120)]


def test_draws_of_a_transposed_tensor_are_in_the_order_of_the_indices():
    p = torch.rand(3, 40).t()
    torch.manual_seed(7)
    drawn = torch.bernoulli(p)
    torch.manual_seed(7)
    assert torch.equal(drawn, torch.bernoulli(p.contiguous()))
    assert drawn.is_contiguous()


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_draws_in_half_types_are_those_of_float(dtype):
    p = torch.rand(2500).to(dtype)
    for draw in (lambda t: t.random_(3, 100), lambda t: t.random_(0, 2), lambda t: t.bernoulli_(p.float())):
        torch.manual_seed(8)
        half = draw(torch.empty(2500, dtype=dtype))
        torch.manual_seed(8)
        assert torch.equal(half.float(), draw(torch.empty(2500)))
    with pytest.raises(RuntimeError, match="got p=2"):
        torch.bernoulli(torch.full((1500,), 2.0))


@pytest.mark.parametrize("columns", [1, 3, 17, 64, 1000])
@pytest.mark.parametrize("dtype", [torch.float32, torch.int64, torch.uint8, torch.bfloat16])
def test_rows_that_are_all_equal(columns, dtype):
    """One row is computed, and the others are copied."""
    row = torch.arange(columns).to(dtype)
    x = row.expand(50, columns)
    assert torch.equal(x + x, (row + row).repeat(50, 1))
    assert torch.equal(x.logical_not(), row.logical_not().repeat(50, 1))
    out = torch.full((50, columns + 3), 7, dtype=dtype)
    torch.add(x, x, out=out[:, :columns])
    assert torch.equal(out[:, :columns], (row + row).repeat(50, 1))
    assert (out[:, columns:] == 7).all()


def test_bounds_that_are_tensors():
    nan = torch.nan
    x = torch.tensor([[1.0, nan, 3.0], [-2.0, 5.0, 9.0]])
    low, high = torch.tensor([0.0, 0.0, nan]), torch.tensor([[2.0], [4.0]])
    torch.testing.assert_close(torch.clamp(x, low, high), torch.tensor([[1.0, nan, nan], [0.0, 4.0, nan]]), equal_nan=True)
    assert torch.clamp(torch.tensor([5]), torch.tensor([7]), torch.tensor([3])).tolist() == [3]  # the upper one wins
    assert torch.clamp(torch.tensor([5]), torch.tensor(0.5), torch.tensor([2.5])).dtype == torch.float32


@pytest.mark.parametrize("dtype", [torch.uint8, torch.float16, torch.float32, torch.float64, torch.complex128])
@pytest.mark.parametrize("columns", [2, 3, 4, 5])
def test_copies_of_few_columns(dtype, columns):
    for n in (1, 2, 15, 16, 17, 63, 64, 65, 130, 1000):
        x = torch.arange(n * columns).to(dtype).view(n, columns)
        rows = x.t().contiguous()
        assert rows.tolist() == [x[:, k].tolist() for k in range(columns)]
        assert torch.equal(rows.t().contiguous(), x)
        # Within larger tensors, and every column alone.
        padded = torch.zeros(columns + 2, n + 3, dtype=dtype)
        padded[1:-1, 2:-1] = x.t()
        assert torch.equal(padded[1:-1, 2:-1], rows) and padded.count_nonzero() == rows.count_nonzero()
        for k in range(columns):
            assert torch.equal(x[:, k] + 0, rows[k])


def test_real_parts_at_the_end_of_memory():
    # The last element has nothing behind it.
    for n in (1, 8, 16, 17, 33, 64):
        z = torch.randn(n, dtype=torch.complex64)
        assert torch.equal(-z.real, torch.tensor([-v.real for v in z.tolist()]))
        assert torch.equal(-z.imag, torch.tensor([-v.imag for v in z.tolist()]))


@pytest.mark.parametrize("dtype", [torch.uint8, torch.int16, torch.float32, torch.float64, torch.complex128])
def test_flip_and_roll_of_short_rows(dtype):
    for shape in [(7, 3), (50, 5, 3), (9, 2, 11), (200, 3, 2), (40, 7, 24), (4, 4, 4, 4), (3, 50)]:
        x = torch.arange(torch.Size(shape).numel()).to(dtype).view(shape)
        for y in (x, x.transpose(-1, -2), x[:1].expand(shape), x.transpose(0, 1).contiguous().transpose(0, 1)):
            for d in range(y.dim()):
                n = y.shape[d]
                assert torch.equal(torch.flip(y, [d]), y.index_select(d, torch.arange(n - 1, -1, -1)))
            dims = tuple(range(y.dim()))
            expected = y
            for d in dims:
                expected = expected.index_select(d, (torch.arange(y.shape[d]) - d - 1) % y.shape[d])
            assert torch.equal(torch.roll(y, tuple(d + 1 for d in dims), dims), expected)


def test_roll_of_many_dimensions():
    x = torch.arange(2**14).view((2,) * 14)
    dims = tuple(range(14))
    assert torch.equal(torch.roll(x, (1,) * 14, dims), torch.flip(x, dims))


def test_an_indexed_tensor_keeps_the_order_of_dimensions():
    i, j = torch.arange(12).view(3, 4), torch.tensor([0, 1, 1])
    x = torch.rand(50)
    assert x[i.t()].stride() == (1, 4) and torch.equal(x[i.t()], x[:12].view(3, 4).t())
    z = torch.rand(4, 5, 6, 7).permute(0, 2, 3, 1)
    assert z[j].stride() == (210, 7, 1, 42) and z[:, :, j].stride() == (90, 1, 6, 18)
    assert z[j, :, j].stride() == (30, 1, 6)
    for index in [(j,), (slice(None), j), (slice(None), slice(None), j), (j, slice(None), j), (j[:, None], slice(None), j)]:
        assert torch.equal(z[index], z.contiguous()[index])
        written, expected = z.clone(), z.contiguous()
        value = torch.rand(z[index].shape).transpose(0, 1).contiguous().transpose(0, 1)
        written[index] = value
        expected[index] = value
        assert torch.equal(written.amax((1, 2, 3)), expected.amax((1, 2, 3)))


@pytest.mark.parametrize("dtype", [torch.bool, torch.float16, torch.float32, torch.int64, torch.complex128])
def test_masked_scatter_takes_values_in_order(dtype):
    torch.manual_seed(0)
    for n in (0, 1, 7, 16, 17, 100, 70000):
        x, mask = torch.rand(n).gt(0.5).to(dtype), torch.rand(n) > 0.3
        values = torch.rand(int(mask.sum())).gt(0.5).to(dtype)
        expected = x.clone()
        expected[mask] = values
        assert torch.equal(x.masked_scatter(mask, values), expected)
    with pytest.raises(RuntimeError, match="masked_scatter"):
        torch.zeros(5).masked_scatter(torch.ones(5, dtype=torch.bool), torch.zeros(4))


def test_put_and_take_count_from_the_end_and_check_first():
    x = torch.arange(6)
    assert torch.take(x, torch.tensor([-1, 0, -6])).tolist() == [5, 0, 0]
    assert torch.put(x, torch.tensor([-1, 0]), torch.tensor([7, 8])).tolist() == [8, 1, 2, 3, 4, 7]
    for bad in (6, -7):
        y = x.clone()
        with pytest.raises(IndexError):
            y.put_(torch.tensor([0, bad]), torch.tensor([9, 9]))
        assert torch.equal(x, y)
    large = torch.zeros(20000)
    assert torch.equal(large.put(torch.arange(20000), torch.arange(20000.0)), torch.arange(20000.0))


@pytest.mark.parametrize("dtype", [torch.int32, torch.int64, torch.float32, torch.float64, torch.bfloat16])
def test_scans_of_few_lines(dtype):
    for n in (1, 5, 63, 64, 65, 4096, 4097, 9000):
        for lines in (1, 2, 3, 5):
            x = (torch.rand(lines, n, dtype=torch.float64) * 3).to(dtype)
            for y in (x, x.t().contiguous().t()):
                sums = torch.cumsum(y, 1, dtype=torch.float64)
                assert torch.equal(sums[:, -1:], y.double().cumsum(1)[:, -1:])
                values, indices = torch.cummax(y, 1)
                assert torch.equal(y.gather(1, indices), values) and torch.equal(values[:, -1], y.amax(1))
                values, indices = torch.cummin(y, 1)
                assert torch.equal(y.gather(1, indices), values) and torch.equal(values[:, -1], y.amin(1))
            ones = torch.ones_like(x)
            assert torch.equal(torch.cumprod(ones, 1), ones)


def test_nll_loss_names_the_target_out_of_bounds():
    x = torch.randn(5, 3)
    for bad in (3, -1):
        with pytest.raises(IndexError, match=f"Target {bad} is out of bounds"):
            torch.nn.functional.nll_loss(x, torch.tensor([0, 1, bad, 2, 0]))
    ignored = torch.nn.functional.nll_loss(x, torch.tensor([0, -100, 2, 1, -100]), reduction="none")
    assert ignored[1] == 0 and ignored[4] == 0 and ignored[2] == -x[2, 2]


@pytest.mark.parametrize("dtype", [torch.bool, torch.uint8, torch.int32, torch.int64])
def test_integers_are_taken_as_floats_in_every_layout(dtype):
    x = torch.arange(1, 1201).view(60, 20).remainder(100).add(1).to(dtype)
    for y in (x, x.t(), x[:1].expand(60, 20), x[:, :1].expand(60, 20), x[::2, ::3], x[0, 0], x[:0]):
        wide = y.double()
        torch.testing.assert_close(torch.sin(y), torch.sin(wide).float())
        torch.testing.assert_close(torch.rad2deg(y), torch.rad2deg(wide).float())
        torch.testing.assert_close(y / x.max(), wide / x.max().double(), check_dtype=False)
        torch.testing.assert_close(torch.atan2(y, y), torch.atan2(wide, wide).float())
        out = torch.empty(0, dtype=torch.float64)
        torch.testing.assert_close(torch.exp2(y.double() / 50, out=out), torch.exp2(wide / 50))
        # One of two operands is converted first, with what it repeats.
        torch.testing.assert_close(y + torch.ones(y.shape), (wide + 1).float())
        assert (y + torch.ones(y.shape)).stride() == (y.float() + torch.ones(y.shape)).stride()


@pytest.mark.parametrize(
    "dtype", [torch.bool, torch.uint8, torch.int64, torch.float16, torch.bfloat16, torch.float32, torch.float64]
)
def test_logical_operators_see_nonzero_numbers(dtype):
    values = (
        [0, 1]
        if dtype in (torch.bool, torch.uint8, torch.int64)
        else [0.0, -0.0, 1.0, -1.0, float("nan"), float("inf"), 1e-45, 6e-8]
    )
    x = torch.tensor(values, dtype=torch.float64).to(dtype).repeat(20)
    y = x.roll(1)
    a, b = [v != 0 for v in x.tolist()], [v != 0 for v in y.tolist()]
    for f, expected in [
        (torch.logical_and, [p and q for p, q in zip(a, b, strict=True)]),
        (torch.logical_or, [p or q for p, q in zip(a, b, strict=True)]),
        (torch.logical_xor, [p != q for p, q in zip(a, b, strict=True)]),
    ]:
        assert f(x, y).tolist() == expected
        assert f(x, y.double()).tolist() == expected


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_real_transforms_of_short_rows(dtype):
    torch.manual_seed(0)
    for n in (2, 4, 8, 16, 32, 64, 1024, 2048):
        for rows in (1, 3, 4, 8, 9, 16, 17, 40):
            x = torch.randn(rows, n, dtype=dtype)
            expected = torch.fft.fft(x.to(torch.complex128))[:, : n // 2 + 1]
            tolerance = {"rtol": 1e-4, "atol": 1e-4} if dtype == torch.float32 else {"rtol": 1e-10, "atol": 1e-10}
            for y in (x, x.t().contiguous().t(), torch.cat([x, x], 1)[:, :n]):
                spectrum = torch.fft.rfft(y)
                torch.testing.assert_close(spectrum, expected.to(spectrum.dtype), **tolerance)
                assert not spectrum.imag[:, 0].any() and not spectrum.imag[:, -1].any()
                torch.testing.assert_close(torch.fft.irfft(spectrum, n), x, **tolerance)
                # Imaginary parts that a real signal cannot have do not count.
                odd = spectrum.clone()
                odd.imag[:, 0], odd.imag[:, -1] = 3, -5
                torch.testing.assert_close(torch.fft.irfft(odd, n), x, **tolerance)


@pytest.mark.parametrize(
    "dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64, torch.int8, torch.int64, torch.uint8, torch.bool]
)
@pytest.mark.parametrize("descending", [False, True])
def test_sorting_what_is_in_order(dtype, descending):
    """Lines that are in order are copied; equal elements, zeros of both signs and NaN still come out stably."""
    lines = [torch.randint(0, 4, (3, 17, 5)).to(dtype).sort(1, descending=flipped)[0] for flipped in (False, True)]
    lines += [torch.zeros(2, 9, 1).to(dtype), torch.arange(6000).view(1, 3000, 2).to(dtype)]
    if dtype.is_floating_point:
        for tail in ([0.0, -0.0], [-0.0, 0.0], [float("nan"), 1.0], [float("inf"), float("nan")], [float("nan")] * 2):
            lines.append(torch.tensor([-float("inf"), *[0.0] * 8, *tail]).to(dtype).view(1, -1, 1))
            lines.append(torch.tensor([*tail, *[2.0] * 9]).to(dtype).view(1, -1, 1))
    for x in lines:
        values, indices = torch.sort(x, dim=1, descending=descending, stable=True)
        for o in range(x.shape[0]):
            for i in range(x.shape[2]):
                line = x[o, :, i].tolist()
                key = [math.inf if v != v else min(v, 1e308) for v in map(float, line)]
                order = sorted(range(len(line)), key=lambda k: -key[k] if descending else key[k])
                assert indices[o, :, i].tolist() == order
        assert torch.equal(values.nan_to_num(7.0) if dtype.is_floating_point else values,
                           x.gather(1, indices).nan_to_num(7.0) if dtype.is_floating_point else x.gather(1, indices))  # fmt: skip


@pytest.mark.parametrize("dtype", [torch.float16, torch.float32, torch.float64, torch.int64, torch.uint8])
@pytest.mark.parametrize("n", [2, 3, 4, 7, 8, 9])
def test_one_element_of_short_lines(n, dtype):
    """kthvalue, median and nanmedian of lines in registers beside those of one line that is long enough not to be."""
    x = torch.randint(0, 5, (4, n, 6), generator=torch.Generator().manual_seed(n)).to(dtype)
    if dtype.is_floating_point:
        x[0, 0, 0] = math.nan
        x[1, :, 1] = math.nan
        x[2, -1, 2] = -math.inf
    for o, i in itertools.product(range(4), range(6)):
        line = [(math.inf if v != v else float(v), k) for k, v in enumerate(x[o, :, i].tolist())]
        ranked = sorted(line)
        for k in range(1, n + 1):
            value, index = x.kthvalue(k, 1)
            assert line[index[o, i]][0] == ranked[k - 1][0]
            assert x[o, index[o, i], i].isnan() == value[o, i].isnan()
        nans = [k for v, k in line if v == math.inf]
        value, index = x.median(1)
        expected = nans[0] if nans else ranked[(n - 1) // 2][1]
        assert index[o, i] == expected
        assert x[o, expected, i].equal(value[o, i]) or value[o, i].isnan()
        numbers = ranked[: n - len(nans)]
        assert x.nanmedian(1)[1][o, i] == (numbers[(len(numbers) - 1) // 2][1] if numbers else nans[0])


@pytest.mark.parametrize("dtype", [torch.uint8, torch.int16, torch.float32, torch.float64, torch.complex128])
@pytest.mark.parametrize("columns", [2, 3, 5, 7, 8, 11])
def test_short_rows_between_layouts(dtype, columns):
    """Rows of a few elements are copied in pieces that overlap, or along the other dimension."""
    x = torch.arange(700 * columns).view(700, columns).to(dtype)
    forms = [x, x.t().contiguous().t(), x[:1].expand(700, columns), x[:, :1].expand(700, columns), x.flip(0).flip(0)]
    wide = torch.zeros(700, columns + 5, dtype=dtype)
    for form in forms:
        expected = form.tolist()
        assert torch.cat([form, form[:, :1]], 1).tolist() == [row + row[:1] for row in expected]
        assert torch.hstack([form[:, 1:], form]).tolist() == [row[1:] + row for row in expected]
        wide.zero_()
        wide[:, 2 : 2 + columns] = form
        assert wide[:, 2 : 2 + columns].tolist() == expected
        assert not wide[:, :2].any()
        assert not wide[:, 2 + columns :].any()
        assert (wide[:, 2 : 2 + columns] + form).tolist() == (form + form).tolist()
        assert wide[:, 2 : 2 + columns].to(torch.complex64).tolist() == form.to(torch.complex64).tolist()


@pytest.mark.parametrize("shape", [(7, 3), (3, 7), (5, 5), (2, 40, 3), (3, 2, 2, 9), (1, 1), (4, 0), (0, 4)])
def test_triangles_of_tall_and_wide_matrices(shape):
    x = torch.arange(1, 1 + torch.Size(shape).numel(), dtype=torch.int32).view(shape)
    rows, columns = torch.arange(shape[-2])[:, None], torch.arange(shape[-1])
    for diagonal in (-(2**63), -41, -8, -3, -1, 0, 1, 2, 5, 10, 2**63 - 1):
        lower = columns - rows <= diagonal
        upper = columns - rows >= diagonal
        for y in (x, x.mT.contiguous().mT, x[:1].expand(shape) if shape[0] else x):
            assert torch.equal(torch.tril(y, diagonal), y * lower)
            assert torch.equal(torch.triu(y, diagonal), y * upper)
        assert torch.equal(x.clone().tril_(diagonal), x * lower) and torch.equal(x.clone().triu_(diagonal), x * upper)
        out = torch.zeros(shape, dtype=torch.int32).mT.contiguous().mT
        assert torch.equal(torch.triu(x, diagonal, out=out), x * upper)


@pytest.mark.parametrize("dtype", [torch.uint8, torch.int16, torch.float32, torch.float64, torch.complex128])
def test_transposed_copies_of_every_size(dtype):
    for rows, columns in [
        (1, 70),
        (5, 5),
        (7, 64),
        (8, 8),
        (15, 17),
        (16, 64),
        (33, 31),
        (64, 64),
        (65, 130),
        (100, 16),
        (128, 67),
    ]:
        x = torch.arange(rows * columns).to(dtype).view(rows, columns)
        expected = [x[:, k].tolist() for k in range(columns)]
        assert x.t().contiguous().tolist() == expected
        # Within larger tensors, unaligned.
        padded = torch.zeros(columns + 1, rows + 3, dtype=dtype)
        padded[1:, 1 : rows + 1] = x.t()
        assert padded[1:, 1 : rows + 1].tolist() == expected
        assert not padded[0].any() and not padded[:, 0].any() and not padded[:, rows + 1 :].any()
