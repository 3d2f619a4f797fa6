"""What packages ask about fake tensors."""

from __future__ import annotations

from typing import Any

import torch


class FakeTensor(torch.Tensor):
    """A tensor of PyTorch's compiler that has no data; nothing makes one here."""

    def __new__(cls, *args: Any, **kwargs: Any) -> FakeTensor:
        raise NotImplementedError("FakeTensor: this version has none; use device='meta'")


class FakeTensorMode:
    """A block in which every tensor has a shape only; refused: tensors on the meta device do that."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise NotImplementedError("FakeTensorMode: this version has none; use torch.device('meta') as a block")


def is_fake(x: object) -> bool:
    """Whether a value is a fake tensor: nothing is."""
    return isinstance(x, FakeTensor)
