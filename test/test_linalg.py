"""Linear algebra beyond the table of operators: functions in Python, values that are not finite, threads."""

import threading

import numpy as np
import pytest

import torch

NAN, INF = float("nan"), float("inf")


def symmetric(n, seed=0):
    a = torch.from_numpy(np.random.RandomState(seed).randn(n, n))
    return a + a.mT


@pytest.mark.parametrize("largest", [True, False])
def test_lobpcg(largest):
    a = symmetric(30) @ symmetric(30) + torch.eye(30)
    b = symmetric(30, 1) @ symmetric(30, 1) + 30 * torch.eye(30)
    values, vectors = torch.lobpcg(a, k=3, largest=largest)
    expected = torch.linalg.eigvalsh(a)
    torch.testing.assert_close(values, expected.flip(0)[:3] if largest else expected[:3], rtol=1e-6, atol=1e-6)
    torch.testing.assert_close(a @ vectors, vectors * values, rtol=1e-3, atol=1e-3)
    values, vectors = torch.lobpcg(a.expand(2, 30, 30), k=2, B=b, largest=largest, tol=1e-10)
    torch.testing.assert_close(a @ vectors, b @ vectors * values.unsqueeze(-2), rtol=1e-4, atol=1e-4)
    torch.testing.assert_close(vectors.mT @ b @ vectors, torch.eye(2, dtype=a.dtype).expand(2, 2, 2), rtol=1e-6, atol=1e-6)


def test_lobpcg_gradients_tracker_and_errors():
    first = torch.linalg.qr(symmetric(9)[:, :2]).Q

    def f(a, b):
        values, vectors = torch.lobpcg(a + a.mT, 2, B=b @ b.mT + 9 * torch.eye(9), X=first, tol=1e-14)
        return values, vectors.abs()

    leaves = [symmetric(9, s).requires_grad_() for s in (2, 3)]
    assert torch.autograd.gradcheck(f, leaves, atol=1e-4, rtol=1e-3)
    seen = []

    def stop(state):
        seen.append(state.iteration)
        state.force_stop = state.iteration == 2

    torch.lobpcg(symmetric(30), k=2, tracker=stop)
    assert seen == [0, 1, 2]
    for call in (
        lambda: torch.lobpcg(symmetric(4), 2),
        lambda: torch.lobpcg(symmetric(9), method="x"),
        lambda: torch.lobpcg(torch.ones(2, 3)),
    ):
        with pytest.raises(ValueError, match="lobpcg"):
            call()


def test_low_rank():
    a = torch.from_numpy(np.random.RandomState(0).randn(2, 20, 4) @ np.random.RandomState(1).randn(4, 12))
    for x in (a, a.mT):
        u, s, v = torch.svd_lowrank(x, q=6)
        torch.testing.assert_close(u * s.unsqueeze(-2) @ v.mT, x)
        torch.testing.assert_close(s[..., :4], torch.linalg.svdvals(x)[..., :4])
        u, s, v = torch.pca_lowrank(x, q=5)
        torch.testing.assert_close(u * s.unsqueeze(-2) @ v.mT, x - x.mean(-2, keepdim=True))
    shift = torch.ones(12, dtype=a.dtype)
    u, s, v = torch.svd_lowrank(a, q=6, M=shift)
    torch.testing.assert_close(u * s.unsqueeze(-2) @ v.mT, a - shift)
    with pytest.raises(ValueError, match="pca_lowrank"):
        torch.pca_lowrank(a, q=13)


def test_lu_of_older_programs():
    a = symmetric(3)
    factors, pivots = torch.lu(a)
    p, low, up = torch.lu_unpack(factors, pivots)
    torch.testing.assert_close(p @ low @ up, a)
    assert torch.lu(torch.zeros(2, 2), get_infos=True)[2].item() == 1 and len(a.lu()) == 2
    out = torch.empty(0, dtype=a.dtype), torch.empty(0, dtype=torch.int32)
    assert torch.lu(a, out=out) is out and torch.equal(out[0], factors)
    with pytest.raises(TypeError, match="expected tuple of 2"):
        torch.lu(a, out=(out[0],))


@pytest.mark.parametrize("name", ["eig", "lstsq", "matrix_rank", "solve", "symeig"])
def test_removed_functions_say_what_to_use(name):
    with pytest.raises(RuntimeError, match=f"torch.linalg.{name.replace('symeig', 'eigh')}"):
        getattr(torch, name)(torch.eye(2), torch.eye(2))


def test_the_error_type():
    assert torch.linalg.LinAlgError is torch._C._LinAlgError and issubclass(torch.linalg.LinAlgError, RuntimeError)


