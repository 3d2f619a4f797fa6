"""Arguments at the edges of what operators take: empty rows, sources of one element, numbers of another kind."""

import math
from contextlib import nullcontext

import numpy as np
import pytest

import torch
import torch.nn.functional as F


def test_a_source_without_dimensions_is_one_row_of_one_element():
    """A longer row was read from behind the source's memory."""
    x = torch.arange(6.0).reshape(2, 3)
    for f in (x.index_copy, x.index_add):
        with pytest.raises(RuntimeError, match="source tensor shape must match"):
            f(0, torch.tensor([0]), torch.tensor(1.0))
        with pytest.raises((RuntimeError, IndexError)):
            f(0, torch.tensor([0]), torch.ones(3))
    assert torch.zeros(3).index_copy(0, torch.tensor([1]), torch.tensor(5.0)).tolist() == [0.0, 5.0, 0.0]
    assert torch.tensor(1.0).index_add(0, torch.tensor([0]), torch.tensor([2.0])).item() == 3.0
    with pytest.raises(IndexError, match="Number of indices"):
        x.index_copy(0, torch.tensor([0, 1]), torch.ones(1, 3))


def test_take_along_dim_counts_modulo_the_size():
    x = torch.arange(6.0).reshape(2, 3)
    for index, column in ((-1, 2), (-4, 2), (3, 0), (1, 1)):
        assert torch.take_along_dim(x, torch.tensor([[index]]), 1).tolist() == x[:, column : column + 1].tolist()


def test_spaces_of_integers_step_between_whole_ends():
    assert torch.linspace(-2.5, 7.9, 5, dtype=torch.int64).tolist() == [-2, 0, 2, 4, 7]
    assert torch.logspace(0.5, 7, 9, 3, dtype=torch.int64).tolist() == [1, 2, 6, 17, 46, 122, 319, 836, 2187]


def test_spaces_of_half_types_round_after_every_operation():
    assert torch.linspace(-2.5, 7.9, 5, dtype=torch.bfloat16).tolist() == [-2.5, 0.09375, 2.71875, 5.3125, 7.90625]
    assert torch.linspace(7, 0.9, 4, dtype=torch.float16).tolist() == [7.0, 4.96875, 2.93359375, 0.89990234375]


def test_statistics_of_rows_of_nothing():
    for shape in ((2, 0), (0,)):
        _, mean, rstd = torch.native_layer_norm(torch.ones(shape), (0,), None, None, 1e-5)
        assert mean.flatten().tolist() == [0.0] * mean.numel() and rstd.isnan().all() and mean.numel()
    _, mean, invstd = torch.native_batch_norm(torch.ones(0, 3), None, None, None, None, True, 0.1, 1e-5)
    assert all(math.isnan(v) for v in mean.tolist() + invstd.tolist()) and mean.shape == (3,)


@pytest.mark.parametrize("name", ["alpha", "beta"])
@pytest.mark.parametrize("dtype, factor", [(torch.float32, True), (torch.int32, 0.5), (torch.bool, 0.5), (torch.float32, 1j)])
def test_addr_refuses_factors_of_a_kind_that_the_result_cannot_have(name, dtype, factor):
    v = torch.ones(2, dtype=dtype)
    with pytest.raises(RuntimeError, match=name):
        torch.addr(torch.ones(2, 2, dtype=dtype), v, v, **{name: factor})


def test_addr_of_bools():
    m, v = torch.tensor([[False, True], [True, False]]), torch.tensor([True, False])
    assert torch.addr(m, v, v, alpha=2).tolist() == [[True, True], [True, False]]
    assert torch.addr(m, v, v, beta=0, alpha=True).tolist() == [[True, False], [False, False]]


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_numbers_in_half_arithmetic(dtype):
    """A factor or divisor stays float32; a summand is rounded to the half type first, as PyTorch does."""
    x = 7 + torch.arange(3000).to(dtype) / 512
    wide, number = x.float(), 0.9
    rounded = torch.tensor(number, dtype=dtype).float()
    assert torch.equal(x * number, (wide * number).to(dtype)) and not torch.equal(x * number, (wide * rounded).to(dtype))
    assert torch.equal(x / number, (wide / number).to(dtype)) and not torch.equal(x / number, (wide / rounded).to(dtype))
    assert torch.equal(x + number, (wide + rounded).to(dtype)) and torch.equal(x - number, (wide - rounded).to(dtype))
    for mode in ("floor", "trunc"):
        assert torch.equal(torch.div(x, 0.1, rounding_mode=mode), torch.div(wide, 0.1, rounding_mode=mode).to(dtype))


