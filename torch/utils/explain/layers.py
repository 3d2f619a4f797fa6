"""The layers between a call and its kernel: those that an operator has rules for, and those that are on for one call."""

from __future__ import annotations

from typing import Any

import torch
from torch import _C
from torch.utils._pytree import tree_leaves

_AUTOCAST = {
    "lower": "arguments in the type of the region", "float32": "arguments in float32",
    "widest": "arguments in the widest of their types",
    "": "arguments as they are",
}  # fmt: skip


def layers_of_operator(name: str, composite: bool, node: str) -> list[str]:
    """What each layer does with an operator, from the outermost on."""
    base, _, overload = name.partition(".")
    policy = _C._autocast_policy(name.removeprefix("aten::"))
    found = [f"autocast: {_AUTOCAST[policy]}"]
    if _C._functorch._has_batching_rule(base, overload):
        found.append("vmap: its batching rule")
    else:
        found.append("vmap: the operators that it calls" if composite else "vmap: one call for each example, with a warning")
    found.append("autograd: " + ("the operators that it calls" if composite else node or "no derivative"))
    functional = base.removesuffix("_") if base.endswith("_") and not base.endswith("__") else ""
    whole = not _C._dispatch_can_decompose(base, overload)
    if functional:
        found.append(f"functionalization: {functional}, whose result replaces the tensor")
    elif whole:
        found.append("functionalization: the operator, with the values of functional tensors")
    found.append("__torch_dispatch__ of modes and classes: " + ("the operator" if whole else "the operators that it calls"))
    return found


def layers_of_call(args: Any, kwargs: Any) -> list[str]:
    """The layers that are on now for a call with these arguments, from the outermost on."""
    tensors = [x for x in tree_leaves((args, kwargs)) if isinstance(x, torch.Tensor)]
    found = [
        f"__torch_function__ of the mode {type(_C._get_function_stack_at(k)).__name__}"
        for k in reversed(range(_C._len_torch_function_stack()))
    ]
    found += [f"__torch_function__ of the class {name}" for name in _classes(tensors, _overrides_functions)]
    lines = _C._active_modes().splitlines()

    def active(start: str) -> list[str]:
        return [line for line in lines if line.startswith(start)]

    found += [f"__torch_dispatch__ of the mode {line.split()[-1]}, before all others" for line in active("pre-dispatch mode")]
    found += active("vmap level") + active("autocast")
    if active("inference mode") or active("grad mode"):
        found += active("inference mode") + active("grad mode")
    elif any(t.requires_grad for t in tensors):
        found.append("autograd, which records the call")
    if any(torch._is_functional_tensor(t) for t in tensors) or "Functionalize" in "".join(active("keys added")):
        found.append("functionalization")
    for line in active("dispatch mode"):
        name = line.removeprefix("dispatch mode ").partition(",")[0]
        found.append(f"__torch_dispatch__ of the mode {name}")
    found += [f"__torch_dispatch__ of the class {name}" for name in _classes(tensors, _defines_dispatch)]
    return found


def _overrides_functions(kind: type) -> bool:
    return kind.__torch_function__ is not _C._disabled_torch_function_impl  # type: ignore[attr-defined]


def _defines_dispatch(kind: type) -> bool:
    return kind.__torch_dispatch__ is not torch.Tensor.__torch_dispatch__  # type: ignore[attr-defined]


def _classes(tensors: list[torch.Tensor], matches: Any) -> list[str]:
    kinds = dict.fromkeys(type(t) for t in tensors if type(t) is not torch.Tensor)
    return [kind.__name__ for kind in kinds if matches(kind)]
