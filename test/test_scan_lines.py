"""Scans of long lines: blocks where nothing changes, ties, NaN, and lines that are read where they are."""

import pytest

import torch

DTYPES = [torch.float32, torch.float64, torch.bfloat16, torch.float16, torch.int64, torch.int32, torch.uint8, torch.bool]


def one_by_one(line, larger):
    """cummax or cummin of a list: NaN stays, and of equal elements the latest counts."""
    values, places = [], []
    best, place = line[0], 0
    for k, x in enumerate(line):
        if best == best and (x != x or (x >= best if larger else x <= best)):
            best, place = x, k
        elif best != best and x != x:
            place = k
        values.append(best)
        places.append(place)
    return values, places


def layouts(x):
    yield x
    yield x.t().contiguous().t()  # columns beside each other
    yield torch.stack([x, x], -1)[..., 1]  # every other element
    yield x[:1].expand(3, -1)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("n", [1, 31, 1023, 1024, 1100])
def test_extremes(dtype, n):
    torch.manual_seed(0)
    # Few different values: ties are frequent, and new extremes are not.
    few = torch.randint(0, 3, (3, n))
    rising = torch.arange(n).expand(2, n) // 7 % 100
    for source in (few, rising, torch.randint(0, 100, (9, n))):
        x = source.to(dtype)
        if dtype.is_floating_point and n > 100:
            x[0, n // 2] = float("nan")
            x[0, n - 3] = float("nan")
        for larger, op in ((True, torch.cummax), (False, torch.cummin)):
            for y in layouts(x):
                values, indices = op(y, 1)
                for k, line in enumerate(y.tolist()):
                    expected, places = one_by_one(line, larger)
                    assert torch.equal(values[k].double().nan_to_num(-1), torch.tensor(expected).double().nan_to_num(-1))
                    assert indices[k].tolist() == places
                down = op(y.t(), 0)
                assert torch.equal(down[1], indices.t())


@pytest.mark.parametrize(
    "dtype", [torch.float32, torch.float64, torch.int32, torch.int64, torch.bool, torch.complex64, torch.bfloat16]
)
@pytest.mark.parametrize("n", [5, 1024, 3000])
def test_sums_of_lines_that_are_not_dense(dtype, n):
    torch.manual_seed(0)
    x = torch.randint(0, 2, (4, n)).to(dtype)
    for y in layouts(x):
        dense = y.contiguous()
        assert torch.equal(y.cumsum(1), dense.cumsum(1))
        assert torch.equal(y.cumprod(1), dense.cumprod(1))
        assert torch.equal(y.cumsum(1, dtype=torch.float64), dense.cumsum(1, dtype=torch.float64))
        assert torch.equal(y.cumsum(1)[:, -1], dense.sum(1).to(y.cumsum(1).dtype))
    deep = torch.randint(0, 5, (2, 3, n)).permute(1, 0, 2)
    assert torch.equal(deep.cumsum(-1), deep.contiguous().cumsum(-1))