@pytest.mark.parametrize("scale", [1e25, 1e-18])
@pytest.mark.parametrize("shape, dim", [((5000,), 0), ((70, 40), 0), ((40, 70), 1), ((3, 5), (0, 1))])
def test_deviations_whose_squares_leave_float32(scale, shape, dim):
    torch.manual_seed(0)
    x = torch.randn(shape) * scale
    torch.testing.assert_close(x.std(dim), x.double().std(dim).float(), rtol=1e-5, atol=0)
    assert torch.zeros(shape).std(dim).eq(0).all()


def test_values_of_another_type_are_stored_by_masks_and_slices_only():
    """A mask with one value is a fill, which converts; other tensors of indices need a value of their type."""

    def stored(index, value, shape=(2, 2)):
        x = torch.zeros(shape, dtype=torch.long)
        x[index] = value
        return x.tolist()

    mask = torch.tensor([False, True])
    for value in (torch.tensor(2.5), torch.tensor([2.5]), torch.tensor([[2]], dtype=torch.int8), 2.5):
        assert stored(mask, value) == [[0, 0], [2, 2]] and stored((slice(None), mask), value) == [[0, 2], [0, 2]]
        assert stored(mask, value, (2,)) == [0, 2] and stored(0, value) == [[2, 2], [0, 0]]
        assert torch.zeros(2).index_put((mask,), torch.as_tensor(value)).tolist() == [0, torch.as_tensor(value).item()]
    assert stored(torch.tensor([1]), 2.5, (2,)) == [0, 2]
    for index in ([1], torch.tensor([1]), (mask, torch.tensor([1])), (0, torch.tensor([1]))):
        with pytest.raises(RuntimeError, match="source and destination dtypes match"):
            stored(index, torch.tensor(2.5))
    with pytest.raises(RuntimeError, match="source and destination dtypes match"):
        stored(mask, torch.tensor([1.0, 2.0]))
    with pytest.raises(RuntimeError, match="shape mismatch"):
        stored(mask, torch.tensor([1.0, 2.0, 3.0]))


def test_boundaries_and_values_are_rounded_to_the_type_that_they_have_in_common():
    wide, halves = torch.tensor([16777216, 16777217]), torch.tensor([2048.0, 2050.0], dtype=torch.float16)
    assert torch.bucketize(torch.tensor([16777216.0]), wide, right=True).tolist() == [2]
    assert torch.bucketize(torch.tensor([16777216.0]).double(), wide, right=True).tolist() == [1]
    assert torch.bucketize(torch.tensor([2049.0]), halves).tolist() == [1]  # in float32
    assert torch.bucketize(torch.tensor([2049]), halves).tolist() == [0]  # in float16
    assert torch.bucketize(2049.5, torch.tensor([2049, 2050])).item() == 1
    assert torch.searchsorted(torch.tensor([1, 3, 5], dtype=torch.uint8), torch.tensor([-1, 3, 300])).tolist() == [0, 1, 3]


@pytest.mark.parametrize("dtype", [torch.int64, torch.uint8, torch.float32, torch.float16])
@pytest.mark.parametrize("threads", [1, 3])
def test_runs_that_threads_divide(dtype, threads):
    """Runs that begin in the part of one thread and end in that of another one."""
    before = torch.get_num_threads()
    x = torch.arange(200_000).div(torch.tensor([7]), rounding_mode="floor").remainder(199).to(dtype)
    x[60_000:150_000] = 5
    torch.set_num_threads(threads)
    try:
        values, inverse, counts = torch.unique_consecutive(x, return_inverse=True, return_counts=True)
        assert torch.equal(values[inverse], x) and torch.equal(values.repeat_interleave(counts), x)
        assert (values[1:] != values[:-1]).all()
        assert torch.equal(torch.unique_consecutive(x), values)
        assert torch.equal(torch.unique_consecutive(x, return_counts=True)[1], counts)
        assert torch.equal(torch.unique_consecutive(x, return_inverse=True)[1], inverse)
        values, inverse, counts = torch.unique(x, return_inverse=True, return_counts=True)
        assert torch.equal(values[inverse], x) and torch.equal(counts, torch.stack([(x == v).sum() for v in values]))
    finally:
        torch.set_num_threads(before)


