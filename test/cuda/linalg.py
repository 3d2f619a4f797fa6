"""Linear algebra through cuSOLVER, cuBLAS and kernels of small matrices: sizes around their borders, layouts, batches, errors."""

import pytest

import torch

TYPES = [torch.float32, torch.float64, torch.complex64, torch.complex128]
# Small ones by a warp, larger ones by a call for the batch, or by one for each.
SQUARE = [(1, 1), (5, 5), (2, 3, 32, 32), (33, 33), (3, 33, 33), (2, 260, 260), (0, 0), (2, 0, 0), (0, 3, 3)]
RECTANGLES = [(5, 3), (3, 5), (32, 1), (4, 3, 5), (40, 33), (2, 33, 40), (3, 40, 2), (0, 3), (3, 0), (2, 3, 0)]
LINALG_ERROR = torch.linalg.LinAlgError


def random(*shape, dtype=torch.float64, seed=0):
    return torch.randn(shape, dtype=dtype, generator=torch.Generator().manual_seed(seed))


def regular(shape, dtype, seed=0):
    n = shape[-1]
    return random(*shape, dtype=dtype, seed=seed) + 4 * n**0.5 * torch.eye(n, dtype=dtype)


def definite(shape, dtype):
    a = random(*shape, dtype=dtype) / max(shape[-1], 1) ** 0.5
    return a @ a.mH + torch.eye(shape[-1], dtype=dtype)


