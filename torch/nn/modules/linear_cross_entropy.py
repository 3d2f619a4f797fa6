"""The module of linear_cross_entropy."""

from __future__ import annotations

import torch
from torch.nn import functional as F
from torch.nn.modules.linear import Linear
from torch.nn.modules.linear_cross_entropy_options import LinearCrossEntropyOptions
from torch.nn.modules.module import Module

__all__ = ["LinearCrossEntropyLoss", "LinearCrossEntropyOptions"]


class LinearCrossEntropyLoss(Module):
    """A linear layer and the cross entropy of its scores, in chunks: see `linear_cross_entropy`.

    Args:
        in_features (int): columns of a sample
        num_classes (int): scores of a sample
        out_features (tuple[int, ...], default ()): no other than ()
        bias (bool, default False): whether the layer adds one
        device (torch.device or None): of the parameters
        dtype (torch.dtype or None): of the parameters
        reduction (str, default "mean"): 'none', 'mean' or 'sum'
        weight (Tensor or None): a factor for each class
        ignore_index (int or None): targets of this number add nothing; None: -100
        label_smoothing (float, default 0.0): this share of the target is spread over all classes
        options (LinearCrossEntropyOptions or None): the size of the chunks

    Example:
        >>> loss = nn.LinearCrossEntropyLoss(4, 10)
        >>> loss(torch.randn(3, 4), torch.tensor([1, 0, 9])).shape
        torch.Size([])
    """

    __constants__ = ["num_classes", "out_features", "reduction", "ignore_index", "label_smoothing"]

    def __init__(
        self, in_features: int, num_classes: int, *, out_features: tuple[int, ...] = (), bias: bool = False,
        device: torch.device | str | None = None, dtype: torch.dtype | None = None, reduction: str = "mean",
        weight: torch.Tensor | None = None, ignore_index: int | None = None, label_smoothing: float = 0.0,
        options: LinearCrossEntropyOptions | None = None,
    ) -> None:  # fmt: skip
        super().__init__()
        if out_features:
            raise NotImplementedError(f"LinearCrossEntropyLoss: expected out_features=(), got {out_features}")
        self.in_features, self.num_classes, self.out_features = in_features, num_classes, out_features
        self.reduction, self.ignore_index, self.label_smoothing = reduction, ignore_index, label_smoothing
        self.options = options
        self.register_buffer("weight", weight)
        self.linear = Linear(in_features, num_classes, bias=bias, device=device, dtype=dtype)

    def forward(self, input: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
        return F.linear_cross_entropy(
            input, self.linear.weight, target, linear_bias=self.linear.bias, weight=self.weight, reduction=self.reduction,
            ignore_index=self.ignore_index, label_smoothing=self.label_smoothing, options=self.options,
        )  # fmt: skip

    def extra_repr(self) -> str:
        names = "in_features", "num_classes", "out_features", "reduction", "ignore_index", "label_smoothing", "options"
        shown = [f"{name}={getattr(self, name)}" for name in names]
        shown.insert(3, f"bias={self.linear.bias is not None}")
        return ", ".join(shown)