def test_nan_is_a_run_of_its_own():
    nan = float("nan")
    values, counts = torch.unique_consecutive(torch.tensor([1.0, nan, nan, 2.0, 2.0]), return_counts=True)
    assert str(values.tolist()) == "[1.0, nan, nan, 2.0]" and counts.tolist() == [1, 1, 1, 2]


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32])
def test_maxima_of_channels_are_those_of_planes(dtype):
    """Infinities, NaN, both zeros, and more channels than whole vectors have."""
    x = torch.randn(2, 37, 9, 11, generator=torch.Generator().manual_seed(0)).to(dtype)
    flat = x.view(-1)
    for k, special in enumerate((math.nan, -math.inf, math.inf, -0.0, 0.0)):
        flat[k::13] = special
    x[:, 3] = -math.inf
    x[:, 4] = -0.0
    expected = torch.nn.functional.max_pool2d(x, 3, 2, 1, return_indices=True)
    found = torch.nn.functional.max_pool2d(x.to(memory_format=torch.channels_last), 3, 2, 1, return_indices=True)
    assert torch.equal(found[1], expected[1])
    torch.testing.assert_close(found[0], expected[0], rtol=0, atol=0, equal_nan=True, check_stride=False)
    assert torch.equal(found[0].signbit(), expected[0].signbit())


def test_rms_norm_of_parameters_in_another_type():
    x, weight = torch.randn(3, 8, dtype=torch.float16, requires_grad=True), torch.rand(8, requires_grad=True)
    y, rstd = torch.ops.aten._fused_rms_norm(x, [8], weight, None)
    assert y.dtype == torch.float16 and rstd.dtype == torch.float32 and rstd.shape == (3, 1)
    (y.sum() + rstd.sum()).backward()
    assert x.grad.dtype == torch.float16 and weight.grad.dtype == torch.float32
    wide = x.detach().double().requires_grad_()
    scale = (wide.square().mean(1, keepdim=True) + torch.finfo(torch.float32).eps).rsqrt()
    ((wide * scale * weight.double()).sum() + scale.sum()).backward()
    torch.testing.assert_close(x.grad.double(), wide.grad, rtol=2e-3, atol=2e-3)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16, torch.int32, torch.uint8])
@pytest.mark.parametrize("columns", [1, 3, 4, 17, 50, 70, 1500])
def test_an_operand_that_is_one_number_for_a_row(dtype, columns):
    x = (torch.arange(9 * columns).reshape(9, columns) % 13 + 1).to(dtype)
    column = (torch.arange(9).reshape(9, 1) % 5 + 1).to(dtype)
    for f in (torch.add, torch.mul, torch.sub, torch.maximum, torch.minimum, torch.eq, torch.lt):
        whole = column.expand(9, columns).contiguous()
        assert torch.equal(f(x, column), f(x, whole)) and torch.equal(f(column, x), f(whole, x))
    if dtype.is_floating_point:
        whole = column.expand(9, columns).contiguous()
        assert torch.equal(torch.div(x, column), torch.div(x, whole))
        assert torch.equal(torch.addcmul(x, column, x), torch.addcmul(x, whole, x))
        assert torch.equal(torch.lerp(x, column, x / 13), torch.lerp(x, whole, x / 13))


def test_maximum_of_a_column_with_nan():
    x, column = torch.tensor([[1.0, torch.nan, 3.0]]).repeat(20, 9), torch.tensor([2.0, torch.nan]).repeat(10).unsqueeze(1)
    found = torch.maximum(x, column)
    assert torch.equal(found.isnan(), x.isnan() | column.isnan()) and torch.equal(found[0, ::3], torch.full((9,), 2.0))


