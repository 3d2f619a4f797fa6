"""Products with weights."""

from torch import _C

_VF, _nn = _C._VariableFunctions, _C._nn

linear = _nn.linear
bilinear = _VF.bilinear

__all__ = ["linear", "bilinear"]
