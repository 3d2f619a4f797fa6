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
    in_v = name in ("ScheduleZBVZeroBubble", "ScheduleDualPipeV")
    own = (rank, count - 1 - rank) if in_v else range(rank, count, size)
    stages = [pipelining.PipelineStage(Layer(k), k, count, "cpu") for k in own]
    last = 0 if in_v else size - 1  # the process of the last stage
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
        output = schedule.step(*given, target=target if rank == last else None, losses=found)
        if rank == last:
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
    assert (again is None) == (rank != last)
    return True


class Skips(nn.Module):
    """A value that goes past a stage, a number that crosses stages, and arguments with and without a default."""

    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.first, self.layers, self.last = nn.Linear(4, 6), nn.ModuleList(Layer(k) for k in range(3)), nn.Linear(6, 4)
        self.register_buffer("scale", torch.tensor(0.5))

    def forward(self, x, shift, factor=2.0):
        n = x.shape[0]
        hidden = self.first(x) * self.scale
        y = self.last(hidden)
        for layer in self.layers:
            y, _ = layer(y)
        return torch.cat([y / n + shift, hidden], 1) * self.scale * factor


def cut_by_tracing(rank, size, name):
    from torch.distributed import pipelining

    def loss_fn(output, target):
        return (output - target).square().mean()

    count, in_v = 4, name == "ScheduleZBVZeroBubble"
    spec = {"layers.0": pipelining.SplitPoint.BEGINNING, "layers.1": pipelining.SplitPoint.BEGINNING,
            "layers.1.linear": pipelining.SplitPoint.END}  # fmt: skip
    pipe = pipelining.pipeline(Skips(), (torch.ones(1, 4),), {"shift": torch.ones(1, 4)}, split_spec=spec)
    assert pipe.num_stages == count
    stages = [pipe.build_stage(k, "cpu") for k in ((rank, count - 1 - rank) if in_v else range(rank, count, size))]
    schedule = pipelining.schedules.get_schedule_class(name)(stages, 4, loss_fn)
    whole = Skips()
    for step in range(2):
        x, shift, target = (torch.randn(8, n, generator=torch.Generator().manual_seed(step)) for n in (4, 4, 10))
        expected = [whole(*part) for part in zip(x.chunk(4), shift.chunk(4))]
        losses = [loss_fn(e, t) for e, t in zip(expected, target.chunk(4))]
        (sum(losses) / 4).backward()
        has_last, found = any(s.is_last for s in stages), []
        output = schedule.step(
            *((x,) if rank == 0 else ()), target=target, losses=found, **({"shift": shift} if rank == 0 else {})
        )
        if has_last:
            torch.testing.assert_close(output, torch.cat(expected))
            torch.testing.assert_close(torch.stack(found), torch.stack(losses).detach())
        names = 0
        for stage in stages:
            for key, p in stage.submod.named_parameters():
                names += 1
                torch.testing.assert_close(p.grad, whole.get_parameter(key).grad)
                p.grad = None
        whole.zero_grad()
    return names


def mistakes(rank, size):
    from torch.distributed import pipelining

    stage = pipelining.PipelineStage(nn.Linear(1, 1), rank, size, "cpu")
    for call, error, text in (
        (lambda: pipelining.PipelineStage(nn.Linear(1, 1), 5, 2, "cpu"), ValueError, "no stage 5"),
        (lambda: pipelining.ScheduleGPipe(stage, 0), ValueError, "above 0"),
        (lambda: pipelining.ScheduleInterleaved1F1B([stage, stage], 2), ValueError, "has stages"),
        (lambda: pipelining.ScheduleZBVZeroBubble([stage, stage], 2), ValueError, f"has the stages .{rank}, {3 - rank}. of 4"),
        (lambda: pipelining.schedules.get_schedule_class("best"), ValueError, "no schedule 'best'"),
    ):
        with pytest.raises(error, match=text):
            call()
    if rank == 0:
        with pytest.raises(ValueError, match="cannot be cut into 4"):
            pipelining.ScheduleGPipe(stage, 4, lambda a, b: a).step(torch.ones(3, 1))


@pytest.mark.parametrize("name, size, local, parts", [
    ("ScheduleGPipe", 3, 1, 4), ("Schedule1F1B", 3, 1, 5), ("ScheduleInterleaved1F1B", 2, 3, 4), ("ScheduleLoopedBFS", 2, 2, 3),
    ("ScheduleInterleavedZeroBubble", 2, 3, 4), ("ScheduleZBVZeroBubble", 3, 2, 4), ("ScheduleDualPipeV", 2, 2, 5),
])  # fmt: skip
def test_schedules(name, size, local, parts):
    assert all(run_ranks(compare, size, name, local, parts))


def test_mistakes():
    run_ranks(mistakes, 2)


@pytest.mark.parametrize("name", ["Interleaved1F1B", "InterleavedZeroBubble", "ScheduleZBVZeroBubble"])
def test_cut_by_tracing(name):
    assert sum(run_ranks(cut_by_tracing, 2, name)) == len(list(Skips().parameters()))


