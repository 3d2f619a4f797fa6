"""Random numbers."""

from cases import Case
from cases.shared import N

import torch

CASES = {"memory": {"rand": Case(lambda: lambda: torch.rand(N), 1.0), "randn": Case(lambda: lambda: torch.randn(N), 1.0)}}
