"""State dictionaries of FullyShardedDataParallel, under the names that parameters have in the module that is wrapped."""

from __future__ import annotations

from typing import Any

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.fsdp._param import FSDPParam
from torch.distributed.tensor._api import DTensor
from torch.distributed.tensor._dtensor_spec import local_shape_and_offset

_WRAPPED = "_fsdp_wrapped_module."


def register(module: Any) -> None:
    """Hooks that rename, gather and cut."""
    module.register_state_dict_pre_hook(lambda m, prefix, keep_vars: _reshard(m))
    module._register_state_dict_hook(_after_state_dict)
    module._register_load_state_dict_pre_hook(_before_load, with_module=True)


def _reshard(module: Any) -> None:
    if module._fsdp_state.group is not None and not module._summoned:
        module._fsdp_state.group.reshard()


def _after_state_dict(module: Any, state_dict: dict[str, Any], prefix: str, local_metadata: Any) -> None:
    from torch.distributed.fsdp.api import StateDictType

    full = module._state_dict_type is StateDictType.FULL_STATE_DICT
    drops = full and module._state_dict_config.rank0_only and dist.get_rank() != 0
    inside = prefix + _WRAPPED
    found = {}
    for key in [k for k in state_dict if k.startswith(inside)]:
        value = state_dict.pop(key)
        if full and isinstance(value, DTensor):
            value = value.detach().full_tensor()
        if not drops:
            found[prefix + key[len(inside) :]] = value
    state_dict.update(found)


def _before_load(module: Any, state_dict: dict[str, Any], prefix: str, *args: Any) -> None:
    _reshard(module)
    for key in [k for k in state_dict if k.startswith(prefix) and not k.startswith(prefix + _WRAPPED)]:
        state_dict[prefix + _WRAPPED + key[len(prefix) :]] = state_dict.pop(key)
    group = module._fsdp_state.group
    paths = {id(m): path for path, m in module.named_modules()}
    for p in group.params if group is not None else ():
        for owner, name in p.owners:
            key = f"{prefix}{paths[id(owner)]}.{name}"
            value = state_dict.get(key)
            if isinstance(value, torch.Tensor) and not isinstance(value, DTensor) and value.shape == p.sharded.shape:
                state_dict[key] = cut(value, p.sharded)


def cut(whole: torch.Tensor, like: Any) -> DTensor:
    """This process's part of a tensor that all have, in the layout of a DTensor."""
    sizes, offsets = local_shape_and_offset(whole.shape, like.device_mesh, like.placements)
    part = whole.detach()
    for d, (start, length) in enumerate(zip(offsets, sizes)):
        part = part.narrow(d, min(start, whole.size(d)), length)
    return DTensor(part.clone(memory_format=torch.contiguous_format), like._spec)


@torch.no_grad()
def summon(modules: list[Any], rank0_only: bool, with_grads: bool) -> list[tuple[FSDPParam, nn.Parameter]]:
    """Puts whole parameters into the modules."""
    taken = []
    for module in modules:
        group = module._fsdp_state.group
        _reshard(module)
        for p in group.params if group is not None else ():
            whole = nn.Parameter(p.sharded.detach().full_tensor().clone(), requires_grad=p.requires_grad)
            if with_grads and p.sharded.grad is not None:
                whole.grad = p.sharded.grad.full_tensor().clone()
            if not rank0_only or dist.get_rank() == 0:
                p.put(whole)
                taken.append((p, whole))
        module._summoned = True
    return taken


@torch.no_grad()
def give_back(modules: list[Any], taken: list[tuple[FSDPParam, nn.Parameter]], writeback: bool, with_grads: bool) -> None:
    """Puts the parts back into the modules, with what was changed."""
    for p, whole in taken:
        p.put(p.sharded)
        if writeback:
            current = p.sharded
            p.local.copy_(cut(whole, current)._local_tensor)
            if with_grads and whole.grad is not None:
                p.sharded.grad = cut(whole.grad, current)
    for module in modules:
        module._summoned = False
