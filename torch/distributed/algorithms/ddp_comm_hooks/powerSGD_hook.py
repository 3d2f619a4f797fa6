"""PowerSGD: sends gradients as products of two thin matrices (Vogels, Karimireddy, Jaggi: PowerSGD, NeurIPS 2019).

Every matrix M of n by m elements is sent as P (n by r) and Q (m by r): P = M Q, averaged and made orthogonal; Q = M^T P,
averaged; P Q^T stands for M. What this leaves out is added to the gradient of the next step.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
import torch.distributed as dist
from torch.distributed.algorithms.ddp_comm_hooks.default_hooks import _average
from torch.futures import Future

__all__ = ["PowerSGDState", "powerSGD_hook", "batched_powerSGD_hook"]


class PowerSGDState:
    """The state of the hooks.

    Args:
        process_group (ProcessGroup, optional): the processes; all by default
        matrix_approximation_rank (int, default 1): r
        start_powerSGD_iter (int, default 1000): the step from which on gradients are compressed
        min_compression_rate (float, default 2): a matrix that it does not make smaller by this factor is sent as it is
        use_error_feedback (bool, default True): add what was left out to the next gradient
        warm_start (bool, default True): begin with the last step's Q
        orthogonalization_epsilon (float, default 0): added to the norms of columns
        random_seed (int, default 0): of the first Q
        compression_stats_logging_frequency (int, default 10000): of no effect
        batch_tensors_with_same_shape (bool, default False): of no effect

    Raises:
        ValueError: feedback or a warm start from a step before the second

    Example:
        >>> torch.distributed.algorithms.ddp_comm_hooks.powerSGD_hook.PowerSGDState(None).matrix_approximation_rank
        1
    """

    def __init__(
        self, process_group: Any, matrix_approximation_rank: int = 1, start_powerSGD_iter: int = 1000,
        min_compression_rate: float = 2, use_error_feedback: bool = True, warm_start: bool = True,
        orthogonalization_epsilon: float = 0, random_seed: int = 0, compression_stats_logging_frequency: int = 10_000,
        batch_tensors_with_same_shape: bool = False,
    ) -> None:  # fmt: skip
        if (use_error_feedback or warm_start) and start_powerSGD_iter <= 1:
            raise ValueError("PowerSGDState: with feedback or a warm start, expected start_powerSGD_iter above 1: buckets are "
                             f"rebuilt after the first step; got {start_powerSGD_iter}")  # fmt: skip
        self.process_group = process_group
        self.matrix_approximation_rank, self.start_powerSGD_iter = matrix_approximation_rank, start_powerSGD_iter
        self.min_compression_rate, self.use_error_feedback = min_compression_rate, use_error_feedback
        self.warm_start, self.orthogonalization_epsilon = warm_start, orthogonalization_epsilon
        self.generator = torch.Generator().manual_seed(random_seed)
        self.error_dict: dict[int, torch.Tensor] = {}
        self.q_memory_dict: dict[int, list[torch.Tensor]] = {}
        self.iter = 0
        self.total_numel_before_compression = self.total_numel_after_compression = 0

    def maybe_increase_iter(self, bucket: Any) -> None:
        """Counts a step at its last bucket.

        Args:
            bucket (GradBucket): the bucket
        """
        if bucket.is_last():
            self.iter += 1

    def compression_stats(self) -> tuple[float, int, int]:
        """How much is saved.

        Returns:
            the factor, and the numbers of elements before and after
        """
        before, after = self.total_numel_before_compression, self.total_numel_after_compression
        return before / after if after else 0.0, before, after

    def __getstate__(self) -> dict[str, Any]:
        state = {key: value for key, value in vars(self).items() if key not in ("process_group", "generator")}
        return {**state, "random": self.generator.get_state()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.generator = torch.Generator()
        self.generator.set_state(state.pop("random"))
        self.process_group = None
        vars(self).update(state)


def _orthogonalize(matrix: torch.Tensor, epsilon: float) -> None:
    """Makes the columns orthonormal, in place (Gram-Schmidt)."""
    for k in range(matrix.size(1)):
        column = matrix[:, k : k + 1]
        norm = column.norm() + epsilon
        column /= torch.where(norm > 0, norm, torch.ones_like(norm))
        if k + 1 < matrix.size(1):
            rest = matrix[:, k + 1 :]
            rest -= column * (column * rest).sum(0)


def _compress(state: PowerSGDState, index: int, matrices: list[torch.Tensor], group: Any) -> list[torch.Tensor]:
    """The averages of matrices, by their factors."""
    size, rank = group.size(), state.matrix_approximation_rank
    ranks = [min(*m.shape, rank) for m in matrices]
    known = state.q_memory_dict.get(index)
    if known is None or not state.warm_start:
        known = [torch.randn(m.size(1), r, generator=state.generator).to(m.dtype) for m, r in zip(matrices, ranks)]
    for q in known:
        _orthogonalize(q, state.orthogonalization_epsilon)

    def averaged(parts: list[torch.Tensor]) -> list[torch.Tensor]:
        joined = torch.cat([p.reshape(-1) for p in parts]) / size
        dist.all_reduce(joined, group=group)
        return [x.view_as(p) for x, p in zip(joined.split([p.numel() for p in parts]), parts)]

    ps = averaged([m @ q for m, q in zip(matrices, known)])
    for p in ps:
        _orthogonalize(p, state.orthogonalization_epsilon)
    qs = averaged([m.t() @ p for m, p in zip(matrices, ps)])
    state.q_memory_dict[index] = [q.clone() for q in qs]
    return [p @ q.t() for p, q in zip(ps, qs)]


def _done(buffer: torch.Tensor) -> Future:
    future: Future[torch.Tensor] = Future()
    future.set_result(buffer)
    return future


def _with_feedback(
    state: PowerSGDState, bucket: Any, compressed: Callable[[torch.Tensor, Any], None]
) -> Future:  # fmt: skip
    """Averages a bucket in place, and keeps what that left out."""
    group = state.process_group if state.process_group is not None else dist.group.WORLD
    buffer, step = bucket.buffer(), state.iter
    state.maybe_increase_iter(bucket)
    if step < state.start_powerSGD_iter:
        return _average(group, buffer)
    index, own = bucket.index(), None
    if state.use_error_feedback:
        if index in state.error_dict:
            buffer.add_(state.error_dict[index])
        own = buffer.clone()
    compressed(buffer, group)
    if own is not None:
        state.error_dict[index] = own.sub_(buffer)
    return _done(buffer)


def powerSGD_hook(state: PowerSGDState, bucket: Any) -> Future:  # noqa: N802
    """Averages the matrices of a bucket by their factors, and the rest as it is.

    Args:
        state (PowerSGDState): the state
        bucket (GradBucket): the gradients

    Returns:
        a future of the averages
    """

    def compressed(buffer: torch.Tensor, group: Any) -> None:
        small, large = [], []
        for g in bucket.gradients():
            rows = g.size(0) if g.dim() else 1
            columns = g.numel() // max(rows, 1)
            rank = min(rows, columns, state.matrix_approximation_rank)
            saves = (rows + columns) * rank * state.min_compression_rate < g.numel()
            (large if g.dim() > 1 and saves else small).append(g)
            state.total_numel_before_compression += g.numel()
            state.total_numel_after_compression += (rows + columns) * rank if g.dim() > 1 and saves else g.numel()
        if small:
            joined = torch.cat([g.reshape(-1) for g in small]) / group.size()
            dist.all_reduce(joined, group=group)
            for g, part in zip(small, joined.split([g.numel() for g in small])):
                g.copy_(part.view_as(g))
        if large:
            matrices = [g.reshape(g.size(0), -1) for g in large]
            for g, average in zip(large, _compress(state, bucket.index(), matrices, group)):
                g.copy_(average.view_as(g))

    return _with_feedback(state, bucket, compressed)


def batched_powerSGD_hook(state: PowerSGDState, bucket: Any) -> Future:  # noqa: N802
    """Averages a bucket as one square matrix: faster than `powerSGD_hook`, and less exact.

    Args:
        state (PowerSGDState): the state
        bucket (GradBucket): the gradients

    Returns:
        a future of the averages
    """

    def compressed(buffer: torch.Tensor, group: Any) -> None:
        side = int(max(buffer.numel() - 1, 0) ** 0.5) + 1
        square = buffer.new_zeros(side * side)
        square[: buffer.numel()] = buffer
        average = _compress(state, bucket.index(), [square.view(side, side)], group)[0]
        buffer.copy_(average.reshape(-1)[: buffer.numel()])

    return _with_feedback(state, bucket, compressed)
