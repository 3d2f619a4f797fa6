"""scatter where the elements of a slice have one index, an expanded vector: as with an index for each element."""

import itertools

import pytest

import torch

DTYPES = [torch.uint8, torch.int16, torch.int64, torch.float16, torch.bfloat16, torch.float32, torch.float64]


def sources(src):
    """The same numbers contiguous, with the first dimensions exchanged in memory, and the last ones."""
    yield src
    yield src.transpose(0, 1).contiguous().transpose(0, 1)
    yield src.transpose(-2, -1).contiguous().transpose(-2, -1)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("shape, dim", [((9, 33), 0), ((33, 9), 1), ((4, 7, 5), 0), ((4, 7, 5), 1), ((4, 7, 5), 2)])
def test_expanded_vector(shape, dim, dtype):
    torch.manual_seed(0)
    many = list(shape)
    many[dim] = 50
    # Few small numbers besides 1, so that sums and products are exact.
    self = torch.randint(1, 3, shape).to(dtype)
    src = torch.where(torch.rand(many) < 0.1, 2, 1).to(dtype)
    vector = torch.randint(0, shape[dim] - 1, (50,))  # the last place is reached by none
    expanded = vector.view([-1 if d == dim else 1 for d in range(len(shape))]).expand(many)
    full = expanded.contiguous()
    for from_, reduce, include in itertools.product(sources(src), ("sum", "prod", "mean", "amax", "amin"), (True, False)):
        expected = self.scatter_reduce(dim, full, src, reduce, include_self=include)
        assert torch.equal(self.scatter_reduce(dim, expanded, from_, reduce, include_self=include), expected), reduce
        into = self.transpose(0, 1).contiguous().transpose(0, 1)
        assert torch.equal(into.scatter_reduce_(dim, expanded, from_, reduce, include_self=include), expected), reduce
        if reduce != "sum":
            assert torch.equal(self.index_reduce(dim, vector, from_, reduce, include_self=include), expected), reduce
    # Of elements with the same index the last one stays.
    numbers = torch.arange(src.numel()).view(many).to(dtype)
    for from_ in sources(numbers):
        assert torch.equal(self.scatter(dim, expanded, from_), self.scatter(dim, full, numbers))


def test_fewer_indices_than_elements():
    self, src = torch.zeros(6, 8), torch.arange(80.0).view(10, 8)
    vector = torch.tensor([1, 1, 5])
    for columns in (8, 3):
        expanded = vector.view(3, 1).expand(3, columns)
        expected = self.scatter_reduce(0, expanded.contiguous(), src, "mean")
        assert torch.equal(self.scatter_reduce(0, expanded, src, "mean"), expected)
        assert torch.equal(expected[5, :columns], src[2, :columns] / 2)
    with pytest.raises(RuntimeError, match="out of bounds"):
        self.scatter_reduce(0, torch.tensor([[6]]).expand(1, 8), src[:1], "sum")
