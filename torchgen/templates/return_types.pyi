from typing import NamedTuple

from torch import Tensor
from torch._C import _float, _int

@types@
