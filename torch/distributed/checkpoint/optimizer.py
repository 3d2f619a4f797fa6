"""Loads the state of an optimizer in the layouts of a model's parameters."""

from __future__ import annotations

from typing import Any

import torch
import torch.distributed as dist
from torch.distributed.checkpoint._nested_dict import unflatten_state_dict
from torch.distributed.checkpoint._steps import Steps
from torch.distributed.checkpoint.metadata import BytesStorageMetadata
from torch.distributed.checkpoint.planner import LoadPlanner
from torch.distributed.checkpoint.state_dict_loader import _load
from torch.distributed.checkpoint.storage import StorageReader
from torch.distributed.tensor._api import DTensor
from torch.distributed.tensor._factories import zeros as dtensor_zeros

__all__ = ["load_sharded_optimizer_state_dict"]


def _empty(stored: Any, like: Any) -> torch.Tensor:
    """Room for a stored tensor: in the layout of a parameter of the same shape, or else whole."""
    if isinstance(like, DTensor) and like.shape == stored.size:
        return dtensor_zeros(
            stored.size, dtype=stored.properties.dtype, device_mesh=like.device_mesh, placements=like.placements
        )  # fmt: skip
    return torch.zeros(stored.size, dtype=stored.properties.dtype, device="cpu" if like is None else like.device)


def load_sharded_optimizer_state_dict(
    model_state_dict: dict[str, Any], optimizer_key: str, storage_reader: StorageReader, planner: LoadPlanner | None = None
) -> dict[str, Any]:  # fmt: skip
    """Reads the state of an optimizer from a checkpoint, in the layouts that the parameters have now. All processes call it.

    The state is by names of parameters, as `FullyShardedDataParallel.optim_state_dict` gives it. Tensors of a parameter's shape
    come in its layout, others whole.

    Args:
        model_state_dict (dict): the parameters by name, DTensors or plain ones
        optimizer_key (str): the key of the state in the checkpoint
        storage_reader (StorageReader): what reads
        planner (LoadPlanner, optional): what decides who reads what

    Returns:
        a dictionary with the state at the key

    Raises:
        ValueError: the checkpoint has nothing at the key, or does not say how its names are nested
        CheckpointException: a process failed

    Example:
        >>> torch.distributed.checkpoint.optimizer.load_sharded_optimizer_state_dict.__name__
        'load_sharded_optimizer_state_dict'
    """
    name = "load_sharded_optimizer_state_dict()"
    metadata = storage_reader.read_metadata()
    paths = metadata.planner_data
    if paths is None:
        raise ValueError(f"{name}: the checkpoint does not say how its names are nested; save nested dictionaries")
    chosen = {key: path for key, path in paths.items() if path[0] == optimizer_key}
    if not chosen:
        raise ValueError(
            f"{name}: the checkpoint has nothing at {optimizer_key!r}; it has {sorted({p[0] for p in paths.values()})}"
        )
    state: dict[str, Any] = {}
    for key, path in chosen.items():
        stored: Any = metadata.state_dict_metadata[key]
        if isinstance(stored, BytesStorageMetadata):
            state[key] = None
            continue
        # optimizer_key, "state", the parameter, what of it
        parameter = model_state_dict.get(path[2]) if len(path) > 2 and path[1] == "state" else None
        state[key] = _empty(stored, parameter)
    group_is_there = dist.is_available() and dist.is_initialized()
    _load(state, storage_reader, Steps(None, 0, not group_is_there), planner)
    return unflatten_state_dict(state, chosen)
