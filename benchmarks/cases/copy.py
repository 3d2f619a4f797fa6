"""Copies and conversions."""

from cases.shared import matrix, one

import torch

CASES = {
    "memory": {
        "clone": one(torch.clone),
        "to(float64)": one(lambda x: x.double()),
        "transpose copy": matrix(lambda x: x.t().contiguous()),
    }
}
