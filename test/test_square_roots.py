"""Square roots of doubles are the nearest ones, also where a root is almost in the middle of two doubles."""

import math

import pytest

import torch


def odd_roots(k, bits):
    """All y below 2^bits with y^2 = k mod 2^bits, for k = 1 mod 8."""
    y = 1
    for bit in range(3, bits):
        if (y * y - k) % (1 << (bit + 1)):
            y ^= 1 << (bit - 1)
    half = 1 << (bits - 1)
    return {root % (1 << bits) for root in (y, -y, y + half, -y + half)}


def numbers_with_roots_near_the_middle():
    """(y^2 - k) / 4 for odd y of 54 bits and small k, where that has 53 bits: y / 2 is in the middle of two doubles."""
    for k in range(-511, 512):
        if k % 8 != 1:
            continue
        for bits in (54, 55):
            for y in odd_roots(k, bits):
                number = (y * y - k) // 4
                if y >> 53 == 1 and int(float(number)) == number:
                    yield float(number)


def test_roots_near_the_middle_of_two_doubles():
    found = sorted(set(numbers_with_roots_near_the_middle()))
    assert len(found) > 150
    for scale in (1.0, 2.0**-104, 2.0**700, 2.0**-900):
        numbers = [number * scale for number in found]
        assert torch.sqrt(torch.tensor(numbers, dtype=torch.float64)).tolist() == [math.sqrt(x) for x in numbers]


def test_random_numbers_of_all_sizes():
    torch.manual_seed(0)
    for spread in (1, 100, 1000):
        x = torch.rand(5000, dtype=torch.float64) * 2.0 ** torch.randint(-spread, spread + 1, (5000,)).double()
        assert torch.sqrt(x).tolist() == [math.sqrt(v) for v in x.tolist()]


@pytest.mark.parametrize("place", [0, 3, 7, 20])
def test_special_numbers_among_others(place):
    largest, smallest = math.ldexp(2 - 2.0**-52, 1023), 5e-324
    for special in (0.0, -0.0, math.inf, math.nan, -1.0, -math.inf, smallest, 2.0**-1022, largest):
        x = torch.arange(1, 22, dtype=torch.float64)
        x[place] = special
        got = torch.sqrt(x).tolist()
        if special < 0 or math.isnan(special):
            assert math.isnan(got[place])
        else:
            assert got[place] == (math.sqrt(special) if special else special)
            assert math.copysign(1, got[place]) == math.copysign(1, special)
        assert got[:place] + got[place + 1 :] == [math.sqrt(k + 1) for k in range(21) if k != place]
