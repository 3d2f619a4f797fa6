"""First and second derivatives at 0, at infinity, of large numbers and of ties are those of PyTorch, not NaN."""

import math

import pytest

import torch
import torch.nn.functional as F

INF = math.inf
# function -> [(where, first derivative, second derivative)]; None: not looked at
POINTS = {
    "elu": (F.elu, [(INF, 1, 0), (1e30, 1, 0), (200.0, 1, 0), (0.0, 1, 0), (-INF, 0, 0), (-200.0, 0, 0)]),
    "celu": (lambda x: F.celu(x, 0.5), [(INF, 1, 0), (1e30, 1, 0), (0.0, 1, 0), (-1e30, 0, 0)]),
    "selu": (F.selu, [(1e30, 1.0507009873554805, 0), (200.0, 1.0507009873554805, 0), (-1e30, 0, 0)]),
    "acosh": (torch.acosh, [(1e30, 1e-30, -1e-60), (INF, 0, None), (1.0, INF, None)]),
    "digamma": (torch.digamma, [(INF, 0, 0), (1e30, 1e-30, -1e-60)]),
    "lgamma": (torch.lgamma, [(INF, INF, 0)]),
    "softplus": (F.softplus, [(1e30, 1, 0), (-1e30, 0, 0), (INF, 1, 0)]),
    "gelu": (F.gelu, [(20.0, 1, 0), (-200.0, 0, 0)]),
    "silu": (F.silu, [(1e30, 1, 0), (-200.0, 0, 0)]),
    "mish": (F.mish, [(200.0, 1, 0), (-200.0, 0, 0)]),
    "tanh": (torch.tanh, [(INF, 0, 0), (-1e30, 0, 0)]),
    "sigmoid": (torch.sigmoid, [(INF, 0, 0), (-INF, 0, 0), (1e30, 0, 0)]),
    "logsigmoid": (F.logsigmoid, [(1e30, 0, 0), (-1e30, 1, 0)]),
    "sinc": (torch.sinc, [(0.0, 0, None)]),
    "abs": (torch.abs, [(0.0, 0, 0)]),
    "sqrt": (torch.sqrt, [(INF, 0, 0)]),
    "pow 0": (lambda x: x**0, [(0.0, 0, 0), (INF, 0, 0)]),
    "pow 2": (lambda x: x**2, [(0.0, 0, 2), (1e30, 2e30, 2)]),
    "atan2 with 0": (lambda x: torch.atan2(x, torch.zeros_like(x)), [(0.0, 0, 0)]),
    "atan2 of 0": (lambda x: torch.atan2(torch.zeros_like(x), x), [(0.0, 0, 0), (2.0, 0, 0)]),
    "hypot with 0": (lambda x: torch.hypot(x, torch.ones_like(x)), [(0.0, 0, 1)]),
    "xlogy": (lambda x: torch.xlogy(x, torch.zeros_like(x)), [(0.0, 0, 0)]),
    "logaddexp": (lambda x: torch.logaddexp(x, torch.full_like(x, -INF)), [(1.0, 1, 0), (1e30, 1, 0)]),
}
CASES = [pytest.param(f, *point, id=f"{name} at {point[0]}") for name, (f, points) in POINTS.items() for point in points]


def derivatives(f, x):
    first = torch.autograd.grad(f(x).sum(), x, create_graph=True)[0]
    second = torch.autograd.grad(first.sum(), x)[0] if first.requires_grad else torch.zeros_like(x)
    return first.detach(), second


@pytest.mark.parametrize("f,at,first,second", CASES)
def test_elementwise(f, at, first, second):
    for n in (1, 37):  # one element, and rows of vectors
        found = derivatives(f, torch.full((n,), at, dtype=torch.float64, requires_grad=True))
        for value, expected in zip(found, (first, second)):
            if expected is not None:
                torch.testing.assert_close(value, torch.full((n,), float(expected), dtype=torch.float64), rtol=1e-9, atol=1e-15)


ROWS = {
    "zeros": [0.0] * 4, "ties": [1.0, 1.0, 1.0, 0.0], "large": [1e200, 1e200, 1.0, -1e200], "one zero": [0.0, 2.0, 3.0, 4.0],
    "two zeros": [0.0, 0.0, 3.0, 4.0], "big": [1000.0, 0.0, -1000.0, 500.0], "mixed": [-1.0, 2.0, -3.0, 0.5],
}  # fmt: skip
REDUCTIONS = {
    "sum": lambda x: x.sum(), "mean": lambda x: x.mean(), "prod": lambda x: x.prod(), "amax": lambda x: x.amax(),
    "amin": lambda x: x.amin(), "max": lambda x: x.max(), "median": lambda x: x.median(), "var": lambda x: x.var(),
    "std": lambda x: x.std(), "std_mean": lambda x: torch.std_mean(x)[0], "norm1": lambda x: x.norm(1),
    "norm2": lambda x: x.norm(), "norm inf": lambda x: x.norm(INF), "logsumexp": lambda x: x.logsumexp(0),
    "softmax": lambda x: x.softmax(0)[0],
    "log_softmax": lambda x: x.log_softmax(0)[1], "cumsum": lambda x: x.cumsum(0)[2], "cummax": lambda x: x.cummax(0)[0][3],
    "logcumsumexp": lambda x: x.logcumsumexp(0)[0], "logcumsumexp all": lambda x: x.logcumsumexp(0),
    "normalize": lambda x: F.normalize(x, dim=0)[0], "sort": lambda x: x.sort()[0][1], "topk": lambda x: x.topk(2)[0],
    "kthvalue": lambda x: x.kthvalue(2)[0], "dist": lambda x: torch.dist(x, x.detach()), "quantile": lambda x: x.quantile(0.3),
}  # fmt: skip


