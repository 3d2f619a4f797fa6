"""What programs import from this module of PyTorch's compiler."""

from __future__ import annotations

from typing import Any

import torch
from torch.overrides import TorchFunctionMode


class TransformGetItemToIndex(TorchFunctionMode):
    """A block in which an integer tensor of no dimensions indexes like any other tensor: its value is not read.

    Example:
        >>> from torch._dynamo._trace_wrapped_higher_order_op import TransformGetItemToIndex
        >>> with TransformGetItemToIndex():
        ...     torch.arange(3)[torch.tensor(2)]
        tensor(2)
    """

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if func is torch.Tensor.__getitem__:
            index = args[1] if isinstance(args[1], tuple) else (args[1],)
            tensors = all(isinstance(each, torch.Tensor) and not each.dtype == torch.bool for each in index)
            if tensors and index and any(each.dim() == 0 for each in index):
                return torch.ops.aten.index(args[0], list(index))
        return func(*args, **(kwargs or {}))
