"""Sorting, selection and counting on the emulated CUDA device: rows longer than a tile, ties, NaN, and what is built on them."""

import pytest

import torch

LONG = 5000  # more than a tile, and more than where selection begins


def both(f, *inputs):
    """The results of the CPU and of the device."""
    return f(*inputs), f(*(x.cuda() for x in inputs))


def same(expected, found):
    for a, b in zip(expected, found, strict=True):
        assert b.is_cuda
        torch.testing.assert_close(b.cpu(), a, rtol=1e-5, atol=1e-5, equal_nan=True)


def numbers(*shape, dtype=torch.float32, values=None, seed=0):
    x = torch.randint(-(values or 10**6), values or 10**6, shape, generator=torch.Generator().manual_seed(seed))
    return (x if dtype.is_signed else x.abs()).to(dtype)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.int64, torch.bfloat16, torch.uint8, torch.bool])
@pytest.mark.parametrize("shape, dim", [((LONG,), 0), ((3, LONG), 1), ((1500, 3), 0), ((40, 5, 6), 1), ((2, 1024), 1)])
@pytest.mark.parametrize("descending", [False, True])
def test_sort_is_stable(dtype, shape, dim, descending):
    """Few different values, so that most elements have equals."""
    x = numbers(*shape, dtype=dtype, values=50)
    same(*both(lambda x: torch.sort(x, dim=dim, descending=descending, stable=True), x))


def special(n):
    x = numbers(n, values=100)
    x[::7], x[1], x[2], x[3], x[4] = float("nan"), float("inf"), -float("inf"), -0.0, 0.0
    return x


# Rows that a radix sort takes (Note [Which sort on CUDA]): on the emulated device, where a launch costs nothing, they are these.
KEYS = [torch.bool, torch.uint8, torch.int8, torch.int16, torch.float16, torch.bfloat16, torch.uint16]
KEYS += [torch.int32, torch.float32, torch.uint32, torch.int64, torch.uint64]


def random_bits(dtype, *shape, seed=0):
    """All values of a type are as likely; among those of floats are infinities and NaNs, of either sign."""
    if dtype is torch.bool:
        return numbers(*shape, values=2) > 0
    generator = torch.Generator().manual_seed(seed)
    whole = torch.randint(-(2**63), 2**63 - 1, shape, generator=generator)
    if dtype is torch.float64:
        return whole.view(dtype)
    if dtype.is_floating_point:
        return whole.to({2: torch.int16, 4: torch.int32}[dtype.itemsize]).view(dtype)
    return whole.view(dtype) if dtype is torch.uint64 else whole.to(dtype)


@pytest.mark.parametrize("dtype", KEYS)
@pytest.mark.parametrize("descending", [False, True])
def test_radix_sort(dtype, descending):
    x = random_bits(dtype, 17_000)
    x[5000:9000] = x[:4000].clone()  # equal elements, whose order stays
    if dtype.is_floating_point:
        x[::1000], x[1::1000], x[2::1000], x[3::1000] = -0.0, 0.0, float("nan"), -float("inf")
    same(*both(lambda x: torch.sort(x, descending=descending, stable=True), x))


@pytest.mark.parametrize("n", [8191, 8192, 8193, 12287, 12288, 12289])
def test_radix_sort_at_the_ends_of_tiles(n):
    same(*both(lambda x: torch.sort(x, stable=True), random_bits(torch.uint8, n)))
    same(*both(lambda x: torch.sort(x, stable=True), torch.full((n,), 255, dtype=torch.uint8)))


@pytest.mark.parametrize("shape, dim", [((3, 8200), 1), ((9000, 3), 0), ((2, 8192, 2), 1)])
def test_radix_sort_of_rows(shape, dim):
    x = random_bits(torch.int16, *shape)
    x[1], x.select(-1, 1)[...] = 7, -300  # rows of their own, some with equal digits
    for descending in (False, True):
        same(*both(lambda x: torch.sort(x, dim=dim, descending=descending, stable=True), x))
    x = x.transpose(0, dim)
    same(*both(lambda x: torch.sort(x, dim=0, stable=True), x))
    same(*both(lambda x: torch.sort(x[:, ::2], dim=0, stable=True), x))


@pytest.mark.parametrize("dtype, n", [(torch.float64, 140_000), (torch.float32, 280_000), (torch.int64, 280_000)])
def test_radix_sort_of_many(dtype, n):
    x = numbers(n, dtype=dtype) if dtype.is_floating_point else numbers(n, dtype=dtype).abs()
    if dtype.is_floating_point:
        x[::7], x[1], x[2], x[3], x[4] = float("nan"), float("inf"), -float("inf"), -0.0, 0.0
    same(*both(lambda x: torch.sort(x, stable=True), x))


