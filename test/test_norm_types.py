"""Batch and instance normalization of half types, with parameters and running statistics of half types or float32."""

import pytest

import torch
import torch.nn as nn
import torch.nn.functional as F

HALVES = [torch.float16, torch.bfloat16]


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, *HALVES])
@pytest.mark.parametrize("layer", [nn.BatchNorm1d, nn.InstanceNorm1d])
def test_training_step(layer, dtype):
    m = layer(4, affine=True, track_running_stats=True).to(dtype)
    x = torch.randn(2, 4, 8).to(dtype).requires_grad_()
    m(x).square().sum().backward()
    assert x.grad.dtype == m.weight.grad.dtype == m.running_mean.dtype == dtype
    same = layer(4, affine=True, track_running_stats=True).double()
    y = x.detach().double().requires_grad_()
    same(y).square().sum().backward()
    near = 8 * torch.finfo(dtype).eps
    torch.testing.assert_close(m.running_mean.double(), same.running_mean, rtol=near, atol=near)
    torch.testing.assert_close(m.running_var.double(), same.running_var, rtol=near, atol=near)
    torch.testing.assert_close(m.weight.grad.double(), same.weight.grad, rtol=near, atol=near)


@pytest.mark.parametrize("dtype", HALVES)
@pytest.mark.parametrize("norm", [F.batch_norm, F.instance_norm])
def test_float32_parameters_and_statistics_of_a_half_input(norm, dtype):
    x = torch.randn(2, 4, 8).to(dtype).requires_grad_()
    mean, var, weight = torch.zeros(4), torch.ones(4), torch.ones(4, requires_grad=True)
    how = {"training": True} if norm is F.batch_norm else {}
    y = norm(x, mean, var, weight, torch.zeros(4), **how)
    y.sum().backward()
    assert y.dtype == x.grad.dtype == dtype and weight.grad.dtype == torch.float32
    torch.testing.assert_close(mean, 0.1 * x.detach().float().mean((0, 2)), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("dtype", [torch.float32, *HALVES])
def test_statistics_with_gaps_between_them(dtype):
    # backward has saved them: their version must not change although they are written to.
    store = torch.zeros(2, 8, dtype=dtype)
    mean, var = store[0, ::2], store[1, ::2]
    x = torch.randn(6, 4).to(dtype).requires_grad_()
    F.batch_norm(x, mean, var, training=True, momentum=1.0).sum().backward()
    near = 4 * torch.finfo(dtype).eps
    torch.testing.assert_close(mean.float(), x.detach().float().mean(0), rtol=near, atol=near)
    torch.testing.assert_close(var.float(), x.detach().float().var(0), rtol=near, atol=near)
    assert store[:, 1::2].eq(0).all() and mean._version == 0


@pytest.mark.parametrize("statistics", [torch.float16, torch.float32, torch.float64])
@pytest.mark.parametrize("weight", [None, torch.float32])
def test_instance_norm_takes_statistics_of_any_type(statistics, weight):
    x = torch.randn(2, 4, 8, requires_grad=True)
    mean, var = torch.zeros(4, dtype=statistics), torch.ones(4, dtype=statistics)
    F.instance_norm(x, mean, var, None if weight is None else torch.ones(4, dtype=weight)).sum().backward()
    expected = 0.1 * x.detach().mean((0, 2))
    torch.testing.assert_close(mean.float(), expected, rtol=1e-2, atol=1e-3)


def test_types_that_do_not_go_together():
    with pytest.raises(RuntimeError, match="mixed dtype"):
        F.batch_norm(torch.ones(2, 4), torch.zeros(4).half(), torch.ones(4).half(), training=True)
    with pytest.raises(RuntimeError, match="mixed dtype"):
        F.batch_norm(torch.ones(2, 4).half(), torch.zeros(4), torch.ones(4), torch.ones(4).half(), training=True)
