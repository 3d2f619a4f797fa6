"""Convolutions."""

from cases import Case
from cases.shared import SLOWEST

import torch
import torch.nn.functional as F


def _conv(n, c, size, out, kernel, **kwargs):
    def make():
        x, w = torch.rand(n, c, size, size), torch.rand(out, c // kwargs.get("groups", 1), kernel, kernel)
        return lambda: F.conv2d(x, w, **kwargs)

    return Case(make, SLOWEST)


CASES = {
    "compute": {
        "conv 3x3, 64 channels": _conv(8, 64, 56, 64, 3, padding=1),
        "conv 7x7, stride 2": _conv(8, 3, 224, 64, 7, stride=2, padding=3),
        "conv 1x1": _conv(8, 256, 28, 64, 1),
        "conv depthwise": _conv(8, 64, 56, 64, 3, padding=1, groups=64),
    }
}
