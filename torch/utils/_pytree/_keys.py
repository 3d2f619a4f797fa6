"""Steps on the way from a tree to one of its leaves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class SequenceKey:
    """The step into a list or tuple."""

    idx: int

    def __str__(self):
        return f"[{self.idx!r}]"

    def get(self, sequence: Any) -> Any:
        return sequence[self.idx]


@dataclass(frozen=True)
class MappingKey:
    """The step into a dictionary."""

    key: Any

    def __str__(self):
        return f"[{self.key!r}]"

    def get(self, mapping: Any) -> Any:
        return mapping[self.key]


@dataclass(frozen=True)
class GetAttrKey:
    """The step to an attribute."""

    name: str

    def __str__(self):
        return f".{self.name}"

    def get(self, obj: Any) -> Any:
        return getattr(obj, self.name)


def keystr(kp: Any) -> str:
    """The steps as one would write them in Python: "['a'][0].b"."""
    return "".join(map(str, kp))


def key_get(obj: Any, kp: Any) -> Any:
    """What the steps `kp` lead to from `obj`."""
    for step in kp:
        obj = step.get(obj)
    return obj
