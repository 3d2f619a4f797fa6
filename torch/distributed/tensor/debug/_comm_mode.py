"""CommDebugMode: the messages of DTensors, and the operators of a block, by the modules that they belong to."""

from __future__ import annotations

import os
from collections import defaultdict
from typing import Any

import torch
from torch.distributed.tensor import _counts
from torch.distributed.tensor.debug import _table
from torch.distributed.tensor.debug._modules import Modules, Operation
from torch.utils._python_dispatch import TorchDispatchMode

# Counts have operators as keys, which exist for this only.
_functional = torch.library.Library("c10d_functional", "FRAGMENT")
for _name in ("all_reduce", "all_gather_into_tensor", "reduce_scatter_tensor", "all_to_all_single"):
    _functional.define(f"{_name}(Tensor self) -> Tensor")
_in_place = torch.library.Library("c10d", "FRAGMENT")
for _name in ("broadcast_", "scatter_"):
    _in_place.define(f"{_name}(Tensor self) -> Tensor")


def _operator(collective: str) -> Any:
    """The operator that a collective is counted as."""
    if collective in ("broadcast", "scatter"):
        return getattr(torch.ops.c10d, f"{collective}_")
    return getattr(torch.ops.c10d_functional, collective)


class _Operators(TorchDispatchMode):
    """Notes all operators; those with DTensors, and then those that compute on the parts."""

    def __init__(self, modules: Modules) -> None:
        super().__init__()
        self.modules = modules

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        from torch.distributed.tensor import DTensor
        from torch.distributed.tensor._dispatch import state

        if state.planning:  # no call of the program
            return func(*args, **(kwargs or {}))
        found = _dtensors([*args, *(kwargs or {}).values()], DTensor)
        self.modules.note_operation(
            Operation(str(func), [t.shape for t in found], [t.placements for t in found], found[0].device_mesh if found else None)
        )
        if found:
            return NotImplemented  # DTensor knows what to do
        return func(*args, **(kwargs or {}))


def _dtensors(values: Any, cls: type) -> list[Any]:
    found: list[Any] = []
    for value in values:
        if isinstance(value, cls):
            found.append(value)
        elif isinstance(value, (list, tuple)):
            found += _dtensors(value, cls)
    return found


class CommDebugMode:
    """A block in which the collectives that DTensors need are counted, in forward and in backward, by modules.

    Collectives that the program calls itself, and those of FSDP and DistributedDataParallel, are not counted. Tables show the
    operators too, up to a noise level: 0 collectives only; 1 operators with DTensors; 2 all operators; 3 also those that only
    make views or room.

    Example:
        >>> from torch.distributed.tensor.debug import CommDebugMode
        >>> with CommDebugMode() as mode:
        ...     pass
        >>> mode.get_total_counts(), mode.get_comm_counts()[torch.ops.c10d_functional.all_reduce]
        (0, 0)
    """

    def __init__(self) -> None:
        self.comm_counts: dict[Any, int] = defaultdict(int)
        self._modules = Modules()

    def _count(self, collective: str) -> None:
        operator = _operator(collective)
        self.comm_counts[operator] += 1
        self._modules.note_collective(operator)

    def __enter__(self) -> CommDebugMode:
        self.comm_counts.clear()
        self._modules = Modules()
        self._modules.__enter__()
        self._operators = _Operators(self._modules)
        self._operators.__enter__()
        _counts.listeners.append(self._count)
        return self

    def __exit__(self, *args: Any) -> None:
        _counts.listeners.remove(self._count)
        self._operators.__exit__(*args)
        self._modules.__exit__(*args)

    @property
    def comm_module_counts(self) -> dict[str, dict[str, dict[Any, int]]]:
        """How often each collective was called, by module and "forward" or "backward"."""
        return {
            name: {"forward": module.collectives["forward"], "backward": module.collectives["backward"]}
            for name, module in self._modules.found.items()
            if any(module.collectives.values())
        }

    def get_comm_counts(self) -> dict[Any, int]:
        """How often each collective was called, by operators such as `torch.ops.c10d_functional.all_reduce`.

        Returns:
            a dictionary that gives 0 for others
        """
        return self.comm_counts

    def get_total_counts(self) -> int:
        """How many collectives were called.

        Returns:
            the number
        """
        return sum(self.comm_counts.values())

    def get_parameter_info(self) -> dict[str, dict[str, Any]]:
        """The parameters of the modules that ran.

        Returns:
            parameters by name, by module
        """
        return {name: module.parameters for name, module in self._modules.found.items() if module.parameters}

    def get_sharding_info(self) -> dict[str, Any]:
        """The layouts of the parameters that are DTensors.

        Returns:
            placements by name
        """
        return {
            f"{name}.{parameter}": placements
            for name, module in self._modules.found.items()
            for parameter, placements in module.layouts.items()
        }

    def generate_comm_debug_tracing_table(self, noise_level: int = 3) -> str:
        """A table of the modules with their collectives and operators.

        Args:
            noise_level (int, default 3): which operators, 0 to 3

        Returns:
            the table, in colors of a terminal

        Raises:
            ValueError: another level
        """
        return _table.text(self._modules, noise_level, colors=True)

    def log_comm_debug_tracing_table_to_file(
        self, file_name: str | os.PathLike[str] = "comm_mode_log.txt", noise_level: int = 3
    ) -> None:  # fmt: skip
        """Writes the table to a file, without colors.

        Args:
            file_name (str or path, default "comm_mode_log.txt"): the file
            noise_level (int, default 3): which operators, 0 to 3
        """
        with open(file_name, "w") as file:
            file.write(_table.text(self._modules, noise_level, colors=False))

    def generate_json_dump(self, file_name: str | os.PathLike[str] = "comm_mode_log.json", noise_level: int = 3) -> None:
        """Writes the modules with their collectives and operators to a file of JSON.

        Args:
            file_name (str or path, default "comm_mode_log.json"): the file
            noise_level (int, default 3): which operators, 0 to 3
        """
        import json

        with open(file_name, "w") as file:
            json.dump(_table.tree(self._modules, noise_level), file, indent=4)
