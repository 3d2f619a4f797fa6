"""What all schedules share: a step, which runs the actions of an order."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch.distributed.pipelining._orders import Action, B, F, I, W
from torch.distributed.pipelining.microbatch import merge_chunks, split_args_kwargs_into_chunks
from torch.distributed.pipelining.stage import PipelineStage


class _PipelineSchedule:
    """A schedule of any stages. Classes below have `_order`."""

    def __init__(
        self, stages: list[PipelineStage], n_microbatches: int, loss_fn: Callable[..., torch.Tensor] | None,
        args_chunk_spec: Any, kwargs_chunk_spec: Any, output_merge_spec: Any, scale_grads: bool,
    ) -> None:  # fmt: skip
        if n_microbatches < 1:
            raise ValueError(f"{type(self).__name__}: expected n_microbatches above 0, got {n_microbatches}")
        self._stages = {stage.stage_index: stage for stage in stages}
        self._n_microbatches, self._loss_fn, self.scale_grads = n_microbatches, loss_fn, scale_grads
        self._args_chunk_spec, self._kwargs_chunk_spec = args_chunk_spec, kwargs_chunk_spec
        self._output_merge_spec = output_merge_spec
        self._first = stages[0]
        self._num_stages, self._size = self._first.num_stages, self._first.group_size
        for stage in stages:
            stage.place_stages({k: self._rank_of(k) for k in range(self._num_stages)}, self._stages)
            stage.has_backward = loss_fn is not None
        self.pipeline_order = {rank: self._order(rank) for rank in range(self._size)}

    def _rank_of(self, stage: int) -> int:
        return stage % self._size

    def _order(self, rank: int) -> list[Action]:
        raise NotImplementedError(f"{type(self).__name__}: a schedule has _order(rank)")

    def step(
        self, *args: Any, target: Any = None, losses: list[torch.Tensor] | None = None, return_outputs: bool = True,
        loss_kwargs: dict[str, Any] | None = None, **kwargs: Any
    ) -> Any:  # fmt: skip
        """Computes a whole batch, and its gradients if there is a loss.

        Args:
            *args (Any): the batch, on the first stage
            target (object, optional): for the loss, on the last stage
            losses (list, optional): takes the loss of each part, on the last stage
            return_outputs (bool, default True): whether the last stage returns the results
            loss_kwargs (dict, optional): more arguments of the loss, cut as the batch is
            **kwargs (Any): for every stage

        Returns:
            the results, on the last stage
        """
        n = self._n_microbatches
        own_args, own_kwargs = split_args_kwargs_into_chunks(args, kwargs, n, self._args_chunk_spec, self._kwargs_chunk_spec)
        targets, more = split_args_kwargs_into_chunks(() if target is None else (target,), loss_kwargs, n)
        last = self._stages.get(self._num_stages - 1)
        if last is not None and self._loss_fn is not None and target is None:
            raise ValueError(f"{type(self).__name__}: the last stage needs target, for the loss")
        found: dict[int, torch.Tensor] = {}
        for stage in self._stages.values():
            stage.clear()
        for what, index, k in self.pipeline_order[self._first.group_rank]:
            stage = self._stages[index]
            if what == F:
                output = stage.forward(k, own_args[k], own_kwargs[k])
                if stage is last and self._loss_fn is not None:
                    found[k] = self._loss_fn(output, *targets[k], **more[k])
            elif self._loss_fn is None:
                continue
            elif what == B:
                stage.backward(k, found.get(k))
            elif what == I:
                stage.backward_inputs(k, found.get(k))
            elif what == W:
                stage.backward_weights(k)
        for stage in self._stages.values():
            stage.finish()
            if self.scale_grads and self._loss_fn is not None:
                stage.scale_grads(n)
        if losses is not None:
            losses[:] = [found[k].detach() for k in sorted(found)]
        if last is None or not return_outputs:
            return None
        return merge_chunks([last.results[k] for k in range(n)], self._output_merge_spec)

    def eval(self, *args: Any, target: Any = None, losses: list[torch.Tensor] | None = None, **kwargs: Any) -> Any:
        """Computes a whole batch without gradients.

        Args:
            *args (Any): the batch, on the first stage
            target (object, optional): for the loss, on the last stage, if `losses` is given
            losses (list, optional): takes the loss of each part, on the last stage
            **kwargs (Any): for every stage

        Returns:
            the results, on the last stage
        """
        loss_fn, self._loss_fn = self._loss_fn, None
        for stage in self._stages.values():
            stage.has_backward = False
        try:
            with torch.no_grad():
                output = self.step(*args, **kwargs)
                last = self._stages.get(self._num_stages - 1)
                if losses is not None and last is not None and loss_fn is not None and target is not None:
                    targets, _ = split_args_kwargs_into_chunks((target,), None, self._n_microbatches)
                    losses[:] = [loss_fn(last.results[k], *t) for k, t in enumerate(targets)]
                return output
        finally:
            self._loss_fn = loss_fn
            for stage in self._stages.values():
                stage.has_backward = loss_fn is not None


class PipelineScheduleSingle(_PipelineSchedule):
    """A schedule of one stage on each process.

    Args:
        stage (PipelineStage): the stage of this process
        n_microbatches (int): the number of parts of a batch
        loss_fn (Callable, optional): takes the result and the target of a part; without it there is no backward
        args_chunk_spec (tuple, optional): how the arguments of `step` are cut; along dimension 0 by default
        kwargs_chunk_spec (dict, optional): how its keyword arguments are cut
        output_merge_spec (object, optional): how results are joined; along dimension 0 by default
        scale_grads (bool, default True): divide gradients by the number of parts

    Raises:
        ValueError: the stages are more than the processes, or n_microbatches is below 1

    Example:
        >>> torch.distributed.pipelining.schedules.PipelineScheduleSingle.__name__
        'PipelineScheduleSingle'
    """

    def __init__(
        self, stage: PipelineStage, n_microbatches: int, loss_fn: Callable[..., torch.Tensor] | None = None,
        args_chunk_spec: Any = None, kwargs_chunk_spec: Any = None, output_merge_spec: Any = None, scale_grads: bool = True,
    ) -> None:  # fmt: skip
        if stage.num_stages != stage.group_size:
            raise ValueError(f"{type(self).__name__}: expected a stage for each of the {stage.group_size} processes, "
                             f"got {stage.num_stages}")  # fmt: skip
        super().__init__([stage], n_microbatches, loss_fn, args_chunk_spec, kwargs_chunk_spec, output_merge_spec, scale_grads)


class PipelineScheduleMulti(_PipelineSchedule):
    """A schedule of several stages on each process.

    Args:
        stages (list of PipelineStage): the stages of this process
        n_microbatches (int): the number of parts of a batch
        loss_fn (Callable, optional): takes the result and the target of a part; without it there is no backward
        args_chunk_spec (tuple, optional): how the arguments of `step` are cut; along dimension 0 by default
        kwargs_chunk_spec (dict, optional): how its keyword arguments are cut
        output_merge_spec (object, optional): how results are joined; along dimension 0 by default
        scale_grads (bool, default True): divide gradients by the number of parts
        backward_requires_autograd (bool, default True): of no effect
        defer_pp_recv (bool, default False): of no effect: a value is received when it is needed

    Raises:
        ValueError: the stages are not those of this process, or n_microbatches is below 1

    Example:
        >>> torch.distributed.pipelining.schedules.PipelineScheduleMulti.__name__
        'PipelineScheduleMulti'
    """

    def __init__(
        self, stages: list[PipelineStage], n_microbatches: int, loss_fn: Callable[..., torch.Tensor] | None = None,
        args_chunk_spec: Any = None, kwargs_chunk_spec: Any = None, output_merge_spec: Any = None, scale_grads: bool = True,
        backward_requires_autograd: bool = True, defer_pp_recv: bool = False,
    ) -> None:  # fmt: skip
        self._check_stages(stages)
        self._local = len(stages)
        super().__init__(stages, n_microbatches, loss_fn, args_chunk_spec, kwargs_chunk_spec, output_merge_spec, scale_grads)

    def _check_stages(self, stages: list[PipelineStage]) -> None:
        size, count, rank = stages[0].group_size, stages[0].num_stages, stages[0].group_rank
        expected, given = list(range(rank, count, size)), [s.stage_index for s in stages]
        if count % size or given != expected:
            raise ValueError(
                f"{type(self).__name__}: process {rank} of {size} has stages {expected} of {count}, and their number is a "
                f"multiple of that of processes; got {given}"
            )


class ScheduleOfV(PipelineScheduleMulti):
    """A schedule of two stages on each process, r and 2 p - 1 - r: the last stage is where the first one is."""

    def _rank_of(self, stage: int) -> int:
        return min(stage, 2 * self._size - 1 - stage)

    def _check_stages(self, stages: list[PipelineStage]) -> None:
        size, count, rank = stages[0].group_size, stages[0].num_stages, stages[0].group_rank
        expected, given = [rank, 2 * size - 1 - rank], [s.stage_index for s in stages]
        if count != 2 * size or sorted(given) != expected:
            raise ValueError(
                f"{type(self).__name__}: process {rank} of {size} has the stages {expected} of {2 * size}; got {given} of {count}"
            )
