"""Which results of an operator share memory with which arguments, as its schema says."""

from __future__ import annotations

import re
from typing import Any

import torch
from torch import _C

_ALIAS = re.compile(r"Tensor\((\w+)(!?)")
# Operators that change the geometry of a tensor in place.
_CHANGES_GEOMETRY = frozenset(
    "t_ transpose_ swapaxes_ swapdims_ squeeze_ unsqueeze_ as_strided_ detach_ resize_ resize_as_ set_".split()
)
_known: dict[Any, Aliases] = {}


class Aliases:
    """The aliases of one operator's schema: for each result, the argument that it shares memory with."""

    def __init__(self, func: Any) -> None:
        schema = func._schema
        self.func = func
        self.places: dict[str, tuple[int, str]] = {}  # alias -> (position, name) of the argument
        for position, argument in enumerate(schema.arguments):
            found = _ALIAS.search(str(argument.type))
            if found:
                self.places[found[1]] = (position, argument.name)
        self.results = [_ALIAS.search(str(result.type)) for result in schema.returns]
        self.changes_geometry = func._schema.name.split("::")[-1] in _CHANGES_GEOMETRY

    def argument(self, alias: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        position, name = self.places[alias]
        return args[position] if position < len(args) else kwargs.get(name)

    def applied(self, args: tuple[Any, ...], kwargs: dict[str, Any], out: Any) -> Any:
        """`out`, with the storages of arguments in views, and with the arguments that the operator changed."""
        if not any(self.results):
            return out
        single = len(self.results) == 1
        made = []
        for found, result in zip(self.results, [out] if single else out):
            source = self.argument(found[1], args, kwargs) if found else None
            if source is not None and found[2]:
                made.append(source)
                continue
            if source is not None:
                _share(result, source)
            made.append(result)
        if self.changes_geometry:
            with _C._DisableTorchDispatch(), torch.no_grad():
                self.func(*args, **kwargs)
        return made[0] if single else type(out)(made)


def _share(result: Any, source: Any) -> None:
    if isinstance(result, (list, tuple)):
        for item in result:
            _share(item, source)
    elif isinstance(result, torch.Tensor) and result is not source:
        _C._functionalize_unsafe_set(result, source)


def aliases_of(func: Any) -> Aliases:
    """What the schema of `func` says; parsed once."""
    if func not in _known:
        _known[func] = Aliases(func)
    return _known[func]
