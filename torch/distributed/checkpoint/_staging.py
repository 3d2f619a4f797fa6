"""Copies of state dictionaries, which a save in the background writes while training goes on."""

from __future__ import annotations

from typing import Any

import torch
from torch.distributed.checkpoint._pieces import is_dtensor


def copy_state(value: Any) -> Any:
    """The same dictionaries and lists, with copies of the tensors."""
    if isinstance(value, dict):
        return {key: copy_state(v) for key, v in value.items()}
    if isinstance(value, (list, tuple)):
        copies = [copy_state(v) for v in value]
        return type(value)(*copies) if hasattr(value, "_fields") else type(value)(copies)
    if is_dtensor(value):
        from torch.distributed.tensor._api import DTensor

        return DTensor(value._local_tensor.detach().clone(), value._spec)
    return value.detach().clone() if isinstance(value, torch.Tensor) else value


def copy_into(copy: Any, value: Any) -> Any:
    """As `copy_state`, into the memory of an earlier copy where it has the same layout."""
    if isinstance(value, dict) and isinstance(copy, dict):
        return {key: copy_into(copy.get(key), v) for key, v in value.items()}
    if isinstance(value, (list, tuple)) and type(copy) is type(value) and len(copy) == len(value):
        copies = [copy_into(c, v) for c, v in zip(copy, value)]
        return type(value)(*copies) if hasattr(value, "_fields") else type(value)(copies)
    if isinstance(value, torch.Tensor) and isinstance(copy, torch.Tensor) and is_dtensor(value) == is_dtensor(copy):
        source, target = (t._local_tensor if is_dtensor(t) else t for t in (value, copy))
        if source.shape == target.shape and source.dtype == target.dtype:
            target.copy_(source.detach())
            return copy
    return copy_state(value)
