"""What `backend_override` of meshes says: for each dimension a backend and its options, or None for those of the job."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Override = tuple[str | None, Any]  # the name of a backend, and its options


def one_override(value: Any) -> Override:
    """A backend, options of one, or both."""
    if value is None or isinstance(value, str):
        return value, None
    if isinstance(value, tuple):
        if len(value) != 2 or not isinstance(value[0], (str, type(None))):
            raise TypeError(f"backend_override: expected a backend and its options, got {value!r}")
        return value
    if not type(value).__name__.endswith("Options"):
        raise TypeError(f"backend_override: expected the name of a backend, options of one, or both, got {value!r}")
    return None, value


def overrides_by_dim(function: str, given: Mapping[int | str, Any] | None, count: int, names: Any) -> tuple[Override, ...]:
    """One override for each dimension, from a dictionary by their numbers or names."""
    found: dict[int, Override] = {}
    if given is not None and not isinstance(given, Mapping):
        raise TypeError(f"{function}(): expected a dictionary as backend_override, by dimensions, got {type(given).__name__}")
    for key, value in (given or {}).items():
        known = key in (names or ()) if isinstance(key, str) else key in range(count)
        if not known:
            raise RuntimeError(
                f"{function}(): backend_override has {key!r}, and there are the dimensions 0 to {count - 1}, {tuple(names or ())}"
            )
        d = names.index(key) if isinstance(key, str) else key
        if d in found:
            raise RuntimeError(f"{function}(): backend_override has dimension {d} twice, by its number and its name")
        found[d] = one_override(value)
    return tuple(found.get(d, (None, None)) for d in range(count))
