"""The operators of `torch.special`."""

from torch import _C
from torch._lazy import lazy

__getattr__, __dir__ = lazy(__name__, operators=_C._special)
