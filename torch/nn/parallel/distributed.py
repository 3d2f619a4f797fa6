"""DistributedDataParallel: one copy of a module in every process, with gradients averaged over them."""

from __future__ import annotations

import contextlib

import torch
from torch.nn.modules.module import Module

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from torch.distributed import BuiltinCommHookType as HookType

__all__ = ["DistributedDataParallel"]

_DEFAULT_BUCKET_MB = 25


def _tensors_in(value: Any) -> list[torch.Tensor]:
    """The tensors of an output: in lists, tuples, dicts and the attributes of dataclasses."""
    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, dict):
        return [t for v in value.values() for t in _tensors_in(v)]
    if isinstance(value, (list, tuple)):
        return [t for v in value for t in _tensors_in(v)]
    if hasattr(value, "__dataclass_fields__"):
        return [t for name in value.__dataclass_fields__ for t in _tensors_in(getattr(value, name))]
    return []


class _MixedPrecision:
    """Dtypes for DistributedDataParallel: of computing, of sent gradients and of buffers."""

    def __init__(
        self, param_dtype: torch.dtype | None = None, reduce_dtype: torch.dtype | None = None,
        buffer_dtype: torch.dtype | None = None,
    ) -> None:  # fmt: skip
        self.param_dtype, self.reduce_dtype, self.buffer_dtype = param_dtype, reduce_dtype, buffer_dtype


