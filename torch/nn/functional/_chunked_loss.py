"""The autograd function of linear_cross_entropy: scores of one chunk of samples at a time, forward and backward."""

from __future__ import annotations

from typing import Any

import torch
from torch.autograd.function import Function, once_differentiable

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from torch import Tensor


class ChunkedLoss(Function):
    """The loss of each sample. Backward computes the scores of a chunk again, and its gradients with them."""

    @staticmethod
    def forward(ctx: Any, input: Tensor, matrix: Tensor, bias: Tensor | None, target: Tensor, chunk: int, loss: Any) -> Tensor:
        ctx.save_for_backward(input, matrix, bias, target)
        ctx.chunk, ctx.loss = chunk, loss
        linear = torch.nn.functional.linear
        return torch.cat([
            loss(linear(part, matrix, bias), classes) for part, classes in zip(input.split(chunk), target.split(chunk))
        ])  # fmt: skip

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Any, ...]:
        input, matrix, bias, target = ctx.saved_tensors
        needed = [k for k in range(3) if ctx.needs_input_grad[k]]
        sums: list[Any] = [None if k not in needed else torch.zeros_like(t) for k, t in enumerate((input, matrix, bias))]
        for start in range(0, len(input), ctx.chunk):
            rows = slice(start, start + ctx.chunk)
            parts = [None if t is None else t.detach() for t in (input[rows], matrix, bias)]
            for k in needed:
                parts[k].requires_grad_()
            with torch.enable_grad():
                losses = ctx.loss(torch.nn.functional.linear(*parts), target[rows])
            gradients = torch.autograd.grad(losses, [parts[k] for k in needed], grad[rows])
            for k, gradient in zip(needed, gradients):
                if k == 0:
                    sums[0][rows] = gradient
                else:
                    sums[k] += gradient
        return (*sums, None, None, None)
