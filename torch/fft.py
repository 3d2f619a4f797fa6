"""The operators of `torch.fft`."""

from torch import _C

_OPERATORS = _C._fft


def __getattr__(name):
    operator = getattr(_OPERATORS, "fft_" + name, None)
    if operator is None:
        raise AttributeError(f"module 'torch.fft' has no attribute '{name}'")
    globals()[name] = operator
    return operator


def __dir__():
    return sorted(name[len("fft_"):] for name in dir(_OPERATORS) if name.startswith("fft_"))