class DistributedDataParallel(Module):
    """A module whose gradients are averaged over all processes, each of which works on its own part of a batch.

    The processes start with the parameters of rank 0. Gradients are averaged in buckets while backward goes on, so that all
    processes have the same ones afterwards. Make the optimizer after this module.

    Args:
        module (Module): the module, on the CPU or on a GPU
        device_ids (list, optional): the GPU of the module, where inputs are moved; None on the CPU, or to leave inputs alone
        output_device (device, optional): the GPU of the module; None on the CPU
        dim (int, default 0): of no effect
        broadcast_buffers (bool, default True): give all processes the buffers of rank 0, now and before each forward pass
        init_sync (bool, default True): compare the parameters' shapes, and give all processes those of rank 0
        process_group (ProcessGroup, optional): the processes; all by default
        bucket_cap_mb (float, default 25): the size of a bucket in MiB
        find_unused_parameters (bool, default False): look for parameters that a loss does not depend on. It costs a walk over
            the graph and one more message in each step
        check_reduction (bool, default False): of no effect
        gradient_as_bucket_view (bool, default False): `.grad` lies in the buckets, which saves memory and a copy
        static_graph (bool, default False): all steps use the same parameters, equally often
        delay_all_reduce_named_params (list, optional): (name, parameter) of those whose gradients are averaged in one message
            of their own
        param_to_hook_all_reduce (Parameter, optional): the parameter whose gradient that message waits for
        mixed_precision (object, optional): dtypes for computing and sending, with the attributes `param_dtype`, `reduce_dtype`,
            `buffer_dtype` and `cast_forward_inputs`; parameters, gradients and the optimizer keep theirs
        device_mesh (DeviceMesh, optional): the processes, as a mesh of 1 dimension; instead of `process_group`
        skip_all_reduce_unused_params (bool, default False): of no effect
        bucket_cap_mb_list (list of int, optional): sizes of buckets in MiB: the first one's, and the last number for all others
        batched_grad_copy (bool, default False): of no effect
        forward_sync_buffers (bool, optional): instead of `broadcast_buffers`: whether buffers are sent before each forward pass;
            they are sent now in any case

    Raises:
        ValueError: `device_ids` or `output_device` is not the device of the module, or one of `delay_all_reduce_named_params`
            and `param_to_hook_all_reduce` is given without the other
        KeyError: the module has no parameter of a name that is to be delayed
        RuntimeError: torch.distributed is not available, no parameter requires gradients, the processes have other parameters, or
            `device_mesh` has several dimensions or comes with `process_group`

    Example:
        >>> torch.distributed.init_process_group("gloo", store=torch.distributed.HashStore(), rank=0, world_size=1)
        >>> model = torch.nn.parallel.DistributedDataParallel(nn.Linear(2, 1))
        >>> model(torch.ones(3, 2)).sum().backward()
        >>> model.module.weight.grad
        tensor([[3., 3.]])
        >>> torch.distributed.destroy_process_group()
    """

    def __init__(
        self, module: Module, device_ids: Any = None, output_device: Any = None, dim: int = 0, broadcast_buffers: bool = True,
        init_sync: bool = True, process_group: Any = None, bucket_cap_mb: float | None = None,
        find_unused_parameters: bool = False, check_reduction: bool = False, gradient_as_bucket_view: bool = False,
        static_graph: bool = False, delay_all_reduce_named_params: Any = None, param_to_hook_all_reduce: Any = None,
        mixed_precision: Any = None, device_mesh: Any = None, skip_all_reduce_unused_params: bool = False,
        bucket_cap_mb_list: list[int] | None = None, batched_grad_copy: bool = False, forward_sync_buffers: bool | None = None,
    ) -> None:  # fmt: skip
        super().__init__()
        if not torch.distributed.is_available():
            raise RuntimeError("DistributedDataParallel needs torch.distributed, and torch.distributed.is_available() is False")
        if device_mesh is not None:
            if process_group is not None:
                raise RuntimeError("DistributedDataParallel: give process_group or device_mesh, not both")
            if device_mesh.ndim != 1:
                raise RuntimeError(f"DistributedDataParallel: expected a mesh of 1 dimension, got {device_mesh}")
            process_group = device_mesh.get_group(0)
        self.module = module
        self._choose_device(device_ids, output_device)
        self.process_group = process_group if process_group is not None else torch.distributed._get_default_group()
        sends_buffers_now = broadcast_buffers or forward_sync_buffers is not None
        if forward_sync_buffers is not None:
            broadcast_buffers = forward_sync_buffers
        self.broadcast_buffers = self.forward_sync_buffers = broadcast_buffers
        self.find_unused_parameters = find_unused_parameters
        self.gradient_as_bucket_view, self.static_graph = gradient_as_bucket_view, static_graph
        self.require_backward_grad_sync = self.require_forward_param_sync = True
        self.dim = dim
        ignored = set(getattr(module, "_ddp_params_and_buffers_to_ignore", ()))
        named = [(name, p) for name, p in module.named_parameters() if name not in ignored]
        self._choose_delayed(delay_all_reduce_named_params, param_to_hook_all_reduce)
        self.parameters_to_ignore = ignored | self._delayed_names
        trained = [(name, p) for name, p in named if p.requires_grad and name not in self._delayed_names]
        if not trained:
            raise RuntimeError("DistributedDataParallel: no parameter of the module requires gradients")
        self._buffers_to_send = [b for name, b in module.named_buffers() if name not in ignored]
        if init_sync:
            self._compare_parameters(named)
            self._send([p.detach() for _, p in named] + (self._buffers_to_send if sends_buffers_now else []))
        self.bucket_bytes_cap = int((_DEFAULT_BUCKET_MB if bucket_cap_mb is None else bucket_cap_mb) * 2**20)
        self._trained = trained
        self._comm_hooks: list[Any] = []
        self._become_joinable()
        self._divides_by_all = True  # also in a block of join()
        self.mixed_precision = mixed_precision
        if mixed_precision is not None and mixed_precision.buffer_dtype is not None:
            for b in module.buffers():
                if b.is_floating_point():
                    b.data = b.to(mixed_precision.buffer_dtype)
        # A cap that was asked for holds for the first bucket too.
        self._first_cap = 2**20 if bucket_cap_mb is None else self.bucket_bytes_cap
        if bucket_cap_mb_list:
            if any(cap <= 0 for cap in bucket_cap_mb_list):
                raise ValueError(
                    f"DistributedDataParallel: expected sizes above 0 in bucket_cap_mb_list, got {bucket_cap_mb_list}"
                )
            self._first_cap, self.bucket_bytes_cap = (int(bucket_cap_mb_list[k] * 2**20) for k in (0, -1))
        self._make_reducer()

    def _choose_device(self, device_ids: Any, output_device: Any) -> None:
        """The device of the parameters; `device_ids` may name it, and then inputs are moved there."""
        devices = sorted({str(p.device) for p in self.module.parameters()}) or ["cpu"]
        self.device = torch.device(devices[0])
        self.device_ids = self.output_device = None
        if not device_ids and output_device is None:
            return
        if len(devices) > 1 or self.device.type == "cpu":
            raise ValueError(
                "DistributedDataParallel: device_ids and output_device are for modules on one GPU; the parameters are on "
                f"{', '.join(devices)}"
            )

        def named(given: Any) -> torch.device:
            return torch.device(self.device.type, given) if isinstance(given, int) else torch.device(given)

        for given in [*(device_ids or ()), *([] if output_device is None else [output_device])]:
            if named(given) != self.device:
                raise ValueError(f"DistributedDataParallel: the parameters are on {self.device}, and not on {named(given)}")
        if device_ids and len(device_ids) > 1:
            raise ValueError(f"DistributedDataParallel: expected one device in device_ids, got {len(device_ids)}")
        self.device_ids = [self.device.index] if device_ids else None
        self.output_device = self.device.index

    def _choose_delayed(self, delayed: Any, starter: Any) -> None:
        """The names of the parameters that `delay_all_reduce_named_params` has, and of the one that starts their message."""
        if (delayed is None) != (starter is None):
            raise ValueError(
                "DistributedDataParallel: give delay_all_reduce_named_params and param_to_hook_all_reduce together or not at all"
            )
        names = {id(p): name for name, p in self.module.named_parameters(remove_duplicate=False)}
        self._delayed_names = {name for name, _ in delayed or ()}
        for name in self._delayed_names - set(names.values()):
            raise KeyError(
                f"DistributedDataParallel: delay_all_reduce_named_params has {name!r}, which is no parameter of the module"
            )
        if starter is not None and id(starter) not in names:
            raise ValueError("DistributedDataParallel: param_to_hook_all_reduce is no parameter of the module")
        self._starter_name = names.get(id(starter))

    def _become_joinable(self) -> None:
        from torch.distributed.algorithms.join import Joinable, _Settings

        Joinable.register(DistributedDataParallel)
        self._join_config = _Settings(False, False, False)

    def _make_reducer(self) -> None:
        from torch._C import _distributed_c10d as c10d

        backend = getattr(self.process_group, "_backends", {}).get(self.device.type)
        if not isinstance(backend, c10d.Backend):
            backend = None
        self.reducer = c10d.Reducer(
            [p for _, p in self._trained], [name for name, _ in self._trained], backend, self.find_unused_parameters,
            self.gradient_as_bucket_view, self.static_graph, self.bucket_bytes_cap, self._first_cap,
        )  # fmt: skip
        if self._delayed_names:
            from torch.nn.parallel._delayed import DelayedParameters

            known = dict(self.module.named_parameters(remove_duplicate=False))
            delayed = [known[name] for name in sorted(self._delayed_names) if known[name].requires_grad]
            self._delayed = DelayedParameters(self, delayed, known[self._starter_name])  # type: ignore[index]
        if backend is None:  # one that is written in Python
            from torch.distributed.algorithms.ddp_comm_hooks.default_hooks import allreduce_hook

            self.reducer._register_comm_hook(self.process_group, allreduce_hook)
        elif self.mixed_precision is not None:
            from torch.distributed.algorithms.ddp_comm_hooks import default_hooks

            sent = self.mixed_precision.reduce_dtype or self.mixed_precision.param_dtype
            hooks = {torch.float16: default_hooks.fp16_compress_hook, torch.bfloat16: default_hooks.bf16_compress_hook}
            if sent in hooks:
                self.reducer._register_comm_hook(self.process_group, hooks[sent])

    def _run(self, inputs: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """The module's forward, in the dtype of `mixed_precision`."""
        dtype = None if self.mixed_precision is None else self.mixed_precision.param_dtype
        if dtype is None:
            return self.module(*inputs, **kwargs)
        from torch.utils import _pytree as pytree

        def cast(x: Any) -> Any:
            return x.to(dtype) if isinstance(x, torch.Tensor) and x.is_floating_point() else x

        if getattr(self.mixed_precision, "cast_forward_inputs", True):
            inputs, kwargs = pytree.tree_map(cast, (inputs, kwargs))
        # Copies, through which gradients reach the parameters in the dtype of these.
        copies = {name: cast(p) for name, p in self.module.named_parameters() if name not in self.parameters_to_ignore}
        return torch.func.functional_call(self.module, copies, inputs, kwargs)

    def _compare_parameters(self, named: list[tuple[str, torch.Tensor]]) -> None:
        own = [(name, tuple(p.shape), str(p.dtype)) for name, p in named]
        size = self.process_group.size()
        if size == 1:
            return
        # Rank 0's are compared with each rank's own; every rank then learns who differs.
        first: list[Any] = [own]
        torch.distributed.broadcast_object_list(first, group=self.process_group, group_src=0)
        difference = None
        if first[0] != own:
            pairs = zip(first[0], own)
            difference = next((f"{b} instead of {a}" for a, b in pairs if a != b), f"{len(own)} parameters, not {len(first[0])}")
        differences: list[Any] = [None] * size
        torch.distributed.all_gather_object(differences, difference, group=self.process_group)
        if any(differences):
            texts = [f"rank {rank} has {text}" for rank, text in enumerate(differences) if text]
            raise RuntimeError(f"DistributedDataParallel: the parameters differ from those of rank 0: {'; '.join(texts)}")

    def _send(self, tensors: list[torch.Tensor], source: int = 0) -> None:
        """Gives all processes the values of one of them, in one message for each dtype."""
        by_dtype: dict[torch.dtype, list[torch.Tensor]] = {}
        for tensor in tensors:
            by_dtype.setdefault(tensor.dtype, []).append(tensor)
        with torch.no_grad():
            for group in by_dtype.values():
                joined = torch.cat([t.reshape(-1) for t in group])
                torch.distributed.broadcast(joined, group=self.process_group, group_src=source)
                if self.process_group.rank() != source:
                    for tensor, part in zip(group, joined.split([t.numel() for t in group])):
                        tensor.copy_(part.view_as(tensor))

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        """The module's forward pass.

        Args:
            *inputs (Any): for the module
            **kwargs (Any): for the module

        Returns:
            what the module gives

        Example:
            >>> torch.nn.parallel.DistributedDataParallel.forward.__name__
            'forward'
        """
        inputs, kwargs = self._before_forward(inputs, kwargs)
        return self._after_forward(self._run(inputs, kwargs))

    def _communicates(self) -> bool:
        return torch.is_grad_enabled() and self.require_backward_grad_sync

    def _before_forward(self, inputs: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Prepares a forward pass; gives the inputs, on the device of the module."""
        communicates = self._communicates()
        joins = communicates and self._join_config.enabled
        if joins:
            from torch.distributed.algorithms.join import Join

            work = Join.notify_join_context(self)  # type: ignore[arg-type]
            if work is not None and not self._divides_by_all:
                work.wait()
                self.reducer._set_divisor(int(work.result()[0].item()))
        if communicates:
            if self._delayed_names:
                self._delayed.reset()
            self.reducer._rebuild_buckets()
        if self.require_forward_param_sync and self.broadcast_buffers and self._buffers_to_send:
            self._send(self._buffers_to_send, self._newest_rank(True) if joins else 0)
        if self.device_ids:
            from torch.utils import _pytree as pytree

            def move(x: Any) -> Any:
                return x.to(self.device) if isinstance(x, torch.Tensor) else x

            inputs, kwargs = pytree.tree_map(move, (inputs, kwargs))
        return inputs, kwargs

    def _after_forward(self, output: Any) -> Any:
        """Prepares the backward pass of what forward gave."""
        if self._communicates():
            self.require_forward_param_sync = True
            self.reducer.prepare_for_backward(_tensors_in(output) if self.find_unused_parameters else [])
        else:
            self.require_forward_param_sync = False
        return output

    @contextlib.contextmanager
    def no_sync(self) -> Iterator[None]:
        """A block whose backward passes add to `.grad` without averaging; the first one after it averages the sums.

        Example:
            >>> torch.nn.parallel.DistributedDataParallel.no_sync.__name__
            'no_sync'
        """
        before = self.require_backward_grad_sync
        self.require_backward_grad_sync = False
        try:
            yield
        finally:
            self.require_backward_grad_sync = before

    def register_comm_hook(self, state: Any, hook: Callable[[Any, Any], Any]) -> None:
        """Averages buckets by a function of the caller's.

        Args:
            state (object): its first argument
            hook (Callable): takes the state and a GradBucket, and returns a torch.futures.Future of the averaged tensor

        Raises:
            TypeError: it cannot be called
            RuntimeError: there is one already

        Example:
            >>> torch.nn.parallel.DistributedDataParallel.register_comm_hook.__name__
            'register_comm_hook'
        """
        if not callable(hook):
            raise TypeError(f"register_comm_hook(): expected a function, got {type(hook).__name__}")
        if self._comm_hooks:
            raise RuntimeError("register_comm_hook(): there is a hook already")
        self._comm_hooks.append((hook, state))
        self.reducer._register_comm_hook(state, hook)

    def _register_builtin_comm_hook(self, comm_hook_type: HookType) -> None:
        """Averages buckets as the type says, in the group of this module."""
        from torch.distributed import BuiltinCommHookType
        from torch.distributed.algorithms.ddp_comm_hooks import default_hooks

        hooks = {
            BuiltinCommHookType.ALLREDUCE: default_hooks.allreduce_hook,
            BuiltinCommHookType.FP16_COMPRESS: default_hooks.fp16_compress_hook,
        }
        if comm_hook_type not in hooks:
            raise TypeError(f"_register_builtin_comm_hook(): expected a BuiltinCommHookType, got {comm_hook_type!r}")
        self.register_comm_hook(self.process_group, hooks[comm_hook_type])

    def join(self, divide_by_initial_world_size: bool = True, enable: bool = True, throw_on_early_termination: bool = False
             ) -> Any:  # fmt: skip
        """A block in which processes may have different numbers of batches.

        A process that leaves the block goes on with zeros as gradients until all have left. Then all get the parameters of one
        that had the last batch.

        Args:
            divide_by_initial_world_size (bool, default True): divide sums of gradients by the number of all processes; False:
                by the number of those that have a batch
            enable (bool, default True): False does nothing
            throw_on_early_termination (bool, default False): raise an error on all processes when the first one has no batch left

        Returns:
            the block

        Example:
            >>> torch.nn.parallel.DistributedDataParallel.join.__name__
            'join'
        """
        from torch.distributed.algorithms.join import Join

        return Join([self], enable, throw_on_early_termination, divide_by_initial_world_size=divide_by_initial_world_size)

    def join_hook(self, **kwargs: Any) -> Any:
        """What the module does on processes that have no batches left.

        Args:
            **kwargs (Any): what was given to `Join`

        Returns:
            a hook

        Example:
            >>> torch.nn.parallel.DistributedDataParallel.join_hook.__name__
            'join_hook'
        """
        from torch.nn.parallel._join_hook import JoinHookOfDDP

        self._divides_by_all = kwargs.get("divide_by_initial_world_size", True)
        self.reducer._set_divisor(self.process_group.size())
        return JoinHookOfDDP(self)

    @property
    def join_device(self) -> torch.device:
        """The device of the module.

        Example:
            >>> torch.nn.parallel.DistributedDataParallel.join_device.fget.__name__
            'join_device'
        """
        return self.device

    @property
    def join_process_group(self) -> Any:
        """The processes.

        Example:
            >>> torch.nn.parallel.DistributedDataParallel.join_process_group.fget.__name__
            'join_process_group'
        """
        return self.process_group

    def _newest_rank(self, is_candidate: bool) -> int:
        """The highest rank whose values count; all processes call it."""
        found = torch.tensor([self.process_group.rank() if is_candidate else -1])
        torch.distributed.all_reduce(found, torch.distributed.ReduceOp.MAX, self.process_group)
        return int(found.item())

    def _set_static_graph(self) -> None:
        self.static_graph = True
        self.reducer._set_static_graph()

    def __getstate__(self) -> dict[str, Any]:
        state = self.__dict__.copy()
        for name in ("process_group", "reducer", "_comm_hooks", "_delayed"):
            state.pop(name, None)
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.process_group = torch.distributed._get_default_group()
        super().__setstate__(state)
        self._comm_hooks = []
        self._become_joinable()
        self._make_reducer()
