"""The operators of `torch.special`."""

from torch import _C

_OPERATORS = _C._special


def __getattr__(name):
    operator = getattr(_OPERATORS, "special_" + name, None)
    if operator is None:
        raise AttributeError(f"module 'torch.special' has no attribute '{name}'")
    globals()[name] = operator
    return operator


def __dir__():
    return sorted(name[len("special_"):] for name in dir(_OPERATORS) if name.startswith("special_"))
