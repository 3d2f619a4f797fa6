"""Functions of three operands."""

from cases.shared import new_result, two

import torch

CASES = {
    "memory": {"where": two(lambda x, y: torch.where(x > y, x, y))},
    "fresh": {"where": new_result(lambda x, y, **out: torch.where(x > 0.5, x, y, **out), 2)},
}