@pytest.mark.parametrize(
    "dtype", [torch.float32, torch.float64, torch.float16, torch.bfloat16, torch.int64, torch.int32, torch.bool]
)
@pytest.mark.parametrize("columns", [1, 5, 24, 50, 129, 1000])
def test_reductions_of_many_rows(dtype, columns):
    x = torch.randint(0, 2 if dtype == torch.bool else 50, (700, columns)).to(dtype)
    wide = x.double()
    assert torch.equal(x.amax(1).double(), wide.amax(1)) and torch.equal(x.any(1), (wide != 0).any(1))
    assert torch.allclose(x.sum(1).double(), wide.sum(1), rtol=1e-2 if dtype in (torch.float16, torch.bfloat16) else 1e-6)
    values, places = x.max(1) if dtype != torch.bool else x.int().max(1)
    assert torch.equal(values.double(), wide.amax(1)) and torch.equal(wide.gather(1, places[:, None])[:, 0], wide.amax(1))
    # Rows that are not adjacent, and rows that repeat.
    assert torch.equal(x[::3].amax(1), x.amax(1)[::3]) and torch.equal(x[:1].expand(700, columns).any(), x[0].any())


@pytest.mark.parametrize("n", [1, 2, 3, 8, 9, 40, 1500])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16, torch.uint8, torch.int64])
def test_matrix_times_vector_of_any_length(n, dtype):
    a, v = torch.randint(0, 4, (700, n)).to(dtype), torch.randint(0, 4, (n,)).to(dtype)
    expected = (a.double() * v.double()).sum(1)
    found = a @ v
    if dtype == torch.uint8:
        assert torch.equal(found.double(), expected % 256)
    else:
        assert torch.allclose(found.double(), expected, rtol=1e-2 if dtype == torch.bfloat16 else 1e-6)
    assert torch.equal(a.t().contiguous().t() @ v, found) or dtype.is_floating_point


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_fmod_of_special_values(dtype):
    numbers = [0.0, -0.0, 1.0, -7.5, 1e-30, 3e20, 1e38 if dtype == torch.float32 else 1e300, torch.inf, -torch.inf, torch.nan]
    a, b = (
        torch.tensor(numbers, dtype=dtype).repeat_interleave(len(numbers)),
        torch.tensor(numbers, dtype=dtype).repeat(len(numbers)),
    )
    with np.errstate(all="ignore"):
        expected = torch.from_numpy(np.fmod(a.numpy(), b.numpy()))
    found = torch.fmod(a, b)
    assert torch.equal(found.nan_to_num(99.0), expected.nan_to_num(99.0))
    assert torch.equal(found.signbit() | found.isnan(), expected.signbit() | expected.isnan())


def test_gradient_of_the_determinant_of_singular_matrices():
    # One zero pivot, and matrices whose factor has several zeros on its diagonal.
    for rows in ([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [5.0, 7.0, 9.0]], [[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.0, 0.0, 0.0]]):
        a = torch.tensor(rows, dtype=torch.float64, requires_grad=True)
        torch.linalg.det(a).backward()
        cofactors = torch.empty(3, 3, dtype=torch.float64)
        for i in range(3):
            for j in range(3):
                minor = np.delete(np.delete(np.array(rows), i, 0), j, 1)
                cofactors[i, j] = (-1) ** (i + j) * np.linalg.det(minor)
        assert torch.allclose(a.grad, cofactors, atol=1e-12), rows


def test_padding_of_channels_last_images_goes_back():
    for mode in ("reflect", "replicate"):
        for pad in ((1, 2, 2, 1), (0, 0, 1, 1), (-1, 2, 0, -1)):
            x = torch.randn(2, 3, 5, 6, dtype=torch.float64, requires_grad=True)
            y = x.detach().contiguous(memory_format=torch.channels_last).requires_grad_()
            g = torch.randn_like(F.pad(x, pad, mode=mode))
            F.pad(x, pad, mode=mode).backward(g)
            F.pad(y, pad, mode=mode).backward(g.contiguous(memory_format=torch.channels_last))
            assert torch.allclose(x.grad, y.grad) and y.grad.is_contiguous(memory_format=torch.channels_last)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16])
def test_products_over_nothing_are_zero(dtype):
    a, v = torch.ones(5, 0, dtype=dtype), torch.ones(0, dtype=dtype)
    assert (a @ v).tolist() == [0.0] * 5 and (torch.ones(3, 5, 0, dtype=dtype) @ torch.ones(3, 0, 2, dtype=dtype)).sum() == 0
    assert torch.addmv(torch.ones(5, dtype=dtype), a, v).tolist() == [1.0] * 5


