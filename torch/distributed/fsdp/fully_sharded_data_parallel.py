"""FullyShardedDataParallel: a module around another one, whose parameters are cut over processes as by fully_shard."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.device_mesh import DeviceMesh, init_device_mesh
from torch.distributed.fsdp import _full_precision, _optim, _state_dict
from torch.distributed.fsdp._fully_shard import device_type_of, make_group
from torch.distributed.fsdp._group import ParamGroup
from torch.distributed.fsdp._policies import MixedPrecisionPolicy
from torch.distributed.fsdp._state import FSDPState
from torch.distributed.fsdp.api import (
    BackwardPrefetch,
    CPUOffload,
    FullOptimStateDictConfig,
    FullStateDictConfig,
    LocalOptimStateDictConfig,
    LocalStateDictConfig,
    MixedPrecision,
    OptimStateDictConfig,
    OptimStateKeyType,
    ShardedOptimStateDictConfig,
    ShardedStateDictConfig,
    ShardingStrategy,
    StateDictConfig,
    StateDictSettings,
    StateDictType,
)
from torch.distributed.fsdp.wrap import _auto_wrap

_HYBRID = (ShardingStrategy.HYBRID_SHARD, ShardingStrategy._HYBRID_SHARD_ZERO2)
WRAPPED = "_fsdp_wrapped_module"
_CONFIGS = {
    StateDictType.FULL_STATE_DICT: (FullStateDictConfig, FullOptimStateDictConfig),
    StateDictType.LOCAL_STATE_DICT: (LocalStateDictConfig, LocalOptimStateDictConfig),
    StateDictType.SHARDED_STATE_DICT: (ShardedStateDictConfig, ShardedOptimStateDictConfig),
}


def _mesh_of_groups(shard: Any, replicate: Any, kind: str) -> DeviceMesh:
    """The grid of which the groups are a row and a column."""
    rows: list[Any] = [None] * dist.get_world_size()
    dist.all_gather_object(rows, dist.get_process_group_ranks(shard))
    grid = sorted({tuple(row) for row in rows})
    return DeviceMesh.from_group([replicate, shard], kind, [list(row) for row in grid])


def _mesh(process_group: Any, device_mesh: Any, hybrid: bool, kind: str) -> DeviceMesh:
    """`kind` is the type of the device of the parameters."""
    if device_mesh is not None:
        if process_group is not None:
            raise ValueError("FullyShardedDataParallel: give process_group or device_mesh, not both")
        return device_mesh
    if hybrid:
        if isinstance(process_group, tuple):
            return _mesh_of_groups(*process_group, kind)
        world, within = dist.get_world_size(), int(os.environ.get("LOCAL_WORLD_SIZE", dist.get_world_size()))
        return init_device_mesh(kind, (world // within, within))
    if process_group is not None:
        return DeviceMesh.from_group(process_group, kind)
    return init_device_mesh(kind, (dist.get_world_size(),))


class FullyShardedDataParallel(nn.Module):
    """A module whose parameters are cut over processes, and whole only while it computes.

    Its parameters are DTensors under the names that they have in the module, whatever `use_orig_params` says; there is no flat
    parameter. `fully_shard` does the same without a module around.

    Args:
        module (Module): the module, on the CPU
        process_group (ProcessGroup or tuple, optional): the processes; (parts, copies) for HYBRID_SHARD; all by default
        sharding_strategy (ShardingStrategy, default FULL_SHARD): what is cut
        cpu_offload (CPUOffload, optional): of no effect: parameters are on the CPU
        auto_wrap_policy (Callable, optional): which modules inside are wrapped on their own
        backward_prefetch (BackwardPrefetch, optional): when backward starts to gather the next parameters; None: when needed
        mixed_precision (MixedPrecision, optional): dtypes of computing and of messages
        ignored_modules (iterable of Module, optional): modules whose parameters stay as they are
        param_init_fn (Callable, optional): gives values to modules on the meta device
        device_id (device, optional): where the module is moved; it stays where it is by default
        sync_module_states (bool, default False): start with the parameters and buffers of rank 0
        forward_prefetch (bool, default False): forward starts to gather the next parameters
        limit_all_gathers (bool, default True): of no effect
        use_orig_params (bool, default False): of no effect
        ignored_states (iterable, optional): parameters or modules that stay as they are
        device_mesh (DeviceMesh, optional): the processes; 2 dimensions, copies and parts, for HYBRID_SHARD

    Raises:
        ValueError: settings that exclude each other

    Example:
        >>> torch.distributed.init_process_group("gloo", store=torch.distributed.HashStore(), rank=0, world_size=1)
        >>> model = torch.distributed.fsdp.FullyShardedDataParallel(torch.nn.Linear(3, 2))
        >>> sorted(model.state_dict())
        ['bias', 'weight']
        >>> torch.distributed.destroy_process_group()
    """

    def __init__(
        self, module: nn.Module, process_group: Any = None, sharding_strategy: ShardingStrategy | None = None,
        cpu_offload: CPUOffload | None = None, auto_wrap_policy: Any = None,
        backward_prefetch: BackwardPrefetch | None = BackwardPrefetch.BACKWARD_PRE, mixed_precision: MixedPrecision | None = None,
        ignored_modules: Iterable[nn.Module] | None = None, param_init_fn: Callable[[nn.Module], None] | None = None,
        device_id: Any = None, sync_module_states: bool = False, forward_prefetch: bool = False, limit_all_gathers: bool = True,
        use_orig_params: bool = False, ignored_states: Any = None, device_mesh: DeviceMesh | None = None,
    ) -> None:  # fmt: skip
        super().__init__()
        strategy = sharding_strategy or ShardingStrategy.FULL_SHARD
        precision = mixed_precision or MixedPrecision()
        hybrid = strategy in _HYBRID
        place = None
        if device_id is not None:
            place = torch.device("cuda", device_id) if isinstance(device_id, int) else torch.device(device_id)
        kind = device_type_of([module]) if place is None else place.type
        mesh = _mesh(process_group, device_mesh, hybrid, kind)
        if mesh.ndim != (2 if hybrid else 1):
            raise ValueError(f"FullyShardedDataParallel: {strategy} needs a mesh of {2 if hybrid else 1} dimensions, got {mesh}")
        states = list(ignored_states or ())
        modules = {
            m for top in [*(ignored_modules or ()), *(s for s in states if isinstance(s, nn.Module))] for m in top.modules()
        }
        ignored = {p for m in modules for p in m.parameters(recurse=False)} | {s for s in states if isinstance(s, nn.Parameter)}
        if auto_wrap_policy is not None:
            settings = {
                "sharding_strategy": strategy, "mixed_precision": mixed_precision, "param_init_fn": param_init_fn,
                "forward_prefetch": forward_prefetch, "backward_prefetch": backward_prefetch, "device_mesh": mesh,
                "sync_module_states": sync_module_states, "ignored_states": list(ignored),
            }  # fmt: skip
            kept = set(_full_precision.wrap(module, modules, precision, settings, type(self)))
            _auto_wrap(module, auto_wrap_policy, modules | kept, settings, type(self))
        place = torch.device(mesh.device_type) if place is None else place
        _give_values(module, param_init_fn, modules, place)
        if place.type != "cpu":
            module._apply(lambda t: t.to(place) if t.device.type == "cpu" else t)
        if sync_module_states:
            _send_states(module, mesh, ignored)
        self._fsdp_wrapped_module = module
        self.sharding_strategy, self.mixed_precision, self.device_mesh = strategy, precision, mesh
        self.process_group = mesh.get_group(mesh.ndim - 1)
        self.rank, self.world_size = dist.get_rank(self.process_group), dist.get_world_size(self.process_group)
        self._state_dict_type = StateDictType.FULL_STATE_DICT
        self._state_dict_config: StateDictConfig = FullStateDictConfig()
        self._optim_state_dict_config: OptimStateDictConfig = FullOptimStateDictConfig()
        self._summoned = False
        if precision.buffer_dtype is not None:
            for buffer in _full_precision.other_buffers(module):
                if buffer.is_floating_point():
                    buffer.data = buffer.to(precision.buffer_dtype)
        policy = MixedPrecisionPolicy(precision.param_dtype, precision.reduce_dtype or precision.param_dtype, None,
                                      precision.cast_forward_inputs)  # fmt: skip
        shards = strategy is not ShardingStrategy.NO_SHARD
        group = make_group(
            (self,), mesh, mesh.ndim - 1 if shards else None, 0 if hybrid or not shards else None, policy, None, ignored
        )
        if group is not None:
            group.keeps_low_precision = precision.keep_low_precision_grads
        keeps = strategy in (ShardingStrategy.SHARD_GRAD_OP, ShardingStrategy._HYBRID_SHARD_ZERO2, ShardingStrategy.NO_SHARD)
        self._fsdp_state = FSDPState((self,), group, policy, False if keeps else None)
        self._fsdp_state.root_casts = precision.cast_root_forward_inputs
        self._fsdp_state.prefetches_next = forward_prefetch
        self._fsdp_state.prefetches_in_backward = backward_prefetch is not None
        _state_dict.register(self)

    # --- as a module ---

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """The module's forward.

        Args:
            *args (Any): for the module
            **kwargs (Any): for the module

        Returns:
            what the module gives
        """
        return self._fsdp_wrapped_module(*args, **kwargs)

    @property
    def module(self) -> nn.Module:
        """The module inside."""
        return self._fsdp_wrapped_module

    def __getattr__(self, name: str) -> Any:
        try:
            return super().__getattr__(name)
        except AttributeError:
            if name == WRAPPED:
                raise
            return getattr(self._fsdp_wrapped_module, name)

    def __getitem__(self, key: Any) -> Any:
        return self._fsdp_wrapped_module[key]  # type: ignore[index]

    def _apply(self, *args: Any, **kwargs: Any) -> Any:
        group = self._fsdp_state.group
        if group is not None:
            group.reshard()
        result = super()._apply(*args, **kwargs)
        for p in group.params if group is not None else ():
            p.take_back()
        return result

    def named_parameters(self, *args: Any, **kwargs: Any) -> Iterator[tuple[str, nn.Parameter]]:
        """The parameters with their names, which are those of the module while they are summoned.

        Args:
            *args (Any): as of Module
            **kwargs (Any): as of Module

        Returns:
            an iterator over (name, parameter)
        """
        for name, p in super().named_parameters(*args, **kwargs):
            yield clean(name) if self._summoned else name, p

    def named_buffers(self, *args: Any, **kwargs: Any) -> Iterator[tuple[str, torch.Tensor]]:
        """The buffers with their names, which are those of the module while parameters are summoned.

        Args:
            *args (Any): as of Module
            **kwargs (Any): as of Module

        Returns:
            an iterator over (name, buffer)
        """
        for name, b in super().named_buffers(*args, **kwargs):
            yield clean(name) if self._summoned else name, b

    def check_is_root(self) -> bool:
        """Whether no other wrapped module is around this one; known after the first forward.

        Returns:
            whether it is the root
        """
        self._fsdp_state._find_root()
        return bool(self._fsdp_state.is_root)

    @staticmethod
    def fsdp_modules(module: nn.Module, root_only: bool = False) -> list[FullyShardedDataParallel]:
        """The wrapped modules inside of a module.

        Args:
            module (Module): the module
            root_only (bool, default False): without those inside of others

        Returns:
            a list
        """
        found = [m for m in module.modules() if isinstance(m, FullyShardedDataParallel)]
        if not root_only:
            return found
        inner = {id(n) for m in found for n in m.modules() if n is not m}
        return [m for m in found if id(m) not in inner]

    def apply(self, fn: Callable[[nn.Module], None]) -> FullyShardedDataParallel:
        """Calls a function with every module, while the parameters are whole.

        Args:
            fn (Callable): takes a module

        Returns:
            this module
        """
        with self.summon_full_params(self, writeback=True):
            return super().apply(fn)

    # --- training ---

    def _groups(self) -> list[ParamGroup]:
        states = [m._fsdp_state for m in self.fsdp_modules(self)]
        return [s.group for s in states if s.group is not None]

    @contextlib.contextmanager
    def no_sync(self) -> Iterator[None]:
        """A block whose backward passes keep gradients, which the first one after it sums."""
        before = [(g, g.reduces) for g in self._groups()]
        for group, _ in before:
            group.reduces = False
        try:
            yield
        finally:
            for group, value in before:
                group.reduces = value

    @torch.no_grad()
    def clip_grad_norm_(self, max_norm: float, norm_type: float = 2.0) -> torch.Tensor:
        """Scales the gradients of all processes together, so that their norm is at most `max_norm`.

        Args:
            max_norm (float): the limit
            norm_type (float, default 2.0): the order of the norm

        Returns:
            the norm before
        """
        norm = nn.utils.clip_grad_norm_(list(self.parameters()), max_norm, norm_type)
        return norm.full_tensor() if hasattr(norm, "full_tensor") else norm

    @staticmethod
    @contextlib.contextmanager
    def summon_full_params(
        module: nn.Module, recurse: bool = True, writeback: bool = True, rank0_only: bool = False, offload_to_cpu: bool = False,
        with_grads: bool = False,
    ) -> Iterator[None]:  # fmt: skip
        """A block in which the module has its whole parameters as plain tensors.

        Args:
            module (Module): a wrapped module, or one with such modules inside
            recurse (bool, default True): also of wrapped modules inside
            writeback (bool, default True): keep what the block changes
            rank0_only (bool, default False): only rank 0 gets them
            offload_to_cpu (bool, default False): of no effect
            with_grads (bool, default False): also the gradients
        """
        if rank0_only and writeback:
            raise NotImplementedError("summon_full_params(): rank0_only needs writeback=False: the ranks would get other values")
        found = FullyShardedDataParallel.fsdp_modules(module) if recurse else [module]
        taken = _state_dict.summon([m for m in found if isinstance(m, FullyShardedDataParallel)], rank0_only, with_grads)
        try:
            yield
        finally:
            _state_dict.give_back(found, taken, writeback, with_grads)

    def register_comm_hook(self, state: object, hook: Any) -> None:
        """Sums gradients by a function instead of a sum that is divided by the number of processes.

        The function is called for each message with `state` and the gradients of a wrapped module, one after the other in a
        tensor of one dimension. Where parameters are cut, it also gets the tensor that takes this process's part. Otherwise it
        changes the gradients in place.

        Args:
            state (object): the first argument of the function
            hook (Callable): the function, such as those in `torch.distributed.algorithms._comm_hooks.default_hooks`

        Raises:
            AssertionError: the module is inside of another wrapped one, has a hook already, or holds copies of parts
            ValueError: the hook cannot be called
        """
        if not callable(hook):
            raise ValueError(f"register_comm_hook(): expected a function, got {hook!r}")
        if not self.check_is_root():
            raise AssertionError("register_comm_hook(): call it on the root, the outermost wrapped module")
        for m in self.fsdp_modules(self):
            if m.sharding_strategy in _HYBRID:
                raise AssertionError(f"register_comm_hook(): a hook cannot sum for {m.sharding_strategy}, which has two sums")
        groups = self._groups()
        if any(group.comm_hook is not None for group in groups):
            raise AssertionError("register_comm_hook(): the module has a hook already")
        for group in groups:
            group.comm_hook = hook, state

    # --- state dictionaries ---

    @staticmethod
    def set_state_dict_type(
        module: nn.Module, state_dict_type: StateDictType, state_dict_config: StateDictConfig | None = None,
        optim_state_dict_config: OptimStateDictConfig | None = None,
    ) -> StateDictSettings:  # fmt: skip
        """Says what `state_dict` of wrapped modules gives.

        Args:
            module (Module): a wrapped module, or one with such modules inside
            state_dict_type (StateDictType): whole tensors or DTensors
            state_dict_config (StateDictConfig, optional): settings of it
            optim_state_dict_config (OptimStateDictConfig, optional): settings of the optimizer's

        Returns:
            the settings before

        Raises:
            RuntimeError: settings of another type
            NotImplementedError: flat parts
        """
        if state_dict_type is StateDictType.LOCAL_STATE_DICT:
            raise NotImplementedError("FullyShardedDataParallel: there are no flat parameters; use SHARDED_STATE_DICT")
        first, second = _CONFIGS[state_dict_type]
        config = first() if state_dict_config is None else state_dict_config
        optim = second() if optim_state_dict_config is None else optim_state_dict_config
        if type(config) is not first or type(optim) is not second:
            raise RuntimeError(
                f"set_state_dict_type(): {state_dict_type.name} has {first.__name__} and {second.__name__}, got "
                f"{type(config).__name__} and {type(optim).__name__}"
            )
        before = FullyShardedDataParallel.get_state_dict_type(module)
        for m in FullyShardedDataParallel.fsdp_modules(module):
            m._state_dict_type, m._state_dict_config, m._optim_state_dict_config = state_dict_type, config, optim
        return before

    @staticmethod
    def get_state_dict_type(module: nn.Module) -> StateDictSettings:
        """What `state_dict` gives.

        Args:
            module (Module): a wrapped module, or one with such modules inside

        Returns:
            the settings
        """
        for m in FullyShardedDataParallel.fsdp_modules(module, root_only=True):
            return StateDictSettings(m._state_dict_type, m._state_dict_config, m._optim_state_dict_config)
        return StateDictSettings(StateDictType.FULL_STATE_DICT, FullStateDictConfig(), FullOptimStateDictConfig())

    @staticmethod
    @contextlib.contextmanager
    def state_dict_type(
        module: nn.Module, state_dict_type: StateDictType, state_dict_config: StateDictConfig | None = None,
        optim_state_dict_config: OptimStateDictConfig | None = None,
    ) -> Iterator[None]:  # fmt: skip
        """A block with `set_state_dict_type`.

        Args:
            module (Module): a wrapped module, or one with such modules inside
            state_dict_type (StateDictType): whole tensors or DTensors
            state_dict_config (StateDictConfig, optional): settings of it
            optim_state_dict_config (OptimStateDictConfig, optional): settings of the optimizer's
        """
        cls = FullyShardedDataParallel
        before = cls.set_state_dict_type(module, state_dict_type, state_dict_config, optim_state_dict_config)
        try:
            yield
        finally:
            cls.set_state_dict_type(module, before.state_dict_type, before.state_dict_config, before.optim_state_dict_config)

    @staticmethod
    def optim_state_dict(model: nn.Module, optim: Any, optim_state_dict: Any = None, group: Any = None) -> dict[str, Any]:
        """The state of an optimizer by the names of parameters.

        Args:
            model (Module): the root of wrapped modules
            optim (Optimizer): its optimizer
            optim_state_dict (dict, optional): the state, that of the optimizer by default
            group (ProcessGroup, optional): of no effect

        Returns:
            "state" and "param_groups"; empty on other ranks if rank0_only
        """
        settings = FullyShardedDataParallel.get_state_dict_type(model)
        full = settings.state_dict_type is StateDictType.FULL_STATE_DICT
        rank0_only = getattr(settings.optim_state_dict_config, "rank0_only", False)
        return _optim.by_name(model, optim, optim_state_dict, full, rank0_only)

    @staticmethod
    def optim_state_dict_to_load(
        model: nn.Module, optim: Any, optim_state_dict: dict[str, Any], is_named_optimizer: bool = False,
        load_directly: bool = False, group: Any = None,
    ) -> dict[str, Any]:  # fmt: skip
        """What `optim.load_state_dict` takes, out of what `optim_state_dict` gave.

        Args:
            model (Module): the root of wrapped modules
            optim (Optimizer): its optimizer
            optim_state_dict (dict): the state by names
            is_named_optimizer (bool, default False): keep the names
            load_directly (bool, default False): load it too
            group (ProcessGroup, optional): of no effect

        Returns:
            the state
        """
        found = _optim.to_load(model, optim, optim_state_dict, is_named_optimizer)
        if load_directly:
            optim.load_state_dict(found)
        return found

    @staticmethod
    def full_optim_state_dict(
        model: nn.Module, optim: Any, optim_input: Any = None, rank0_only: bool = True, group: Any = None
    ) -> dict[str, Any]:  # fmt: skip
        """The former way to `optim_state_dict` with whole tensors.

        Args:
            model (Module): the root of wrapped modules
            optim (Optimizer): its optimizer
            optim_input (object, optional): of no effect
            rank0_only (bool, default True): only rank 0 gets it
            group (ProcessGroup, optional): of no effect

        Returns:
            the state by names
        """
        return _optim.by_name(model, optim, None, True, rank0_only)

    @staticmethod
    def sharded_optim_state_dict(model: nn.Module, optim: Any, group: Any = None) -> dict[str, Any]:
        """The former way to `optim_state_dict` with DTensors.

        Args:
            model (Module): the root of wrapped modules
            optim (Optimizer): its optimizer
            group (ProcessGroup, optional): of no effect

        Returns:
            the state by names
        """
        return _optim.by_name(model, optim, None, False, False)

    @staticmethod
    def shard_full_optim_state_dict(
        full_optim_state_dict: dict[str, Any], model: nn.Module, optim_input: Any = None, optim: Any = None
    ) -> dict[str, Any]:  # fmt: skip
        """The former way to `optim_state_dict_to_load`.

        Args:
            full_optim_state_dict (dict): the state by names, on all ranks
            model (Module): the root of wrapped modules
            optim_input (object, optional): of no effect
            optim (Optimizer): its optimizer

        Returns:
            the state
        """
        return _optim.to_load(model, optim, full_optim_state_dict, False)

    flatten_sharded_optim_state_dict = shard_full_optim_state_dict

    @staticmethod
    def scatter_full_optim_state_dict(
        full_optim_state_dict: dict[str, Any] | None, model: nn.Module, optim_input: Any = None, optim: Any = None,
        group: Any = None,
    ) -> dict[str, Any]:  # fmt: skip
        """As `shard_full_optim_state_dict`, for a state that only rank 0 has.

        Args:
            full_optim_state_dict (dict or None): the state by names, on rank 0
            model (Module): the root of wrapped modules
            optim_input (object, optional): of no effect
            optim (Optimizer): its optimizer
            group (ProcessGroup, optional): the processes

        Returns:
            the state
        """
        given = [full_optim_state_dict if dist.get_rank(group) == 0 else None]
        dist.broadcast_object_list(given, group=group, group_src=0)
        assert given[0] is not None
        return _optim.to_load(model, optim, given[0], False)

    @staticmethod
    def rekey_optim_state_dict(
        optim_state_dict: dict[str, Any], optim_state_key_type: OptimStateKeyType, model: nn.Module, optim_input: Any = None,
        optim: Any = None,
    ) -> dict[str, Any]:  # fmt: skip
        """A state by names or by numbers of parameters.

        Args:
            optim_state_dict (dict): the state
            optim_state_key_type (OptimStateKeyType): names or numbers
            model (Module): the module whose optimizer has it
            optim_input (object, optional): of no effect
            optim (Optimizer): the optimizer

        Returns:
            the state
        """
        return _optim.rekey(optim_state_dict, optim_state_key_type is OptimStateKeyType.PARAM_NAME, model, optim)


def clean(name: str) -> str:
    """The name of a parameter in the module that is wrapped."""
    return name.replace(f"{WRAPPED}.", "")


def _give_values(module: nn.Module, param_init_fn: Any, ignored: set[nn.Module], place: torch.device) -> None:
    """Makes the parameters of modules on the meta device."""
    for child in module.modules():
        own = [*child.parameters(recurse=False), *child.buffers(recurse=False)]
        if child in ignored or not any(t.is_meta for t in own):
            continue
        if param_init_fn is not None:
            param_init_fn(child)
            continue
        child.to_empty(device=place, recurse=False)
        reset = getattr(child, "reset_parameters", None)
        if reset is None:
            raise ValueError(
                f"FullyShardedDataParallel: {type(child).__name__} is on the meta device and has no reset_parameters"
            )
        with torch.no_grad():
            reset()


@torch.no_grad()
def _send_states(module: nn.Module, mesh: DeviceMesh, ignored: set[Any]) -> None:
    from torch.distributed.tensor._api import DTensor

    for t in [*module.parameters(), *module.buffers()]:
        if t not in ignored and not isinstance(t, DTensor):
            value = t.detach().contiguous()
            for d in reversed(range(mesh.ndim)):
                dist.broadcast(value, group=mesh.get_group(d), group_src=0)
            if value.data_ptr() != t.data_ptr():
                t.copy_(value)
