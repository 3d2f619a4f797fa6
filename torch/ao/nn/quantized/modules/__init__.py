"""Layers of quantized models."""

from torch.ao.nn.quantized.modules.functional_modules import FloatFunctional  # noqa: F401
