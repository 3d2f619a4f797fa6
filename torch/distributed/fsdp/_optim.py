"""States of optimizers by the names of parameters, whole or as DTensors."""

from __future__ import annotations

from typing import Any

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.fsdp._state_dict import cut
from torch.distributed.tensor._api import DTensor


def _clean(name: str) -> str:
    return name.replace("_fsdp_wrapped_module.", "")


def _names(model: nn.Module, optim: Any) -> list[str]:
    """The names of the optimizer's parameters, in its order."""
    known = {id(p): _clean(name) for name, p in model.named_parameters(remove_duplicate=False)}
    found = []
    for group in optim.param_groups:
        for p in group["params"]:
            if id(p) not in known:
                raise ValueError("optim_state_dict(): the optimizer has a parameter that the model does not have")
            found.append(known[id(p)])
    return found


def by_name(model: nn.Module, optim: Any, state_dict: Any, full: bool, rank0_only: bool) -> dict[str, Any]:
    """The state with names of parameters instead of numbers."""
    names = _names(model, optim)
    given = optim.state_dict() if state_dict is None else state_dict
    state = {}
    for number, values in given["state"].items():
        own = {}
        for key, value in values.items():
            own[key] = value.full_tensor() if full and isinstance(value, DTensor) else value
        state[names[number] if isinstance(number, int) else _clean(number)] = own
    if rank0_only and dist.get_rank() != 0:
        return {}
    groups = [
        {**group, "params": [names[k] if isinstance(k, int) else _clean(k) for k in group["params"]]}
        for group in given["param_groups"]
    ]
    return {"state": state, "param_groups": groups}


def to_load(model: nn.Module, optim: Any, state_dict: dict[str, Any], keeps_names: bool) -> dict[str, Any]:
    """The state with numbers of parameters, and this process's parts."""
    names = _names(model, optim)
    params = dict(zip(names, (p for group in optim.param_groups for p in group["params"])))
    numbers: dict[Any, Any] = {name: name if keeps_names else k for k, name in enumerate(names)}
    state = {}
    for name, values in state_dict["state"].items():
        if name not in numbers:
            continue
        p, own = params[name], {}
        for key, value in values.items():
            whole = isinstance(value, torch.Tensor) and not isinstance(value, DTensor) and value.shape == p.shape
            own[key] = cut(value, p) if whole and isinstance(p, DTensor) else value
        state[numbers[name]] = own
    groups = [
        {**group, "params": [numbers[name] for name in group["params"] if name in numbers]}
        for group in state_dict["param_groups"]
    ]
    return {"state": state, "param_groups": groups}


def rekey(state_dict: dict[str, Any], to_names: bool, model: nn.Module, optim: Any) -> dict[str, Any]:
    """The state by names, or by numbers."""
    names = [_clean(name) for name, _ in model.named_parameters()] if optim is None else _names(model, optim)
    table: dict[Any, Any] = dict(enumerate(names)) if to_names else {name: k for k, name in enumerate(names)}
    return {
        "state": {table.get(k, k): v for k, v in state_dict["state"].items()},
        "param_groups": [{**g, "params": [table.get(k, k) for k in g["params"]]} for g in state_dict["param_groups"]],
    }
