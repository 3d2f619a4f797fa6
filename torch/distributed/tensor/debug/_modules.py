"""The modules that run in a block, nested as they call each other, with what happens in each."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any

import torch
from torch.nn.modules.module import register_module_forward_pre_hook
from torch.utils.module_tracker import ModuleTracker

WHOLE = "Global"
PHASES = ("forward", "backward", "checkpointing")


@dataclass
class Operation:
    """A call of an operator, and the DTensors among its arguments."""

    name: str
    shapes: list[Any]
    placements: list[Any]
    mesh: Any


@dataclass
class Module:
    """A module that has run: what it is, and what happened inside of it. "checkpointing": forward that ran again in backward."""

    name: str
    type_name: str
    depth: int
    parameters: dict[str, Any] = field(default_factory=dict)
    layouts: dict[str, Any] = field(default_factory=dict)
    collectives: dict[str, dict[Any, int]] = field(default_factory=lambda: {p: defaultdict(int) for p in PHASES})
    operations: dict[str, list[Operation]] = field(default_factory=lambda: {p: [] for p in PHASES})
    children: list[Module] = field(default_factory=list)


class Modules:
    """A block that collects modules. What happens belongs to the innermost module; collectives count for all around it too."""

    def __init__(self) -> None:
        self.root = Module(WHOLE, "", 0)
        self.found: dict[str, Module] = {WHOLE: self.root}
        self._tracker = ModuleTracker()
        self._stack: list[tuple[Module, bool]] = []  # modules whose forward runs, and whether it was called in backward

    def __enter__(self) -> Modules:
        self._tracker.__enter__()
        self._hooks = [register_module_forward_pre_hook(self._enter)]
        return self

    def __exit__(self, *args: Any) -> None:
        for hook in self._hooks:
            hook.remove()
        self._tracker.__exit__(*args)

    def _enter(self, module: torch.nn.Module, inputs: Any) -> None:
        name = self._tracker._name_of(module)
        if name not in self.found:
            around = self._stack[-1][0] if self._stack else self.root
            kind = type(module)
            made = Module(name, f"class '{kind.__module__}.{kind.__qualname__}'", around.depth + 1)
            for key, p in module.named_parameters(recurse=False):
                made.parameters[key] = p.detach()
                if hasattr(p, "placements"):
                    made.layouts[key] = p.placements
            around.children.append(made)
            self.found[name] = made
            # After the module's other hooks, which may send its output.
            self._hooks.append(module.register_forward_hook(self._leave, always_call=True))
        self._stack.append((self.found[name], self._tracker.is_bw))

    def _leave(self, module: torch.nn.Module, inputs: Any, output: Any) -> None:
        if self._stack:
            self._stack.pop()

    def _inside(self) -> tuple[str, list[Module]]:
        """Whether this is forward or backward, and the modules that it is inside of, the innermost one last."""
        in_backward = self._tracker.is_bw
        stack = [module for module, called_in_backward in self._stack if called_in_backward == in_backward]
        if stack or not in_backward:
            return "checkpointing" if in_backward else "forward", [self.root, *stack]
        # A module whose input needs no gradient is not left by a hook. Backward goes from the last module to the first.
        entered = [module for name, module in self.found.items() if name in self._tracker.parents]
        return "backward", sorted(reversed(entered), key=lambda module: module.depth)

    def note_operation(self, operation: Operation) -> None:
        phase, modules = self._inside()
        modules[-1].operations[phase].append(operation)

    def note_collective(self, operator: Any) -> None:
        phase, modules = self._inside()
        for module in modules:
            module.collectives[phase][operator] += 1
