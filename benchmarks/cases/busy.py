"""The cases that are timed on a quiet and on a busy machine.

`budget` limits the ratio of the busy to the quiet time; for cases on one thread, as a multiple of the ratio of a loop of Python.
"""

from cases import Case, training

import torch
import torch.nn.functional as F

STEP = PAST_CACHE = 2.5
SMALL = 1.3


def _small():
    x, y = torch.randn(64), torch.randn(64)
    return lambda: (x + y).relu().sum()


def _python():
    return lambda: sum(range(1000))


def _past_cache(operator):
    x, y = torch.randn(16_000_000), torch.randn(16_000_000)
    out = torch.empty_like(x)
    return lambda: operator(x, y, out=out)


def _product():
    x = torch.randn(1024, 1024)
    return lambda: x @ x


def _convolution():
    images, weight = torch.randn(32, 32, 28, 28), torch.randn(64, 32, 3, 3)
    return lambda: F.conv2d(images, weight)


CASES = {
    "a loop of Python": Case(_python, None),
    "three small operators": Case(_small, SMALL),
    "add, 64 MiB": Case(lambda: _past_cache(torch.add), PAST_CACHE),
    "mul, 64 MiB": Case(lambda: _past_cache(torch.mul), PAST_CACHE),
    "sum, 64 MiB": Case(lambda: torch.randn(16_000_000).sum, PAST_CACHE),
    "matrix product, 1024": Case(_product, PAST_CACHE),
    "convolution 3 x 3": Case(_convolution, PAST_CACHE),
    **{f"step: {name}": Case(case.make, STEP) for name, case in training.CASES.items()},
}
