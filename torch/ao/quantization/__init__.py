"""Quantization of models, which this version cannot do; only the modules that mark its places are there."""

from torch import _lazy
from torch.ao.quantization.observer import FakeQuantizeBase, ObserverBase  # noqa: F401
from torch.ao.quantization.stubs import DeQuantStub, QuantStub, QuantWrapper  # noqa: F401

_lazy.names_what_is_absent(__name__)
