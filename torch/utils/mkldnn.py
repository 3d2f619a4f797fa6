"""Modules whose tensors have oneDNN's own layout. There is no such layout here.

Convolutions and linear layers use oneDNN with ordinary tensors, and keep reordered weights themselves.
"""

from __future__ import annotations

from typing import Any, NoReturn

import torch

__all__ = ["to_mkldnn"]


def to_mkldnn(module: torch.nn.Module, dtype: torch.dtype = torch.float32) -> NoReturn:
    """Refused: there are no tensors of oneDNN's layout.

    Args:
        module (Module): the module
        dtype (torch.dtype, default torch.float32): of the weights

    Raises:
        NotImplementedError: always

    Example:
        >>> from torch.utils.mkldnn import to_mkldnn
        >>> to_mkldnn(nn.Linear(2, 2))
        Traceback (most recent call last):
        NotImplementedError: ...
    """
    raise NotImplementedError(
        "to_mkldnn: this version has no tensors of oneDNN's layout; convolutions and linear layers use oneDNN without it"
    )


def _refused(name: str) -> Any:
    def new(cls: Any, *args: Any, **kwargs: Any) -> Any:
        to_mkldnn(torch.nn.Module())

    return type(name, (torch.nn.Module,), {"__new__": new, "__module__": __name__})


MkldnnLinear, MkldnnConv1d, MkldnnConv2d, MkldnnConv3d, MkldnnBatchNorm, MkldnnPrelu = map(
    _refused, ("MkldnnLinear", "MkldnnConv1d", "MkldnnConv2d", "MkldnnConv3d", "MkldnnBatchNorm", "MkldnnPrelu")
)
