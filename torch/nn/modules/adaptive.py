"""Softmax over many classes, the rare ones in clusters of smaller width (Grave et al. 2016)."""

from __future__ import annotations

from collections import namedtuple

import torch
from torch.nn import functional as F
from torch.nn.modules.container import ModuleList, Sequential
from torch.nn.modules.linear import Linear
from torch.nn.modules.module import Module

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import NamedTuple

    from torch import Tensor
    from torch.types import Device

    class _Result(NamedTuple):
        output: Tensor
        loss: Tensor

else:
    _Result = namedtuple("ASMoutput", ["output", "loss"])


class AdaptiveLogSoftmaxWithLoss(Module):
    """Softmax over many classes, the rare ones in clusters of smaller width (Grave et al. 2016).

    Classes below cutoffs[0] are in the head; each later range is a cluster whose width shrinks by `div_value`.

    Args:
        in_features (int): width of the input
        n_classes (int): number of classes, the frequent ones first
        cutoffs (Sequence[int]): where the clusters begin, increasing
        div_value (float, default 4.0): each cluster's width is that of the one before over this
        head_bias (bool, default False): whether the head has a bias
        device (device or None): where the parameters are made; None: the default device
        dtype (dtype or None): their type; None: the default dtype

    Shape:
        input (N, in_features), target (N) to output (N) and one loss

    Raises:
        ValueError: the cutoffs are not increasing, or outside 1 to n_classes - 1

    Example:
        >>> m = nn.AdaptiveLogSoftmaxWithLoss(8, 20, cutoffs=[5, 10])
        >>> m(torch.ones(3, 8), torch.tensor([0, 7, 19])).output.shape
        torch.Size([3])
    """

    head: Linear
    tail: ModuleList

    def __init__(
        self,
        in_features: int,
        n_classes: int,
        cutoffs: Sequence[int],
        div_value: float = 4.0,
        head_bias: bool = False,
        device: Device = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        cutoffs = list(cutoffs)
        if not cutoffs:
            raise ValueError("cutoffs should be a sequence of length larger than 0")
        ordered = cutoffs == sorted(set(cutoffs)) and 0 < cutoffs[0] and cutoffs[-1] <= n_classes - 1
        if not ordered or any(int(cut) != cut for cut in cutoffs):
            raise ValueError(
                "cutoffs should be a sequence of unique, positive integers sorted in an increasing order, where "
                "each value is between 1 and n_classes-1"
            )
        self.in_features, self.n_classes, self.cutoffs = in_features, n_classes, cutoffs + [n_classes]
        self.div_value, self.head_bias = div_value, head_bias
        self.shortlist_size, self.n_clusters = self.cutoffs[0], len(self.cutoffs) - 1
        self.head_size = self.shortlist_size + self.n_clusters
        self.head = Linear(in_features, self.head_size, bias=head_bias, device=device, dtype=dtype)
        self.tail = ModuleList()
        for k in range(self.n_clusters):
            width = int(in_features // div_value ** (k + 1))
            count = self.cutoffs[k + 1] - self.cutoffs[k]
            self.tail.append(
                Sequential(
                    Linear(in_features, width, bias=False, device=device, dtype=dtype),
                    Linear(width, count, bias=False, device=device, dtype=dtype),
                )
            )

    def reset_parameters(self) -> None:
        """Draws all weights anew.

        Example:
            >>> nn.AdaptiveLogSoftmaxWithLoss(8, 20, cutoffs=[5]).reset_parameters()
        """
        self.head.reset_parameters()
        for first, second in self.tail:
            first.reset_parameters()
            second.reset_parameters()

    def forward(self, input_: Tensor, target_: Tensor) -> _Result:
        """The log-probability of each target, and the mean of their negatives.

        Args:
            input_ (Tensor): (N, in_features) or (in_features)
            target_ (Tensor): class numbers, (N) or ()

        Returns:
            a named tuple (output, loss)

        Raises:
            RuntimeError: the batches differ, or a class number is out of range

        Example:
            >>> m = nn.AdaptiveLogSoftmaxWithLoss(8, 20, cutoffs=[5])
            >>> m(torch.ones(3, 8), torch.tensor([0, 7, 19])).loss.shape
            torch.Size([])
        """
        batched = target_.dim() > 0
        input, target = (input_, target_) if batched else (input_.unsqueeze(0), target_.unsqueeze(0))
        if input.size(0) != target.size(0):
            raise RuntimeError("Input and target should have the same size in the batch dimension.")
        if target.numel() and (int(target.min()) < 0 or int(target.max()) >= self.n_classes):
            raise RuntimeError(
                f"Target values should be in [0, {self.n_classes - 1}], but values in range "
                f"[{target.min().item()}, {target.max().item()}] were found. "
            )
        output = input.new_zeros(target.size(0))
        index = target.new_zeros(target.size(0))
        low = 0
        for k, high in enumerate(self.cutoffs):
            rows = ((target >= low) & (target < high)).nonzero().squeeze(-1)
            if rows.numel():
                if k == 0:
                    index = index.index_copy(0, rows, target[rows])
                else:
                    inside = F.log_softmax(self.tail[k - 1](input.index_select(0, rows)), dim=1)
                    index = index.index_fill(0, rows, self.cutoffs[0] + k - 1)
                    output = output.index_copy(0, rows, inside.gather(1, (target[rows] - low).unsqueeze(1)).squeeze(1))
            low = high
        head = F.log_softmax(self.head(input), dim=1)
        output = output + head.gather(1, index.unsqueeze(1)).squeeze(1)
        loss = (-output).mean()
        return _Result(output if batched else output.squeeze(0), loss)

    def log_prob(self, input: Tensor) -> Tensor:
        """Log-probabilities of all classes.

        Args:
            input (Tensor): (N, in_features)

        Returns:
            (N, n_classes)

        Example:
            >>> m = nn.AdaptiveLogSoftmaxWithLoss(8, 20, cutoffs=[5])
            >>> m.log_prob(torch.ones(3, 8)).exp().sum(1).shape
            torch.Size([3])
        """
        head = F.log_softmax(self.head(input), dim=1)
        parts = [head[:, : self.shortlist_size]]
        for k, cluster in enumerate(self.tail):
            parts.append(F.log_softmax(cluster(input), dim=1) + head[:, self.shortlist_size + k, None])
        return torch.cat(parts, dim=1)

    def predict(self, input: Tensor) -> Tensor:
        """The likeliest class of each row.

        Args:
            input (Tensor): (N, in_features)

        Returns:
            (N), int64

        Example:
            >>> m = nn.AdaptiveLogSoftmaxWithLoss(8, 20, cutoffs=[5])
            >>> m.predict(torch.ones(3, 8)).shape
            torch.Size([3])
        """
        return self.log_prob(input).argmax(dim=1)


__all__ = ["AdaptiveLogSoftmaxWithLoss"]
