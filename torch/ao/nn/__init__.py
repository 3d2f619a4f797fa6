"""Layers of quantized models."""

from torch import _lazy

__getattr__, __dir__ = _lazy.lazy(__name__, ("quantized",))
