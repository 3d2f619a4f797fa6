"""Hooks that take the mean of gradients over processes, also in low precision.

Where parameters are cut, a hook gets the whole gradient and the part that this process keeps, and fills the part. Where they are
not, it gets the whole gradient and changes it.
"""

from __future__ import annotations

from typing import Any

import torch
import torch.distributed as dist


class DefaultState:
    """The group of a hook, and by what gradients are divided: one factor before the sum and one after it, so that sums in low
    precision neither overflow nor underflow.

    Args:
        process_group (ProcessGroup): the processes

    Raises:
        ValueError: there is no group
    """

    __slots__ = ["process_group", "world_size", "gradient_predivide_factor", "gradient_postdivide_factor"]

    def __init__(self, process_group: Any) -> None:
        if process_group is None:
            raise ValueError(f"{type(self).__name__}: expected a process group, got None")
        self.process_group = process_group
        self.world_size = dist.get_world_size(process_group)
        factor = 1
        while self.world_size % factor == 0 and self.world_size / factor > factor:
            factor *= 2
        self.gradient_predivide_factor = float(factor)
        self.gradient_postdivide_factor = self.world_size / self.gradient_predivide_factor


class LowPrecisionState(DefaultState):
    """Also the dtype that gradients get back.

    Args:
        process_group (ProcessGroup): the processes
        parameter_type (dtype, default float32): the dtype of the parameters
    """

    __slots__ = ["parameter_type"]

    def __init__(self, process_group: Any, parameter_type: torch.dtype = torch.float32) -> None:
        super().__init__(process_group)
        self.parameter_type = parameter_type


def allreduce_hook(state: DefaultState, grad: torch.Tensor) -> None:
    """Takes the mean of gradients that are whole in every process.

    Args:
        state (DefaultState): the processes
        grad (Tensor): the gradient, changed in place
    """
    _divide(grad, state.gradient_predivide_factor)
    dist.all_reduce(grad, group=state.process_group)
    _divide(grad, state.gradient_postdivide_factor)


def reduce_scatter_hook(state: DefaultState, grad: torch.Tensor, output: torch.Tensor) -> None:
    """Takes the mean of gradients, of which each process keeps a part.

    Args:
        state (DefaultState): the processes
        grad (Tensor): the whole gradient
        output (Tensor): takes this process's part of the mean
    """
    _divide(grad, state.gradient_predivide_factor)
    dist.reduce_scatter_tensor(output, grad, group=state.process_group)
    _divide(output, state.gradient_postdivide_factor)


def fp16_compress_hook(state: LowPrecisionState, grad: torch.Tensor, output: torch.Tensor | None = None) -> None:
    """Takes the mean of gradients, which are sent as float16.

    Args:
        state (LowPrecisionState): the processes, and the dtype of the parameters
        grad (Tensor): the whole gradient
        output (Tensor, optional): takes this process's part of the mean; without it `grad` is changed in place
    """
    _in_low_precision(torch.float16, state, grad, output)


def bf16_compress_hook(state: LowPrecisionState, grad: torch.Tensor, output: torch.Tensor | None = None) -> None:
    """Takes the mean of gradients, which are sent as bfloat16.

    Args:
        state (LowPrecisionState): the processes, and the dtype of the parameters
        grad (Tensor): the whole gradient
        output (Tensor, optional): takes this process's part of the mean; without it `grad` is changed in place
    """
    _in_low_precision(torch.bfloat16, state, grad, output)


def _divide(t: torch.Tensor, factor: float) -> None:
    if factor > 1:
        t.div_(factor)


def _in_low_precision(dtype: torch.dtype, state: LowPrecisionState, grad: torch.Tensor, output: torch.Tensor | None) -> None:
    low = grad.to(dtype)
    if output is None:
        allreduce_hook(state, low)
        grad.data = low.to(state.parameter_type)
    else:
        part = output.to(dtype)
        reduce_scatter_hook(state, low, part)
        output.data = part.to(state.parameter_type)
