"""Functional collectives: new tensors, and gradients where a form has them."""

from __future__ import annotations

import pytest
from ranks import needs_gloo, run_ranks

import torch
import torch.distributed as dist

pytestmark = [needs_gloo, pytest.mark.timeout(120)]


def values(rank, size):
    import torch.distributed._functional_collectives as funcol

    group = dist.group.WORLD
    x = torch.arange(4.0).reshape(2, 2) + 10 * rank
    found = [
        funcol.wait_tensor(funcol.all_reduce(x, "sum", group)), funcol.broadcast(x, 1, group),
        funcol.all_gather_tensor(x, 0, group), funcol.all_gather_tensor(x, 1, group),
        funcol.reduce_scatter_tensor(x, "sum", 0, group), funcol.reduce_scatter_tensor(x, "max", 1, group),
        funcol.all_to_all_single(x, None, None, group),
    ]  # fmt: skip
    assert torch.equal(x, torch.arange(4.0).reshape(2, 2) + 10 * rank)
    return [t.tolist() for t in found]


def gradients(rank, size):
    import torch.distributed._functional_collectives as funcol

    group, found = dist.group.WORLD, []
    weight = torch.arange(8.0).reshape(4, 2) + rank
    for call, rows in (
        (lambda x: funcol.all_gather_tensor_autograd(x, 0, group), slice(0, 4)),
        (lambda x: funcol.reduce_scatter_tensor_autograd(x, "sum", 0, group), slice(0, 1)),
        (lambda x: funcol.all_to_all_single_autograd(x, None, None, group), slice(0, 2)),
    ):
        x = torch.ones(2, 2, requires_grad=True)
        (call(x) * weight[rows]).sum().backward()
        found.append(x.grad.tolist())
    return found


def test_values():
    first, second = run_ranks(values, 2)
    both = [[[10, 12], [14, 16]], [[10, 11], [12, 13]], [[0, 1], [2, 3], [10, 11], [12, 13]], [[0, 1, 10, 11], [2, 3, 12, 13]]]
    assert first == [*both, [[10, 12]], [[10], [12]], [[0, 1], [10, 11]]]
    assert second == [*both, [[14, 16]], [[11], [13]], [[2, 3], [12, 13]]]


def test_gradients():
    first, second = run_ranks(gradients, 2)
    assert first == [[[1, 3], [5, 7]], [[0, 1], [1, 2]], [[0, 1], [1, 2]]]
    assert second == [[[9, 11], [13, 15]], [[0, 1], [1, 2]], [[2, 3], [3, 4]]]
