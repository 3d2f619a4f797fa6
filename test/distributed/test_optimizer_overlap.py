"""Optimizers that step in backward of DistributedDataParallel."""

from __future__ import annotations

import copy

import pytest
from ranks import needs_gloo, run_ranks

import torch
from torch import nn

pytestmark = [needs_gloo, pytest.mark.timeout(60)]


def overlapped(rank, size):
    from torch.distributed.algorithms._optimizer_overlap import _as_overlapped_optim
    from torch.nn.parallel import DistributedDataParallel

    torch.manual_seed(0)
    plain = nn.Sequential(nn.Linear(4, 6), nn.Tanh(), nn.Linear(6, 3))
    x = torch.randn(6, 4)
    for cls, settings in ((torch.optim.SGD, {"lr": 0.1, "momentum": 0.9}), (torch.optim.AdamW, {"lr": 0.1})):
        for view in (False, True):
            one, other = copy.deepcopy(plain), copy.deepcopy(plain)
            model = DistributedDataParallel(other, bucket_cap_mb=1e-4, gradient_as_bucket_view=view)
            _as_overlapped_optim(cls, model.parameters(), **settings).register_ddp(model)
            optimizer = cls(one.parameters(), **settings)
            for _ in range(3):
                optimizer.zero_grad()
                (one(x).square().sum() / size).backward()
                optimizer.step()
                model.zero_grad()
                model(x.chunk(size)[rank]).square().sum().backward()
            for a, b in zip(one.parameters(), other.parameters()):
                torch.testing.assert_close(a, b)
    # Parameters that the optimizer does not have stay as they are.
    model = DistributedDataParallel(copy.deepcopy(plain))
    optimizer = _as_overlapped_optim(torch.optim.SGD, model.module[0].parameters(), lr=0.1)
    optimizer.register_ddp(model)
    model(x).sum().backward()
    torch.testing.assert_close(model.module[2].weight, plain[2].weight, rtol=0, atol=0)
    assert not torch.equal(model.module[0].weight, plain[0].weight)
    with pytest.raises(NotImplementedError, match="register_fsdp"):
        optimizer.register_fsdp(model)
    for cls in (torch.optim.LBFGS, int):
        with pytest.raises(ValueError, match=cls.__name__):
            _as_overlapped_optim(cls, plain.parameters(), lr=0.1)
    with pytest.raises(ValueError, match="got SGD"):
        _as_overlapped_optim("SGD", plain.parameters(), lr=0.1)


def test_overlap():
    run_ranks(overlapped, 2)
