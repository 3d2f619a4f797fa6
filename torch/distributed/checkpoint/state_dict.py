"""State dictionaries of models and optimizers under the names that the plain model has, whatever wraps or cuts it."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.checkpoint._pieces import is_dtensor

__all__ = [
    "StateDictOptions", "get_model_state_dict", "get_optimizer_state_dict", "get_state_dict", "set_model_state_dict",
    "set_optimizer_state_dict", "set_state_dict",
]  # fmt: skip

_WRAPPERS = ("_fsdp_wrapped_module.", "_checkpoint_wrapped_module.", "_orig_mod.")


@dataclass
class StateDictOptions:
    """What state dictionaries have.

    Args:
        full_state_dict: whole tensors instead of DTensors
        cpu_offload: with full_state_dict, only rank 0 gets them
        ignore_frozen_params: leave out parameters that require no gradient
        keep_submodule_prefixes: names of submodules' parameters begin with their path
        strict: loading refuses missing and unexpected names
        broadcast_from_rank0: loading takes whole tensors that only rank 0 has
        flatten_optimizer_state_dict: one level of names
        dsd_fqn_modifiers: of no effect

    Example:
        >>> from torch.distributed.checkpoint.state_dict import StateDictOptions
        >>> StateDictOptions(full_state_dict=True).strict
        True
    """

    # What there is.
    full_state_dict: bool = False
    cpu_offload: bool = False
    ignore_frozen_params: bool = False
    # How it is named.
    keep_submodule_prefixes: bool = True
    # How it is loaded.
    strict: bool = True
    broadcast_from_rank0: bool = False
    # The optimizer's.
    flatten_optimizer_state_dict: bool = False
    dsd_fqn_modifiers: str = "_fqn_modifiers"


class _Incompatible(NamedTuple):
    missing_keys: list[str]
    unexpected_keys: list[str]


def _prefixes(model: nn.Module) -> list[str]:
    """Paths of modules around which DistributedDataParallel is."""
    return [
        f"{name}.module." if name else "module."
        for name, m in model.named_modules() if isinstance(m, nn.parallel.DistributedDataParallel)
    ]  # fmt: skip


def _clean(name: str, prefixes: list[str]) -> str:
    for prefix in prefixes:
        if name.startswith(prefix):
            name = prefix.removesuffix("module.") + name[len(prefix) :]
    for wrapper in _WRAPPERS:
        name = name.replace(wrapper, "")
    return name


@contextlib.contextmanager
def _sharded(model: nn.Module) -> Iterator[None]:
    """A block in which FullyShardedDataParallel gives and takes DTensors."""
    wrapped = [m for m in model.modules() if type(m).__name__ == "FullyShardedDataParallel"]
    if not wrapped:
        yield
        return
    from torch.distributed.fsdp import FullyShardedDataParallel, StateDictType

    with FullyShardedDataParallel.state_dict_type(model, StateDictType.SHARDED_STATE_DICT):
        yield


def _options(options: StateDictOptions | None) -> StateDictOptions:
    options = options or StateDictOptions()
    if options.broadcast_from_rank0 and not options.full_state_dict:
        raise ValueError("state_dict: broadcast_from_rank0 needs full_state_dict=True")
    return options


def _result(value: Any, options: StateDictOptions) -> Any:
    if isinstance(value, torch.Tensor) and options.full_state_dict and is_dtensor(value):
        return value.full_tensor()  # type: ignore[attr-defined]
    return value


def _only_first(found: dict[str, Any], options: StateDictOptions) -> dict[str, Any]:
    drops = options.full_state_dict and options.cpu_offload and dist.is_initialized() and dist.get_rank() != 0
    return {} if drops else found


def get_model_state_dict(
    model: nn.Module, *, submodules: set[nn.Module] | None = None, options: StateDictOptions | None = None
) -> dict[str, Any]:  # fmt: skip
    """The state of a model: DTensors where it is cut, or whole tensors.

    Args:
        model (Module): the model, plain, in DistributedDataParallel, or sharded
        submodules (set of Module, optional): only the states of these
        options (StateDictOptions, optional): what it has

    Returns:
        a dict

    Example:
        >>> from torch.distributed.checkpoint.state_dict import get_model_state_dict
        >>> list(get_model_state_dict(nn.Linear(1, 1)))
        ['weight', 'bias']
    """
    options, prefixes = _options(options), _prefixes(model)
    with _sharded(model):
        state = model.state_dict()
    frozen = {_clean(n, prefixes) for n, p in model.named_parameters() if not p.requires_grad}
    chosen = None
    if submodules is not None:
        chosen = [_clean(f"{name}.", prefixes) for name, m in model.named_modules() if m in submodules]
    found = {}
    for key, value in state.items():
        name = _clean(key, prefixes)
        if options.ignore_frozen_params and name in frozen:
            continue
        value = _result(value, options)
        if chosen is not None:
            start = next((path for path in chosen if name.startswith(path)), None)
            if start is None:
                continue
            name = name if options.keep_submodule_prefixes else name[len(start) :]
        found[name] = value
    return _only_first(found, options)


def _like(value: Any, target: Any, options: StateDictOptions) -> Any:
    """A loaded value in the layout of the one that it replaces."""
    if isinstance(value, torch.Tensor) and not is_dtensor(value) and is_dtensor(target):
        from torch.distributed.fsdp._state_dict import cut

        return cut(value, target)
    return value


def _broadcast(state: dict[str, Any], targets: dict[str, Any]) -> dict[str, Any]:
    """What only rank 0 has, on every rank; pieces of DTensors go to where they belong."""
    from torch.distributed.tensor import distribute_tensor

    rank = dist.get_rank()
    about: list[Any] = [{k: None if isinstance(v, torch.Tensor) else ("value", v) for k, v in state.items()}]
    about += [{k: (v.shape, v.dtype) for k, v in state.items() if isinstance(v, torch.Tensor)}]
    dist.broadcast_object_list(about, src=0)
    found = {}
    for key, other in about[0].items():
        if other is not None:
            found[key] = other[1]
            continue
        shape, dtype = about[1][key]
        whole = state[key].detach().contiguous() if rank == 0 else torch.empty(shape, dtype=dtype)
        target = targets.get(key)
        if is_dtensor(target) and target.shape == shape and target.device_mesh.mesh.flatten()[0] == 0:
            found[key] = distribute_tensor(whole, target.device_mesh, target.placements)
        else:
            dist.broadcast(whole, src=0)
            found[key] = whole
    return found


def set_model_state_dict(model: nn.Module, model_state_dict: dict[str, Any], *, options: StateDictOptions | None = None
                         ) -> Any:  # fmt: skip
    """Loads what `get_model_state_dict` gave, in any layout.

    Args:
        model (Module): the model
        model_state_dict (dict): the state
        options (StateDictOptions, optional): what it has

    Returns:
        missing_keys and unexpected_keys

    Example:
        >>> from torch.distributed.checkpoint.state_dict import get_model_state_dict, set_model_state_dict
        >>> model = nn.Linear(1, 1)
        >>> set_model_state_dict(model, get_model_state_dict(model)).missing_keys
        []
    """
    options, prefixes = _options(options), _prefixes(model)
    with _sharded(model):
        own = model.state_dict()
    keys = {_clean(key, prefixes): key for key in own}
    targets = {name: own[key] for name, key in keys.items()}
    if options.broadcast_from_rank0:
        model_state_dict = _broadcast(model_state_dict, targets)
    elif not model_state_dict:
        return _Incompatible([], [])
    state = {keys.get(name, name): _like(value, targets.get(name), options) for name, value in model_state_dict.items()}
    with _sharded(model):
        return model.load_state_dict(state, strict=options.strict)


# --- optimizers ---


def _list(optimizers: Any) -> list[Any]:
    return [optimizers] if isinstance(optimizers, torch.optim.Optimizer) else list(optimizers)


def _init_optim_state(optimizer: Any) -> None:
    """Makes the states of an optimizer that has not made a step yet, and changes nothing."""
    if optimizer.state:
        return
    params = [p for group in optimizer.param_groups for p in group["params"] if p.requires_grad]
    if any(p.grad is not None for p in params):
        return  # a step is under way
    rates = [group.get("lr") for group in optimizer.param_groups]
    with torch.no_grad():
        for p in params:
            p.grad = torch.zeros_like(p)
        for group in optimizer.param_groups:
            if "lr" in group:
                group["lr"] = torch.tensor(0.0) if isinstance(group["lr"], torch.Tensor) else 0.0
        optimizer.step(closure=None)
    for group, rate in zip(optimizer.param_groups, rates):
        if "lr" in group:
            group["lr"] = rate
    optimizer.zero_grad(set_to_none=True)


def _parameter_names(model: nn.Module, optimizer: Any, prefixes: list[str]) -> list[str]:
    known = {id(p): _clean(name, prefixes) for name, p in model.named_parameters(remove_duplicate=False)}
    found = []
    for group in optimizer.param_groups:
        for p in group["params"]:
            if id(p) not in known:
                raise RuntimeError("optimizer state_dict: the optimizer has a parameter that the model does not have")
            found.append(known[id(p)])
    return found


def get_optimizer_state_dict(
    model: nn.Module, optimizers: Any, *, submodules: set[nn.Module] | None = None, options: StateDictOptions | None = None
) -> dict[str, Any]:  # fmt: skip
    """The state of optimizers by the names of parameters. An optimizer without state gets one.

    Args:
        model (Module): the model
        optimizers (Optimizer or iterable): its optimizers
        submodules (set of Module, optional): not supported
        options (StateDictOptions, optional): what it has

    Returns:
        "state" and "param_groups", or one level of names

    Example:
        >>> from torch.distributed.checkpoint.state_dict import get_optimizer_state_dict
        >>> model = nn.Linear(1, 1)
        >>> sorted(get_optimizer_state_dict(model, torch.optim.Adam(model.parameters()))["state"])
        ['bias', 'weight']
    """
    if submodules is not None:
        raise NotImplementedError("get_optimizer_state_dict(): this version has no submodules")
    options, prefixes = _options(options), _prefixes(model)
    whole: dict[str, Any] = {"state": {}, "param_groups": []}
    for optimizer in _list(optimizers):
        _init_optim_state(optimizer)
        names, given = _parameter_names(model, optimizer, prefixes), optimizer.state_dict()
        for number, values in given["state"].items():
            whole["state"][names[number]] = {key: _result(value, options) for key, value in values.items()}
        for group in given["param_groups"]:
            whole["param_groups"].append({**group, "params": [names[k] for k in group["params"]]})
    found = _flatten(whole) if options.flatten_optimizer_state_dict else whole
    return _only_first(found, options)


def _flatten(whole: dict[str, Any]) -> dict[str, Any]:
    found = {f"state.{name}.{key}": v for name, values in whole["state"].items() for key, v in values.items()}
    for group in whole["param_groups"]:
        for name in group["params"]:
            found.update({f"param_groups.{name}.{key}": v for key, v in group.items() if key != "params"})
    return found


def _unflatten(flat: dict[str, Any], names: list[str], groups: list[Any]) -> dict[str, Any]:
    state: dict[str, Any] = {}
    for name in names:
        start = f"state.{name}."
        values = {key[len(start) :]: v for key, v in flat.items() if key.startswith(start)}
        # A name may begin with another one: keys of states have no dots.
        values = {key: v for key, v in values.items() if "." not in key}
        if values:
            state[name] = values
    made = []
    for own, params in groups:
        group = {key: flat.get(f"param_groups.{params[0]}.{key}", value) for key, value in own.items() if key != "params"}
        made.append({**group, "params": params})
    return {"state": state, "param_groups": made}


def set_optimizer_state_dict(
    model: nn.Module, optimizers: Any, optim_state_dict: dict[str, Any], *, options: StateDictOptions | None = None
) -> None:  # fmt: skip
    """Loads what `get_optimizer_state_dict` gave, in any layout.

    Args:
        model (Module): the model
        optimizers (Optimizer or iterable): its optimizers
        optim_state_dict (dict): the state
        options (StateDictOptions, optional): what it has

    Example:
        >>> from torch.distributed.checkpoint.state_dict import get_optimizer_state_dict, set_optimizer_state_dict
        >>> model = nn.Linear(1, 1)
        >>> optimizer = torch.optim.Adam(model.parameters())
        >>> set_optimizer_state_dict(model, optimizer, get_optimizer_state_dict(model, optimizer))
    """
    options, prefixes = _options(options), _prefixes(model)
    for optimizer in _list(optimizers):
        _init_optim_state(optimizer)
        names, own = _parameter_names(model, optimizer, prefixes), optimizer.state_dict()
        groups = [(group, [names[k] for k in group["params"]]) for group in own["param_groups"]]
        given = optim_state_dict
        if options.broadcast_from_rank0:
            given = _broadcast_optimizer(given, own, names)
        elif not given:
            continue
        if "state" not in given:
            given = _unflatten(given, names, groups)
        params = [p for group in optimizer.param_groups for p in group["params"]]
        state = {}
        for k, name in enumerate(names):
            if name in given["state"]:
                values, target = given["state"][name], params[k]
                state[k] = {
                    key: _like(v, target, options) if isinstance(v, torch.Tensor) and v.shape == target.shape else v
                    for key, v in values.items()
                }
            elif options.strict and k in own["state"]:
                raise RuntimeError(f"set_optimizer_state_dict(): the state of {name!r} is missing")
        loaded = []
        for group, params_of in groups:
            source = next((g for g in given["param_groups"] if set(params_of) & set(g["params"])), {})
            merged = {key: source.get(key, value) for key, value in group.items() if key != "params"}
            loaded.append({**merged, "params": group["params"]})
        optimizer.load_state_dict({"state": state, "param_groups": loaded})


def _broadcast_optimizer(given: dict[str, Any], own: dict[str, Any], names: list[str]) -> dict[str, Any]:
    targets = {
        f"state.{names[k]}.{key}": v for k, values in own["state"].items() for key, v in values.items()
    }  # fmt: skip
    flat = _flatten(given) if "state" in given else given
    return _broadcast(flat, targets)


def get_state_dict(
    model: nn.Module, optimizers: Any, *, submodules: set[nn.Module] | None = None, options: StateDictOptions | None = None
) -> tuple[dict[str, Any], dict[str, Any]]:  # fmt: skip
    """The states of a model and of its optimizers.

    Args:
        model (Module): the model
        optimizers (Optimizer or iterable): its optimizers
        submodules (set of Module, optional): not supported
        options (StateDictOptions, optional): what they have

    Returns:
        two dicts

    Example:
        >>> from torch.distributed.checkpoint.state_dict import get_state_dict
        >>> model = nn.Linear(1, 1)
        >>> len(get_state_dict(model, torch.optim.SGD(model.parameters())))
        2
    """
    return (
        get_model_state_dict(model, submodules=submodules, options=options),
        get_optimizer_state_dict(model, optimizers, submodules=submodules, options=options),
    )


def set_state_dict(
    model: nn.Module, optimizers: Any, *, model_state_dict: dict[str, Any], optim_state_dict: dict[str, Any],
    options: StateDictOptions | None = None,
) -> Any:  # fmt: skip
    """Loads the states of a model and of its optimizers.

    Args:
        model (Module): the model
        optimizers (Optimizer or iterable): its optimizers
        model_state_dict (dict): the state of the model
        optim_state_dict (dict): the state of the optimizers
        options (StateDictOptions, optional): what they have

    Returns:
        missing_keys and unexpected_keys of the model

    Example:
        >>> from torch.distributed.checkpoint.state_dict import set_state_dict
        >>> set_state_dict.__name__
        'set_state_dict'
    """
    optimizers = _list(optimizers) if not isinstance(optimizers, Iterable) else list(_list(optimizers))
    set_optimizer_state_dict(model, optimizers, optim_state_dict, options=options)
    return set_model_state_dict(model, model_state_dict, options=options)
