"""The operators of `torch.linalg`."""

from torch import _C
from torch._lazy import lazy

LinAlgError = getattr(_C, "_LinAlgError", RuntimeError)

__getattr__, __dir__ = lazy(__name__, operators=_C._linalg)
