"""CommDebugMode: counts the messages of DTensors."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import torch
from torch.distributed.tensor import _counts

# Counts have operators as keys, which exist for this only.
_library = torch.library.Library("c10d_functional", "FRAGMENT")
for _name in ("all_reduce", "all_gather_into_tensor", "reduce_scatter_tensor", "all_to_all_single", "broadcast", "scatter"):
    _library.define(f"{_name}(Tensor self) -> Tensor")


class CommDebugMode:
    """A block in which the collectives that DTensors need are counted, in forward and in backward.

    Collectives that the program calls itself, and those of FSDP and DistributedDataParallel, are not counted.

    Example:
        >>> from torch.distributed.tensor.debug import CommDebugMode
        >>> with CommDebugMode() as mode:
        ...     pass
        >>> mode.get_total_counts(), mode.get_comm_counts()[torch.ops.c10d_functional.all_reduce]
        (0, 0)
    """

    def __init__(self) -> None:
        self.comm_counts: dict[Any, int] = defaultdict(int)

    def _count(self, collective: str) -> None:
        self.comm_counts[getattr(torch.ops.c10d_functional, collective)] += 1

    def __enter__(self) -> CommDebugMode:
        self.comm_counts.clear()
        _counts.listeners.append(self._count)
        return self

    def __exit__(self, *args: object) -> None:
        _counts.listeners.remove(self._count)

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
