"""The cases, by family and by group. They run under this library and under PyTorch alike.

The module of a family has the family's name and defines CASES: group -> {name: Case}. Whole programs (busy, calls, training,
transforms), the layers over a call, and operators at usual sizes have modules and groups of their own.
"""

import importlib
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass

GROUPS = ("busy", "calls", "memory", "fresh", "compute", "training", "transforms", "layers", "usual")


@dataclass
class Case:
    make: Callable  # () -> a function without arguments, the thing to time
    budget: float  # the maximum for this library, as a fraction of the peer's time
    peer: Callable | None = None  # () -> what the peer times instead (NumPy for views)
    inner: int = 0  # calls per timing; 0: the runner decides


def groups():
    """Group -> {name: Case}."""
    found = {group: {} for group in GROUPS}
    for module in sorted(m.name for m in pkgutil.iter_modules(__path__) if m.name != "shared"):
        cases = importlib.import_module(f"cases.{module}").CASES
        for group, named in ({module: cases} if module in GROUPS else cases).items():
            assert not found[group].keys() & named.keys(), f"cases/{module}.py: a name of the group {group} is taken"
            found[group] |= named
    return found
