"""Quantization: only the modules that mark places in a model are there. They compute in floating point."""

from torch import _lazy

__getattr__, __dir__ = _lazy.lazy(__name__, ("nn", "quantization"))
