"""The former place of torch.ao.quantization."""

from torch import _lazy
from torch.ao.quantization import DeQuantStub, FakeQuantizeBase, ObserverBase, QuantStub, QuantWrapper  # noqa: F401

_lazy.names_what_is_absent(__name__)
