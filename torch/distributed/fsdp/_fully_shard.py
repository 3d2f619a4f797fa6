"""fully_shard: cuts the parameters of a module, and gathers them while it computes."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import Any

import torch
from torch import nn
from torch.distributed._composable.contract import note_in_registry
from torch.distributed.device_mesh import DeviceMesh, init_device_mesh
from torch.distributed.fsdp._group import ParamGroup
from torch.distributed.fsdp._inner_mesh import inner_mesh
from torch.distributed.fsdp._param import FSDPParam
from torch.distributed.fsdp._policies import CPUOffloadPolicy, MixedPrecisionPolicy, OffloadPolicy
from torch.distributed.fsdp._state import FSDPState
from torch.distributed.tensor._api import DTensor
from torch.distributed.tensor.placement_types import Shard

_NAME = "fully_shard"
_classes: dict[type, type] = {}


class UnshardHandle:
    """Parameters on their way, from `FSDPModule.unshard(async_op=True)`.

    Example:
        >>> torch.distributed.fsdp.UnshardHandle.__name__
        'UnshardHandle'
    """

    def __init__(self, _group: ParamGroup | None) -> None:
        self._group = _group

    def wait(self) -> None:
        """Waits for the parameters, and puts them into the module."""
        if self._group is not None:
            self._group.wait_for_unshard()
            self._group = None


class FSDPModule:
    """What `fully_shard` adds to the class of a module.

    Example:
        >>> torch.distributed.fsdp.FSDPModule.__name__
        'FSDPModule'
    """

    _fsdp_state: FSDPState

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        # An object made by the class of a sharded module, as containers do for slices, is not sharded.
        original = cls.__mro__[2]
        made = original.__new__(original, *args, **kwargs)  # type: ignore[call-arg]
        made.__init__(*args, **kwargs)  # type: ignore[misc]
        return made

    def _get_fsdp_state(self) -> FSDPState:
        return self._fsdp_state

    def _states(self, recurse: bool) -> list[FSDPState]:
        modules = self.modules() if recurse else [self]  # type: ignore[attr-defined]
        found = [m._fsdp_state for m in modules if isinstance(m, FSDPModule)]
        return list(dict.fromkeys(found))

    def _groups(self, recurse: bool) -> list[ParamGroup]:
        return [s.group for s in self._states(recurse) if s.group is not None]

    def reshard(self) -> None:
        """Puts the parts back into the module, and frees the whole parameters."""
        for group in self._groups(False):
            group.reshard()

    def unshard(self, async_op: bool = False) -> UnshardHandle | None:
        """Gathers the parameters of this module, without those of sharded modules inside of it.

        Args:
            async_op (bool, default False): return at once with a handle

        Returns:
            an UnshardHandle if `async_op`
        """
        group = self._fsdp_state.group
        if group is not None:
            group.unshard()
        handle = UnshardHandle(group)
        if async_op:
            return handle
        handle.wait()
        return None

    def reset_iter_state(self) -> None:
        """Forgets a step that did not come to its end."""
        for state in self._states(True):
            state.runs, state.in_backward = 0, False
            state.shared.in_backward, state.shared.iteration_root = False, None
            state.shared.reductions.clear()

    def set_is_last_backward(self, is_last_backward: bool) -> None:
        """Says whether another backward pass follows before the next forward pass.

        Args:
            is_last_backward (bool): whether none does
        """
        for state in self._states(True):
            state.shared.is_last_backward = is_last_backward

    def set_requires_gradient_sync(self, requires_gradient_sync: bool, *, recurse: bool = True) -> None:
        """Says whether backward sums gradients over processes, or keeps them for a later one.

        Args:
            requires_gradient_sync (bool): whether it does
            recurse (bool, default True): also for sharded modules inside of this one
        """
        for group in self._groups(recurse):
            group.reduces = group.all_reduces = requires_gradient_sync

    def set_requires_all_reduce(self, requires_all_reduce: bool, *, recurse: bool = True) -> None:
        """Says whether backward sums gradients over copies, where a mesh has both cuts and copies.

        Args:
            requires_all_reduce (bool): whether it does
            recurse (bool, default True): also for sharded modules inside of this one
        """
        for group in self._groups(recurse):
            group.all_reduces = requires_all_reduce

    def set_reshard_after_forward(self, reshard_after_forward: bool, recurse: bool = True) -> None:
        """Says whether forward frees the whole parameters.

        Args:
            reshard_after_forward (bool): whether it does
            recurse (bool, default True): also for sharded modules inside of this one

        Raises:
            ValueError: a number, which only `fully_shard` takes
        """
        if not isinstance(reshard_after_forward, bool):
            raise ValueError(f"set_reshard_after_forward(): expected a bool, got {reshard_after_forward!r}")
        for state in self._states(recurse):
            state.reshard_after_forward = reshard_after_forward

    def set_reshard_after_backward(self, reshard_after_backward: bool, *, recurse: bool = True) -> None:
        """Says whether backward frees the whole parameters.

        Args:
            reshard_after_backward (bool): whether it does
            recurse (bool, default True): also for sharded modules inside of this one
        """
        for state in self._states(recurse):
            state.reshard_after_backward = reshard_after_backward

    def set_modules_to_forward_prefetch(self, modules: list[FSDPModule]) -> None:
        """Says whose parameters forward of this module starts to gather.

        Args:
            modules (list of FSDPModule): the modules
        """
        self._fsdp_state.forward_prefetch = [m._fsdp_state for m in _sharded_modules(modules)]

    def set_modules_to_backward_prefetch(self, modules: list[FSDPModule]) -> None:
        """Says whose parameters backward of this module starts to gather; the next one's by default.

        Args:
            modules (list of FSDPModule): the modules
        """
        self._fsdp_state.backward_prefetch = [m._fsdp_state for m in _sharded_modules(modules)]

    def set_all_reduce_hook(self, hook: Callable[[torch.Tensor], None], *, stream: Any = None) -> None:
        """Calls a function with the summed gradients of this module.

        Args:
            hook (Callable): takes a tensor, and may change it
            stream (object, optional): of no effect on the CPU
        """
        for group in self._groups(False):
            group.all_reduce_hook = hook

    def set_gradient_divide_factor(self, factor: float) -> None:
        """Divides summed gradients by another number than that of the processes.

        Args:
            factor (float): the number
        """
        for group in self._groups(False):
            group.divide_factor = factor

    def set_reduce_scatter_divide_factor(self, factor: float) -> None:
        """Another name of `set_gradient_divide_factor`.

        Args:
            factor (float): the number
        """
        self.set_gradient_divide_factor(factor)

    def set_force_sum_reduction_for_comms(self, enable: bool) -> None:
        """Of no effect: gradients are summed and then divided in any case.

        Args:
            enable (bool): any
        """

    def set_unshard_in_backward(self, unshard_in_backward: bool) -> None:
        """Says whether backward needs the parameters of this module.

        Args:
            unshard_in_backward (bool): whether it does
        """
        self._fsdp_state.unshards_in_backward = unshard_in_backward

    def set_custom_all_gather(self, comm: Any) -> None:
        """Gathers the parameters of this module by another function.

        Args:
            comm (AllGather): its `allocate(size, *, dtype, device)` makes the tensor of all parts, and calling it with that
                tensor, this process's part, the group and `async_op` fills it, and returns a Work or None
        """
        for group in self._groups(False):
            group.all_gather = comm

    def set_custom_reduce_scatter(self, comm: Any) -> None:
        """Sums the gradients of this module by another function.

        Args:
            comm (ReduceScatter): its `allocate(size, *, dtype, device)` makes the tensor of this process's part, and calling it
                with that tensor, all parts, the group, the ReduceOp and `async_op` fills it, and returns a Work or None
        """
        for group in self._groups(False):
            group.reduce_scatter = comm

    def set_reduce_scatter_unused_params(self, reduce_scatter_unused_params: bool, *, recurse: bool = True) -> None:
        """Says whether parameters without a gradient take part in the sum, with zeros: they may have one in another process.

        Args:
            reduce_scatter_unused_params (bool): whether they do
            recurse (bool, default True): also for sharded modules inside of this one
        """
        for group in self._groups(recurse):
            group.reduces_unused = reduce_scatter_unused_params

    def set_reduce_scatter_max_input_buffers(self, max_input_buffers: int, *, recurse: bool = True) -> None:
        """Says how many sums may be on their way at once; 1 by default.

        Args:
            max_input_buffers (int): the number
            recurse (bool, default True): of no effect: the modules of one root share it

        Raises:
            ValueError: a number below 1
        """
        if max_input_buffers < 1:
            raise ValueError(f"set_reduce_scatter_max_input_buffers(): expected a number above 0, got {max_input_buffers}")
        for state in self._states(True):
            state.max_reductions = max_input_buffers

    def set_separate_reduce_scatter_group(self, enable: bool = True, *, recurse: bool = True) -> None:
        """Sums gradients in a group of its own, so that they do not wait for parameters on their way. All processes call it.

        Args:
            enable (bool, default True): whether they do
            recurse (bool, default True): also for sharded modules inside of this one
        """
        made: dict[Any, Any] = {}
        for group in self._groups(recurse):
            whole = group.shard_group
            if whole is None:
                continue
            if enable and whole not in made:
                ranks = torch.distributed.get_process_group_ranks(whole)
                made[whole] = torch.distributed.new_group(ranks, use_local_synchronization=True, sort_ranks=False)
            group.reduce_group = made[whole] if enable else whole

    def set_post_optim_event(self, event: Any) -> None:
        """Of no effect on the CPU.

        Args:
            event (object): any
        """

    def _apply(self, *args: Any, **kwargs: Any) -> Any:
        self.reshard()
        result = super()._apply(*args, **kwargs)  # type: ignore[misc]
        for group in self._groups(False):
            for p in group.params:
                p.take_back()
        return result


def _sharded_modules(modules: Any) -> list[FSDPModule]:
    for module in modules:
        if not isinstance(module, FSDPModule):
            raise ValueError(f"FSDPModule: expected modules that fully_shard was called with, got {type(module).__name__}")
    return list(modules)


def _own_modules(tops: tuple[nn.Module, ...]) -> list[nn.Module]:
    """The modules inside, without sharded ones and what is inside of these."""
    found: list[nn.Module] = []

    def visit(module: nn.Module) -> None:
        if module in found or ("_fsdp_state" in vars(module) and module not in tops):
            return
        found.append(module)
        for child in module.children():
            visit(child)

    for top in tops:
        visit(top)
    return found


def _axes(mesh: DeviceMesh) -> tuple[int | None, int | None]:
    """The dimension that cuts and the one of copies."""
    if mesh.ndim == 1:
        return 0, None
    if mesh.ndim == 2:
        return 1, 0
    raise ValueError(f"{_NAME}(): expected a mesh of 1 dimension, or of 2 (copies, parts), got {mesh}")


def device_type_of(modules: Iterable[nn.Module]) -> str:
    """The type of the device that the parameters are on; "cpu" for those on the meta device."""
    found = {p.device.type for module in modules for p in module.parameters()} - {"meta", "cpu"}
    return min(found, default="cpu")


def _chosen_mesh(mesh: DeviceMesh | None, dims: Any, tops: tuple[nn.Module, ...]) -> DeviceMesh:
    if mesh is None:
        return init_device_mesh(device_type_of(tops), (torch.distributed.get_world_size(),))
    if dims is None:
        return mesh
    parts = []
    for names in (dims.replicate_names, dims.shard_names):
        if names:
            parts.append(mesh[names[0]] if len(names) == 1 else mesh[names]._flatten())
    return parts[0] if len(parts) == 1 else DeviceMesh._concatenate(parts)


def fully_shard(
    module: Any, *, mesh: DeviceMesh | None = None, reshard_after_forward: bool | int | None = None,
    shard_placement_fn: Callable[[nn.Parameter], Any] | None = None, mp_policy: MixedPrecisionPolicy | None = None,
    offload_policy: OffloadPolicy | None = None, ignored_params: set[nn.Parameter] | None = None, dp_mesh_dims: Any = None,
) -> Any:  # fmt: skip
    """Cuts the parameters of a module over processes. They become DTensors, and are whole only while the module computes.

    Call it with inner modules first, such as the blocks of a transformer, then with the module around them: the parameters of
    each call are gathered by one message. Make the optimizer afterwards.

    Args:
        module (Module or list of Module): the module, or several that count as one; their class becomes an FSDPModule
        mesh (DeviceMesh, optional): 1 dimension of parts, or 2 of copies and of parts; all processes by default
        reshard_after_forward (bool, int, optional): whether forward frees the whole parameters, so that backward gathers them
            again; by default all modules do, but for the root. With a number, forward keeps one of that many parts, which
            backward gathers from that many neighbouring processes, such as those of one host
        shard_placement_fn (Callable, optional): takes a parameter, and returns the Shard by which it is cut; Shard(0) by default
        mp_policy (MixedPrecisionPolicy, optional): dtypes of computing and of messages
        offload_policy (OffloadPolicy, optional): of no effect on the CPU; on GPUs, parts of parameters stay there
        ignored_params (set of Parameter, optional): parameters that stay as they are
        dp_mesh_dims (DataParallelMeshDims, optional): names of the dimensions of the mesh that cut and that hold copies

    Returns:
        the module

    Raises:
        ValueError: the module is a list of modules, which has no forward, or the mesh has more dimensions, or the number in
            reshard_after_forward does not divide that of processes
        NotImplementedError: CPUOffloadPolicy on GPUs, or a number in reshard_after_forward for parameters that are DTensors

    Example:
        >>> torch.distributed.init_process_group("gloo", store=torch.distributed.HashStore(), rank=0, world_size=1)
        >>> model = torch.distributed.fsdp.fully_shard(torch.nn.Linear(3, 2))
        >>> model.weight.placements
        (Shard(dim=0),)
        >>> model(torch.ones(1, 3)).shape
        torch.Size([1, 2])
        >>> torch.distributed.destroy_process_group()
    """
    tops = (module,) if isinstance(module, nn.Module) else tuple(module)
    for top in tops:
        if isinstance(top, (nn.ModuleList, nn.ModuleDict)):
            raise ValueError(f"{_NAME}(): a {type(top).__name__} has no forward, around which to gather; shard its modules")
        if isinstance(top, FSDPModule):
            raise ValueError(f"{_NAME}(): the {type(top).__name__} is sharded already")
    policy = MixedPrecisionPolicy() if mp_policy is None else mp_policy
    if offload_policy is not None and not isinstance(offload_policy, (OffloadPolicy, CPUOffloadPolicy)):
        raise TypeError(f"{_NAME}(): expected an OffloadPolicy, got {type(offload_policy).__name__}")
    mesh = _chosen_mesh(mesh, dp_mesh_dims, tops)
    if mesh.device_type not in ("cpu", "meta"):
        if isinstance(offload_policy, CPUOffloadPolicy):
            raise NotImplementedError(f"{_NAME}(): this version keeps the parts of parameters on the device of the mesh")
        for own in _own_modules(tops):
            own._apply(lambda t: t.to(mesh.device_type) if t.device.type == "cpu" else t, recurse=False)
    shard_dim, replicate_dim = _axes(mesh)
    inner = None
    if type(reshard_after_forward) is int:
        inner = inner_mesh(mesh, shard_dim, reshard_after_forward)
        reshard_after_forward = reshard_after_forward != 1
    return _shard(tops, module, mesh, shard_dim, replicate_dim, policy, reshard_after_forward, shard_placement_fn,
                  ignored_params, inner)  # fmt: skip


def make_group(
    tops: tuple[nn.Module, ...], mesh: DeviceMesh, shard_dim: int | None, replicate_dim: int | None, policy: Any,
    shard_placement_fn: Any = None, ignored: Any = None,
) -> ParamGroup | None:  # fmt: skip
    """Cuts the parameters that are inside of the modules, but not inside of sharded ones there."""
    skipped = {id(p) for p in ignored or ()}
    owners: dict[int, tuple[nn.Parameter, list[tuple[nn.Module, str]]]] = {}
    for child in _own_modules(tops):
        for name, p in child._parameters.items():
            if p is not None and id(p) not in skipped:
                owners.setdefault(id(p), (p, []))[1].append((child, name))
    params = []
    for p, places in owners.values():
        if isinstance(p, DTensor) and any(q in mesh._dims for q in p.device_mesh._dims) and (
            p.device_mesh._get_root_mesh() is mesh._get_root_mesh()
        ):  # fmt: skip
            raise ValueError(f"{_NAME}(): the parameter {places[0][1]!r} is a DTensor over {p.device_mesh}, the mesh of {_NAME}")
        placement = (shard_placement_fn(p) if shard_placement_fn is not None else None) or Shard(0)
        if not isinstance(placement, Shard):
            raise ValueError(f"{_NAME}(): shard_placement_fn returned {placement!r}, expected a Shard or None")
        params.append(FSDPParam(p, places, mesh, shard_dim, placement, policy))
    return ParamGroup(params, mesh, shard_dim, replicate_dim, policy) if params else None


def _shard(
    tops: tuple[nn.Module, ...], module: Any, mesh: DeviceMesh, shard_dim: int | None, replicate_dim: int | None, policy: Any,
    reshard: Any, shard_placement_fn: Any, ignored: set[nn.Parameter] | None, inner: DeviceMesh | None,
) -> Any:  # fmt: skip
    group = make_group(tops, mesh, shard_dim, replicate_dim, policy, shard_placement_fn, ignored)
    if group is not None and inner is not None:
        if any(p.tp_spec is not None for p in group.params):
            raise NotImplementedError(
                f"{_NAME}(): parts of another size after forward, for a parameter that is a DTensor already"
            )
        group.inner_mesh = inner
    state = FSDPState(tops, group, policy, reshard)
    for top in tops:
        top._fsdp_state = state  # type: ignore[assignment]
        note_in_registry(top, _NAME)
        cls = type(top)
        if cls not in _classes:
            _classes[cls] = type(f"FSDP{cls.__name__}", (FSDPModule, cls), {"__deepcopy__": _no_deepcopy})
        top.__class__ = _classes[cls]
        if group is not None:
            top.register_state_dict_pre_hook(lambda m, prefix, keep_vars, _group=group: _group.reshard())
            top.register_load_state_dict_pre_hook(lambda *_, _group=group: _group.reshard())
    return module


def _no_deepcopy(self: Any, memo: Any) -> Any:
    raise AssertionError(f"{_NAME}(): a sharded module cannot be copied; copy it before, or load its state_dict() into another")


def register_fsdp_forward_method(module: nn.Module, method_name: str) -> None:
    """Makes another method of a sharded module gather its parameters, as forward does.

    Args:
        module (Module): the module; nothing happens if it is not sharded
        method_name (str): the name of the method

    Raises:
        ValueError: the module has no such method

    Example:
        >>> torch.distributed.fsdp.register_fsdp_forward_method.__name__
        'register_fsdp_forward_method'
    """
    if not isinstance(module, FSDPModule):
        return
    method = getattr(module, method_name, None)
    if method is None:
        raise ValueError(f"register_fsdp_forward_method(): {type(module).__name__} has no method {method_name!r}")

    @functools.wraps(method)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        state = module._fsdp_state
        args, kwargs = state.before_forward(module, args, kwargs)  # type: ignore[arg-type]
        return state.after_forward(module, args, method(*args, **kwargs))  # type: ignore[arg-type]

    object.__setattr__(module, method_name, wrapped)


def share_comm_ctx(modules: list[FSDPModule]) -> None:
    """Lets several roots, such as the stages of a pipeline, send one after the other.

    Args:
        modules (list of FSDPModule): the roots

    Example:
        >>> torch.distributed.fsdp.share_comm_ctx([])
    """
    _sharded_modules(modules)
