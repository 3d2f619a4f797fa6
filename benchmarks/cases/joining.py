"""Tensors put together."""

from cases.shared import fresh, two

import torch

CASES = {
    "memory": {"cat": two(lambda x, y: torch.cat((x, y)))},
    "fresh": {"cat": fresh(lambda x, y, **out: torch.cat((x, y), **out), 2)},
}
