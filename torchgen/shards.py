"""Distributes operators among generated files.

With more files, an edit recompiles less; with fewer, a clean build parses less. Files are named after families, so that an
operator's generated code is found by the name of its folder, and a family's header is parsed only for its own operators.
"""

from __future__ import annotations

import zlib
from collections import defaultdict
from typing import TypeVar

from torchgen.model import Operator

# A file of this many operators compiles in about ten seconds.
MAX_OPERATORS = 150
T = TypeVar("T")


def _place(name: str, count: int) -> int:
    """Which of `count` shards a name is in. The forms of one operator (add, add_) stay together."""
    return zlib.crc32(name.rstrip("_").encode()) % count


def family_shards(operators: list[Operator]) -> dict[str, list[Operator]]:
    """One shard per family, or several (upsample_0, upsample_1) if it has more than MAX_OPERATORS."""
    families: dict[str, list[Operator]] = defaultdict(list)
    for op in operators:
        families[op.entry.family].append(op)
    shards: dict[str, list[Operator]] = {}
    for family, mine in families.items():
        count = -(-len(mine) // MAX_OPERATORS)
        if count == 1:
            shards[family] = mine
            continue
        for op in mine:
            shards.setdefault(f"{family}_{_place(op.entry.base, count)}", []).append(op)
    return dict(sorted(shards.items()))


def hash_shards(items: dict[str, list[T]]) -> list[dict[str, list[T]]]:
    """Distributes names evenly. The number of shards doubles as the library grows, so adding a name rarely moves others."""
    total = sum(len(group) for group in items.values())
    count = 8
    while count * MAX_OPERATORS < total:
        count *= 2
    shards: list[dict[str, list[T]]] = [{} for _ in range(count)]
    for name, group in items.items():
        shards[_place(name, count)][name] = group
    return shards
