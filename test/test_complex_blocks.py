"""Functions of complex numbers are computed in blocks; the numbers that a block's formula does not cover, one by one."""

import cmath
import math

import pytest

import torch

PARTS = [0.0, -0.0, 0.5, -0.5, 1.0, -1.0, 2.0, -3.0, 1e-30, 1e30, -1e30, math.inf, -math.inf, math.nan]
NAMES = [
    "sqrt",
    "exp",
    "log",
    "log10",
    "sin",
    "cos",
    "tan",
    "asin",
    "acos",
    "atan",
    "sinh",
    "cosh",
    "tanh",
    "asinh",
    "acosh",
    "atanh",
]


def same(x, y, dtype):
    if math.isnan(y) or math.isinf(y):
        return x == y or (math.isnan(x) and math.isnan(y))
    close = math.isclose(x, y, rel_tol=8 * torch.finfo(dtype).eps, abs_tol=torch.finfo(dtype).tiny)
    return close and math.copysign(1, x) == math.copysign(1, y)


@pytest.mark.parametrize("dtype", [torch.complex64, torch.complex128])
@pytest.mark.parametrize("name", NAMES)
def test_special_values_and_branch_cuts(name, dtype):
    z = torch.tensor([complex(a, b) for a in PARTS for b in PARTS], dtype=dtype)
    for given, found in zip(z.tolist(), getattr(torch, name)(z).tolist()):
        try:
            expected = getattr(cmath, name)(given)
        except (ValueError, OverflowError):  # poles, and results that are too large
            continue
        # Python's results for infinite numbers are not always those of the C standard; test_array_api.py has these.
        if not cmath.isfinite(given):
            continue
        for x, y in ((found.real, expected.real), (found.imag, expected.imag)):
            y = torch.tensor(y, dtype=torch.float64).to(dtype.to_real()).item()
            assert same(x, y, dtype), (given, found, expected)


@pytest.mark.parametrize("n", [1, 7, 8, 127, 128, 129, 1000])
def test_lengths_and_in_place(n):
    z = torch.complex(torch.linspace(-3, 3, n, dtype=torch.float64), torch.linspace(2, -1, n, dtype=torch.float64))
    z[n // 2] = complex(math.inf, 1)
    expected = torch.stack([torch.asin(z[k]) for k in range(n)])
    assert torch.equal(torch.asin(z), expected)
    assert torch.equal(torch.asin(z.view(n, 1).expand(n, 3))[:, 1], expected)
    assert torch.equal(z.clone().asin_(), expected)


@pytest.mark.parametrize("dtype", [torch.complex64, torch.complex128])
def test_powers(dtype):
    z = torch.tensor([complex(a, b) for a in (-2.0, 0.0, 0.5, 3.0) for b in (-1.0, 0.0, 2.0)], dtype=dtype)
    for power in (0.3, -1.5, complex(0.5, -2), complex(0, 1), 4):
        for given, found, by_tensor in zip(z.tolist(), (z**power).tolist(), (z ** torch.full_like(z, power)).tolist()):
            if given == 0:
                continue
            assert cmath.isclose(found, given**power, rel_tol=16 * torch.finfo(dtype).eps), (given, power)
            assert cmath.isclose(by_tensor, given**power, rel_tol=16 * torch.finfo(dtype).eps), (given, power)
    zero = torch.zeros(9, dtype=dtype)
    assert torch.equal(zero ** complex(2, 1), zero)
