"""Products of bfloat16 against those of the same numbers in double: kernels with matrix tiles pad rows, columns and sums."""

import pytest

import torch

NAN = float("nan")


def operand(rows, columns, transposed, spare=0):
    """A matrix of bfloat16, which may be the transpose of what is in memory; between its rows are numbers that are not finite."""
    shape = (columns, rows) if transposed else (rows, columns)
    whole = torch.full((shape[0], shape[1] + spare), NAN, dtype=torch.bfloat16)
    part = whole[:, : shape[1]].copy_(torch.randn(shape))
    return part.t() if transposed else part


def is_rounded(got, exact, size):
    """Sums of float, rounded once: `size` are the sums of absolute products."""
    return ((got.double() - exact).abs() <= 2.0**-8 * exact.abs() + 2.0**-18 * size + 1e-30).all()


SIZES = [
    (33, 65, 32), (16, 256, 17), (1000, 5, 31), (5, 1000, 31), (64, 64, 64), (40, 300, 513), (300, 40, 1030), (2, 900, 70),
    (129, 257, 96), (17, 600, 545), (2100, 33, 16), (4, 4, 3000), (9, 1025, 128), (100, 100, 1),
]  # fmt: skip


@pytest.mark.parametrize("spare", [0, 3])
@pytest.mark.parametrize("transposed", [(False, False), (False, True), (True, False), (True, True)])
@pytest.mark.parametrize("m, n, k", SIZES)
def test_every_layout(m, n, k, transposed, spare):
    torch.manual_seed(m + n + k)
    a, b = operand(m, k, transposed[0], spare), operand(k, n, transposed[1], spare)
    exact, size = a.double() @ b.double(), a.double().abs() @ b.double().abs()
    assert is_rounded(a @ b, exact, size)
    c = torch.randn(m, n).bfloat16()
    got = torch.addmm(c, a, b, alpha=0.5, beta=-2)
    assert is_rounded(got, 0.5 * exact - 2 * c.double(), size + 2 * c.double().abs())


@pytest.mark.parametrize("threads", [1, 2])
def test_out_is_written_where_it_is_and_nowhere_else(threads):
    before = torch.get_num_threads()
    torch.set_num_threads(threads)
    try:
        torch.manual_seed(0)
        a, b = torch.randn(70, 40).bfloat16(), torch.randn(40, 90).bfloat16()
        whole = torch.full((72, 100), 7.0, dtype=torch.bfloat16)
        torch.mm(a, b, out=whole[1:71, 5:95])
        assert is_rounded(whole[1:71, 5:95], a.double() @ b.double(), a.double().abs() @ b.double().abs())
        whole[1:71, 5:95] = 7.0
        assert (whole == 7.0).all()
    finally:
        torch.set_num_threads(before)


@pytest.mark.parametrize(
    "count, m, n, k", [(3, 40, 50, 60), (20, 33, 33, 33), (64, 16, 64, 64), (2, 200, 300, 100), (5, 8, 500, 64)]
)
@pytest.mark.parametrize("transposed", [False, True])
def test_batches(count, m, n, k, transposed):
    torch.manual_seed(count)
    a = torch.randn(count, m, k).bfloat16()
    b = torch.randn(count, n, k).bfloat16().transpose(1, 2) if transposed else torch.randn(count, k, n).bfloat16()
    assert is_rounded(a @ b, a.double() @ b.double(), a.double().abs() @ b.double().abs())
    shared = torch.baddbmm(torch.randn(n).bfloat16(), a, b[:1].expand(count, k, n), beta=0)
    assert is_rounded(shared, a.double() @ b[0].double(), a.double().abs() @ b[0].double().abs())


def test_what_is_not_finite_stays_in_its_row_and_column():
    torch.manual_seed(1)
    for m, n, k in ((50, 70, 40), (7, 300, 100), (300, 20, 600)):
        a, b = torch.randn(m, k).bfloat16(), torch.randn(k, n).bfloat16()
        a[3, k - 1], b[0, n - 1] = NAN, float("inf")
        c = a @ b
        assert c[3].isnan().all() and not c[:, n - 1].isfinite().any()
        rows = torch.arange(m) != 3
        assert c[rows, : n - 1].isfinite().all()


def test_gradients_of_a_layer():
    torch.manual_seed(2)
    layer, x = torch.nn.Linear(100, 70).bfloat16(), torch.randn(3, 50, 100).bfloat16().requires_grad_()
    wide = torch.nn.Linear(100, 70).double()
    wide.load_state_dict(layer.state_dict())
    y = x.detach().double().requires_grad_()
    grad = torch.randn(3, 50, 70).bfloat16()
    layer(x).backward(grad)
    wide(y).backward(grad.double())
    for got, exact in ((x.grad, y.grad), (layer.weight.grad, wide.weight.grad), (layer.bias.grad, wide.bias.grad)):
        assert (got.double() - exact).abs().max() < 0.01 * exact.abs().max()
