"""State dictionaries without nesting: one name, joined by dots, for each value."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch

Path = tuple[Any, ...]


def _nests(value: list[Any]) -> bool:
    """Whether a list has tensors or dictionaries inside, and so is taken apart."""
    return any(isinstance(v, (torch.Tensor, Mapping)) or (isinstance(v, list) and _nests(v)) for v in value)


def flatten_state_dict(state_dict: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Path]]:
    """The values by name, and for each name the keys that lead to it."""
    values: dict[str, Any] = {}
    paths: dict[str, Path] = {}

    def visit(path: Path, value: Any) -> None:
        if isinstance(value, Mapping):
            for key, inner in value.items():
                visit((*path, str(key)), inner)
        elif isinstance(value, list) and _nests(value):
            for k, inner in enumerate(value):
                visit((*path, k), inner)
        else:
            name = ".".join(map(str, path))
            if name in values:
                raise ValueError(f"checkpoint: two values have the name {name!r}")
            values[name], paths[name] = value, path

    for key, value in state_dict.items():
        visit((str(key),), value)
    return values, paths


def set_element(root: dict[str, Any], path: Path, value: Any) -> None:
    """Puts a value where a path leads, and makes the dictionaries and lists on the way."""
    here: Any = root
    for key, following in zip(path, [*path[1:], None]):
        last = following is None
        new: Any = value if last else [] if isinstance(following, int) else {}
        if isinstance(here, list):
            here.extend([None] * (key + 1 - len(here)))
            if last or here[key] is None:
                here[key] = new
        elif last or key not in here:
            here[key] = new
        here = here[key]


def unflatten_state_dict(state_dict: Mapping[str, Any], mapping: Mapping[str, Path]) -> dict[str, Any]:
    """The nested dictionary."""
    nested: dict[str, Any] = {}
    for name, value in state_dict.items():
        set_element(nested, mapping[name], value)
    return nested
