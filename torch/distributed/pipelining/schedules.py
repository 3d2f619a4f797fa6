"""In which order the stages of a pipeline compute the parts of a batch.

An order is a list of (what, stage, part) for each process, with "F" and "B" for forward and backward. Sends do not wait, and
messages have tags, so that any order in which a process receives nothing before it was sent ends.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch.distributed.pipelining.stage import PipelineStage
from torch.utils import _pytree as pytree

__all__ = ["ScheduleGPipe", "Schedule1F1B", "ScheduleInterleaved1F1B", "ScheduleLoopedBFS"]

Action = tuple[str, int, int]


class _Schedule:
    """What all schedules share."""

    def __init__(
        self, stages: list[PipelineStage], n_microbatches: int, loss_fn: Callable[..., torch.Tensor] | None,
        args_chunk_spec: Any, kwargs_chunk_spec: Any, output_merge_spec: Any, scale_grads: bool,
    ) -> None:  # fmt: skip
        if n_microbatches < 1:
            raise ValueError(f"{type(self).__name__}: expected n_microbatches above 0, got {n_microbatches}")
        if args_chunk_spec is not None or kwargs_chunk_spec is not None or output_merge_spec is not None:
            raise NotImplementedError(f"{type(self).__name__}: batches are cut and joined along dimension 0")
        self._stages = {stage.stage_index: stage for stage in stages}
        self._n_microbatches, self._loss_fn, self.scale_grads = n_microbatches, loss_fn, scale_grads
        self._first = stages[0]
        for stage in stages:
            stage.neighbours = self._stages
            stage.has_backward = loss_fn is not None

    def _order(self, rank: int) -> list[Action]:
        raise NotImplementedError

    def _parts(self, args: Any, kwargs: Any) -> list[tuple[tuple[Any, ...], dict[str, Any]]]:
        """The arguments cut along dimension 0."""
        leaves, spec = pytree.tree_flatten((args, kwargs))
        cut = []
        for x in leaves:
            parts = (
                list(torch.tensor_split(x, self._n_microbatches)) if isinstance(x, torch.Tensor) else [x] * self._n_microbatches
            )
            if isinstance(x, torch.Tensor) and x.size(0) < self._n_microbatches:
                raise ValueError(f"{type(self).__name__}: a batch of {x.size(0)} cannot be cut into {self._n_microbatches} parts")
            cut.append(parts)
        return [pytree.tree_unflatten([parts[k] for parts in cut], spec) for k in range(self._n_microbatches)]

    def step(
        self, *args: Any, target: Any = None, losses: list[torch.Tensor] | None = None, return_outputs: bool = True, **kwargs: Any
    ) -> Any:
        """Computes a whole batch, and its gradients if there is a loss.

        Args:
            *args (Any): the batch, on the first stage
            target (object, optional): for the loss, on the last stage
            losses (list, optional): takes the loss of each part, on the last stage
            return_outputs (bool, default True): whether the last stage returns the results
            **kwargs (Any): for every stage

        Returns:
            the results, on the last stage
        """
        own = self._parts(args, kwargs)
        targets = self._parts((target,), {}) if target is not None else None
        last = self._stages.get(self._first.num_stages - 1)
        found: dict[int, torch.Tensor] = {}
        for stage in self._stages.values():
            stage.clear()
        for what, index, k in self._order(self._first.group_rank):
            stage = self._stages[index]
            if what == "F":
                output = stage.forward(k, *own[k])
                if stage is last and self._loss_fn is not None:
                    if targets is None:
                        raise ValueError(f"{type(self).__name__}: the last stage needs target, for the loss")
                    found[k] = self._loss_fn(output, targets[k][0][0])
            elif self._loss_fn is not None:
                stage.backward(k, found.get(k))
        for stage in self._stages.values():
            stage.finish()
            if self.scale_grads and self._loss_fn is not None:
                stage.scale_grads(self._n_microbatches)
        if losses is not None:
            losses[:] = [found[k].detach() for k in sorted(found)]
        if last is None or not return_outputs:
            return None
        results = [last.results[k] for k in range(self._n_microbatches)]
        return pytree.tree_map(lambda *parts: torch.cat(parts) if isinstance(parts[0], torch.Tensor) else list(parts), *results)

    def eval(self, *args: Any, target: Any = None, losses: list[torch.Tensor] | None = None, **kwargs: Any) -> Any:
        """Computes a whole batch without gradients.

        Args:
            *args (Any): the batch, on the first stage
            target (object, optional): of no effect
            losses (list, optional): of no effect
            **kwargs (Any): for every stage

        Returns:
            the results, on the last stage
        """
        loss_fn, self._loss_fn = self._loss_fn, None
        for stage in self._stages.values():
            stage.has_backward = False
        try:
            with torch.no_grad():
                return self.step(*args, **kwargs)
        finally:
            self._loss_fn = loss_fn
            for stage in self._stages.values():
                stage.has_backward = loss_fn is not None


class _Single(_Schedule):
    """One stage on each process."""

    def __init__(
        self, stage: PipelineStage, n_microbatches: int, loss_fn: Callable[..., torch.Tensor] | None = None,
        args_chunk_spec: Any = None, kwargs_chunk_spec: Any = None, output_merge_spec: Any = None, scale_grads: bool = True,
    ) -> None:  # fmt: skip
        if stage.num_stages != stage.group_size:
            raise ValueError(f"{type(self).__name__}: expected a stage for each of the {stage.group_size} processes, "
                             f"got {stage.num_stages}")  # fmt: skip
        super().__init__([stage], n_microbatches, loss_fn, args_chunk_spec, kwargs_chunk_spec, output_merge_spec, scale_grads)


class ScheduleGPipe(_Single):
    """All parts forward, then all backward.

    Args:
        stage (PipelineStage): the stage of this process
        n_microbatches (int): the number of parts of a batch
        loss_fn (Callable, optional): takes the result and the target of a part; without it there is no backward
        args_chunk_spec (object, optional): not supported
        kwargs_chunk_spec (object, optional): not supported
        output_merge_spec (object, optional): not supported
        scale_grads (bool, default True): divide gradients by the number of parts

    Example:
        >>> torch.distributed.pipelining.ScheduleGPipe.__name__
        'ScheduleGPipe'
    """

    def _order(self, rank: int) -> list[Action]:
        stage = self._first.stage_index
        return [(what, stage, k) for what in "FB" for k in range(self._n_microbatches)]


class Schedule1F1B(_Single):
    """Backward of a part as soon as it can begin, so that few parts are in memory at once.

    Args:
        stage (PipelineStage): the stage of this process
        n_microbatches (int): the number of parts of a batch
        loss_fn (Callable, optional): takes the result and the target of a part; without it there is no backward
        args_chunk_spec (object, optional): not supported
        kwargs_chunk_spec (object, optional): not supported
        output_merge_spec (object, optional): not supported
        scale_grads (bool, default True): divide gradients by the number of parts

    Example:
        >>> torch.distributed.pipelining.Schedule1F1B.__name__
        'Schedule1F1B'
    """

    def _order(self, rank: int) -> list[Action]:
        stage, n = self._first.stage_index, self._n_microbatches
        return _alternate(
            [("F", stage, k) for k in range(n)], [("B", stage, k) for k in range(n)], self._first.num_stages - stage
        )


def _alternate(forward: list[Action], backward: list[Action], before: int) -> list[Action]:
    """`before` forward passes, then one backward and one forward in turns."""
    before = min(before, len(forward))
    order = forward[:before]
    for k, action in enumerate(backward):
        order.append(action)
        order += forward[before + k : before + k + 1]
    return order


class _Multi(_Schedule):
    """Several stages on each process."""

    def __init__(
        self, stages: list[PipelineStage], n_microbatches: int, loss_fn: Callable[..., torch.Tensor] | None = None,
        args_chunk_spec: Any = None, kwargs_chunk_spec: Any = None, output_merge_spec: Any = None, scale_grads: bool = True,
        backward_requires_autograd: bool = True,
    ) -> None:  # fmt: skip
        size, count = stages[0].group_size, stages[0].num_stages
        expected = list(range(stages[0].group_rank, count, size))
        if count % size or [s.stage_index for s in stages] != expected:
            raise ValueError(
                f"{type(self).__name__}: process {stages[0].group_rank} of {size} has stages {expected} of {count}, and their "
                f"number is a multiple of that of processes; got {[s.stage_index for s in stages]}"
            )
        super().__init__(stages, n_microbatches, loss_fn, args_chunk_spec, kwargs_chunk_spec, output_merge_spec, scale_grads)
        self._size, self._local = size, len(stages)


class ScheduleLoopedBFS(_Multi):
    """All parts through one stage of a process, then through the next; backward the other way.

    Args:
        stages (list of PipelineStage): the stages of this process
        n_microbatches (int): the number of parts of a batch
        loss_fn (Callable, optional): takes the result and the target of a part; without it there is no backward
        output_merge_spec (object, optional): not supported
        scale_grads (bool, default True): divide gradients by the number of parts
        backward_requires_autograd (bool, default True): of no effect

    Example:
        >>> torch.distributed.pipelining.ScheduleLoopedBFS.__name__
        'ScheduleLoopedBFS'
    """

    def __init__(
        self, stages: list[PipelineStage], n_microbatches: int, loss_fn: Callable[..., torch.Tensor] | None = None,
        output_merge_spec: Any = None, scale_grads: bool = True, backward_requires_autograd: bool = True,
    ) -> None:  # fmt: skip
        super().__init__(stages, n_microbatches, loss_fn, None, None, output_merge_spec, scale_grads)

    def _order(self, rank: int) -> list[Action]:
        own, parts = sorted(self._stages), range(self._n_microbatches)
        return [("F", s, k) for s in own for k in parts] + [("B", s, k) for s in reversed(own) for k in reversed(parts)]


class ScheduleInterleaved1F1B(_Multi):
    """1F1B with several stages on each process: parts go around in rounds, one part per process and round.

    Args:
        stages (list of PipelineStage): the stages of this process
        n_microbatches (int): the number of parts of a batch, a multiple of the number of rounds
        loss_fn (Callable, optional): takes the result and the target of a part; without it there is no backward
        args_chunk_spec (object, optional): not supported
        kwargs_chunk_spec (object, optional): not supported
        output_merge_spec (object, optional): not supported
        scale_grads (bool, default True): divide gradients by the number of parts
        backward_requires_autograd (bool, default True): of no effect

    Raises:
        ValueError: the parts do not fill the rounds, or the stages are not those of this process

    Example:
        >>> torch.distributed.pipelining.ScheduleInterleaved1F1B.__name__
        'ScheduleInterleaved1F1B'
    """

    def _order(self, rank: int) -> list[Action]:
        n = self._n_microbatches
        rounds = max(1, n // self._size)
        if n % rounds:
            raise ValueError(f"ScheduleInterleaved1F1B: {n} parts do not fill {rounds} rounds over {self._size} processes")
        per_round = n // rounds

        def place(k: int, backwards: bool) -> tuple[int, int]:
            """Stage and part of the k-th pass of this process."""
            local = (k // per_round) % self._local
            part = (k // (per_round * self._local)) * per_round + k % per_round
            return (self._local - 1 - local if backwards else local) * self._size + rank, part

        total = n * self._local
        forward: list[Action] = [("F", *place(k, False)) for k in range(total)]
        backward: list[Action] = [("B", *place(k, True)) for k in range(total)]
        # The processes after this one are ahead by two passes each; one more is under way.
        before = (self._local - 1) * per_round + 2 * (self._size - 1 - rank) + 1
        return _alternate(forward, backward, before)
