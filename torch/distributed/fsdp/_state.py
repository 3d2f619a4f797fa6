"""When a sharded module gathers, frees and sums: hooks around forward and backward.

Forward gathers the parameters, computes, and frees them. While it computes, those of the next module are gathered,
if modules come in the order of the forward before. The gradient of the results gathers them again, and starts to gather those of
the module that backward comes to next. The gradient of the arguments comes last: it starts the sum of gradients, and frees the
parameters. At the end of backward the root does that for modules whose arguments had no gradient, and waits for sums.
"""

from __future__ import annotations

import functools
from typing import Any

import torch
from torch import nn
from torch.distributed.fsdp._group import ParamGroup
from torch.distributed.fsdp._reduction import Reduction
from torch.utils import _pytree as pytree


class Shared:
    """What the modules of one root share."""

    def __init__(self) -> None:
        self.order: list[FSDPState] = []  # in which forward came to the modules
        # In which forward came to modules with parameters: the forward under way, and the one before.
        self.forward_now: list[FSDPState] = []
        self.forward_before: list[FSDPState] = []
        self.forward_late: FSDPState | None = None  # what was gathered before forward came to it
        self.states: list[FSDPState] = []
        self.reductions: list[Reduction] = []
        self.in_backward = False
        self.is_last_backward = True
        self.iteration_root: FSDPState | None = None


class FSDPState:
    """The state of one sharded module, or of several that count as one."""

    def __init__(self, modules: tuple[nn.Module, ...], group: ParamGroup | None, mp_policy: Any, reshard: bool | None) -> None:
        self.modules, self.group, self.mp_policy = modules, group, mp_policy
        self.reshard_after_forward = reshard
        self.reshard_after_backward = True
        self.is_root: bool | None = None
        self.shared = Shared()
        self.forward_prefetch: list[FSDPState] = []
        self.backward_prefetch: list[FSDPState] = []
        self.runs = 0  # modules of the group whose forward is under way
        self.in_backward = False
        self.unshards_in_backward = True
        self.root_casts: bool | None = None  # whether a root casts its arguments, if it differs from other modules
        self.prefetches_next = False
        self.max_reductions = 1  # sums of gradients that are on their way at once
        self.prefetches_in_backward = True
        for module in modules:
            module.register_forward_pre_hook(functools.partial(self.before_forward), prepend=True, with_kwargs=True)
            module.register_forward_hook(functools.partial(self.after_forward), prepend=False, always_call=False)

    def _find_root(self) -> None:
        """The module whose forward is called first is the root of the sharded ones inside of it."""
        if self.is_root is not None:
            return
        self.is_root, shared, paths = True, self.shared, {}
        for top in self.modules:
            for path, module in top.named_modules():
                paths[id(module)] = path
                state = getattr(module, "_fsdp_state", None)
                if state is None or state in shared.states:
                    continue
                if state is not self:
                    if state.is_root:
                        raise RuntimeError(
                            f"fully_shard(): the forward of {path!r} was called before that of the module around it"
                        )
                    state.is_root, state.shared = False, shared
                shared.states.append(state)
        for state in shared.states:
            for p in state.group.params if state.group is not None else ():
                module, name = p.owners[0]
                p.name = f"{paths.get(id(module), '')}.{name}".lstrip(".")
                if p.sharded.device.type == "meta":
                    raise RuntimeError(
                        f"fully_shard(): the parameter {p.name!r} is on the meta device; call to_empty(device='cpu') and "
                        "give it values before forward"
                    )
        if self.reshard_after_forward is None:
            self.reshard_after_forward = False  # backward comes to the root at once
        for state, later in zip(shared.states, [*shared.states[1:], None]):
            if state.reshard_after_forward is None:
                state.reshard_after_forward = True
            if state.prefetches_next and later is not None:
                state.forward_prefetch = [later]

    # --- forward ---

    def before_forward(self, module: nn.Module, args: Any, kwargs: Any) -> Any:
        if self.shared.in_backward and self.in_backward:
            return args, kwargs  # forward again inside of backward: activation checkpointing
        self._find_root()
        root = self.is_root and self.shared.iteration_root is None
        if root:
            self.shared.iteration_root = self
            self.shared.order.clear()
            self.shared.forward_before, self.shared.forward_now = self.shared.forward_now, []
        self.runs += 1
        if self.group is not None:
            self.group.wait_for_unshard()
            later = self._next_forward()
            for other in self.forward_prefetch or later:
                if other.group is not None:
                    other.group.unshard()
        dtype = self.mp_policy.param_dtype
        casts = self.mp_policy.cast_forward_inputs
        if self.is_root and self.root_casts is not None:
            casts = self.root_casts
        if dtype is not None and casts:
            args, kwargs = pytree.tree_map(lambda x: _cast(x, dtype), (args, kwargs))
        if self.group is not None and torch.is_grad_enabled():
            args, kwargs = _mark(self, args, kwargs)
        return args, kwargs

    def _next_forward(self) -> list[FSDPState]:
        """The module that forward comes to next, as far as the forward before says."""
        now, before = self.shared.forward_now, self.shared.forward_before
        now.append(self)
        if len(now) >= len(before) or before[: len(now)] != now:
            return []
        self.shared.forward_late = before[len(now)]
        return [before[len(now)]]

    def after_forward(self, module: nn.Module, args: Any, output: Any) -> Any:
        if self.shared.in_backward and self.in_backward:
            return output
        self.runs -= 1
        if self.group is not None and self.runs <= 0:
            self.runs = 0
            if self.reshard_after_forward:
                self.group.reshard_after_forward()
        if torch.is_grad_enabled():
            self.shared.order.append(self)
            output = pytree.tree_map(self._watch, output)
        if self.is_root:
            self.shared.iteration_root = None
            late = self.shared.forward_late
            if late is not None and late.group is not None and late.group._gathering is not None:
                late.group.reshard()  # forward did not come to it this time
            self.shared.forward_late = None
        dtype = self.mp_policy.output_dtype
        return output if dtype is None else pytree.tree_map(lambda x: _cast(x, dtype), output)

    def _watch(self, x: Any) -> Any:
        if isinstance(x, torch.Tensor) and x.requires_grad:
            x.register_hook(self.before_backward)
        return x

    # --- backward ---

    def before_backward(self, grad: Any) -> None:
        shared = self.shared
        if not shared.in_backward:
            shared.in_backward = True
            torch._C._engine_queue_callback(shared_end(shared))
        if self.in_backward or self.group is None:
            return
        self.in_backward = True
        if self.unshards_in_backward:
            self.group.wait_for_unshard()
        for other in self.backward_prefetch or self._next():
            if other.group is not None and not other.group.is_unsharded and not other.in_backward:
                other.group.unshard()

    def _next(self) -> list[FSDPState]:
        """The module that backward comes to next: the one before this in forward."""
        order = self.shared.order if self.prefetches_in_backward else []
        for k in range(len(order) - 1, -1, -1):
            if order[k] is self:
                return [s for s in order[:k] if s.group is not None][-1:]
        return []

    def after_backward(self) -> None:
        """Starts the sum of the gradients."""
        if self.group is None:
            return
        reduction = self.group.reduce_gradients()
        if self.reshard_after_backward:
            self.group.reshard()
        self.in_backward = False
        if reduction is not None:
            # One sum at a time is on its way, if nothing else was said: the memory of the one before is free.
            under_way = self.shared.reductions
            while len(under_way) >= self.max_reductions:
                under_way.pop(0).finish()
            under_way.append(reduction)


