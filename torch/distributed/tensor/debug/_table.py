"""The modules of a CommDebugMode as a table and as JSON."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from torch.distributed.tensor.debug._modules import PHASES, Module, Modules, Operation

_YELLOW, _RED, _PLAIN = "\033[1;33m", "\033[1;31m", "\033[0m"
_TITLES = {"forward": "FORWARD PASS", "backward": "BACKWARD PASS", "checkpointing": "ACTIVATION CHECKPOINTING"}
# Operators that only make views or room.
_TRIVIAL = {
    f"aten.{name}"
    for name in (
        "alias as_strided clone copy_ detach detach_ empty empty_like empty_strided fill_ permute select slice split squeeze t "
        "_to_copy transpose unsqueeze _unsafe_view view zero_ zeros"
    ).split()
}


def _check(noise_level: int) -> None:
    if noise_level not in (0, 1, 2, 3):
        raise ValueError(f"CommDebugMode: expected a noise_level of 0 to 3, got {noise_level!r}")


def _shown(operations: list[Operation], noise_level: int) -> list[Operation]:
    """The operators of a level."""
    if noise_level == 3:
        return operations
    if noise_level == 0:
        return []
    return [
        operation
        for operation in operations
        if operation.name.rpartition(".")[0] not in _TRIVIAL and (noise_level == 2 or operation.shapes)
    ]


def text(modules: Modules, noise_level: int, colors: bool) -> str:
    """The table."""
    _check(noise_level)
    return "".join(f"{line}\n" for line in _lines(modules.root, noise_level, colors))


def _lines(module: Module, noise_level: int, colors: bool) -> Iterator[str]:
    indent = "    " * module.depth

    def colored(color: str, line: str) -> str:
        return f"{color}{line}{_PLAIN}" if colors else line

    yield indent + module.name
    if noise_level and module.type_name:
        yield f"{indent}*module type: {module.type_name}"
        if module.layouts:
            yield f"{indent}*Parameter List"
            yield from (f"{indent} *{name}: {placements}" for name, placements in module.layouts.items())
    for phase in PHASES:
        collectives, operations = module.collectives[phase], _shown(module.operations[phase], noise_level)
        if not (collectives or noise_level and module.operations[phase]):
            continue
        yield f"{indent}  {_TITLES[phase]}"
        for operator, count in collectives.items():
            yield colored(_YELLOW, f"{indent}    *{operator}: {count}")
        for operation in operations:
            yield colored(_YELLOW, f"{indent}    **{operation.name}")
            if operation.shapes:
                yield colored(_RED, f"{indent}      shape: {operation.shapes}")
                yield colored(_RED, f"{indent}      sharding: {operation.placements}")
                yield colored(_RED, f"{indent}      device mesh: {operation.mesh}")
    for child in module.children:
        yield from _lines(child, noise_level, colors)


def tree(modules: Modules, noise_level: int) -> dict[str, Any]:
    """The same as nested dictionaries."""
    _check(noise_level)
    return _node(modules.root, noise_level)


def _node(module: Module, noise_level: int) -> dict[str, Any]:
    found: dict[str, Any] = {
        "fqn": module.name,
        "module_type": module.type_name if noise_level else "",
        "parameters": [[name, str(p)] for name, p in module.layouts.items()] if noise_level else [],
        "children": [_node(child, noise_level) for child in module.children],
    }
    for phase in PHASES[:2]:
        found[f"collectives_{phase}"] = [[str(operator), count] for operator, count in module.collectives[phase].items()]
    for phase in PHASES:
        found[f"operations_{phase}"] = [_entry(o, phase) for o in _shown(module.operations[phase], noise_level)]
    return found


def _entry(operation: Operation, phase: str) -> dict[str, Any]:
    entry: dict[str, Any] = {"name": operation.name}
    if operation.shapes:
        entry["input_shape"] = [str(shape) for shape in operation.shapes]
        entry["input_sharding"] = [str(placements) for placements in operation.placements]
        entry["device_mesh"] = str(operation.mesh)
    entry["is_bw"] = phase != "forward"
    entry["is_activation_checkpointing"] = phase == "checkpointing"
    return entry
