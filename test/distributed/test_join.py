"""Join: processes with different numbers of batches."""

from __future__ import annotations

import pytest
from ranks import needs_gloo, run_ranks

import torch
import torch.distributed as dist

pytestmark = [needs_gloo, pytest.mark.timeout(120)]


def counter():
    from torch.distributed.algorithms.join import Join, Joinable, JoinHook

    class Hook(JoinHook):
        def __init__(self, owner):
            self.owner = owner

        def main_hook(self):
            dist.all_reduce(torch.zeros(1))

        def post_hook(self, is_last_joiner):
            self.owner.last = is_last_joiner

    class Counter(Joinable):
        def __init__(self):
            super().__init__()
            self.sums, self.last = [], None

        def __call__(self):
            Join.notify_join_context(self)
            x = torch.ones(1)
            dist.all_reduce(x)
            self.sums.append(x.item())

        def join_hook(self, **kwargs):
            return Hook(self)

        @property
        def join_device(self):
            return torch.device("cpu")

        @property
        def join_process_group(self):
            return dist.group.WORLD

    return Join, Counter()


def uneven(rank, size):
    Join, count = counter()
    with Join([count]):
        for _ in range(2 + rank):
            count()
    return count.sums, count.last


def early(rank, size):
    Join, count = counter()
    try:
        with Join([count], throw_on_early_termination=True):
            for _ in range(2 + rank):
                count()
    except RuntimeError as error:
        return str(error), len(count.sums)


def test_uneven_batches():
    assert run_ranks(uneven, 3) == [([3, 3], False), ([3, 3, 2], False), ([3, 3, 2, 1], True)]


def test_all_raise_when_one_runs_out():
    first, second = run_ranks(early, 2)
    assert first == ("Join: rank 0 ran out of batches before the others", 2)
    assert second == ("Join: a process ran out of batches before the others", 2)