@pytest.mark.parametrize("shift", [0, 16, 56])
def test_radix_sort_leaves_passes_out(shift):
    """Where all keys have the same digit."""
    rows = torch.stack([(torch.arange(9000) % 7) << shift, torch.zeros(9000, dtype=torch.int64), -torch.arange(9000)])
    same(*both(lambda x: torch.sort(x, stable=True), rows))


def test_what_is_built_on_radix_sort():
    x = numbers(2, 17_000, dtype=torch.int32, values=900)
    same(*both(lambda x: torch.mode(x), x))
    expected, found = both(lambda x: torch.topk(x, 9000), x)
    same([expected.values], [found.values])
    same(*both(lambda x: torch.unique(x, return_inverse=True, return_counts=True), x))
    x = numbers(9000, dtype=torch.uint8, values=200)
    same(*both(lambda x: torch.mode(x, 0), x))


@pytest.mark.parametrize("n", [60, LONG])
def test_nan_sorts_last(n):
    same(*both(lambda x: torch.sort(x, stable=True), special(n)))


@pytest.mark.parametrize("n", [60, LONG])
@pytest.mark.parametrize("name", ["median", "nanmedian"])
def test_medians_of_nan(n, name):
    x = torch.stack([special(n), numbers(n), torch.full((n,), float("nan"))])
    expected, found = both(lambda x: getattr(torch, name)(x, 1), x)
    same([expected.values], [found.values])
    picked = x.gather(1, found.indices.cpu()[:, None])
    same([expected.values[:, None]], [picked.cuda()])


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.int64, torch.float16])
@pytest.mark.parametrize("k", [1, 5, 700, 2000])
def test_topk_of_long_rows(dtype, k):
    x = numbers(2, LONG, dtype=dtype, values=1000)
    for largest in (False, True):
        expected, found = both(lambda x: torch.topk(x, k, largest=largest), x)
        same([expected.values], [found.values])
        assert torch.equal(x.gather(1, found.indices.cpu()), expected.values)
        assert all(len(set(row.tolist())) == k for row in found.indices)


@pytest.mark.parametrize("k", [1, 2500, LONG])
def test_kthvalue_of_long_rows(k):
    x = numbers(LONG, 2, values=1000)
    expected, found = both(lambda x: torch.kthvalue(x, k, 0), x)
    same([expected.values], [found.values])
    # The first of equal elements has the lowest rank among them.
    order = torch.sort(x, dim=0, stable=True).indices
    assert torch.equal(found.indices.cpu(), order[k - 1])


@pytest.mark.parametrize("n", [1, 30, 1024, LONG])
def test_mode(n):
    same(*both(lambda x: torch.mode(x, 1), numbers(3, n, values=20, dtype=torch.int32)))


def test_unique():
    for x in (numbers(LONG, values=300), special(200), numbers(0)):
        same(*both(lambda x: torch.unique(x, return_inverse=True, return_counts=True), x))
        same(*both(lambda x: torch.unique_consecutive(x, return_inverse=True, return_counts=True), x))


@pytest.mark.parametrize("n", [5, 3000])
def test_unique_slices(n):
    x = numbers(n, 2, 2, values=3)
    for dim in (0, 1):
        same(*both(lambda x: torch.unique(x, dim=dim, return_inverse=True, return_counts=True), x))


def test_counts():
    x = numbers(3000, values=9000).abs().long()
    same(*both(lambda x: [torch.bincount(x), torch.bincount(x % 7), torch.bincount(x % 7, x.double())], x))
    points, weight = torch.rand(3000, 2), torch.rand(3000)
    same(*both(lambda p, w: [torch.histogramdd(p, [5, 9], weight=w).hist, torch.histc(p, 5000)], points, weight))


def test_searches():
    edges = torch.sort(numbers(4, 600, values=500), 1).values
    x = numbers(4, 100, values=600, seed=1)
    same(*both(lambda e, x: [torch.searchsorted(e, x), torch.searchsorted(e[0].contiguous(), x, right=True)], edges, x))
    same(*both(lambda e, x: [torch.isin(x, e), torch.isin(x, 3.0), torch.bucketize(3.0, e[0])], edges, x))


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_gradients_of_frequent_rows(dtype):
    """One row is looked up by most of the indices."""
    table, index = numbers(9, 5, values=10, dtype=dtype), numbers(700, values=90, seed=1).long() % 9
    index[40:500] = 4
    grad = numbers(700, 5, values=3, dtype=dtype, seed=2)

    def rows(table, index, grad):
        table = table.detach().requires_grad_()
        torch.nn.functional.embedding(index, table, padding_idx=2, scale_grad_by_freq=True).backward(grad)
        return [table.grad.float()]

    expected, found = both(rows, table, index, grad)
    torch.testing.assert_close(found[0].cpu(), expected[0], rtol=2e-2 if dtype.itemsize == 2 else 1e-5, atol=1e-2)


