"""Helpers of the layers."""

import torch
from torch._operators import NN, VF  # noqa: F401


def repeat(value, count):
    return tuple(value) if isinstance(value, (tuple, list)) else (value,) * count


def show(module, *names):
    """`name=value` of the attributes, for extra_repr."""
    return ", ".join(f"{name}={getattr(module, name)}" for name in names)


def with_inplace(module, text=""):
    """`text`, with `inplace=True` appended if inplace is set."""
    if not module.inplace:
        return text
    return f"{text}, inplace=True" if text else "inplace=True"


def empty_parameter(shape, device, dtype):
    return torch.nn.Parameter(torch.empty(shape, device=device, dtype=dtype))
