"""`replicate`: DistributedDataParallel as a property of a module, without a module around it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NoReturn

import torch
from torch import nn
from torch.distributed._composable.contract import _get_registry, contract
from torch.distributed._composable_state import _State
from torch.nn.parallel import DistributedDataParallel

__all__ = ["replicate"]

_classes: dict[type, type] = {}


class DDP:
    """What `replicate` adds to the class of a module."""

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        # An object made by the class of such a module, as containers do for slices, is an ordinary one.
        original: Any = cls.__mro__[2]
        made = original.__new__(original)
        made.__init__(*args, **kwargs)
        return made

    def set_requires_gradient_sync(self, requires_gradient_sync: bool) -> None:
        """Says whether backward averages gradients, or adds them up for a later backward that does.

        Args:
            requires_gradient_sync (bool): whether it does
        """
        replicate.state(self).set_sync(requires_gradient_sync)

    def register_comm_hook(self, state: Any, hook: Any) -> None:
        """Averages buckets by a function of the caller's; see `DistributedDataParallel.register_comm_hook`.

        Args:
            state (object): its first argument
            hook (Callable): takes the state and a GradBucket, and returns a Future of the averaged tensor
        """
        replicate.state(self).set_hook(state, hook)


class _Parameters(nn.Module):
    """The parameters of a module that are replicated, by their names there."""

    def __init__(self, named: dict[str, nn.Parameter]) -> None:
        super().__init__()
        self._parameters.update(named)  # past register_parameter, which takes no names with dots


class _ReplicateState(_State):
    """The DistributedDataParallel of a module. The first forward makes it: parameters may move until then."""

    def __init__(self) -> None:
        self._ddp: DistributedDataParallel | None = None
        self._sync = True
        self._hook: tuple[Any, Any] | None = None

    def prepare(self, module: nn.Module, ignored: set[nn.Module], settings: dict[str, Any]) -> None:
        self._module, self._ignored, self._settings = module, ignored, settings

    def set_sync(self, sync: bool) -> None:
        self._sync = sync
        if self._ddp is not None:
            self._ddp.require_backward_grad_sync = sync

    def set_hook(self, state: Any, hook: Any) -> None:
        if self._ddp is not None:
            self._ddp.register_comm_hook(state, hook)
        self._hook = state, hook

    def ddp(self) -> DistributedDataParallel:
        if self._ddp is None:
            named = dict(_own_parameters(self._module, self._ignored, ""))
            self._param_names = list(named)
            self._ddp = DistributedDataParallel(_Parameters(named), **self._settings)
            self._ddp.require_backward_grad_sync = self._sync
            if self._hook is not None:
                self._ddp.register_comm_hook(*self._hook)
        return self._ddp


def _own_parameters(module: nn.Module, ignored: set[nn.Module], prefix: str) -> Iterator[tuple[str, nn.Parameter]]:
    """The parameters without those of modules that are ignored or sharded."""
    if module in ignored or _is_sharded(module):
        return
    for name, p in module._parameters.items():
        if p is not None:
            yield prefix + name, p
    for name, child in module.named_children():
        yield from _own_parameters(child, ignored, f"{prefix}{name}.")


def _is_sharded(module: nn.Module) -> bool:
    return "fully_shard" in (_get_registry(module) or ())


def _no_deepcopy(self: Any, memo: Any) -> NoReturn:
    raise AssertionError("replicate(): a replicated module cannot be copied; load its state_dict() into another one")


@contract(_ReplicateState)
def replicate(
    module: nn.Module, ignored_modules: Iterable[nn.Module] | None = None, *, device_mesh: Any = None, device_id: Any = None,
    **kwargs: Any,
) -> nn.Module:  # fmt: skip
    """Averages the gradients of a module over all processes, as DistributedDataParallel does, without a module around it.

    The names of parameters stay as they are. The first forward sends the parameters of rank 0 to all. Buffers are not sent.
    The class of the module becomes a subclass of it with `set_requires_gradient_sync` and `register_comm_hook`.

    Args:
        module (Module): the module
        ignored_modules (iterable of Module, optional): modules inside of it whose gradients stay as they are
        device_mesh (DeviceMesh, optional): the processes, as a mesh of 1 dimension; all by default
        device_id (int or device, optional): the GPU of the module, where inputs are moved
        **kwargs (Any): arguments of DistributedDataParallel, such as `bucket_cap_mb`

    Returns:
        the module

    Raises:
        RuntimeError: the module is sharded by `fully_shard`, or the mesh has several dimensions
        AssertionError: it was applied to the module before
        TypeError: `device_mesh` is no mesh
        NotImplementedError: for `mixed_precision`

    Example:
        >>> torch.distributed.init_process_group("gloo", store=torch.distributed.HashStore(), rank=0, world_size=1)
        >>> from torch.distributed._composable import replicate
        >>> model = replicate(torch.nn.Linear(2, 1))
        >>> model(torch.ones(3, 2)).sum().backward()
        >>> model.weight.grad
        tensor([[3., 3.]])
        >>> torch.distributed.destroy_process_group()
    """
    if _is_sharded(module):
        raise RuntimeError("replicate(): the module is sharded by fully_shard(), which averages its gradients already")
    if kwargs.get("mixed_precision") is not None:
        raise NotImplementedError("replicate(): mixed_precision is not supported; use DistributedDataParallel or torch.autocast")
    if device_mesh is not None:
        from torch.distributed.device_mesh import DeviceMesh

        if not isinstance(device_mesh, DeviceMesh):
            raise TypeError(f"replicate(): expected a DeviceMesh as device_mesh, got {type(device_mesh).__name__}")
        if device_mesh.ndim != 1:
            raise RuntimeError(f"replicate(): expected a mesh of 1 dimension, got {device_mesh}")
        kwargs["device_mesh"] = device_mesh
    if device_id is not None and (isinstance(device_id, int) or torch.device(device_id).type != "cpu"):
        kwargs["device_ids"] = [device_id]

    state = replicate.state(module)
    state.prepare(module, set(ignored_modules or ()), kwargs)

    def before(module: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        return state.ddp()._before_forward(args, kwargs)

    def after(module: nn.Module, inputs: Any, output: Any) -> Any:
        return state.ddp()._after_forward(output)

    module.register_forward_pre_hook(before, with_kwargs=True)
    module.register_forward_hook(after)
    cls = type(module)
    if cls not in _classes:
        _classes[cls] = type(f"DDP{cls.__name__}", (DDP, cls), {"__deepcopy__": _no_deepcopy})
    module.__class__ = _classes[cls]
    return module
