"""Settings of all pipes that a pipe reads: shuffling, seeds, and the part of each worker."""

from __future__ import annotations

import inspect
import warnings
from typing import Any

import torch
from torch.utils.data.datapipes.iter.sharding import SHARDING_PRIORITIES, _ShardingIterDataPipe
from torch.utils.data.graph import traverse_dps

__all__ = ["apply_random_seed", "apply_sharding", "apply_shuffle_seed", "apply_shuffle_settings", "get_all_graph_pipes"]


def get_all_graph_pipes(graph: dict[int, tuple[Any, Any]]) -> list[Any]:
    """The pipes of a graph, each once.

    Args:
        graph (dict): from `traverse_dps`

    Example:
        >>> from torch.utils.data.datapipes.iter import IterableWrapper
        >>> graph = torch.utils.data.graph.traverse_dps(IterableWrapper([1]).map(str))
        >>> torch.utils.data.graph_settings.get_all_graph_pipes(graph)
        [MapperIterDataPipe, IterableWrapperIterDataPipe]
    """
    found: dict[int, Any] = {}

    def visit(graph: dict[int, tuple[Any, Any]]) -> None:
        for key, (pipe, sources) in graph.items():
            if key not in found:
                found[key] = pipe
                visit(sources)

    visit(graph)
    return list(found.values())


def _pipes(datapipe: Any) -> list[Any]:
    return get_all_graph_pipes(traverse_dps(datapipe))


def _has_method(pipe: Any, name: str) -> bool:
    return inspect.ismethod(getattr(pipe, name, None))


def apply_sharding(
    datapipe: Any, num_of_instances: int, instance_id: int,
    sharding_group: SHARDING_PRIORITIES = SHARDING_PRIORITIES.DEFAULT,
) -> Any:  # fmt: skip
    """Let the sharding filters of a graph keep one part of many.

    Args:
        datapipe (IterDataPipe or MapDataPipe): the last pipe
        num_of_instances (int): how many parts
        instance_id (int): the number of the part
        sharding_group (SHARDING_PRIORITIES): who the parts are for
    """

    def visit(graph: dict[int, tuple[Any, Any]], sharded: Any) -> None:
        for pipe, sources in graph.values():
            above = sharded
            if isinstance(pipe, _ShardingIterDataPipe) or _has_method(pipe, "apply_sharding"):
                if sharded is not None:
                    raise RuntimeError(f"apply_sharding: {pipe} and {sharded} would both leave samples out")
                parameters = inspect.signature(pipe.apply_sharding).parameters
                extra = {"sharding_group": sharding_group} if len(parameters) >= 3 else {}
                pipe.apply_sharding(num_of_instances, instance_id, **extra)
                above = pipe
            visit(sources, above)

    visit(traverse_dps(datapipe), None)
    return datapipe


def _is_shuffle_datapipe(datapipe: Any) -> bool:
    return _has_method(datapipe, "set_shuffle") and _has_method(datapipe, "set_seed")


def apply_shuffle_settings(datapipe: Any, shuffle: bool | None = None) -> Any:
    """Turn the shufflers of a graph on or off; one is added at the end where there is none to turn on.

    Args:
        datapipe (IterDataPipe or MapDataPipe): the last pipe
        shuffle (bool, optional): default: change nothing
    """
    if shuffle is None:
        return datapipe
    shufflers = [pipe for pipe in _pipes(datapipe) if _is_shuffle_datapipe(pipe)]
    if shuffle and not shufflers:
        warnings.warn("shuffle=True, but no pipe shuffles: one that does is added at the end", stacklevel=2)
        datapipe = datapipe.shuffle()
        shufflers = [datapipe]
    for pipe in shufflers:
        pipe.set_shuffle(shuffle)
    return datapipe


def apply_shuffle_seed(datapipe: Any, rng: Any) -> Any:
    """The old name of `apply_random_seed`.

    Args:
        datapipe (IterDataPipe or MapDataPipe): the last pipe
        rng (Generator): draws the seeds
    """
    warnings.warn("apply_shuffle_seed is deprecated: use apply_random_seed", FutureWarning, stacklevel=2)
    return apply_random_seed(datapipe, rng)


def _is_random_datapipe(datapipe: Any) -> bool:
    return _has_method(datapipe, "set_seed")


def apply_random_seed(datapipe: Any, rng: torch.Generator) -> Any:
    """Give each random pipe of a graph a seed for its next iteration.

    Args:
        datapipe (IterDataPipe or MapDataPipe): the last pipe
        rng (Generator): draws the seeds
    """
    for pipe in _pipes(datapipe):
        if _is_random_datapipe(pipe):
            pipe.set_seed(int(torch.empty((), dtype=torch.int64).random_(generator=rng).item()))
    return datapipe
