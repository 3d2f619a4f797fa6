"""Orders as tables: reading and writing them, checking that they can be run, and adding the messages."""

from __future__ import annotations

import csv
from collections.abc import Callable
from typing import Any

from torch.distributed.pipelining._actions import RECV_B, RECV_F, REDUCE_GRAD, SEND_B, SEND_F, B, F, I, W, _Action, computed

Orders = dict[int, list[Any]]


def read_table(path: str) -> Orders:
    """The order of each process: a line of the file."""
    with open(path, newline="") as file:
        return {rank: [_Action.from_str(cell) for cell in row] for rank, row in enumerate(csv.reader(file))}


def write_table(path: str, orders: Orders) -> None:
    """Writes the order of each process as a line of a file."""
    with open(path, "w", newline="") as file:
        writer = csv.writer(file)
        for rank in sorted(orders):
            writer.writerow(["" if action is None else str(action) for action in orders[rank]])


def _format_pipeline_order(pipeline_order: Orders, error_step_number: int | None = None) -> str:
    """The orders side by side.

    Args:
        pipeline_order (dict): the actions of each process
        error_step_number (int, optional): a step that is marked

    Returns:
        the table
    """
    ranks, steps = sorted(pipeline_order), max(map(len, pipeline_order.values()), default=0)
    names = [f"Step {k}:" for k in range(steps)]
    columns = [["", *names]]
    for rank in ranks:
        cells = [*map(str, pipeline_order[rank]), *[""] * (steps - len(pipeline_order[rank]))]
        columns.append([f"Rank {rank}", *("" if cell == "None" else cell for cell in cells)])
    widths = [max(map(len, column)) for column in columns]
    lines = [" ".join(cell.ljust(width) for cell, width in zip(row, widths)) for row in zip(*columns)]
    if error_step_number is not None:
        lines[error_step_number + 1] += " <-- ERROR HERE"
    return "".join(f"{line}\n" for line in lines)


def _validate_schedule(actions: Orders, pp_group_size: int, num_stages: int, num_microbatches: int) -> dict[int, int]:
    """Checks that orders compute each part in each stage once, and that no process waits for ever.

    Args:
        actions (dict): the actions of each process
        pp_group_size (int): the number of processes
        num_stages (int): the number of stages
        num_microbatches (int): the number of parts

    Returns:
        the process of each stage

    Raises:
        ValueError: they do not
    """
    name = "_validate_schedule()"
    if sorted(actions) != list(range(pp_group_size)):
        raise ValueError(f"{name}: a schedule of {pp_group_size} processes needs as many orders, got {len(actions)}")
    orders = {rank: computed(order) for rank, order in actions.items()}
    rank_of: dict[int, int] = {}
    counts: dict[tuple[int, Any], list[Any]] = {}
    for rank, order in orders.items():
        for action in order:
            stage, kind, part, _ = action
            if part is None:
                raise ValueError(
                    f"{name}: expected actions that say which part they compute, as in 2F0; process {rank} has {action}"
                )
            if rank_of.setdefault(stage, rank) != rank:
                raise ValueError(f"{name}: a schedule has stage {stage} in process {rank_of[stage]} and in process {rank}")
            counts.setdefault((stage, kind), []).append(part)
    if sorted(rank_of) != list(range(num_stages)):
        raise ValueError(f"{name}: a schedule of {num_stages} stages has actions of the stages {sorted(rank_of)}")
    _check_parts(counts, num_stages, list(range(num_microbatches)))
    _check_waits(orders, num_stages)
    return rank_of


def _check_parts(counts: dict[tuple[int, Any], list[Any]], num_stages: int, parts: list[int]) -> None:
    """Each stage computes each part once, and backward is in all stages or in none."""
    name, with_backward = "_validate_schedule()", []
    for stage in range(num_stages):
        found = {kind: sorted(counts.get((stage, kind), [])) for kind in (F, B, I, W)}
        backward = sorted([*found[B], *found[I]])
        if found[F] != parts or backward not in (parts, []) or found[I] != found[W]:
            there = ", ".join(f"{kind.value} of {k}" for kind, k in found.items())
            raise ValueError(
                f"{name}: {len(parts)} parts must each be in F once, and in B, or in I and W; stage {stage} has {there}"
            )
        if backward:
            with_backward.append(stage)
    if len(with_backward) not in (0, num_stages):
        raise ValueError(f"{name}: a schedule has backward in all {num_stages} stages or in none; it is in {with_backward}")


def _check_waits(orders: dict[int, list[_Action]], num_stages: int) -> None:
    """Runs the orders on paper: a part comes forward from the stage before, and its gradients from the stage after."""
    done: set[tuple[int, Any, Any]] = set()
    places = dict.fromkeys(orders, 0)

    def is_ready(action: _Action) -> bool:
        stage, kind, part, _ = action
        if kind == F:
            return stage == 0 or (stage - 1, F, part) in done
        if kind == W:
            return (stage, I, part) in done
        return (stage, F, part) in done and (stage == num_stages - 1 or (stage + 1, I, part) in done)

    moved = True
    while moved:
        moved = False
        for rank, order in orders.items():
            while places[rank] < len(order) and is_ready(order[places[rank]]):
                stage, kind, part, _ = order[places[rank]]
                done.add((stage, I if kind == B else kind, part))  # B is I and W
                places[rank] += 1
                moved = True
    stuck = {rank: str(order[places[rank]]) for rank, order in orders.items() if places[rank] < len(order)}
    if stuck:
        text = ", ".join(f"process {rank} at {action}" for rank, action in stuck.items())
        raise ValueError(f"_validate_schedule(): a schedule would wait for ever: {text}")


def _add_send_recv(compute_actions: Orders, stage_to_rank: Callable[[int], int], num_stages: int) -> Orders:
    """Adds the messages: a receive before the action that needs it, and a send after the one that computes it.

    Args:
        compute_actions (dict): the actions of each process
        stage_to_rank (Callable): gives the process of a stage
        num_stages (int): the number of stages

    Returns:
        the orders with messages
    """

    def elsewhere(stage: int, other: int) -> bool:
        return 0 <= other < num_stages and stage_to_rank(stage) != stage_to_rank(other)

    orders: Orders = {}
    for rank, actions in compute_actions.items():
        orders[rank] = order = []
        for action in actions:
            if action is None:
                continue
            before: list[_Action] = []
            after: list[_Action] = []
            for stage, kind, part, _ in computed([action]):
                if kind == W:
                    continue
                source, target, receive, send = (-1, 1, RECV_F, SEND_F) if kind == F else (1, -1, RECV_B, SEND_B)
                if elsewhere(stage, stage + source):
                    before.append(_Action(stage, receive, part))
                if elsewhere(stage, stage + target):
                    after.append(_Action(stage, send, part))
            order += [*before, action, *after]
    return orders


def add_reduce_grad(orders: Orders) -> Orders:
    """Adds after the last backward of each stage that its gradients are complete, as PyTorch needs it to divide them."""
    found: Orders = {}
    for rank, order in orders.items():
        last = {action.stage_index: k for k, action in enumerate(order) if action.computation_type in (B, W)}
        found[rank] = []
        for k, action in enumerate(order):
            found[rank].append(action)
            if last.get(action.stage_index) == k:
                found[rank].append(_Action(action.stage_index, REDUCE_GRAD))
    return found
