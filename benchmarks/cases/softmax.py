"""Softmax."""

from cases.shared import fresh, matrix

import torch

CASES = {
    "memory": {"softmax": matrix(lambda x: torch.softmax(x, 1))},
    "fresh": {"softmax": fresh(lambda x, **out: torch.softmax(x, 1, **out), 1, (4096, 4096))},
}
