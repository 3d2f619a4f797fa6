"""gcd and lcm take vectors of magnitudes below 2**31 and single elements otherwise: both against Python's."""

import math

import pytest

import torch

TYPES = [torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64]


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("limit", [3, 1000, 2**31 - 1, 2**62])
@pytest.mark.parametrize("length", [1, 15, 17, 40])
def test_divisors_and_multiples(dtype, limit, length):
    info = torch.iinfo(dtype)
    limit = min(limit, info.max)
    a, b = (torch.randint(0 if info.min == 0 else -limit, limit + 1, (length,), dtype=dtype) for _ in range(2))
    a[::7], b[::5] = 0, 0
    pairs = list(zip(a.tolist(), b.tolist()))
    assert torch.gcd(a, b).tolist() == [math.gcd(*pair) for pair in pairs]
    for pair, multiple in zip(pairs, torch.lcm(a, b).tolist()):
        # The product wraps, and so does its absolute value in a narrow type.
        assert (abs(multiple) - math.lcm(*pair)) % 2**info.bits == 0 or (abs(multiple) + math.lcm(*pair)) % 2**info.bits == 0


def test_a_large_number_among_small_ones():
    a = torch.arange(64)
    a[33] = 2**40
    assert torch.gcd(a, torch.tensor(6)).tolist() == [math.gcd(n, 6) for n in a.tolist()]
    min_value = torch.tensor([torch.iinfo(torch.int64).min] * 20)
    assert torch.gcd(min_value, min_value).tolist() == min_value.tolist()
