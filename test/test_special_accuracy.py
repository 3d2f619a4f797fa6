"""The functions of torch.special keep a few units in the last place of float64 over their whole range, beside mpmath."""

import math
import random

import mpmath
import pytest
from accuracy.measure import real_error
from accuracy.special import ONE_NUMBER, POLYNOMIALS
from mpmath import mpf

import torch

DOUBLE = torch.float64


def spread(rng, low, high):
    """One number of a range."""
    if low > 0 and high / low > 50 or high < 0 and low / high > 50:
        return math.copysign(math.exp(rng.uniform(math.log(abs(low)), math.log(abs(high)))), low)
    return rng.uniform(low, high)


def worst(errors):
    return max(errors, key=lambda e: e[0])


@pytest.mark.parametrize("function", ONE_NUMBER, ids=[f.name for f in ONE_NUMBER])
def test_functions_of_one_number(function):
    rng = random.Random(function.name)
    x = [spread(rng, *bounds) for bounds in function.ranges for _ in range(60)]
    y = function.run(torch.tensor(x, dtype=DOUBLE)).tolist()
    scale = function.scale or (lambda x: 0)
    errors = [(real_error(b, mpf(function.exact(mpf(a))), DOUBLE, scale(mpf(a))), a, b) for a, b in zip(x, y)]
    assert worst(errors)[0] <= function.units, worst(errors)


@pytest.mark.parametrize("name", POLYNOMIALS)
def test_polynomials(name):
    rng, exact = random.Random(name), POLYNOMIALS[name]
    points = [(rng.uniform(-1.2, 1.2), rng.choice((0, 1, 2, 3, 5, 8, 13, 30, 60))) for _ in range(150)]
    points += [(rng.uniform(-5, 5), rng.choice((2, 7, 20))) for _ in range(60)]
    x, n = (torch.tensor(column, dtype=DOUBLE) for column in zip(*points))
    found = getattr(torch.special, name)(x, n).tolist()
    errors = [(real_error(y, mpf(exact(degree, mpf(a))), DOUBLE), a, degree) for y, (a, degree) in zip(found, points)]
    assert worst(errors)[0] <= 2, worst(errors)


ANGLES = {
    "t": lambda n, angle: mpmath.cos(n * angle),
    "u": lambda n, angle: mpmath.sin((n + 1) * angle) / mpmath.sin(angle),
    "v": lambda n, angle: mpmath.cos((n + mpf(0.5)) * angle) / mpmath.cos(angle / 2),
    "w": lambda n, angle: mpmath.sin((n + mpf(0.5)) * angle) / mpmath.sin(angle / 2),
}


@pytest.mark.parametrize("kind", ANGLES)
def test_chebyshev_polynomials_of_high_degree(kind):
    for n, tolerance in ((1500, 1e-13), (10**7, 1e-11), (10**12, 1e-6)):
        for x in (-0.4, 0.3, 0.7):
            y = getattr(torch.special, f"chebyshev_polynomial_{kind}")(torch.tensor(x, dtype=DOUBLE), n).item()
            assert abs(y - float(ANGLES[kind](n, mpmath.acos(mpf(x))))) < tolerance, (n, x, y)


@pytest.mark.parametrize("name", ["laguerre_polynomial_l", "legendre_polynomial_p"])
def test_degrees_have_no_bound(name):
    function = getattr(torch.special, name)
    for x in (0.3, 0.7):
        y = function(torch.tensor(x, dtype=DOUBLE), 1500).item()
        assert abs(y - float(POLYNOMIALS[name](1500, mpf(x)))) < 1e-13
        assert abs(function(torch.tensor(x, dtype=DOUBLE), 10**15).item()) < 1e-3


def incomplete_gamma_points():
    rng = random.Random(1)
    for _ in range(60):
        yield rng.uniform(1e-3, 1), rng.uniform(1e-3, 1.1)
        yield 10 ** rng.uniform(-20, -2), 10 ** rng.uniform(-3, 1)
        yield rng.uniform(1, 20), rng.uniform(0.1, 40)
        a = rng.uniform(20, 200)
        yield a, a * rng.uniform(0.5, 1.6)
        a = 10 ** rng.uniform(2.31, 4)
        yield a, a + rng.uniform(-4, 4) * a**0.5
        a = 10 ** rng.uniform(2.31, 3)
        yield a, a * rng.uniform(0.6, 1.8)


@pytest.mark.parametrize("lower", [True, False])
def test_incomplete_gamma_functions(lower):
    function = torch.special.gammainc if lower else torch.special.gammaincc
    points, errors = list(incomplete_gamma_points()), []
    a, x = (torch.tensor(column, dtype=DOUBLE) for column in zip(*points))
    for y, (b, c) in zip(function(a, x).tolist(), points):
        bounds = (0, mpf(c)) if lower else (mpf(c), mpmath.inf)
        exact = mpf(mpmath.gammainc(mpf(b), *bounds, regularized=True))
        if exact > mpf("1e-290"):
            errors.append((real_error(y, exact, DOUBLE), b, c))
    assert len(errors) > 300 and worst(errors)[0] <= 4, worst(errors)


def test_zeta():
    rng = random.Random(2)
    points = [(rng.uniform(1.0001, 30), 10 ** rng.uniform(-3, 4)) for _ in range(150)]
    points += [(rng.uniform(1.001, 60), rng.uniform(0.1, 20)) for _ in range(150)]
    s, q = (torch.tensor(column, dtype=DOUBLE) for column in zip(*points))
    with mpmath.workdps(200):  # mpmath's error is absolute
        errors = [(real_error(y, mpf(mpmath.zeta(mpf(a), mpf(b))), DOUBLE), a, b)
                  for y, (a, b) in zip(torch.special.zeta(s, q).tolist(), points)]  # fmt: skip
    assert worst(errors)[0] <= 8, worst(errors)


def test_float32_is_as_accurate():
    x = torch.linspace(-9, 30, 500)
    for function in ONE_NUMBER:
        torch.testing.assert_close(function.run(x), function.run(x.double()).float(), rtol=5e-7, atol=1e-44, equal_nan=True)