@pytest.mark.parametrize("shape", [(16, 5, 3), (9, 7, 2, 2), (64, 30, 8), (8, 3, 33), (7, 3, 4)])
@pytest.mark.parametrize("offset", [0.0, 1000.0])
def test_batch_norm_of_short_planes(shape, offset):
    """Elements of short planes count as channels of their own, whose moments are put together."""
    generator = torch.Generator().manual_seed(9)
    x = (torch.randn(shape, generator=generator, dtype=torch.float64) + offset).requires_grad_()
    weight, bias = (torch.randn(shape[1], generator=generator, dtype=torch.float64).requires_grad_() for _ in range(2))
    dims = [d for d in range(len(shape)) if d != 1]
    view = [1, -1] + [1] * (len(shape) - 2)
    centered = x - x.mean(dims, keepdim=True)
    expected = centered / (centered.square().mean(dims, keepdim=True) + 1e-5).sqrt() * weight.view(view) + bias.view(view)
    found = F.batch_norm(x, None, None, weight, bias, True)
    torch.testing.assert_close(found, expected, rtol=1e-8, atol=1e-8)
    grad = torch.randn(shape, generator=generator, dtype=torch.float64)
    for a, b in zip(
        torch.autograd.grad(found, (x, weight, bias), grad), torch.autograd.grad(expected, (x, weight, bias), grad), strict=True
    ):
        torch.testing.assert_close(a, b, rtol=1e-7, atol=1e-7)
    wide = F.batch_norm(x.detach().float(), None, None, weight.detach().float(), bias.detach().float(), True)
    torch.testing.assert_close(wide.double(), expected.detach(), rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("dtype", [torch.uint8, torch.int8, torch.int32, torch.int64])
def test_products_of_integers_wrap_in_every_shape(dtype):
    # Vectors that overlap at the end of a row, few columns, long and short inner dimensions.
    smallest = -(2**31) if dtype.is_signed else 0
    for m, k, n in [(4, 3, 70), (5, 3, 33), (130, 2, 129), (9, 300, 65), (4, 5, 3), (2, 3, 500), (2, 5000, 4), (8, 4100, 1)]:
        a, b, c = (torch.randint(smallest, 2**31 - 1, s).to(dtype) for s in ((m, k), (k, n), (m, n)))
        for alpha, beta in ((1, 0), (1, 1), (3, 5)):
            expected = (alpha * (a.long()[:, :, None] * b.long()[None]).sum(1) + beta * c.long()).to(dtype)
            for x, y in ((a, b), (a.t().contiguous().t(), b.t().contiguous().t())):
                assert torch.equal(torch.addmm(c, x, y, alpha=alpha, beta=beta), expected)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.complex64])
def test_products_with_long_and_short_inner_dimensions(dtype):
    precision = {torch.float16: 2e-3, torch.bfloat16: 2e-2}.get(dtype, 1e-5)
    for m, k, n in [(2, 5000, 4), (8, 2049, 1), (1, 4097, 8), (70, 3, 50), (7, 4, 1000), (40, 2, 33)]:
        a, b = torch.randn(m, k).to(dtype), torch.randn(k, n).to(dtype)
        wide = torch.complex128 if dtype.is_complex else torch.float64
        expected, bound = a.to(wide) @ b.to(wide), a.abs().double() @ b.abs().double()
        for x, y in ((a, b), (a.t().contiguous().t(), b), (a, b.t().contiguous().t())):
            # Without beta, the added matrix is not read.
            got = torch.addmm(torch.full((m, n), float("nan")).to(dtype), x, y, beta=0)
            assert got.dtype == dtype and bool(((got.to(wide) - expected).abs() <= precision * bound).all())
    nan = torch.full((20, 3), float("nan")).to(dtype) @ torch.ones(3, 40).to(dtype)
    assert bool(torch.isnan(nan).all())


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.complex64, torch.complex128])
@pytest.mark.parametrize("driver", ["gels", "gelsy", "gelsd", "gelss"])
def test_lstsq_of_a_tall_matrix(dtype, driver):
    torch.manual_seed(0)
    A, b = torch.randn(1000, 7, dtype=dtype), torch.randn(1000, 3, dtype=dtype)
    for scale in (1, 1e-18, 1e18):
        answer = torch.linalg.lstsq(A * scale, b, driver=driver)
        expected = torch.linalg.solve(A.mH @ A, A.mH @ b) / scale
        torch.testing.assert_close(answer.solution, expected, rtol=1e-3, atol=0)
        if driver != "gelsy":
            torch.testing.assert_close(answer.residuals, (A @ expected * scale - b).abs().square().sum(0), rtol=1e-3, atol=0)
    if driver != "gels":
        deficient = torch.cat([A, A[:, :2]], 1)
        answer = torch.linalg.lstsq(deficient, b, driver=driver)
        assert answer.rank == 7
        torch.testing.assert_close(deficient @ answer.solution, A @ torch.linalg.solve(A.mH @ A, A.mH @ b), rtol=1e-2, atol=1e-3)
    with pytest.raises(RuntimeError, match="infinities"):
        torch.linalg.lstsq(A.index_fill(0, torch.tensor([900]), float("inf")), b, driver=driver)


