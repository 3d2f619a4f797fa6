"""Elementary functions keep a few units in the last place over their whole range, in every type, beside mpmath."""

import math

import pytest
from accuracy.functions import BINARY, UNARY, guarded
from accuracy.limits import AT_THE_ENDS
from accuracy.measure import complex_error, real_error
from accuracy.points import points
from mpmath import mpc, mpf

import torch

REAL = [torch.float32, torch.float64, torch.float16, torch.bfloat16]
NAMES = [f.name for f in UNARY]


def shuffled(x, seed):
    return x[torch.randperm(len(x), generator=torch.Generator().manual_seed(seed))]


def worst(errors):
    """The largest errors, with where they are."""
    return sorted(errors, key=lambda e: -e[0])[:3]


@pytest.mark.parametrize("dtype", REAL)
@pytest.mark.parametrize("function", UNARY, ids=NAMES)
def test_real(function, dtype):
    x = points(dtype, function.special)
    exact, scale = guarded(function.exact), function.scale or (lambda x: 0)
    errors = []
    for a, y in zip(x.double().tolist(), function.run(x).double().tolist()):
        errors.append((real_error(y, exact(mpf(a)), dtype, scale(mpf(a))), a, y))
    assert len(errors) > 400 and worst(errors)[0][0] <= function.units, worst(errors)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("function", [f for f in UNARY if f.complex], ids=[f.name for f in UNARY if f.complex])
def test_complex(function, dtype):
    everywhere = points(dtype, function.special)
    # Angles of 2^z are known to the digits of two doubles; the largest numbers overflow inside of C's functions.
    limit = 1e12 if function.name == "exp2" else torch.finfo(dtype).max / 8
    everywhere = everywhere[(everywhere.abs() < limit) & (everywhere != 0)]
    middle = everywhere[everywhere.abs() < 1e3]
    near = torch.randn(100, generator=torch.Generator().manual_seed(1), dtype=torch.float64).to(dtype)
    real = torch.cat([everywhere, middle, near, near, 1 + near * 1e-4])
    imag = torch.cat([shuffled(everywhere, 2), shuffled(middle, 3), shuffled(near, 4), near * 1e-6, shuffled(near, 5) * 1e-5])
    exact = guarded(function.exact)
    errors = []
    for a, b, y in zip(real.double().tolist(), imag.double().tolist(), function.run(torch.complex(real, imag)).tolist()):
        value = exact(mpc(a, b))
        if value is not None:
            errors.append((complex_error(y, mpc(value), dtype), (a, b), y))
    assert len(errors) > 400 and worst(errors)[0][0] <= function.units, worst(errors)


@pytest.mark.parametrize("dtype", REAL)
@pytest.mark.parametrize("function", BINARY, ids=[f.name for f in BINARY])
def test_of_two_numbers(function, dtype):
    every = points(dtype, function.special)
    # Minus zero has no counterpart in mpmath.
    every = every[(every != 0) | ~every.signbit()]
    small = torch.randn(len(every), generator=torch.Generator().manual_seed(2)).mul(8).to(dtype)
    x, y = torch.cat([every, every, small.abs()]), torch.cat([shuffled(every, 1), small, shuffled(small, 3)])
    exact, scale = guarded(function.exact), function.scale or (lambda x, y: 0)
    errors = []
    for a, b, z in zip(x.double().tolist(), y.double().tolist(), function.run(x, y).double().tolist()):
        errors.append((real_error(z, exact(mpf(a), mpf(b)), dtype, scale(mpf(a), mpf(b))), (a, b), z))
    assert worst(errors)[0][0] <= function.units, worst(errors)


@pytest.mark.parametrize("dtype", REAL)
@pytest.mark.parametrize("function", UNARY, ids=NAMES)
def test_at_the_ends(function, dtype):
    expected = torch.tensor(AT_THE_ENDS[function.name], dtype=torch.float64).to(dtype)
    got = function.run(torch.tensor([math.inf, -math.inf, math.nan, 0.0, -0.0], dtype=dtype))
    torch.testing.assert_close(got, expected, rtol=2 * torch.finfo(dtype).eps, atol=0, equal_nan=True)
    numbers = ~expected.isnan()
    assert torch.equal(got.signbit()[numbers], expected.signbit()[numbers])


def test_large_logits():
    for dtype, limit in ((torch.float32, 3e38), (torch.float64, 1e308)):
        for big in (1e2, 1e4, 1e6, 1e30, limit):
            x = torch.tensor([[big, big, 0.0]], dtype=dtype)
            for y in (x.log_softmax(1), x.t().log_softmax(0).t(), x.repeat(1, 50).log_softmax(1)[:, :3] + math.log(50)):
                torch.testing.assert_close(y[0, :2], torch.full((2,), -math.log(2), dtype=dtype))
            loss = torch.nn.functional.cross_entropy(x, torch.tensor([0]))
            torch.testing.assert_close(loss, torch.tensor(math.log(2), dtype=dtype))


@pytest.mark.parametrize("function, exact", [
    (torch.nn.functional.gelu, lambda x: x * torch.special.ndtr(x)),
    (torch.special.ndtr, torch.special.ndtr),
])  # fmt: skip
def test_the_normal_integral_in_float_keeps_its_relative_accuracy(function, exact):
    # Near the ends of the pieces as well: quarters, and 8, where another formula begins.
    ends = torch.arange(-40, 37) / 4
    x = torch.cat([torch.linspace(-10, 9, 100_001), ends, torch.nextafter(ends, ends + 1), torch.nextafter(ends, ends - 1)])
    found, expected = function(x).double(), exact(x.double())
    error = (found - expected).abs() / (expected.abs() * 2**-23).clamp_min(1e-30)
    assert error.max() < 6, (x[error.argmax()], error.max())


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("name", ["exp", "tanh", "sigmoid", "erf", "erfc"])
def test_every_nan_stays(name, dtype):
    """NaN has other bits that a kernel must not take for digits."""
    bits, integer = (0x7FC00000, torch.int32) if dtype == torch.float32 else (0x7FF8000000000000, torch.int64)
    payloads = torch.tensor([0, 1, 2, 0x1FF, 0x7FF, 0x12345], dtype=integer) + bits
    x = torch.cat([payloads, payloads]).view(dtype)
    assert getattr(torch, name)(x).isnan().all()
    assert torch.softmax(torch.stack([x, torch.zeros_like(x)]), 0).isnan().all()
    assert torch.nn.functional.gelu(x).isnan().all() and torch.nn.functional.silu(x).isnan().all()
