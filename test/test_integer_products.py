"""Products of integer matrices: exact, and wrapping around like the type."""

import numpy as np
import pytest

import torch

TYPES = [torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64]


def random(shape, dtype):
    limits = torch.iinfo(dtype)
    return torch.from_numpy(np.random.default_rng(sum(shape)).integers(limits.min, limits.max, shape, endpoint=True)).to(dtype)


def product(a, b):
    with np.errstate(over="ignore"):
        return (a.numpy().astype(np.int64) @ b.numpy().astype(np.int64)).astype(a.numpy().dtype)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize(
    "m,k,n", [(1, 5, 1), (3, 7, 2), (4, 1, 70), (9, 33, 65), (70, 130, 1), (1, 130, 70), (37, 300, 129), (5, 0, 4)]
)
def test_layouts(m, k, n, dtype):
    a, b = random((m, k), dtype), random((k, n), dtype)
    expected = torch.from_numpy(product(a, b))
    for left in (a, a.t().contiguous().t(), a.repeat(1, 2)[:, :k]):
        for right in (b, b.t().contiguous().t(), b.repeat(1, 2)[:, :n]):
            assert torch.equal(left @ right, expected)
            assert torch.equal(torch.addmm(expected, left, right, beta=3, alpha=-2), (3 * expected - 2 * expected).to(dtype))
    assert torch.equal(a @ b[:, 0], expected[:, 0])
    assert torch.equal(torch.stack([a, a]) @ torch.stack([b, b]), torch.stack([expected, expected]))


@pytest.mark.parametrize("dtype", TYPES)
def test_threads_agree(dtype):
    a, b = random((301, 40), dtype), random((40, 90), dtype)
    threads = torch.get_num_threads()
    try:
        for count in (1, 2, 3):
            torch.set_num_threads(count)
            assert torch.equal(a @ b, torch.from_numpy(product(a, b)))
    finally:
        torch.set_num_threads(threads)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("n", [1, 63, 64, 65, 257, 1000])
def test_extremes(n, dtype):
    x = random((3, n), dtype)
    for name in ("amax", "amin"):
        found = getattr(torch, name)
        expected = getattr(np, name)
        assert found(x).item() == expected(x.numpy())
        assert found(x, 1).tolist() == expected(x.numpy(), 1).tolist()
        assert found(x.t(), 1).tolist() == expected(x.numpy(), 0).tolist()


# Types that have no products otherwise, too.
@pytest.mark.parametrize("dtype", [torch.bool, torch.uint16, torch.uint64, torch.int64, torch.complex32, torch.float32])
def test_products_without_terms_are_zero(dtype):
    def zeros(*shape):
        return torch.zeros(shape, dtype=dtype)

    for product, shape in (
        (torch.mm(zeros(2, 0), zeros(0, 3)), (2, 3)),
        (torch.mm(zeros(2, 0), zeros(0, 3), out=torch.ones(2, 3).to(dtype)), (2, 3)),
        (torch.bmm(zeros(4, 2, 0), zeros(4, 0, 3)), (4, 2, 3)),
        (torch.mv(zeros(2, 0), zeros(0)), (2,)),
        (zeros(4, 1, 2, 0) @ zeros(5, 0, 3), (4, 5, 2, 3)),
    ):
        assert product.dtype == dtype and product.shape == shape and torch.equal(product, zeros(*shape))
    if dtype == torch.bool:
        with pytest.raises(RuntimeError, match="Long"):
            torch.addmm(zeros(2, 3), zeros(2, 0), zeros(0, 3))
        with pytest.raises(NotImplementedError, match="Bool"):
            torch.mm(zeros(2, 1), zeros(1, 3))
    else:
        ones = torch.ones(2, 3).to(dtype)
        assert torch.equal(torch.addmm(ones, zeros(2, 0), zeros(0, 3)), ones)
        assert torch.equal(torch.addmm(ones, zeros(2, 0), zeros(0, 3), beta=0), zeros(2, 3))


@pytest.mark.parametrize("dtype", [torch.uint16, torch.uint32, torch.uint64, *TYPES])
def test_powers_are_64_bits_wide(dtype):
    powers = torch.linalg.vander(torch.tensor([1, 2, 100]).to(dtype))
    assert powers.dtype == torch.int64 and powers.tolist() == [[1, 1, 1], [1, 2, 4], [1, 100, 10000]]


@pytest.mark.parametrize("dtype", TYPES)
def test_integer_gradients_of_embeddings(dtype):
    grad = torch.arange(8).view(4, 2).to(dtype)
    backward = torch.ops.aten.embedding_dense_backward
    index = torch.tensor([0, 1, 1, 2])
    assert backward(grad, index, 4, -1, False).tolist() == [[0, 1], [6, 8], [6, 7], [0, 0]]
    # Integers are scaled by 1 / 2 rounded towards zero.
    assert backward(grad, index, 4, -1, True).tolist() == [[0, 1], [0, 0], [6, 7], [0, 0]]
