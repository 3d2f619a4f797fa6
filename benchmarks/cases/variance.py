"""Variances."""

from cases.shared import one

import torch

CASES = {"memory": {"var": one(torch.var)}}
