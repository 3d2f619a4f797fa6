"""Attributes of modules by dotted path: read, copied, set and deleted."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn


def _get_attr(model: nn.Module, attr_name: str) -> Any:
    """The attribute at a path."""
    value: Any = model
    for part in attr_name.split("."):
        value = getattr(value, part)
    return value


def _has_attr(model: nn.Module, attr_name: str) -> bool:
    """Whether there is one."""
    try:
        _get_attr(model, attr_name)
    except AttributeError:
        return False
    return True


def _del_attr(model: nn.Module, attr_name: str) -> None:
    path, _, name = attr_name.rpartition(".")
    delattr(_get_attr(model, path) if path else model, name)


def _assign_attr(value: Any, to_module: nn.Module, target: str) -> None:
    """Set the attribute at a path; modules that are missing on the way are made. A plain tensor becomes a buffer."""
    *path, name = target.split(".")
    module = to_module
    for part in path:
        inner = getattr(module, part, None)
        if inner is None:
            inner = nn.Module()
            setattr(module, part, inner)
        module = inner
    if isinstance(value, torch.Tensor) and not isinstance(value, nn.Parameter):
        module.register_buffer(name, value)
    else:
        setattr(module, name, value)


def _copy_attr(from_module: nn.Module, to_module: nn.Module, target: str) -> None:
    """Give a module what another has at a path; a module that is there stays as it is."""
    value = _get_attr(from_module, target)
    if isinstance(value, nn.Module) and _has_attr(to_module, target):
        existing = _get_attr(to_module, target)
        if existing is value:
            return
        for name, child in vars(existing).get("_modules", {}).items():  # what was copied before from inside of it
            value._modules.setdefault(name, child)
    path = target.rpartition(".")[0]
    if path and not _has_attr(from_module, path):
        raise AttributeError(f"GraphModule: the root has no {path!r}")
    inside = to_module
    for part in path.split(".") if path else ():
        held = getattr(inside, part, None)
        if held is None:
            break
        inside = held
    else:
        name = target.rpartition(".")[2]
        if isinstance(value, torch.Tensor) and name in inside._buffers and inside._buffers[name] is value:
            return
    _assign_attr(value, to_module, target)
