"""Products with weights."""

from torch._operators import NN as _nn
from torch._operators import VF as _VF

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from torch._C._nn import linear as linear
    from torch._C._VariableFunctions import bilinear as bilinear
else:
    linear = _nn.linear
    bilinear = _VF.bilinear

__all__ = ["linear", "bilinear"]
