"""Exponentials and the like."""

from cases.shared import new_result, one

import torch

CASES = {
    "memory": {"exp": one(torch.exp), "tanh": one(torch.tanh)},
    "fresh": {"exp": new_result(torch.exp, 1), "tanh": new_result(torch.tanh, 1)},
}
