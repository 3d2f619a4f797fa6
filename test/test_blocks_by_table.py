"""Small inner dimensions that broadcast or are permuted: the results are those of dense operands."""

import pytest

import torch

SHAPES = (
    ((40, 3, 1), (40, 1, 3)),
    ((7, 5, 4, 1, 3), (7, 1, 4, 2, 3)),
    ((500, 1, 2), (1, 4, 1)),
    ((3, 2, 2, 100), (3, 1, 2, 100)),
    ((50, 8, 1), (1, 1, 8)),
    ((300, 100), (100,)),
    ((300, 17), (300, 1)),
)
OPERATORS = {
    "add": lambda a, b: a + b,
    "mul": lambda a, b: a * b,
    "eq": lambda a, b: a == b,
    "where": lambda a, b: torch.where(a == b, a, b),
    "sub": lambda a, b: torch.sub(a, b, alpha=2),
}


def number_tensor(shape, dtype, seed):
    torch.manual_seed(seed)
    return torch.randint(0, 5, shape).to(dtype)


@pytest.mark.parametrize("name", OPERATORS)
@pytest.mark.parametrize("shapes", SHAPES, ids=str)
@pytest.mark.parametrize(
    "dtypes",
    (
        (torch.float32, torch.float32), (torch.float64, torch.float32), (torch.int64, torch.int64),
        (torch.float16, torch.float16), (torch.complex64, torch.complex64), (torch.uint8, torch.int32),
        (torch.complex128, torch.float32),
    ),
    ids=str,
)  # fmt: skip
def test_operators(name, shapes, dtypes):
    a, b = (number_tensor(shape, dtype, i) for i, (shape, dtype) in enumerate(zip(shapes, dtypes, strict=True)))
    dense = [x.contiguous() for x in torch.broadcast_tensors(a, b)]
    op = OPERATORS[name]
    found = op(a, b)
    assert torch.equal(found, op(*dense))
    # Results that are not dense, and operands that are not either.
    out = torch.empty(*found.shape, 2, dtype=found.dtype)[..., 1]
    assert torch.equal(out.copy_(found), found)
    if name == "add":
        assert torch.equal(torch.add(a, b, out=out), found)
        wide = torch.stack([a, a], -1)[..., 0]
        assert torch.equal(wide + b, found)


@pytest.mark.parametrize("dtype", (torch.float32, torch.int8, torch.complex128), ids=str)
def test_kron_of_small_matrices(dtype):
    a, b = number_tensor((6, 3, 2), dtype, 0), number_tensor((5, 2, 4), dtype, 1)
    found = torch.kron(a, b)
    for i in (0, 17, 29):
        expected = a[i // 5][:, None, :, None] * b[i % 5][None, :, None, :]
        assert torch.equal(found[i], expected.reshape(6, 8))


@pytest.mark.parametrize("item", (torch.uint8, torch.float16, torch.float32, torch.float64, torch.complex128), ids=str)
@pytest.mark.parametrize("shape", ((100, 4), (1000, 3), (70, 2, 5), (3, 33)), ids=str)
def test_rows_of_few_elements(shape, item):
    x = torch.arange(torch.Size(shape).numel()).to(item).view(shape)
    for shift in (1, -1, 2):
        expected = torch.cat([x.narrow(-1, -shift % shape[-1], shift % shape[-1]), x.narrow(-1, 0, -shift % shape[-1])], -1)
        assert torch.equal(x.roll(shift, -1), expected)
    index = torch.tensor([1, 0, 1])
    expected = torch.stack([x[..., 1], x[..., 0], x[..., 1]], -1)
    assert torch.equal(x.index_select(-1, index), expected)
    with pytest.raises(IndexError):
        x.index_select(-1, torch.tensor([0, shape[-1]]))
    column = torch.arange(shape[0]).to(item).view(-1, *[1] * (len(shape) - 1))
    assert torch.equal(column.expand(shape).contiguous(), torch.stack([column.view(-1)] * (x[0].numel()), -1).view(shape))
    y = x.clone()
    y[..., 1].fill_(3)
    assert torch.equal(y[..., 1], torch.full_like(x[..., 1], 3)) and torch.equal(y[..., 0], x[..., 0])


@pytest.mark.parametrize("shape", ((4, 300), (300, 4), (2, 3, 50), (5, 5)), ids=str)
def test_triangles_of_wide_and_tall_matrices(shape):
    x = torch.arange(1, torch.Size(shape).numel() + 1).view(shape)
    rows, columns = torch.arange(shape[-2])[:, None], torch.arange(shape[-1])
    for diagonal in (-400, -3, -1, 0, 1, 2, 299, 400):
        assert torch.equal(x.tril(diagonal), x * (columns - rows <= diagonal))
        assert torch.equal(x.triu(diagonal), x * (columns - rows >= diagonal))