def test_det_backward_of_matrices_without_cofactors():
    A = torch.randn(3, 5, 5, dtype=torch.float64)
    A[1] = A[1, 0].expand(5, 5)  # rank 1: no cofactors
    A[2, 4] = A[2, 3]  # rank 4
    A.requires_grad_()
    grad = torch.autograd.grad(torch.det(A).sum(), A)[0]
    assert bool((grad[1] == 0).all()) and bool((grad[2] != 0).any())
    torch.testing.assert_close(grad[0], torch.det(A[0]) * torch.linalg.inv(A[0]).T)


def test_ldl_factor_of_small_matrices():
    torch.manual_seed(0)
    for dtype in (torch.float64, torch.complex128):
        for n in range(1, 20):
            A = torch.randn(4, n, n, dtype=dtype)
            A = A + A.mT
            A[1].diagonal().zero_()  # blocks of two rows
            b = torch.randn(4, n, 2, dtype=dtype)
            LD, pivots = torch.linalg.ldl_factor(A[: 1 if n == 1 else 4])
            X = torch.linalg.ldl_solve(LD, pivots, b[: 1 if n == 1 else 4])
            torch.testing.assert_close(A[: X.shape[0]] @ X, b[: X.shape[0]], rtol=1e-6, atol=1e-6)


def test_factors_in_rows_and_repeated_ones_solve_alike():
    torch.manual_seed(0)
    for dtype in (torch.float64, torch.complex128):
        for columns in (1, 2, 5):
            A, b = torch.randn(40, 40, dtype=dtype), torch.randn(40, columns, dtype=dtype)
            LU, pivots = torch.linalg.lu_factor(A)
            for adjoint in (False, True):
                expected = torch.linalg.solve(A.mH if adjoint else A, b)
                for factors in (LU, LU.contiguous(), LU.contiguous().t().contiguous().t()):
                    torch.testing.assert_close(torch.linalg.lu_solve(factors, pivots, b, adjoint=adjoint), expected)
            for upper in (False, True):
                L = torch.linalg.cholesky(A @ A.mH + 40 * torch.eye(40), upper=upper)
                for factors in (L.contiguous(), L.t().contiguous().t()):
                    X = torch.cholesky_solve(b, factors, upper=upper)
                    torch.testing.assert_close((A @ A.mH + 40 * torch.eye(40)) @ X, b)
            row = torch.rand(1, 40, dtype=torch.float64).to(dtype) + 1
            X = torch.cholesky_solve(b, row.expand(40, 40))
            torch.testing.assert_close(X, torch.cholesky_solve(b, row.expand(40, 40).clone()))


def test_strides_and_offsets_that_lead_nowhere():
    """Nothing is read with them, so that their bytes may be more than 64 bits can count."""
    far = 2**62
    for dtype in (torch.uint8, torch.float32, torch.complex128):
        x = torch.ones(8, dtype=dtype)
        for sizes, strides, offset in (
            ([0, 2], [2, 2], far),
            ([1, 0], [far, 2**31], 2**63 - 1),
            ([0, far], [2, far], 0),
            ([far, 0], [2, 2], 1),
            ([1, 8], [far, 1], 0),
        ):
            y = torch.as_strided(x, sizes, strides, offset)
            assert y.sum() == y.numel()
            if far not in sizes:
                assert torch.equal(y.sum(0), torch.ones(sizes[1]).to(dtype) * sizes[0])
                assert (y + 1).shape == y.shape
    assert torch.trace(torch.ones(8).as_strided((1, 1), (far, far))) == 1
    x = torch.ones(5, requires_grad=True)
    x.unfold(0, 1, 2**63 - 1).sum().backward()
    assert x.grad.tolist() == [1.0, 0.0, 0.0, 0.0, 0.0]