@pytest.mark.parametrize("mode", ["sum", "mean", "max"])
def test_bags(mode):
    table, index = numbers(9, 5, values=10), numbers(700, values=90, seed=1).long() % 9
    offsets = torch.tensor([0, 0, 100, 650, 700])

    def bags(table, index, offsets):
        table = table.detach().requires_grad_()
        y = torch.nn.functional.embedding_bag(index, table, offsets, mode=mode)
        y.square().sum().backward()
        return [y.detach(), table.grad]

    same(*both(bags, table, index, offsets))


def test_devices_must_agree():
    x, index = torch.ones(3).cuda(), torch.tensor([0, 1])
    for call in (
        lambda: torch.searchsorted(x, torch.ones(2)),
        lambda: torch.isin(x, torch.ones(2)),
        lambda: torch.bincount(index.cuda(), torch.ones(2)),
        lambda: torch.histogram(x, torch.ones(2)),
        lambda: torch.nn.functional.embedding_bag(index, torch.ones(3, 3).cuda(), index[:1]),
        lambda: torch.ops.aten.embedding_dense_backward(torch.ones(2, 3).cuda(), index, 3, -1, False),
    ):
        with pytest.raises(RuntimeError, match="same device"):
            call()


def test_permutations():
    for n in (0, 1, 10, LONG):
        assert torch.equal(torch.randperm(n, device="cuda").cpu().sort().values, torch.arange(n))
    torch.manual_seed(1)
    first = torch.randperm(100, device="cuda")
    assert not torch.equal(first, torch.randperm(100, device="cuda"))
    torch.manual_seed(1)
    assert torch.equal(first, torch.randperm(100, device="cuda"))


def test_multinomial():
    p = torch.tensor([0.0, 1.0, 3.0, 0.0, 6.0], device="cuda")
    drawn = torch.multinomial(p, 4000, replacement=True)
    shares = torch.bincount(drawn, minlength=5).cpu() / 4000
    torch.testing.assert_close(shares, torch.tensor([0.0, 0.1, 0.3, 0.0, 0.6]), rtol=0, atol=0.04)
    each = torch.multinomial(p.expand(50, 5), 3).cpu()
    assert torch.equal(each.sort().values, torch.tensor([1, 2, 4]).expand(50, 3))


@pytest.mark.parametrize(
    "draw, mean, variance",
    [
        (lambda n: torch.poisson(torch.full((n,), 3.0, device="cuda")), 3.0, 3.0),
        (lambda n: torch.poisson(torch.full((n,), 40.0, device="cuda")), 40.0, 40.0),
        (lambda n: torch.binomial(torch.full((n,), 100.0, device="cuda"), torch.full((n,), 0.3, device="cuda")), 30.0, 21.0),
        (lambda n: torch.binomial(torch.full((n,), 10.0, device="cuda"), torch.full((n,), 0.8, device="cuda")), 8.0, 1.6),
        (lambda n: torch._standard_gamma(torch.full((n,), 0.5, device="cuda")), 0.5, 0.5),
        (lambda n: torch._standard_gamma(torch.full((n,), 7.0, device="cuda")), 7.0, 7.0),
        (lambda n: torch._sample_dirichlet(torch.tensor([[1.0, 3.0]], device="cuda").expand(n, 2))[:, 0], 0.25, 3 / 80),
    ],
)
def test_samplers(draw, mean, variance):
    """Mean and variance, five standard errors wide."""
    torch.manual_seed(0)
    n = 8000
    x = draw(n).double().cpu()
    assert abs(x.mean().item() - mean) < 5 * (variance / n) ** 0.5
    assert abs(x.var().item() / variance - 1) < 0.2


def test_repeat_interleave():
    repeats = torch.tensor([2, 0, 3, 1], dtype=torch.int32)
    x = torch.arange(4.0)
    same(*both(lambda r, x: [torch.repeat_interleave(r), torch.repeat_interleave(r.long()), x.repeat_interleave(r)], repeats, x))
    with pytest.raises(RuntimeError, match="negative"):
        torch.repeat_interleave(torch.tensor([1, -1]).cuda())
