"""Comparisons."""

from cases.shared import fresh, two

import torch

CASES = {"memory": {"x > y": two(torch.gt)}, "fresh": {"x > y": fresh(torch.gt, 2)}}