# Where PyTorch has no second derivative either: norms of 0, and products that overflow.
NAN = {("norm2", "zeros"), ("normalize", "zeros"), ("prod", "large"), *(("dist", row) for row in ROWS)}


@pytest.mark.parametrize("name", REDUCTIONS)
@pytest.mark.parametrize("row", ROWS)
def test_reductions(name, row):
    x = torch.tensor(ROWS[row], dtype=torch.float64, requires_grad=True)
    first, second = derivatives(REDUCTIONS[name], x)
    assert first.isfinite().all() or (name, row) == ("prod", "large"), first
    assert not second.isnan().any() or (name, row) in NAN, second


def test_values_of_these():
    """Some whose values are easily wrong, as PyTorch has them."""
    x = torch.zeros(4, dtype=torch.float64, requires_grad=True)
    first, second = derivatives(lambda x: x.logcumsumexp(0)[0], x)
    assert first.tolist() == [1, 0, 0, 0] and second.tolist() == [0, 0, 0, 0]
    x = torch.tensor([INF, 1.0, 2.0, 3.0], dtype=torch.float64, requires_grad=True)
    assert derivatives(lambda x: x.logcumsumexp(0), x)[1][1:].tolist() == [0, 0, 0]
    x = torch.tensor([1e200, 1e200, 1.0, -1e200], dtype=torch.float64, requires_grad=True)
    assert x.var().item() == INF and x.std().item() == INF
    assert x.view(4, 1).expand(4, 40).var(0).eq(INF).all()
    assert derivatives(lambda x: x.std(), x)[0].tolist() == [0, 0, 0, 0]
    assert torch.polygamma(1, torch.tensor([INF])).item() == 0 and torch.polygamma(1, torch.tensor([-INF])).isnan()


@pytest.mark.parametrize("dtype,large,small", [(torch.float32, 1e30, 1e-30), (torch.float64, 1e300, 1e-300)])
def test_remainders_where_the_quotient_overflows(dtype, large, small):
    for n in (1, 37):
        a, b = torch.full((n,), large, dtype=dtype), torch.full((n,), small, dtype=dtype)
        expected = math.fmod(a[0].item(), b[0].item())
        assert torch.fmod(a, b).eq(expected).all() and torch.remainder(a, b).eq(expected).all()
        assert torch.fmod(-a, b).eq(-expected).all()
        assert torch.div(a, b, rounding_mode="floor").eq(INF).all() and torch.div(-a, b, rounding_mode="floor").eq(-INF).all()
        b.requires_grad_()
        torch.remainder(a, b).sum().backward()
        assert b.grad.eq(-INF).all()


EMPTY = "sum mean prod std var logsumexp softmax log_softmax cumsum cumprod logcumsumexp cummax".split()


@pytest.mark.parametrize("name", EMPTY)
def test_of_nothing(name):
    x = torch.empty(0, 3, dtype=torch.float64, requires_grad=True)
    f = getattr(torch, name)
    y = f(x, 1) if name != "cummax" else f(x, 1)[0]
    assert torch.autograd.grad(y.sum(), x)[0].shape == (0, 3)


@pytest.mark.parametrize("n", [1, 2, 3, 4, 9])
def test_polygamma_far_below_zero(n):
    """By its reflection, in a time that does not grow with the distance; whole numbers are poles."""
    x = torch.tensor([-31.25, -33.25, -1000.25, -123456.25, -1e15 - 0.25], dtype=torch.float64)
    near = torch.polygamma(n, x[:1])
    # The period of the reflection's part; what is left is that of 1 - x, which is small.
    bound = 2 * math.factorial(n) * 31.0**-n + 1e-12 * near.abs()
    assert ((torch.polygamma(n, x) - near).abs() <= bound).all()
    # Halfway between two poles only 1 - x is left for even n.
    halfway = torch.polygamma(n, torch.tensor(-1e5 - 0.5, dtype=torch.float64)).item()
    assert n % 2 == 1 or halfway == pytest.approx(-math.factorial(n - 1) * 1e5**-n, rel=1e-4)
    poles = torch.tensor([-40.0, -1e15, -1e300], dtype=torch.float64)
    assert torch.polygamma(n, poles).abs().isinf().all()
