"""Layers of quantized models: only those that compute in floating point until a model is converted."""

from torch import _lazy
from torch.ao.nn.quantized.modules.functional_modules import FloatFunctional  # noqa: F401

__getattr__, __dir__ = _lazy.lazy(__name__, ("modules",))