def test_derivatives_at_the_ends_of_the_integers():
    x = torch.tensor([0.5, 1.0, 2.0], requires_grad=True)
    (grad,) = torch.autograd.grad((x ** -(2**63)).sum(), x)
    assert grad.tolist() == [-math.inf, -(2.0**63), 0.0]
    torch.autograd.grad(torch.polygamma(2**63 - 1, x).sum(), x)


def test_histograms_whose_edges_cannot_be_counted():
    for device in ("cpu", "meta"):
        with pytest.raises(RuntimeError, match="too many edges"):
            torch.histogram(torch.ones(3, device=device), 2**63 - 1)


@pytest.mark.parametrize("n", [5, 1000, 20000])
@pytest.mark.parametrize("place", ["itself", "a view", "every other element"])
def test_indices_and_sources_that_are_written_to(n, place):
    """Indices are checked, and then must not change while rows are written with them."""
    calls = {
        "index_add_": lambda x, index, source: x.index_add_(0, index, source),
        "index_copy_": lambda x, index, source: x.index_copy_(0, index, source),
        "index_reduce_": lambda x, index, source: x.index_reduce_(0, index, source, "amax"),
        "index_fill_": lambda x, index, _: x.index_fill_(0, index, 10**6),
        "index_put_": lambda x, index, source: x.index_put_((index,), source),
        "accumulate": lambda x, index, source: x.index_put_((index,), source, accumulate=True),
        "put_": lambda x, index, source: x.put_(index, source),
        "put_ accumulates": lambda x, index, source: x.put_(index, source, accumulate=True),
        "scatter_": lambda x, index, source: x.scatter_(0, index, source),
        "scatter_add_": lambda x, index, source: x.scatter_add_(0, index, source),
        "scatter_reduce_": lambda x, index, source: x.scatter_reduce_(0, index, source, "amax"),
        "masked_scatter_": lambda x, index, source: x.masked_scatter_(index > 3, source),
    }
    torch.manual_seed(0)
    start, others = torch.randperm(n), torch.randperm(n)
    for name, call in calls.items():
        for index, source in (("x", others + 10**5), (others, "x")):

            def run(x, seen, index=index, source=source, call=call):
                call(x, seen if isinstance(index, str) else index, seen if isinstance(source, str) else source)
                return x

            expected = run(start.clone(), start.clone())
            x = torch.empty(2 * n, dtype=torch.int64)[::2].copy_(start) if place == "every other element" else start.clone()
            assert torch.equal(run(x, x[:] if place == "a view" else x), expected), (name, index is others)


def test_covariance_with_a_correction_at_the_end_of_the_integers():
    for correction in (-(2**63), -(2**62), 2**63 - 1):
        with pytest.warns() if correction > 0 else nullcontext():
            found = torch.cov(torch.arange(6.0).reshape(2, 3), correction=correction)
        assert (found.abs() < 1e-15).all() if correction < 0 else found.isinf().all()


@pytest.mark.parametrize("mode", ["bilinear", "bicubic", "lanczos"])
def test_antialiasing_with_an_infinite_step_is_refused(mode):
    op = getattr(torch.ops.aten, f"_upsample_{mode}2d_aa", None)
    if op is None:
        pytest.skip("no such operator")
    for scale in (1e-320, 1e-30, 1e-8):
        with pytest.raises(RuntimeError, match="too small"):
            op(torch.ones(1, 1, 6, 6), [3, 3], False, scale, None)


@pytest.mark.parametrize("name", ["fft", "ifft", "rfft", "ihfft", "irfft", "hfft"])
def test_transforms_of_no_rows_have_any_length(name):
    for n in (2**62, 2**63 - 1):
        assert getattr(torch.fft, name)(torch.empty(2, 0, 3), n).numel() == 0
        with pytest.raises(RuntimeError):
            getattr(torch.fft, name)(torch.ones(2, 3), n)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16])
@pytest.mark.parametrize("shape", [(2, 64), (2, 3), (16, 1000), (20, 64)])
def test_sums_of_negative_zeros_are_positive(shape, dtype):
    x = torch.full(shape, -0.0, dtype=dtype)
    for result in (x.sum(0), x.sum(1), x.sum(), x.mean(0), x.nansum(0)):
        assert (result == 0).all() and not torch.signbit(result).any()
