"""Actions of pipelines, orders as tables, and schedules that run them."""

from __future__ import annotations

import pytest
from ranks import needs_gloo, run_ranks

import torch
import torch.distributed as dist
from torch import nn

pytestmark = [needs_gloo, pytest.mark.timeout(60)]

if dist.is_available():
    from torch.distributed.pipelining import schedules
    from torch.distributed.pipelining.schedules import (
        B,
        F,
        _Action,
        _add_send_recv,
        _ComputationType,
        _format_pipeline_order,
        _PipelineScheduleRuntime,
        _validate_schedule,
    )


def orders(*lines):
    return {rank: [_Action.from_str(cell) for cell in line.split(",")] for rank, line in enumerate(lines)}


ONE_BY_ONE = ("0F0,0F1,,0B0,0B1", ",1F0,1B0,1F1,1B1")


def test_actions():
    for text in ("2F0", "0B12", "1I3", "2W0", "0UNSHARD", "1REDUCE_GRAD", "3SEND_F2", "2RECV_B1", "(0F1;1B2)OVERLAP_F_B"):
        assert str(_Action.from_str(text)) == text
    assert _Action.from_str(" 2F0 ") == _Action(2, F, 0) == (2, "F", 0, None)
    assert _Action.from_str("(0F1;1B2)OVERLAP_F_B").sub_actions == (_Action(0, F, 1), _Action(1, B, 2))
    assert _Action.from_str("") is None and _ComputationType.from_str("B") is B is _ComputationType.FULL_BACKWARD
    assert _Action.from_str("1W0").is_compute_op and not _Action.from_str("1SEND_F0").is_compute_op
    for text in ("F0", "0X1", "bad", "(0F1;1B2)"):
        with pytest.raises(RuntimeError, match="expected a stage"):
            _Action.from_str(text)
    with pytest.raises(RuntimeError, match="expected one of F, "):
        _ComputationType.from_str("Q")


def test_tables():
    lines = _format_pipeline_order(orders(*ONE_BY_ONE), 2).splitlines()
    assert lines[0].split() == ["Rank", "0", "Rank", "1"] and lines[2].split() == ["Step", "1:", "0F1", "1F0"]
    assert lines[3].split() == ["Step", "2:", "1B0", "<--", "ERROR", "HERE"]
    found = _add_send_recv(orders(*ONE_BY_ONE), lambda stage: stage, 2)
    assert [str(action) for action in found[1]] == "1RECV_F0 1F0 1B0 1SEND_B0 1RECV_F1 1F1 1B1 1SEND_B1".split()
    assert [str(action) for action in found[0]][:2] == ["0F0", "0SEND_F0"]


@pytest.mark.parametrize("lines, text", [
    (ONE_BY_ONE[:1], "needs as many orders, got 1"), (("0F0,0F1,0B0", ONE_BY_ONE[1]), "stage 0 has F of .0, 1., B of .0."),
    (("0F0,0F1,1B0,0B0,0B1", ONE_BY_ONE[1]), "stage 1 in process 0 and in process 1"), (("0F0", ""), "2 stages has actions of"),
    (("0F0,0B0,0F1,0B1", "1F0,1F1,1B0,1B1"), "wait for ever: process 0 at 0B0, process 1 at 1F1"),
    (("0F0,0F1,0I0,0B1", "1F0,1F1,1B0,1B1"), "stage 0 has"), (("0F,0F1,0B0,0B1", ONE_BY_ONE[1]), "which part.*process 0 has 0F$"),
    (("0F0,0F1", ONE_BY_ONE[1]), r"all 2 stages or in none; it is in .1."),
])  # fmt: skip
def test_wrong_orders(lines, text):
    assert _validate_schedule(orders(*ONE_BY_ONE), 2, 2, 2) == {0: 0, 1: 1}
    with pytest.raises(ValueError, match=text):
        _validate_schedule(orders(*lines), 2, 2, 2)


def all_schedules_can_run():
    for p in (1, 2, 3, 4):
        for n in range(1, 13):
            yield p, n


