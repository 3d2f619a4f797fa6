"""Elements gathered along a dimension."""

from cases import Case

import torch


def _gather():
    x = torch.rand(4096, 4096)
    i = torch.randint(0, 4096, (4096, 4096))
    return lambda: torch.gather(x, 1, i)


CASES = {"memory": {"gather": Case(_gather, 1.0)}}
