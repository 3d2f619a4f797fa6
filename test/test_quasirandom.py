"""Sobol sequences: against SciPy, against numbers of PyTorch, and their ways through the sequence."""

from __future__ import annotations

import pytest
import scipy.stats

import torch
from torch.quasirandom import SobolEngine


@pytest.mark.parametrize("dimension", [1, 2, 7, 100, 2000])
def test_points_of_scipy(dimension):
    expected = scipy.stats.qmc.Sobol(dimension, scramble=False, bits=30).random(64)
    torch.testing.assert_close(SobolEngine(dimension).draw(64, dtype=torch.float64), torch.from_numpy(expected), rtol=0, atol=0)


def test_last_dimension():
    engine = SobolEngine(SobolEngine.MAXDIM)
    expected = scipy.stats.qmc.Sobol(21201, scramble=False, bits=30).random(4)[:, -5:]
    torch.testing.assert_close(engine.draw(4, dtype=torch.float64)[:, -5:], torch.from_numpy(expected))


def test_scrambled_numbers_of_a_seed():
    """PyTorch 2.13 draws these."""
    engine = SobolEngine(4, scramble=True, seed=5)
    assert engine.shift.tolist() == [515708045, 125905764, 133132919, 371764054]
    assert engine.sobolstate[0, :4].tolist() == [701563342, 282563252, 194487217, 113982184]
    expected = torch.tensor([[0.4803, 0.1173, 0.1240, 0.3462], [0.8660, 0.6203, 0.7061, 0.6435], [0.6208, 0.4104, 0.4898, 0.1602],
                             [0.2253, 0.9132, 0.8364, 0.8316], [0.0936, 0.2867, 0.5240, 0.9513]])  # fmt: skip
    torch.testing.assert_close(engine.draw(5), expected, rtol=0, atol=5e-5)
    torch.manual_seed(3)
    torch.testing.assert_close(SobolEngine(2, scramble=True).draw()[0], torch.tensor([0.0685, 0.2245]), rtol=0, atol=5e-5)


@pytest.mark.parametrize("scramble", [False, True])
def test_ways_through_the_sequence(scramble):
    def engine():
        return SobolEngine(3, scramble=scramble, seed=1)

    points = engine().draw(20)
    one = engine()
    assert torch.equal(torch.cat([one.draw() for _ in range(20)]), points) and one.num_generated == 20
    assert torch.equal(one.reset().draw(20), points)
    for start in (0, 1, 2, 7, 15):
        ahead = engine().fast_forward(start)
        assert torch.equal(ahead.draw(3), points[start : start + 3])
        assert torch.equal(ahead.fast_forward(1).draw(), points[start + 4 : start + 5])
    assert engine().draw(0).shape == (0, 3) and one.draw(0).shape == (0, 3)
    out = torch.empty(0)
    assert engine().draw(4, out=out) is out and torch.equal(out, points[:4])
    assert torch.equal(engine().draw(4, dtype=torch.float64).float(), points[:4])


def test_points_are_balanced():
    """Of 2^m points, every dyadic interval of length 2^-m of every dimension has one."""
    for scramble in (False, True):
        engine = SobolEngine(5, scramble=scramble, seed=0)
        points = torch.cat([engine.draw_base2(5), engine.draw_base2(5)])
        assert torch.equal((points * 64).long().sort(0).values, torch.arange(64).unsqueeze(1).expand(64, 5))
        assert ((points >= 0) & (points < 1)).all()
        with pytest.raises(ValueError, match="no power of 2"):
            engine.draw_base2(3)


def test_integral():
    """The error of a smooth integral falls faster than with random points."""
    points = SobolEngine(3, scramble=True, seed=2).draw(4096, dtype=torch.float64)
    assert abs(float(points.prod(1).mean()) - 0.125) < 2e-4


def test_repr():
    assert repr(SobolEngine(3)) == "SobolEngine(dimension=3)"
    assert repr(SobolEngine(3, True, 5)) == "SobolEngine(dimension=3, scramble=True, seed=5)"


@pytest.mark.parametrize("call, error", [
    (lambda: SobolEngine(0), ValueError), (lambda: SobolEngine(21202), ValueError), (lambda: SobolEngine(1.5), TypeError),
    (lambda: SobolEngine(2).draw(-1), RuntimeError), (lambda: SobolEngine(2).draw_base2(-1), ValueError),
    (lambda: SobolEngine(2).fast_forward(-1), ValueError),
])  # fmt: skip
def test_errors(call, error):
    with pytest.raises(error, match="SobolEngine"):
        call()
