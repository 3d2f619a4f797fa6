"""The operators of `torch.fft`: Fourier transforms along one or several dimensions."""

from torch import _C, Tensor
from torch._lazy import lazy

__all__ = ["Tensor", *(name.removeprefix("fft_") for name in dir(_C._fft) if name.startswith("fft_"))]

__getattr__, __dir__ = lazy(__name__, operators=_C._fft)
