"""Embedding bags."""

from cases import Case
from cases.shared import SLOWEST

import torch
import torch.nn.functional as F


def _table():
    torch.manual_seed(0)
    return torch.rand(200000, 64), torch.randint(0, 200000, (200000,)), torch.arange(0, 200000, 20)


def _forward():
    table, indices, offsets = _table()
    return lambda: F.embedding_bag(indices, table, offsets, mode="mean")


def _backward():
    table, indices, offsets = _table()
    table.requires_grad_()

    def step():
        table.grad = None
        F.embedding_bag(indices, table, offsets, mode="mean").sum().backward()

    return step


CASES = {"memory": {"embedding_bag": Case(_forward, SLOWEST), "embedding_bag backward": Case(_backward, SLOWEST)}}
