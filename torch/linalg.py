"""The operators of `torch.linalg`."""

from torch import _C

_OPERATORS = _C._linalg


def __getattr__(name):
    operator = getattr(_OPERATORS, "linalg_" + name, None)
    if operator is None:
        raise AttributeError(f"module 'torch.linalg' has no attribute '{name}'")
    globals()[name] = operator
    return operator


def __dir__():
    return sorted(name[len("linalg_"):] for name in dir(_OPERATORS) if name.startswith("linalg_"))


LinAlgError = getattr(_C, "_LinAlgError", RuntimeError)