def shared_end(shared: Shared) -> Any:
    """What the end of backward does."""

    def end() -> None:
        for state in shared.states:
            if state.group is not None and (state.in_backward or state.group.is_unsharded or state.group.is_inner):
                state.after_backward()
            elif state.group is not None and state.group._gathering is not None:
                state.group.reshard()
            state.in_backward = False
        for reduction in shared.reductions:
            reduction.finish()
        shared.reductions.clear()
        shared.in_backward = False
        if shared.is_last_backward:
            shared.order.clear()

    return end


def _cast(x: Any, dtype: torch.dtype) -> Any:
    return x.to(dtype) if isinstance(x, torch.Tensor) and x.is_floating_point() and x.dtype != dtype else x


class _AfterBackward(torch.autograd.Function):
    """Arguments of a module, whose gradients come when its backward is complete."""

    @staticmethod
    def forward(ctx: Any, state: FSDPState, *tensors: torch.Tensor) -> Any:
        ctx.state = state
        return tensors

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        ctx.state.after_backward()
        return (None, *grads)


def _mark(state: FSDPState, args: Any, kwargs: Any) -> Any:
    leaves, spec = pytree.tree_flatten((args, kwargs))
    at = [k for k, x in enumerate(leaves) if isinstance(x, torch.Tensor) and x.requires_grad]
    if not at:
        return args, kwargs
    for k, x in zip(at, _AfterBackward.apply(state, *(leaves[k] for k in at))):
        leaves[k] = x
    return pytree.tree_unflatten(leaves, spec)