@pytest.mark.parametrize("value", [NAN, INF, -INF])
@pytest.mark.parametrize("n", [3, 40])
def test_values_that_are_not_finite(value, n):
    """Every function ends: with an error, or with numbers that are not finite."""
    a = torch.eye(n)
    a[1, 1] = value
    linalg = torch.linalg
    for f in (linalg.eigh, linalg.eigvalsh, linalg.svd, linalg.svdvals, linalg.pinv, linalg.matrix_rank, linalg.cond):
        with pytest.raises(torch.linalg.LinAlgError, match="finite"):
            f(a)
    for driver in ("gels", "gelsy", "gelsd", "gelss"):
        for x, y in ((a, torch.ones(n, 1)), (torch.eye(n), a)):
            with pytest.raises(torch.linalg.LinAlgError, match="NaN"):
                linalg.lstsq(x, y, driver=driver)
    with pytest.raises(RuntimeError, match="NaN"):
        linalg.eig(a)
    assert linalg.eigvals(a).isnan().all()
    assert not linalg.qr(a).R.isfinite().all() and not linalg.lu_factor_ex(a).LU.isfinite().all()
    assert not linalg.det(a).isfinite() and not linalg.matrix_exp(a).isfinite().all()
    linalg.inv_ex(a), linalg.solve_ex(a, a), linalg.cholesky_ex(a), linalg.ldl_factor_ex(a), torch.geqrf(a)
    # One triangle is not read.
    b = torch.eye(n)
    b[0, 1] = value
    assert linalg.eigvalsh(b).isfinite().all() and linalg.cholesky(b).isfinite().all()


def test_triangles_that_are_not_read():
    a = symmetric(40) @ symmetric(40) + torch.eye(40)
    for upper in (False, True):
        half = a.triu() if upper else a.tril()
        garbage = half + (torch.full_like(a, NAN).tril(-1) if upper else torch.full_like(a, NAN).triu(1)).nan_to_num(7.0)
        torch.testing.assert_close(torch.linalg.cholesky(garbage, upper=upper), torch.linalg.cholesky(a, upper=upper))
        torch.testing.assert_close(torch.linalg.eigvalsh(garbage, "U" if upper else "L"), torch.linalg.eigvalsh(a))


def test_large_matrices_use_all_threads_and_agree():
    before = torch.get_num_threads()
    a = symmetric(400) + 40 * torch.eye(400)
    b = symmetric(400, 1)[:, :50]
    try:
        results = []
        for threads in (1, 2, 3):
            torch.set_num_threads(threads)
            found = (
                torch.linalg.solve(a, b),
                torch.linalg.inv(a),
                torch.linalg.eigvalsh(a),
                torch.linalg.svdvals(a),
                torch.linalg.qr(a).R.abs(),
                torch.linalg.solve_triangular(a, b, upper=True),
                torch.linalg.solve_triangular(a, b.mT, upper=False, left=False),
                torch.linalg.cholesky(a @ a),
                torch.cholesky_inverse(a),
            )
            results.append(found)
    finally:
        torch.set_num_threads(before)
    for other in results[1:]:
        for x, y in zip(results[0], other):
            torch.testing.assert_close(x, y, rtol=1e-8, atol=1e-8)


def test_calls_from_several_python_threads():
    a = symmetric(300)
    expected, failures = torch.linalg.eigvalsh(a), []

    def work():
        for _ in range(3):
            if not torch.allclose(torch.linalg.eigvalsh(a), expected) or not torch.allclose(a @ a, a.mT @ a.mT):
                failures.append(1)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not failures


def test_singular_determinants_have_gradients():
    """The matrix of cofactors, also where the inverse does not exist."""
    for rank in (1, 2):
        a = torch.from_numpy(np.random.RandomState(0).randn(3, rank) @ np.random.RandomState(1).randn(rank, 3))
        a = torch.stack([a, symmetric(3)]).requires_grad_()
        (found,) = torch.autograd.grad(torch.linalg.det(a).sum(), a)
        x = a[0].detach()
        cofactors = torch.stack([torch.linalg.cross(x[1], x[2]), torch.linalg.cross(x[2], x[0]), torch.linalg.cross(x[0], x[1])])
        torch.testing.assert_close(found[0], cofactors, rtol=1e-6, atol=1e-6)


def test_phases_that_a_loss_must_not_use():
    a = torch.randn(3, 3, dtype=torch.complex128, requires_grad=True)
    for f in (lambda: torch.linalg.eigh(a + a.mH)[1], lambda: torch.linalg.svd(a)[0], lambda: torch.linalg.eig(a)[1]):
        with pytest.raises(RuntimeError, match="factor"):
            f().imag.sum().backward()


@pytest.mark.parametrize("p", [0.0, 1.0, 1.5, 2.0, INF])
@pytest.mark.parametrize("width", [3, 16, 40])
def test_distances_of_nan(p, width):
    for at in (0, width - 1):
        x = torch.zeros(4, width)
        x[1, at] = NAN
        for found in (torch.cdist(x, torch.ones(5, width), p), torch.cdist(x.double(), torch.ones(5, width).double(), p)):
            assert torch.equal(found.isnan().any(1), torch.tensor([False, p != 0, False, False]))
        assert torch.nn.functional.pdist(x, p).isnan().sum() == (3 if p else 0)


def test_reflectors_of_extreme_numbers():
    """Squares of these numbers overflow or vanish."""
    a = symmetric(4)
    for scale in (1e200, 1e-200):
        q, r = torch.linalg.qr(a * scale)
        torch.testing.assert_close(q @ (r / scale), a)
    q, r = torch.linalg.qr(a.float() * 1e30)
    torch.testing.assert_close(q @ (r / 1e30), a.float())
