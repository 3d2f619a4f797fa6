"""Exponentials and the like."""

from cases.shared import fresh, one

import torch

CASES = {
    "memory": {"exp": one(torch.exp), "tanh": one(torch.tanh)},
    "fresh": {"exp": fresh(torch.exp, 1), "tanh": fresh(torch.tanh, 1)},
}
