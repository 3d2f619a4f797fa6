"""A part of the samples for each worker and process."""

from __future__ import annotations

import enum
from collections.abc import Iterator
from typing import Any

from torch.utils.data.datapipes._decorator import functional_datapipe
from torch.utils.data.datapipes.datapipe import IterDataPipe
from torch.utils.data.datapipes.iter.callable import _length

__all__ = ["SHARDING_PRIORITIES", "ShardingFilterIterDataPipe"]


class SHARDING_PRIORITIES(enum.IntEnum):
    """Who the parts are for: groups that are told apart, or processes first and their workers next."""

    DEFAULT = 1
    DISTRIBUTED = 2
    MULTIPROCESSING = 3


class _ShardingIterDataPipe(IterDataPipe[Any]):
    """The base of streams that can be sharded."""

    def apply_sharding(self, num_of_instances: int, instance_id: int, sharding_group: SHARDING_PRIORITIES) -> None:
        """Keep one part of many."""
        raise NotImplementedError


@functional_datapipe("sharding_filter")
class ShardingFilterIterDataPipe(_ShardingIterDataPipe):
    """Every n-th sample, where `apply_sharding` of torch.utils.data.graph_settings has said that there are n parts.

    A DataLoader says it to its workers.

    Args:
        source_datapipe (IterDataPipe): the source
        sharding_group_filter (SHARDING_PRIORITIES, optional): the only group whose parts matter here

    Example:
        >>> from torch.utils.data.datapipes.iter import IterableWrapper
        >>> part = IterableWrapper(range(6)).sharding_filter()
        >>> list(torch.utils.data.graph_settings.apply_sharding(part, 2, 1))
        [1, 3, 5]
    """

    def __init__(self, source_datapipe: IterDataPipe[Any], sharding_group_filter: SHARDING_PRIORITIES | None = None) -> None:
        self.source_datapipe, self.sharding_group_filter = source_datapipe, sharding_group_filter
        self.groups: dict[int, tuple[int, int]] = {}
        self.num_of_instances, self.instance_id = 1, 0

    def apply_sharding(
        self, num_of_instances: int, instance_id: int, sharding_group: SHARDING_PRIORITIES = SHARDING_PRIORITIES.DEFAULT
    ) -> None:
        """Keep one part of many.

        Args:
            num_of_instances (int): how many parts
            instance_id (int): the number of this one
            sharding_group (SHARDING_PRIORITIES): who the parts are for
        """
        if instance_id >= num_of_instances:
            raise ValueError(f"instance_id({instance_id}) should be smaller than num_of_instances({num_of_instances})")
        default = SHARDING_PRIORITIES.DEFAULT
        if sharding_group == default and self.groups and default not in self.groups or (
            sharding_group != default and default in self.groups
        ):  # fmt: skip
            raise RuntimeError("ShardingFilter: the default group cannot be mixed with groups that are told apart")
        self.groups[sharding_group] = num_of_instances, instance_id
        self.num_of_instances, self.instance_id = 1, 0
        for group in sorted(self.groups, reverse=True):
            if self.sharding_group_filter is None or group == self.sharding_group_filter:
                count, number = self.groups[group]
                self.instance_id += self.num_of_instances * number
                self.num_of_instances *= count

    def __iter__(self) -> Iterator[Any]:
        for position, value in enumerate(self.source_datapipe):
            if position % self.num_of_instances == self.instance_id:
                yield value

    def __len__(self) -> int:
        length = _length(self, self.source_datapipe)
        return length // self.num_of_instances + (self.instance_id < length % self.num_of_instances)
