"""with_flops: which operators count, by which formula, in which units."""

import pytest

import torch
import torch.nn.functional as F
from torch.profiler import profile

r = torch.rand
CASES = {
    "mm": (lambda: r(3, 4) @ r(4, 5), {"aten::mm": 2 * 3 * 4 * 5}),
    "bmm": (lambda: torch.bmm(r(2, 3, 4), r(2, 4, 5)), {"aten::bmm": 2 * 2 * 3 * 4 * 5}),
    "addmm": (lambda: torch.addmm(r(5), r(3, 4), r(4, 5)), {"aten::addmm": 2 * 3 * 4 * 5}),
    "baddbmm": (lambda: torch.baddbmm(r(2, 3, 5), r(2, 3, 4), r(2, 4, 5)), {"aten::baddbmm": 240}),
    "linear": (lambda: F.linear(r(3, 4), r(5, 4), r(5)), {"aten::addmm": 120}),
    "mm out": (lambda: torch.mm(r(3, 4), r(4, 2), out=torch.empty(3, 2)), {"aten::mm": 48}),
    "complex mm": (lambda: r(3, 4, dtype=torch.cfloat) @ r(4, 5, dtype=torch.cfloat), {"aten::mm": 120}),
    "vectors": (lambda: r(3, 4) @ r(4), {}),
    "in place": (lambda: r(3, 5).addmm_(r(3, 4), r(4, 5)), {}),
    "mul": (lambda: r(3, 4) * r(3, 4), {"aten::mul": 12}),
    "mul, first broadcast": (lambda: r(3, 1) * r(1, 4), {"aten::mul": 3}),
    "mul by a number": (lambda: r(3, 4) * 2, {"aten::mul": 12}),
    "mul of numbers": (lambda: torch.tensor(2.0) * torch.tensor(3.0), {"aten::mul": 1}),
    "mul_": (lambda: r(3, 4).mul_(r(4)), {}),
    "add": (lambda: torch.add(r(3, 4), r(3, 4), alpha=2), {"aten::add": 12}),
    "add_": (lambda: r(3, 4).add_(1), {}),
    "sub": (lambda: r(3) - r(3), {}),
    "empty": (lambda: r(0, 3) * r(0, 3), {}),
    "conv1d": (lambda: F.conv1d(r(2, 3, 10), r(4, 3, 3)), {}),
    "conv2d": (lambda: F.conv2d(r(2, 3, 10, 12), r(4, 3, 3, 3)), {"aten::conv2d": 2 * 2 * 4 * 80 * 27}),
    "conv2d bias": (lambda: F.conv2d(r(2, 3, 10, 12), r(4, 3, 3, 3), r(4)), {"aten::conv2d": 34560}),
    "conv2d strides": (
        lambda: F.conv2d(r(2, 3, 10, 12), r(4, 3, 3, 3), stride=(2, 3), padding=(1, 2)),
        {"aten::conv2d": 2 * 2 * 4 * 25 * 27},
    ),
    "conv2d dilation": (lambda: F.conv2d(r(1, 4, 10, 12), r(8, 4, 3, 3), dilation=(1, 3)), {"aten::conv2d": 27648}),
    "conv2d groups": (lambda: F.conv2d(r(2, 4, 10, 12), r(8, 2, 3, 3), groups=2), {"aten::conv2d": 46080}),
    "conv2d same": (lambda: F.conv2d(r(2, 4, 10, 12), r(8, 4, 3, 3), padding="same"), {}),
    "module": (lambda: torch.nn.Conv2d(3, 4, 3, stride=2, padding=1)(r(1, 3, 8, 8)), {"aten::conv2d": 3456}),
}


@pytest.mark.parametrize("name", CASES)
def test_counts(name):
    call, expected = CASES[name]
    with profile(with_flops=True) as prof:
        call()
    assert {e.name: e.flops for e in prof.events() if e.flops} == expected


def test_backward_counts():
    with profile(with_flops=True) as prof:
        (r(3, 4, requires_grad=True) @ r(4, 5, requires_grad=True)).sum().backward()
    assert {a.key: a.flops for a in prof.key_averages()}["aten::mm"] == 360
    assert prof.events().total_average().flops == 360


@pytest.mark.parametrize(
    "n, heading, mm", [(1, "Total FLOPs", "2.000"), (40, "Total KFLOPs", "128.000"), (400, "Total KFLOPs", "128000.000")]
)
def test_units(n, heading, mm):
    x = torch.ones(n, n)
    with profile(with_flops=True) as prof:
        x @ x, x * x
    averages = prof.key_averages()
    table = averages.table(sort_by="flops", row_limit=1)
    assert heading in table and mm in table and "aten::mm" in table
    assert "--" in averages.table()  # of what is not counted


def test_without_counts_there_is_no_column():
    with profile(with_flops=True) as prof:
        torch.ones(2).exp()
    assert "FLOPs" not in prof.key_averages().table()
    with profile() as prof:
        torch.ones(2) * 2
    assert all(e.flops == 0 for e in prof.events()) and "FLOPs" not in prof.key_averages().table()
