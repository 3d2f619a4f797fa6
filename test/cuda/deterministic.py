"""Deterministic mode: sums and writes at repeated indices have the order of their sources. test_cuda_emulated.py also runs this
file with TORCH_CUDA_EMULATED_SHUFFLE, which lets threads take turns by chance."""

import pytest

import torch
import torch.nn.functional as F

N, ROWS, WIDTH = 700, 3, 2


@pytest.fixture(autouse=True)
def in_deterministic_mode():
    torch.use_deterministic_algorithms(True)
    yield
    torch.use_deterministic_algorithms(False)


def made(dtype=torch.float32):
    """Numbers of very different sizes, whose sum depends on the order, and where they go."""
    g = torch.Generator().manual_seed(0)
    values = torch.randn(N, WIDTH, generator=g) * 10 ** (torch.rand(N, WIDTH, generator=g) * 6)
    return values.to(dtype), torch.randint(0, ROWS, (N,), generator=g)


def zeros(like):
    return torch.zeros(ROWS, WIDTH, dtype=like.dtype, device=like.device)


def gradient(read):
    """Of read(table, index), whose rows are multiplied by the values."""

    def run(values, index):
        table = zeros(values).requires_grad_()
        (read(table, index) * values).sum().backward()
        return table.grad

    return run


SUMS = {
    "index_add": lambda v, i: zeros(v).index_add_(0, i, v, alpha=2),
    "index_add dim 1": lambda v, i: zeros(v).t().contiguous().index_add_(1, i, v.t().contiguous()),
    "index_put": lambda v, i: zeros(v).index_put_((i,), v, accumulate=True),
    "index_put of columns": lambda v, i: (
        zeros(v).t().index_put_((torch.arange(WIDTH, device=v.device)[:, None], i), v.t(), accumulate=True)
    ),
    "put": lambda v, i: zeros(v).put_(i, v[:, 0], accumulate=True),
    "gradient of x[i]": gradient(lambda x, i: x[i]),
    "gradient of index_select": gradient(lambda x, i: x.index_select(0, i)),
    "gradient of embedding": gradient(lambda x, i: F.embedding(i, x)),
    "gradient of take": gradient(lambda x, i: torch.take(x, i)[:, None]),
    "bincount": lambda v, i: torch.bincount(i, v[:, 0]),
    "histogram": lambda v, i: torch.histogram(i.to(v.dtype), 3, weight=v[:, 0]).hist,
}
# Each index reads one row: a bag of one element.
BAGS = gradient(lambda x, i: F.embedding_bag(i, x, torch.arange(N, device=x.device), mode="max"))


@pytest.mark.parametrize("name", SUMS)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_sums(name, dtype):
    values, index = made(dtype)
    expected = SUMS[name](values, index)
    found = SUMS[name](values.cuda(), index.cuda())
    again = [SUMS[name](values.cuda(), index.cuda()) for _ in range(3)]
    assert all(torch.equal(found, x) for x in again)
    torch.testing.assert_close(found.cpu(), expected, rtol=1e-3, atol=1e-2 * values.abs().max().item())


def test_sums_of_maxima_of_bags():
    values, index = made()
    found = [BAGS(values.cuda(), index.cuda()) for _ in range(3)]
    assert torch.equal(found[0], found[1]) and torch.equal(found[0], found[2])


WRITES = {
    "index_put": lambda v, i: zeros(v).index_put_((i,), v),
    "index_copy": lambda v, i: zeros(v).index_copy_(0, i, v),
    "put": lambda v, i: zeros(v).put_(i, v[:, 0]),
    "scatter": lambda v, i: zeros(v).scatter_(0, i[:, None].expand(N, WIDTH), v),
}


@pytest.mark.parametrize("name", WRITES)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.int64, torch.complex128])
def test_the_last_write_counts(name, dtype):
    values, index = made(dtype)
    assert torch.equal(WRITES[name](values.cuda(), index.cuda()).cpu(), WRITES[name](values, index))
