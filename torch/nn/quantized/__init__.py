"""The former place of torch.ao.nn.quantized."""

from torch import _lazy
from torch.ao.nn.quantized import FloatFunctional  # noqa: F401

_lazy.names_what_is_absent(__name__)
