"""Sums and products."""

from cases import Case
from cases.shared import new_result, two

import torch


def _add():
    a, b = torch.ones(1), torch.ones(1)
    add = torch.add
    return lambda: add(a, b)


def _add_operator():
    a, b = torch.ones(1), torch.ones(1)
    return lambda: a + b


def _add_number():
    a = torch.ones(1)
    return lambda: a + 2.0


CASES = {
    "calls": {
        "add, 1 element": Case(_add, 0.25),
        "a + b, 1 element": Case(_add_operator, 0.35),
        "a + 2.0, 1 element": Case(_add_number, 0.35),
    },
    "memory": {"x + y": two(torch.add), "x * y": two(torch.mul)},
    "fresh": {"x + y": new_result(torch.add, 2), "x * y": new_result(torch.mul, 2)},
}
