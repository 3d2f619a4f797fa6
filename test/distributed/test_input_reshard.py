"""What a module keeps for backward is cut over processes."""

from __future__ import annotations

import copy

import pytest
from ranks import needs_gloo, run_ranks

import torch
from torch import nn
from torch.distributed.device_mesh import init_device_mesh

pytestmark = [needs_gloo, pytest.mark.timeout(60)]


def resharded(rank, size):
    from torch.distributed.tensor import Replicate, distribute_tensor
    from torch.distributed.tensor.debug import CommDebugMode
    from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module
    from torch.distributed.tensor.parallel.input_reshard import input_reshard

    mesh = init_device_mesh("cpu", (size,))
    torch.manual_seed(0)
    plain = nn.Sequential(nn.Linear(4, 6), nn.Tanh(), nn.Linear(6, 4))
    x = torch.randn(5, 4)  # 5 rows do not divide evenly
    expected = x.clone().requires_grad_()
    plain(expected).square().sum().backward()
    for dim in (0, 1, -1):
        for spread in (False, True):
            model, given = copy.deepcopy(plain), x.clone().requires_grad_()
            model.zero_grad()
            if spread:
                parallelize_module(model, mesh, {"0": ColwiseParallel(use_local_output=False), "2": RowwiseParallel()})
            assert input_reshard(model, mesh, dim) is model
            output = model(given).square().sum()
            with CommDebugMode() as mode:
                output.backward()
            assert mode.get_comm_counts()[torch.ops.c10d_functional.all_gather_into_tensor] >= 1
            torch.testing.assert_close(given.grad, expected.grad)
            found = model[0].weight.grad
            torch.testing.assert_close(found.full_tensor() if spread else found, plain[0].weight.grad)

    # A DTensor in whole copies; and an error leaves nothing behind.
    model = input_reshard(nn.Tanh(), mesh, 0)
    whole = distribute_tensor(x, mesh, [Replicate()]).requires_grad_()
    model(whole).sum().backward()
    torch.testing.assert_close(whole.grad.full_tensor(), 1 - x.tanh().square())
    with pytest.raises(TypeError):
        model("text")
    y = x.clone().requires_grad_()
    z = y.exp()
    torch.testing.assert_close(z.grad_fn._saved_result, z)
    assert input_reshard(plain, mesh) is plain and not plain._forward_hooks
    with pytest.raises(TypeError, match="expected a DeviceMesh as tp_device_mesh, got str"):
        input_reshard(plain, "cpu", 0)
    with pytest.raises(ValueError, match="1 dimension"):
        input_reshard(plain, init_device_mesh("cpu", (1, size)), 0)


def test_input_reshard():
    run_ranks(resharded, 2)