def test_where_a_module_is_cut():
    from torch.distributed.pipelining import Pipe, SplitPoint, pipe_split, pipeline

    class Halves(nn.Module):
        def __init__(self):
            super().__init__()
            self.a, self.b, self.unused = nn.Linear(2, 3), nn.LSTM(3, 2, batch_first=True), nn.ReLU()

        def forward(self, x, *, twice=False, **others):
            x = self.a(x)
            y, (h, _) = self.b(x)
            pipe_split()
            return y * 2 if twice else y, h

    model, x = Halves(), torch.ones(1, 4, 2)
    for kwargs, factor in (({}, 1), ({"twice": True}, 2)):
        pipe = pipeline(model, (x,), kwargs)
        assert isinstance(pipe, Pipe) and pipe.num_stages == 2
        torch.testing.assert_close(pipe(x, **kwargs), model(x, twice=factor == 2))
    assert pipe.get_stage_module(0).a.weight is model.a.weight
    assert "pipe_split" not in pipe.split_gm.code and "submod_pp_1" in repr(pipe)

    def policy(traced):
        node = next(n for n in traced.graph.nodes if n.op == "call_module")
        with traced.graph.inserting_after(node):
            traced.graph.call_function(pipe_split)
        return traced

    assert pipeline(model, (x,), split_policy=policy).num_stages == 3
    assert type(model) is Halves
    with pytest.raises(AttributeError, match="nothing"):
        pipeline(model, (x,), split_spec={"nothing": SplitPoint.END})
    with pytest.raises(TypeError, match="expected a SplitPoint"):
        pipeline(model, (x,), split_spec={"a": "end"})
    with pytest.raises(TypeError, match="do not fit the forward of Halves"):
        pipeline(model, ())
    with pytest.raises(RuntimeError, match="does not call 'unused'"):
        pipeline(model, (x,), split_spec={"unused": SplitPoint.END})
    with pytest.raises(ValueError, match="not both"):
        pipeline(model, (x,), split_spec={}, split_policy=policy)
    with pytest.raises(ValueError, match="no stage 2 among 2"):
        pipe.get_stage_module(2)

    class Branches(nn.Module):
        def forward(self, x):
            return x if x.sum() > 0 else -x

    with pytest.raises(RuntimeError, match="Branches cannot be traced, because its forward depends on values"):
        pipeline(Branches(), (x,))


def test_backward_in_two_parts():
    from torch.distributed.pipelining._split_backward import SplitBackward

    class Odd(nn.Module):
        """A parameter used twice, one that hangs on no input, and one that is used in a product with another."""

        def __init__(self):
            super().__init__()
            torch.manual_seed(0)
            self.a, self.b, self.shared = nn.Linear(3, 3), nn.Linear(3, 3), nn.Parameter(torch.randn(3, 3))
            self.scale, self.offset, self.unused = (nn.Parameter(torch.randn(3)) for _ in range(3))

        def forward(self, x, y):
            x = torch.tanh(self.a(x) @ self.shared) * (self.scale * self.offset)
            return self.b(x @ self.shared) + y, self.offset.exp().sum()

    model, plain = Odd(), Odd()
    x, y, unused = (torch.randn(2, 3, requires_grad=True) for _ in range(3))
    grads = [torch.randn(2, 3), torch.tensor(2.0)]
    for _ in range(2):
        first = torch.autograd.grad(plain(x, y), (x, y), grads)
        torch.autograd.backward(plain(x, y), grads, inputs=[p for p in plain.parameters() if p is not plain.unused])
        split = SplitBackward(model(x, y), grads, [x, y, unused])
        before = [p.grad if p.grad is None else p.grad.clone() for p in model.parameters()]
        found = split.input_gradients()
        torch.testing.assert_close(found[:2], list(first))
        assert found[2] is None and x.grad is None
        for a, b in zip(model.parameters(), before):
            assert (a.grad is None) == (b is None) and (b is None or torch.equal(a.grad, b))
        split.weight_gradients()
        assert len(split.own) == 3 and len(split.shared) == 2
    for a, b in zip(model.parameters(), plain.parameters()):
        if a is not model.unused:
            torch.testing.assert_close(a.grad, b.grad)


def test_parts_of_a_batch():
    from torch.distributed.pipelining.microbatch import (
        TensorChunkSpec,
        _Replicate,
        merge_chunks,
        split_args_kwargs_into_chunks,
        sum_reducer,
    )

    x = torch.arange(12).view(3, 4)
    args, kwargs = split_args_kwargs_into_chunks(
        (x, 5), {"m": x}, 2, (TensorChunkSpec(1), _Replicate()), {"m": TensorChunkSpec(0)}
    )
    assert args[1][0].tolist() == [[2, 3], [6, 7], [10, 11]] and args[1][1] == 5 and kwargs[0]["m"].shape == (2, 4)
    merged = merge_chunks([(a[0], a[0].sum(), 1) for a in args], (TensorChunkSpec(1), sum_reducer, _Replicate()))
    assert torch.equal(merged[0], x) and merged[1] == x.sum() and merged[2] == 1
    assert torch.equal(merge_chunks([k["m"] for k in kwargs], None), x)
    for arguments, message in (
        (((x,), None, 4), "a batch of 3 cannot be cut into 4"),
        (((5,), None, 2, (TensorChunkSpec(0),)), "of type int cannot be cut"),
        (((x,), None, 2, ()), "0 specs of parts were given for 1 values"), (((), {"m": x}, 2, None, {}), "no spec for m"),
    ):  # fmt: skip
        with pytest.raises(ValueError, match=message):
            split_args_kwargs_into_chunks(*arguments)
