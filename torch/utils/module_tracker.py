"""Which modules a call is inside of, forward and backward."""

from __future__ import annotations

import logging
import weakref
from typing import Any

import torch
from torch.autograd.graph import register_multi_grad_hook
from torch.nn.modules.module import register_module_forward_hook, register_module_forward_pre_hook
from torch.utils._pytree import tree_flatten

__all__ = ["ModuleTracker"]
_log = logging.getLogger(__name__)


class ModuleTracker:
    """In a `with` block, `parents` has the names of the modules whose forward or backward runs.

    The name of the whole is "Global", which is always among them.

    Example:
        >>> from torch.utils.module_tracker import ModuleTracker
        >>> class Net(nn.Module):
        ...     def forward(self, x):
        ...         print(sorted(tracker.parents))
        ...         return x
        >>> with ModuleTracker() as tracker:
        ...     output = Net()(torch.ones(1))
        ['Global', 'Net']
    """

    parents: set[str]

    def __init__(self) -> None:
        self.parents = {"Global"}
        self._names: weakref.WeakKeyDictionary[Any, str] = weakref.WeakKeyDictionary()
        self._roots: weakref.WeakSet[Any] = weakref.WeakSet()
        self._gradient_hooks: list[Any] = []
        self._task = -1

    @property
    def is_bw(self) -> bool:
        """Whether a backward runs."""
        return torch._C._current_graph_task_id() != -1

    def _name_of(self, module: torch.nn.Module) -> str:
        if module not in self._names:
            self._roots.add(module)
            root = type(module).__name__
            for name, part in module.named_modules():
                self._names[part] = f"{root}.{name}" if name else root
        return self._names[module]

    def _entering(self, name):
        def enter(*gradients):
            if name in self.parents:
                _log.info("ModuleTracker: %s is entered again before it was left", name)
            if self.is_bw:
                self._reset_after_backward()
            self.parents.add(name)

        return enter

    def _reset_after_backward(self):
        """Modules whose input needs no gradient are not left by a hook."""
        task = torch._C._current_graph_task_id()
        if task != self._task:
            self._task = task
            torch._C._engine_queue_callback(lambda: self.parents.intersection_update({"Global"}))

    def _leaving(self, name):
        def leave(*gradients):
            if name not in self.parents:
                _log.info("ModuleTracker: %s is left, and was not entered", name)
            self.parents.discard(name)

        return leave

    def _before(self, module, inputs):
        name = self._name_of(module)
        self._entering(name)()
        tensors = [t for t in tree_flatten(inputs)[0] if isinstance(t, torch.Tensor) and t.requires_grad]
        if tensors:  # their gradients come last
            self._gradient_hooks.append(register_multi_grad_hook(tensors, self._leaving(name)))

    def _after(self, module, inputs, output):
        name = self._name_of(module)
        self._leaving(name)()
        tensors = [t for t in tree_flatten(output)[0] if isinstance(t, torch.Tensor) and t.requires_grad]
        if tensors:
            self._gradient_hooks.append(register_multi_grad_hook(tensors, self._entering(name), mode="any"))

    def __enter__(self) -> ModuleTracker:
        self._hooks = (
            register_module_forward_pre_hook(self._before),
            register_module_forward_hook(self._after, always_call=True),
        )
        return self

    def __exit__(self, *problem: object) -> None:
        for hook in (*self._hooks, *self._gradient_hooks):
            hook.remove()
        self._gradient_hooks.clear()
        self.parents = {"Global"}
