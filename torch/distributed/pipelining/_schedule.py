"""What all schedules share: a step, which runs the actions of an order."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import torch
from torch.distributed.pipelining._actions import B, F, I, W, _Action, _ComputationType, computed
from torch.distributed.pipelining._tables import _add_send_recv, _validate_schedule, add_reduce_grad, read_table, write_table
from torch.distributed.pipelining.microbatch import merge_chunks, split_args_kwargs_into_chunks
from torch.distributed.pipelining.stage import PipelineStage


@dataclass
class _PipelineContext:
    """What an action may need: the schedule, and the parts of the batch by their numbers."""

    schedule_ref: _PipelineSchedule
    arg_mbs: list[Any]
    kwarg_mbs: list[Any]
    target_mbs: list[Any]
    losses: list[Any] | None
    loss_kwargs: list[Any]
    found_losses: dict[int, torch.Tensor] = field(default_factory=dict)


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
        self._functions: dict[_ComputationType, Callable[[_Action, _PipelineContext], None]] = {}
        self.pipeline_order: dict[int, list[Any]] = {rank: self._order(rank) for rank in range(self._size)}

    def _rank_of(self, stage: int) -> int:
        return stage % self._size

    def _order(self, rank: int) -> list[_Action]:
        raise NotImplementedError(f"{type(self).__name__}: a schedule has _order(rank)")

    def _run(self, action: _Action, context: _PipelineContext) -> None:
        """Does what an action says. Values are sent at once and received when they are needed: SEND and RECV do nothing."""
        function = self._functions.get(action.computation_type)
        if function is not None:
            function(action, context)
            return
        for index, what, k, _ in computed([action]):
            assert k is not None
            stage = self._stages[index]
            if what == F:
                output = stage.forward(k, context.arg_mbs[k], context.kwarg_mbs[k])
                if stage.is_last and self._loss_fn is not None:
                    context.found_losses[k] = self._loss_fn(output, *context.target_mbs[k], **context.loss_kwargs[k])
            elif self._loss_fn is None:
                continue
            elif what == B:
                stage.backward(k, context.found_losses.get(k))
            elif what == I:
                stage.backward_inputs(k, context.found_losses.get(k))
            elif what == W:
                stage.backward_weights(k)

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
        context = _PipelineContext(self, own_args, own_kwargs, targets, losses, more)
        found = context.found_losses
        for stage in self._stages.values():
            stage.clear()
        for action in self.pipeline_order[self._first.group_rank]:
            if action is not None:
                self._run(action, context)
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

    def register_custom_function(
        self, computation_type: _ComputationType, custom_function: Callable[[_Action, _PipelineContext], None]
    ) -> None:  # fmt: skip
        """Does an action by a function of the user's.

        Args:
            computation_type (_ComputationType): which; the order must have such actions
            custom_function (Callable): takes the action and a _PipelineContext

        Raises:
            ValueError: the order has no such actions
            TypeError: it is no function
        """
        name = f"{type(self).__name__}.register_custom_function()"
        if not callable(custom_function):
            raise TypeError(f"{name}: expected a function, got {type(custom_function).__name__}")
        kinds = {action.computation_type for order in self.pipeline_order.values() for action in order if action is not None}
        if computation_type not in kinds:
            present = ", ".join(sorted(kind.value for kind in kinds))
            raise ValueError(f"{name}: the order has no actions {computation_type.value}; it has {present}")
        self._functions[computation_type] = custom_function

    def _dump_csv(self, filename: str, format: str = "compute_comms") -> None:
        """Writes the order of each process as a line of a file.

        Args:
            filename (str): the file
            format (str, default "compute_comms"): with messages; "compute_only" without

        Raises:
            NotImplementedError: another format
        """
        self._check_format("_dump_csv", format)
        orders = self.pipeline_order
        if format == "compute_comms":
            orders = add_reduce_grad({r: computed(order) for r, order in orders.items()})
            orders = _add_send_recv(orders, self._rank_of, self._num_stages)
        write_table(filename, orders)

    def _check_format(self, name: str, format: str) -> None:
        if format not in ("compute_only", "compute_comms"):
            raise NotImplementedError(
                f"{type(self).__name__}.{name}(): expected the format 'compute_only' or 'compute_comms', got {format!r}"
            )

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


class _PipelineScheduleRuntime(PipelineScheduleMulti):
    """A schedule whose order is read from a table: any stages on each process, in any order that can be run.

    Its arguments are those of PipelineScheduleMulti. `_load_csv` reads the table, before the first step.
    """

    def _check_stages(self, stages: list[PipelineStage]) -> None:
        pass  # the table says where stages are

    def _order(self, rank: int) -> list[_Action]:
        return []

    def _load_csv(self, filename: str, format: str = "compute_only") -> None:
        """Reads the order of each process, a line with cells such as 2F0.

        Args:
            filename (str): the file
            format (str, default "compute_only"): "compute_comms" has messages too, which are sent at once in any case

        Raises:
            NotImplementedError: another format
            ValueError: a part that is not computed once in each stage, stages that are not those of this process, or an order in
                which a process would wait for ever
            RuntimeError: a cell that is no action
        """
        self._check_format("_load_csv", format)
        orders = read_table(filename)
        places = _validate_schedule(orders, self._size, self._num_stages, self._n_microbatches)
        rank = self._first.group_rank
        own, given = sorted(k for k, place in places.items() if place == rank), sorted(self._stages)
        if own != given:
            raise ValueError(
                f"{type(self).__name__}._load_csv(): process {rank} has the stages {own} in the file, and {given} here"
            )
        for stage in self._stages.values():
            stage.place_stages(places, self._stages)
        self._places, self.pipeline_order = places, orders

    def _rank_of(self, stage: int) -> int:
        return getattr(self, "_places", {}).get(stage, stage % self._size)

    def step(self, *args: Any, **kwargs: Any) -> Any:
        """Computes a whole batch, as the step of other schedules does.

        Args:
            *args (Any): the batch, on the first stage
            **kwargs (Any): as of other schedules

        Returns:
            the results, on the last stage

        Raises:
            RuntimeError: no table was read
        """
        if not self.pipeline_order[self._first.group_rank]:
            raise RuntimeError(f"{type(self).__name__}.step(): there is no order; read one by _load_csv()")
        return super().step(*args, **kwargs)
