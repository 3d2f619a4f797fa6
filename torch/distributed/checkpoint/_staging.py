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
