"""Dropout."""

from cases.shared import one

import torch.nn.functional as F

CASES = {"memory": {"dropout": one(lambda x: F.dropout(x, 0.5))}}