def test_orders_of_this_package():
    """Every schedule computes each part once, and no process waits for ever."""
    from torch.distributed.pipelining import _orders

    for p, n in all_schedules_can_run():
        assert len(_validate_schedule({r: _orders.v_zero_bubble(r, p, n) for r in range(p)}, p, 2 * p, n)) == 2 * p
        if n >= 2 * p:
            _validate_schedule({r: _orders.dual_pipe_v(r, p, n) for r in range(p)}, p, 2 * p, n)
        if n % max(1, n // p) == 0:
            for order in (_orders.interleaved, _orders.interleaved_zero_bubble):
                _validate_schedule({r: order(r, p, n, 3) for r in range(p)}, p, 3 * p, n)


def from_a_table(rank, size, folder):
    from torch.distributed.pipelining import PipelineStage, ScheduleInterleaved1F1B

    torch.manual_seed(0)
    layers = [nn.Linear(4, 4) for _ in range(4)]
    x, target = torch.randn(6, 4), torch.randn(6, 4)

    def loss_fn(output, target):
        return (output - target).square().sum()

    def stages(*own):
        return [PipelineStage(layers[k], k, 4, "cpu") for k in own]

    def gradients(schedule, own):
        for layer in layers:
            layer.zero_grad()
        losses: list[torch.Tensor] = []
        schedule.step(*((x,) if 0 in own else ()), target=target, losses=losses)
        return [layers[k].weight.grad for k in own], losses

    y = x
    for layer in layers:
        y = layer(y)
    (loss_fn(y, target) / 3).backward()
    whole = [layer.weight.grad for layer in layers]

    # What a schedule writes, another one reads; with the messages too.
    interleaved = ScheduleInterleaved1F1B(stages(rank, rank + 2), 3, loss_fn)
    for form in ("compute_only", "compute_comms"):
        name = f"{folder}/{form}"
        if rank == 0:
            interleaved._dump_csv(name, form)
        dist.barrier()
        schedule = _PipelineScheduleRuntime(stages(rank, rank + 2), 3, loss_fn)
        with pytest.raises(RuntimeError, match="no order"):
            schedule.step(x, target=target)
        schedule._load_csv(name, form)
        found, losses = gradients(schedule, (rank, rank + 2))
        torch.testing.assert_close(found, [whole[rank], whole[rank + 2]])
        assert len(losses) == (3 if rank == 1 else 0)
    text = open(name).read()
    assert "2RECV_F0,2F0,2SEND_F0" in text and text.splitlines()[0].endswith("0B2,0REDUCE_GRAD")

    # Stages in another place, a divided backward, and two actions as one.
    own = (0, 3) if rank == 0 else (1, 2)
    lines = (
        "0F0,0F1,0F2,,3F0,3I0,3F1,3W0,3B1,3F2,3B2,,0B0,0B1,0B2",
        "1F0,2F0,1F1,2F1,1F2,2F2,2B0,1B0,2B1,1B1,2B2,1B2",
    )
    lines = (lines[0].replace("3F1,3W0,3B1", "(3F1;3W0)OVERLAP_F_B,3B1"), lines[1])
    if rank == 0:
        open(f"{folder}/own", "w").write("\n".join(lines) + "\n")
    dist.barrier()
    schedule = _PipelineScheduleRuntime(stages(*own), 3, loss_fn)
    schedule._load_csv(f"{folder}/own")
    calls = []

    def overlapped(action, context):
        calls.append((str(action), context.schedule_ref is schedule, len(context.arg_mbs)))
        for part in action.sub_actions:
            schedule._run(part, context)

    schedule.register_custom_function(schedules.OVERLAP_F_B, overlapped)
    found, _ = gradients(schedule, own)
    torch.testing.assert_close(found, [whole[k] for k in own])
    assert calls == ([("(3F1;3W0)OVERLAP_F_B", True, 3)] if rank == 0 else [])

    with pytest.raises(ValueError, match="no actions RESHARD; it has B, F, I, OVERLAP_F_B"):
        schedule.register_custom_function(schedules.RESHARD, overlapped)
    with pytest.raises(NotImplementedError, match="'other'"):
        schedule._load_csv(f"{folder}/own", "other")
    with pytest.raises(ValueError, match="in the file, and"):
        _PipelineScheduleRuntime(stages(rank, rank + 2), 3, loss_fn)._load_csv(f"{folder}/own")


def test_schedule_from_a_table(tmp_path):
    run_ranks(from_a_table, 2, str(tmp_path))
