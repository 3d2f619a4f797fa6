"""The schedules of pipelines: in which order stages compute the parts of a batch. The orders are in `_orders.py`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch.distributed.pipelining import _orders
from torch.distributed.pipelining._actions import (  # noqa: F401  (names of PyTorch)
    OVERLAP_F_B,
    RECV_B,
    RECV_F,
    REDUCE_GRAD,
    RESHARD,
    SEND_B,
    SEND_F,
    UNSHARD,
    B,
    F,
    I,
    W,
    _Action,
    _ComputationType,
)
from torch.distributed.pipelining._orders import action
from torch.distributed.pipelining._schedule import (  # noqa: F401  (names of PyTorch)
    PipelineScheduleMulti,
    PipelineScheduleSingle,
    ScheduleOfV,
    _PipelineContext,
    _PipelineSchedule,
    _PipelineScheduleRuntime,
)
from torch.distributed.pipelining._tables import (  # noqa: F401  (names of PyTorch)
    _add_send_recv,
    _format_pipeline_order,
    _validate_schedule,
)
from torch.distributed.pipelining.stage import PipelineStage

__all__ = [
    "get_schedule_class", "PipelineScheduleSingle", "PipelineScheduleMulti", "Schedule1F1B", "ScheduleGPipe",
    "ScheduleInterleaved1F1B", "ScheduleLoopedBFS", "ScheduleInterleavedZeroBubble", "ScheduleZBVZeroBubble", "ScheduleDualPipeV",
]  # fmt: skip


class ScheduleGPipe(PipelineScheduleSingle):
    """All parts forward, then all backward.

    Args:
        stage (PipelineStage): the stage of this process
        n_microbatches (int): the number of parts of a batch
        loss_fn (Callable, optional): takes the result and the target of a part; without it there is no backward
        args_chunk_spec (tuple, optional): how the arguments of `step` are cut; along dimension 0 by default
        kwargs_chunk_spec (dict, optional): how its keyword arguments are cut
        output_merge_spec (object, optional): how results are joined; along dimension 0 by default
        scale_grads (bool, default True): divide gradients by the number of parts

    Example:
        >>> torch.distributed.pipelining.ScheduleGPipe.__name__
        'ScheduleGPipe'
    """

    def _order(self, rank: int) -> list[_Action]:
        return [action(what, rank, k) for what in (F, B) for k in range(self._n_microbatches)]


class Schedule1F1B(PipelineScheduleSingle):
    """Backward of a part as soon as it can begin, so that few parts are in memory at once.

    Args:
        stage (PipelineStage): the stage of this process
        n_microbatches (int): the number of parts of a batch
        loss_fn (Callable, optional): takes the result and the target of a part; without it there is no backward
        args_chunk_spec (tuple, optional): how the arguments of `step` are cut; along dimension 0 by default
        kwargs_chunk_spec (dict, optional): how its keyword arguments are cut
        output_merge_spec (object, optional): how results are joined; along dimension 0 by default
        scale_grads (bool, default True): divide gradients by the number of parts

    Example:
        >>> torch.distributed.pipelining.Schedule1F1B.__name__
        'Schedule1F1B'
    """

    def _order(self, rank: int) -> list[_Action]:
        forward, backward = ([action(what, rank, k) for k in range(self._n_microbatches)] for what in (F, B))
        return _orders.alternate(forward, backward, self._num_stages - rank)


class ScheduleLoopedBFS(PipelineScheduleMulti):
    """All parts through one stage of a process, then through the next; backward the other way.

    Args:
        stages (list of PipelineStage): the stages of this process
        n_microbatches (int): the number of parts of a batch
        loss_fn (Callable, optional): takes the result and the target of a part; without it there is no backward
        output_merge_spec (object, optional): how results are joined; along dimension 0 by default
        scale_grads (bool, default True): divide gradients by the number of parts
        backward_requires_autograd (bool, default True): of no effect
        defer_pp_recv (bool, default False): of no effect: a value is received when it is needed

    Example:
        >>> torch.distributed.pipelining.ScheduleLoopedBFS.__name__
        'ScheduleLoopedBFS'
    """

    def __init__(
        self, stages: list[PipelineStage], n_microbatches: int, loss_fn: Callable[..., torch.Tensor] | None = None,
        output_merge_spec: Any = None, scale_grads: bool = True, backward_requires_autograd: bool = True,
        defer_pp_recv: bool = False,
    ) -> None:  # fmt: skip
        super().__init__(stages, n_microbatches, loss_fn, None, None, output_merge_spec, scale_grads)

    def _order(self, rank: int) -> list[_Action]:
        own, parts = range(rank, self._num_stages, self._size), range(self._n_microbatches)
        forward = [action(F, s, k) for s in own for k in parts]
        return forward + [action(B, s, k) for s in reversed(own) for k in reversed(parts)]


class _Rounds(PipelineScheduleMulti):
    """Parts go around in rounds, about one part per process and round."""

    def _check_rounds(self) -> None:
        rounds = max(1, self._n_microbatches // self._size)
        if self._n_microbatches % rounds:
            raise ValueError(
                f"{type(self).__name__}: {self._n_microbatches} parts do not fill {rounds} rounds over {self._size} processes"
            )


class ScheduleInterleaved1F1B(_Rounds):
    """1F1B with several stages on each process: parts go around in rounds, one part per process and round.

    Args:
        stages (list of PipelineStage): the stages of this process
        n_microbatches (int): the number of parts of a batch, a multiple of the number of rounds
        loss_fn (Callable, optional): takes the result and the target of a part; without it there is no backward
        args_chunk_spec (tuple, optional): how the arguments of `step` are cut; along dimension 0 by default
        kwargs_chunk_spec (dict, optional): how its keyword arguments are cut
        output_merge_spec (object, optional): how results are joined; along dimension 0 by default
        scale_grads (bool, default True): divide gradients by the number of parts
        backward_requires_autograd (bool, default True): of no effect
        defer_pp_recv (bool, default False): of no effect: a value is received when it is needed

    Raises:
        ValueError: the parts do not fill the rounds, or the stages are not those of this process

    Example:
        >>> torch.distributed.pipelining.ScheduleInterleaved1F1B.__name__
        'ScheduleInterleaved1F1B'
    """

    def _order(self, rank: int) -> list[_Action]:
        self._check_rounds()
        return _orders.interleaved(rank, self._size, self._n_microbatches, self._local)


class ScheduleInterleavedZeroBubble(_Rounds):
    """Interleaved 1F1B in which the gradients of inputs are computed apart from those of parameters.

    The stage before waits for the former only. The latter fill the time in which a process would wait at the end. The graphs of
    more parts are in memory meanwhile. See Qi et al., "Zero Bubble Pipeline Parallelism", 2023. Backward of a stage that is
    wrapped by DistributedDataParallel or fully sharded is not divided.

    Args:
        stages (list of PipelineStage): the stages of this process
        n_microbatches (int): the number of parts of a batch, a multiple of the number of rounds
        loss_fn (Callable, optional): takes the result and the target of a part; without it there is no backward
        args_chunk_spec (tuple, optional): how the arguments of `step` are cut; along dimension 0 by default
        kwargs_chunk_spec (dict, optional): how its keyword arguments are cut
        output_merge_spec (object, optional): how results are joined; along dimension 0 by default
        scale_grads (bool, default True): divide gradients by the number of parts
        backward_requires_autograd (bool, default True): of no effect
        defer_pp_recv (bool, default False): of no effect: a value is received when it is needed

    Raises:
        ValueError: the parts do not fill the rounds, or the stages are not those of this process

    Example:
        >>> torch.distributed.pipelining.ScheduleInterleavedZeroBubble.__name__
        'ScheduleInterleavedZeroBubble'
    """

    def _order(self, rank: int) -> list[_Action]:
        self._check_rounds()
        return _orders.interleaved_zero_bubble(rank, self._size, self._n_microbatches, self._local)


class ScheduleZBVZeroBubble(ScheduleOfV):
    """Zero bubble with two stages on each process, r and 2 p - 1 - r for process r of p.

    The last stage is where the first one is, so that backward begins where forward did, and all processes hold equally much. See
    Qi et al., "Pipeline Parallelism with Controllable Memory", 2024.

    Args:
        stages (list of PipelineStage): the stages of this process, r and 2 p - 1 - r
        n_microbatches (int): the number of parts of a batch
        loss_fn (Callable, optional): takes the result and the target of a part; without it there is no backward
        args_chunk_spec (tuple, optional): how the arguments of `step` are cut; along dimension 0 by default
        kwargs_chunk_spec (dict, optional): how its keyword arguments are cut
        output_merge_spec (object, optional): how results are joined; along dimension 0 by default
        scale_grads (bool, default True): divide gradients by the number of parts
        backward_requires_autograd (bool, default True): of no effect
        defer_pp_recv (bool, default False): of no effect: a value is received when it is needed

    Raises:
        ValueError: the stages are not those of this process

    Example:
        >>> torch.distributed.pipelining.ScheduleZBVZeroBubble.__name__
        'ScheduleZBVZeroBubble'
    """

    def _order(self, rank: int) -> list[_Action]:
        return _orders.v_zero_bubble(rank, self._size, self._n_microbatches)


class ScheduleDualPipeV(ScheduleOfV):
    """A forward pass of one stage goes with a backward pass of the other, with the stages r and 2 p - 1 - r on process r of p.

    See DeepSeek-AI, "DualPipe", 2025. The two passes run one after the other.

    Args:
        stages (list of PipelineStage): the stages of this process, r and 2 p - 1 - r
        n_microbatches (int): the number of parts of a batch, at least twice that of processes
        loss_fn (Callable, optional): takes the result and the target of a part; without it there is no backward
        args_chunk_spec (tuple, optional): how the arguments of `step` are cut; along dimension 0 by default
        kwargs_chunk_spec (dict, optional): how its keyword arguments are cut
        output_merge_spec (object, optional): how results are joined; along dimension 0 by default
        scale_grads (bool, default True): divide gradients by the number of parts
        backward_requires_autograd (bool, default True): of no effect
        defer_pp_recv (bool, default False): of no effect: a value is received when it is needed

    Raises:
        ValueError: the stages are not those of this process, or there are too few parts

    Example:
        >>> torch.distributed.pipelining.ScheduleDualPipeV.__name__
        'ScheduleDualPipeV'
    """

    def _order(self, rank: int) -> list[_Action]:
        if self._n_microbatches < 2 * self._size:
            raise ValueError(
                f"ScheduleDualPipeV: expected n_microbatches of at least {2 * self._size}, twice the number of processes, got "
                f"{self._n_microbatches}"
            )
        return _orders.dual_pipe_v(rank, self._size, self._n_microbatches)


_CLASSES: tuple[type[_PipelineSchedule], ...] = (
    Schedule1F1B, ScheduleGPipe, ScheduleInterleaved1F1B, ScheduleLoopedBFS, ScheduleInterleavedZeroBubble, ScheduleZBVZeroBubble,
    ScheduleDualPipeV, PipelineScheduleSingle, PipelineScheduleMulti,
)  # fmt: skip


def get_schedule_class(schedule_name: str) -> type[_PipelineSchedule]:
    """The class of a schedule.

    Args:
        schedule_name (str): its name, such as "1F1B" or "ZBVZeroBubble" or the name of the class, in any case

    Returns:
        the class

    Raises:
        ValueError: there is no such schedule

    Example:
        >>> torch.distributed.pipelining.schedules.get_schedule_class("gpipe").__name__
        'ScheduleGPipe'
    """
    known = {cls.__name__.removeprefix("Schedule").lower(): cls for cls in _CLASSES}
    found = known.get(schedule_name.lower().removeprefix("schedule"))
    if found is None:
        raise ValueError(f"get_schedule_class(): there is no schedule {schedule_name!r}; there are {', '.join(sorted(known))}")
    return found
