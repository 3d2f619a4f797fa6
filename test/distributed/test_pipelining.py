"""Pipelines: each schedule gives the results, losses and gradients of the whole module."""

from __future__ import annotations

import pytest
from ranks import needs_gloo, run_ranks

import torch
from torch import nn

pytestmark = [needs_gloo, pytest.mark.timeout(120)]


class Layer(nn.Module):
    def __init__(self, k):
        super().__init__()
        torch.manual_seed(k)
        self.linear = nn.Linear(4, 4)

    def forward(self, x, y=None):
        return torch.tanh(self.linear(x)) + (0 if y is None else y), x.sum(-1, keepdim=True)


def compare(rank, size, name, local, parts):
    from torch.distributed import pipelining

    count = size * local
    whole = [Layer(k) for k in range(count)]
    stages = [pipelining.PipelineStage(Layer(k), k, count, "cpu") for k in range(rank, count, size)]
    loss_fn = lambda output, target: (output[0] - target).square().mean() + output[1].mean()  # noqa: E731
    cls = getattr(pipelining, name)
    schedule = cls(stages if local > 1 else stages[0], parts, loss_fn)
    for step in range(2):
        # The second batch has another size.
        n = parts * (step + 2)
        x, target = torch.randn(2, n, 4, generator=torch.Generator().manual_seed(step))
        expected, losses = [], []
        for a, b in zip(x.tensor_split(parts), target.tensor_split(parts)):
            output = (a,)
            for layer in whole:
                output = layer(*output)
            expected.append(output)
            losses.append(loss_fn(output, b))
        (sum(losses) / parts).backward()
        found = []
        given = (x,) if rank == 0 else ()
        output = schedule.step(*given, target=target if rank == size - 1 else None, losses=found)
        if rank == size - 1:
            for k in range(2):
                torch.testing.assert_close(output[k], torch.cat([e[k] for e in expected]))
            torch.testing.assert_close(torch.stack(found), torch.stack(losses).detach())
        else:
            assert output is None
        for stage in stages:
            for a, b in zip(whole[stage.stage_index].parameters(), stage.submod.parameters()):
                torch.testing.assert_close(b.grad, a.grad)
                a.grad = b.grad = None
        for layer in whole:
            layer.zero_grad()
    again = schedule.eval(*given)
    assert (again is None) == (rank != size - 1)
    return True


def mistakes(rank, size):
    from torch.distributed import pipelining

    stage = pipelining.PipelineStage(nn.Linear(1, 1), rank, size, "cpu")
    for call, error, text in (
        (lambda: pipelining.PipelineStage(nn.Linear(1, 1), 5, 2, "cpu"), ValueError, "no stage 5"),
        (lambda: pipelining.ScheduleGPipe(stage, 0), ValueError, "above 0"),
        (lambda: pipelining.ScheduleInterleaved1F1B([stage, stage], 2), ValueError, "has stages"),
        (lambda: pipelining.pipeline(nn.Linear(1, 1), ()), RuntimeError, "does not have it yet"),
    ):
        with pytest.raises(error, match=text):
            call()
    if rank == 0:
        with pytest.raises(ValueError, match="cannot be cut into 4"):
            pipelining.ScheduleGPipe(stage, 4, lambda a, b: a).step(torch.ones(3, 1))


@pytest.mark.parametrize("name, size, local, parts", [
    ("ScheduleGPipe", 3, 1, 4), ("Schedule1F1B", 3, 1, 5), ("ScheduleInterleaved1F1B", 2, 3, 4), ("ScheduleLoopedBFS", 2, 2, 3),
])  # fmt: skip
def test_schedules(name, size, local, parts):
    assert all(run_ranks(compare, size, name, local, parts))


def test_mistakes():
    run_ranks(mistakes, 2)
