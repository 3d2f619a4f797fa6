"""gather and scatter_add along dim 0 of tensors with few columns, whose indices are checked together or kept in a table."""

import pytest

import torch

SHAPES = [(100, 4, 4096), (1000, 4, 1000), (1000, 7, 100), (1000, 15, 1000), (1000, 3, 1000)]
SHAPES += [(30000, 4, 300), (30000, 2, 7000), (5000, 1, 1)]
DTYPES = [torch.float32, torch.float64, torch.bfloat16, torch.float16]


def operands(rows, columns, n, dtype):
    torch.manual_seed(rows + columns + n)
    x = torch.randint(-8, 8, (rows, columns)).to(dtype)
    index = torch.randint(0, rows, (n, columns))
    index[::3] = index[0].clone()  # many of some
    return x, index, torch.randint(-2, 2, (n, columns)).to(dtype)


def transposed_in_memory(*tensors):
    return tuple(t.t().contiguous().t() for t in tensors)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("rows, columns, n", SHAPES)
def test_against_advanced_indexing(rows, columns, n, dtype):
    x, index, source = operands(rows, columns, n, dtype)
    column = torch.arange(columns).expand_as(index)
    added = x.double().index_put((index, column), source.double(), accumulate=True).to(dtype)
    for each in ((x, index, source), transposed_in_memory(x, index, source)):
        assert torch.equal(each[0].gather(0, each[1]), x[index, column])
        assert torch.equal(torch.scatter_add(each[0], 0, each[1], each[2]), added)


@pytest.mark.parametrize("rows, columns, n", SHAPES)
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_an_index_out_of_range_is_an_error(rows, columns, n, dtype):
    x, index, source = operands(rows, columns, n, dtype)
    for bad in (-1, rows):
        index[n // 2, columns // 2] = bad
        with pytest.raises((RuntimeError, IndexError), match="out of bounds"):
            x.gather(0, index)
        with pytest.raises((RuntimeError, IndexError), match="out of bounds"):
            torch.scatter_add(x, 0, index, source)
