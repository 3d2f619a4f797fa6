"""Orders, sets and draws where short lines, equal elements and layouts meet."""

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