def same(f, *inputs, tolerance=None):
    """The device's results are the CPU's."""
    expected, found = f(*inputs), f(*(x.cuda() for x in inputs))
    expected, found = ([x] if isinstance(x, torch.Tensor) else list(x) for x in (expected, found))
    tolerance = tolerance or (1e-3 if inputs[0].dtype in (torch.float32, torch.complex64) else 1e-8)
    for a, b in zip(expected, found, strict=True):
        assert b.is_cuda and b.shape == a.shape and b.dtype == a.dtype and b.stride() == a.stride()
        torch.testing.assert_close(b.cpu(), a, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("shape", SQUARE)
def test_cholesky(shape, dtype):
    a, b = definite(shape, dtype), random(*shape[:-1], 4, dtype=dtype)
    for upper in (False, True):
        same(lambda a: torch.linalg.cholesky(a, upper=upper), a)
        factor = torch.linalg.cholesky(a, upper=upper)
        same(lambda b, factor: torch.cholesky_solve(b, factor, upper=upper), b, factor)
        same(lambda factor: torch.cholesky_inverse(factor, upper=upper), factor)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("shape", SQUARE)
def test_lu_and_what_uses_it(shape, dtype):
    a, b = regular(shape, dtype), random(*shape[:-1], 4, dtype=dtype)
    same(torch.linalg.lu_factor_ex, a)
    same(torch.linalg.lu, a)
    same(torch.linalg.inv_ex, a)
    same(torch.linalg.slogdet, a)
    same(torch.linalg.det, a / (4 * max(shape[-1], 1) ** 0.5))
    factors, pivots = torch.linalg.lu_factor(random(*shape, dtype=dtype, seed=3) + a / 4)
    for left in (True, False):
        side = b if left else b.mT
        same(lambda a, b: torch.linalg.solve(a, b, left=left), a, side)
        for adjoint in (False, True):
            same(lambda lu, pivots, b: torch.linalg.lu_solve(lu, pivots, b, left=left, adjoint=adjoint), factors, pivots, side)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("shape", SQUARE)
@pytest.mark.parametrize("upper", [False, True])
def test_triangular(shape, dtype, upper):
    a, b = regular(shape, dtype), random(*shape[:-1], 4, dtype=dtype)
    for left in (True, False):
        for unit in (False, True):
            t = a / shape[-1] if unit and shape[-1] else a
            for x in (t, t.mT, t.mH):
                same(
                    lambda a, b: torch.linalg.solve_triangular(a, b, upper=upper, left=left, unitriangular=unit),
                    x,
                    b if left else b.mT,
                )


@pytest.mark.parametrize("sides", [1, 3, 64, 65])
def test_right_sides(sides):
    a, b = regular((2, 6, 6), torch.complex128), random(2, 6, sides, dtype=torch.complex128)
    same(lambda a, b: torch.linalg.solve_triangular(a, b, upper=True), a, b)
    same(lambda a, b: torch.linalg.solve_triangular(a, b, upper=True, left=False), a, b.mT)
    same(torch.linalg.solve, a[0], b)


@pytest.mark.parametrize("shape", [(5, 3), (3, 5), (32, 32), (31, 32), (2, 32, 4), (40, 3), (2, 3, 40)])
def test_lu_of_rectangles(shape):
    same(torch.linalg.lu, random(*shape, dtype=torch.complex128))


def test_zeros_on_the_diagonal():
    """Every pivot is a one among zeros."""
    for n in (2, 7, 32, 40):
        a = torch.stack([torch.eye(n).roll(1, 0), torch.eye(n).flip(0), torch.eye(n)[torch.randperm(n)]])
        for f in (torch.linalg.lu, torch.linalg.inv, torch.linalg.det, torch.linalg.slogdet, torch.linalg.qr):
            same(f, a)


@pytest.mark.parametrize("shape", [(5, 5), (2, 3, 4), (3, 40, 40), (40, 33)])
def test_lu_without_pivoting(shape):
    a = random(*shape) + 9 * torch.eye(*shape[-2:], dtype=torch.float64)
    p, low, up = torch.linalg.lu(a.cuda(), pivot=False)
    assert p.shape == (0,)
    torch.testing.assert_close((low @ up).cpu(), a)
    factors, pivots = torch.linalg.lu_factor(a.cuda(), pivot=False)
    assert (pivots.cpu() == torch.arange(1, min(shape[-2:]) + 1)).all()
    if shape[-2] == shape[-1]:
        b = random(*shape[:-1], 2)
        torch.testing.assert_close(torch.linalg.lu_solve(factors, pivots, b.cuda()).cpu(), torch.linalg.solve(a, b))
        leaf = a.cuda().requires_grad_()
        torch.linalg.lu(leaf, pivot=False).U.diagonal(0, -2, -1).log().sum().backward()
        torch.testing.assert_close(leaf.grad.cpu(), torch.linalg.inv(a).mT)
    with pytest.raises(RuntimeError, match="without pivoting"):
        torch.linalg.lu(a, pivot=False)


def test_layouts():
    """Rows, every second element, an expanded batch, a batch in another order."""
    a, b = regular((6, 6), torch.float64), random(6, 2)
    wide = torch.zeros(12, 12, dtype=a.dtype)
    wide[::2, ::2] = a
    swapped = regular((3, 2, 40, 40), torch.float64).transpose(0, 1)
    for x in (a.mT, wide[::2, ::2], a.expand(3, 6, 6), a.flip(0).flip(1)):
        for f in (torch.linalg.inv, torch.linalg.lu_factor, torch.linalg.det, torch.linalg.qr):
            same(f, x)
        same(torch.linalg.solve, x, b)
        same(lambda x, b: torch.linalg.solve_triangular(x, b, upper=True), x, b)
    same(torch.linalg.inv, swapped)
    same(torch.linalg.solve, swapped, random(40, 3))
    same(lambda x, b: torch.linalg.solve_triangular(x, b, upper=True), regular((40, 40), torch.float64), random(4, 40, 3))
    out = torch.empty(6, 6, dtype=a.dtype, device="cuda").t()
    assert torch.linalg.inv(a.cuda(), out=out) is out
    torch.testing.assert_close(out.cpu(), torch.linalg.inv(a))


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("shape", RECTANGLES)
def test_qr(shape, dtype):
    a = random(*shape, dtype=dtype)
    for mode in ("reduced", "complete", "r"):
        same(lambda a: torch.linalg.qr(a, mode), a)
    if shape[-2] >= shape[-1]:
        v, tau = torch.geqrf(a)
        same(torch.linalg.householder_product, v, tau)
        c = random(*shape[:-1], 2, dtype=dtype)
        for transpose in (False, True):
            same(lambda v, tau, c: torch.ormqr(v, tau, c, True, transpose), v, tau, c)
            same(lambda v, tau, c: torch.ormqr(v, tau, c, False, transpose), v, tau, c.mT)


def test_qr_of_extreme_numbers():
    for scale in (1e-30, 1e30):
        same(torch.linalg.qr, random(4, 3, dtype=torch.float32) * scale, tolerance=1e-4)
    same(torch.linalg.qr, torch.zeros(3, 3))


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("shape", RECTANGLES)
@pytest.mark.parametrize("driver", [None, "gesvd", "gesvdj", "gesvda"])
def test_svd(shape, dtype, driver):
    a = random(*shape, dtype=dtype)
    same(lambda a: torch.linalg.svdvals(a, driver=driver if a.is_cuda else None), a)
    for full in (True, False):
        u, s, vh = torch.linalg.svd(a.cuda(), full_matrices=full, driver=driver)
        k = min(shape[-2:])
        product = u[..., :k] @ (s.unsqueeze(-1) * vh[..., :k, :])
        torch.testing.assert_close(product.cpu(), a, rtol=1e-3, atol=1e-4)
        for q in (u.mH @ u, vh @ vh.mH):
            torch.testing.assert_close(q.cpu(), torch.eye(q.shape[-1], dtype=dtype).expand(q.shape), rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("shape", [(1, 1), (3, 3), (4, 3, 3), (40, 40), (2, 520, 520), (0, 0), (0, 3, 3)])
@pytest.mark.parametrize("triangle", ["L", "U"])
def test_eigh(shape, dtype, triangle):
    if shape[-1] > 500 and dtype != torch.float64:
        pytest.skip("one type is enough for the largest")
    a = random(*shape, dtype=dtype)
    same(lambda a: torch.linalg.eigvalsh(a, triangle), a)
    values, vectors = torch.linalg.eigh(a.cuda(), triangle)
    half = torch.tril(a.cuda(), -1) if triangle == "L" else torch.triu(a.cuda(), 1)
    whole = half + half.mH + torch.diag_embed(a.cuda().diagonal(0, -2, -1).real.to(dtype))
    torch.testing.assert_close(whole @ vectors, vectors * values.unsqueeze(-2), rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("dtype", [torch.float64, torch.complex64])
@pytest.mark.parametrize("shape", [(3, 3), (2, 4, 4), (520, 520), (0, 0)])
def test_eig(shape, dtype):
    a = random(*shape, dtype=dtype).cuda()
    values, vectors = torch.linalg.eig(a)
    torch.testing.assert_close(a.to(vectors.dtype) @ vectors, vectors * values.unsqueeze(-2), rtol=1e-3, atol=1e-3)
    sizes = [torch.sort(x.abs().cpu())[0] for x in (torch.linalg.eigvals(a), values)]
    torch.testing.assert_close(*sizes, rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("shape", SQUARE)
@pytest.mark.parametrize("hermitian", [False, True])
def test_ldl(shape, dtype, hermitian):
    a = random(*shape, dtype=dtype)
    a = a + (a.mH if hermitian else a.mT)
    same(lambda a: torch.linalg.ldl_factor_ex(a, hermitian=hermitian), a)
    factors, pivots = torch.linalg.ldl_factor(a, hermitian=hermitian)
    assert shape != (2, 260, 260) or (pivots < 0).any()  # blocks of two
    b = random(*shape[:-1], 3, dtype=dtype)
    same(lambda ld, p, b: torch.linalg.ldl_solve(ld, p, b, hermitian=hermitian), factors, pivots, b)


@pytest.mark.parametrize("shape", [(5, 3), (3, 5), (2, 5, 3), (40, 33), (3, 3), (0, 3)])
def test_least_squares(shape):
    a, b = random(*shape, dtype=torch.complex128), random(*shape[:-1], 2, dtype=torch.complex128)
    for driver in ("gels", "gelsd", "gelss", "gelsy"):
        same(lambda a, b: torch.linalg.lstsq(a, b, driver=driver), a, b)
    assert torch.linalg.lstsq(a.cuda(), b.cuda()).rank.shape == (0,)  # gels, the device's own choice, has no rank
    a[..., 0] = 0
    for driver in ("gelsd", "gelss", "gelsy"):
        same(lambda a, b: torch.linalg.lstsq(a, b, driver=driver), a, b)


NAN = torch.full((2, 3, 3), float("nan"))
SINGULAR = torch.stack([torch.eye(3), torch.diag(torch.tensor([1.0, 0.0, 1.0]))])
LARGE = torch.eye(40).index_fill(0, torch.tensor([7]), 0)
REFUSED = {
    "inv": (torch.linalg.inv, SINGULAR, LINALG_ERROR),
    "inv of a large one": (torch.linalg.inv, LARGE, LINALG_ERROR),
    "solve": (lambda a: torch.linalg.solve(a, a), SINGULAR, LINALG_ERROR),
    "lu_factor": (torch.linalg.lu_factor, SINGULAR, RuntimeError),
    "cholesky": (torch.linalg.cholesky, SINGULAR, LINALG_ERROR),
    "cholesky of a large one": (torch.linalg.cholesky, LARGE.expand(2, 40, 40), LINALG_ERROR),
    "cholesky_inverse": (torch.cholesky_inverse, SINGULAR, LINALG_ERROR),
    "ldl_factor": (torch.linalg.ldl_factor, SINGULAR, LINALG_ERROR),
    "eigh": (torch.linalg.eigh, NAN, LINALG_ERROR),
    "svd": (torch.linalg.svd, NAN, LINALG_ERROR),
    "eig": (torch.linalg.eig, NAN, RuntimeError),
    "lstsq": (lambda a: torch.linalg.lstsq(a, a, driver="gels"), SINGULAR, LINALG_ERROR),
    "lstsq of NaN": (lambda a: torch.linalg.lstsq(a, a), NAN, LINALG_ERROR),
    "half": (torch.linalg.inv, SINGULAR.half(), RuntimeError),
}


@pytest.mark.parametrize("name", REFUSED)
def test_errors_are_those_of_the_cpu(name):
    f, x, error = REFUSED[name]
    with pytest.raises(error) as on_cpu:
        f(x)
    with pytest.raises(error) as found:
        f(x.cuda())
    assert type(found.value) is type(on_cpu.value) and str(found.value) == str(on_cpu.value)
    torch.linalg.inv(torch.eye(2).cuda())  # the device still works


def test_infos_and_inverses_of_singular_matrices():
    for a in (SINGULAR, torch.stack([LARGE, torch.eye(40)])):
        inverse, info = torch.linalg.inv_ex(a.cuda())
        expected, expected_info = torch.linalg.inv_ex(a)
        assert info.tolist() == expected_info.tolist() and any(info.tolist())
        torch.testing.assert_close(inverse.cpu(), expected, equal_nan=True)
    assert torch.linalg.cholesky_ex(-torch.eye(40).expand(2, 40, 40).cuda())[1].tolist() == [1, 1]


def test_wrong_driver():
    with pytest.raises(RuntimeError, match="driver"):
        torch.linalg.svd(torch.eye(2).cuda(), driver="x")


@pytest.mark.parametrize("n", [3, 34])
def test_gradients(n):
    a, b = regular((2, n, n), torch.float64), random(2, n, 2)
    functions = [
        lambda a, b: torch.linalg.solve(a, b),
        lambda a, b: torch.linalg.svd(a).S.sum() + torch.linalg.svdvals(a).square().sum(),
        lambda a, b: torch.linalg.eigh(a @ a.mT)[0] @ b,
        lambda a, b: torch.cholesky_solve(b, torch.linalg.cholesky(a @ a.mT)),
        lambda a, b: torch.linalg.qr(a).Q @ b,
        lambda a, b: torch.linalg.slogdet(a).logabsdet + torch.linalg.pinv(a).sum() + b.sum(),
        lambda a, b: torch.linalg.lstsq(torch.cat([a, a.mT], -2), torch.cat([b, b], -2)).solution,
        lambda a, b: torch.linalg.matrix_exp(a / 20) @ b,
    ]
    for f in functions:

        def gradients(*inputs):
            leaves = [x.detach().requires_grad_() for x in inputs]
            f(*leaves).square().sum().backward()
            return [x.grad for x in leaves if x.grad is not None]

        for x, y in zip(gradients(a, b), gradients(a.cuda(), b.cuda()), strict=True):
            torch.testing.assert_close(y.cpu(), x, rtol=1e-6, atol=1e-6)


def test_composites():
    a = definite((8, 8), torch.float64)
    for name in ("pinv", "matrix_rank", "cond", "matrix_exp", "vector_norm"):
        same(getattr(torch.linalg, name), a)
    same(torch.linalg.tensorinv, a.reshape(4, 2, 4, 2))
    same(torch.logdet, a)
    for f in (torch.cov, torch.corrcoef, lambda x: torch.linalg.matrix_norm(x, 2), lambda x: torch.linalg.matrix_power(x, -3)):
        same(f, a)
    values, vectors = torch.lobpcg(a.cuda(), k=2)
    torch.testing.assert_close(values.cpu(), torch.linalg.eigvalsh(a).flip(0)[:2], rtol=1e-5, atol=1e-5)
    a = random(20, 5) @ random(5, 12)
    u, s, v = torch.svd_lowrank(a.cuda(), q=6)
    torch.testing.assert_close((u * s) @ v.mT, a.cuda(), rtol=1e-6, atol=1e-6)


def test_other_streams_and_devices():
    a = regular((3, 40, 40), torch.float64)
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        x = a.cuda(non_blocking=True)
        inverse = torch.linalg.inv(x) @ x
    stream.synchronize()
    torch.testing.assert_close(inverse.cpu(), torch.eye(40, dtype=a.dtype).expand(3, 40, 40))
    if torch.cuda.device_count() > 1:
        same(torch.linalg.inv, a)
        y = a.to("cuda:1")
        torch.testing.assert_close(torch.linalg.inv(y).cpu(), torch.linalg.inv(a))
        assert torch.linalg.eigvalsh(y).device == y.device
