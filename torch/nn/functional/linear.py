"""Products with weights."""

from torch._operators import NN as _nn
from torch._operators import VF as _VF

linear = _nn.linear
bilinear = _VF.bilinear

__all__ = ["linear", "bilinear"]
