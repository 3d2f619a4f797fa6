"""Comparisons."""

from cases.shared import new_result, two

import torch

CASES = {"memory": {"x > y": two(torch.gt)}, "fresh": {"x > y": new_result(torch.gt, 2)}}
