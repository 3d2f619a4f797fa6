"""What the fuzzer (tools/fuzz_against_peer.py) has found: the smallest program of each cause."""

import math

import pytest

import torch
import torch.nn.functional as F


def twice(f, x):
    (first,) = torch.autograd.grad(f(x).sum(), x, create_graph=True)
    return first, torch.autograd.grad(first.sum(), x)[0]


@pytest.mark.parametrize("f, slope", [(F.elu, 1.0), (F.celu, 1.0), (F.selu, 1.7580993408473766), (lambda x: F.elu(x, 0.5), 0.5)])
def test_second_derivative_of_elu_at_zero_is_zero(f, slope):
    first, second = twice(f, torch.tensor([0.0, -0.0, 1.0], dtype=torch.float64, requires_grad=True))
    assert first[:2].tolist() == pytest.approx([slope, slope])
    assert second.tolist() == [0.0, 0.0, 0.0]


@pytest.mark.parametrize("length, n", [(1, 1), (0, 1), (2, 3), (0, 2)])
def test_diff_of_too_few_elements_is_no_view(length, n):
    x = torch.ones(3)[:length]
    found = torch.diff(x, n)
    assert found.shape == (0,) and not found._is_view()


def test_trigamma_at_infinity():
    found = torch.polygamma(1, torch.tensor([math.inf, -math.inf], dtype=torch.float64))
    assert found[0] == 0 and found[1].isnan()


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_layer_norm_takes_the_mean_off_first(dtype):
    # x * rstd - mean * rstd would leave rounding of the size of mean * rstd.
    x = torch.tensor([[3.3, 3.3, 3.3], [1e6, 1e6, 1e6]], dtype=dtype)
    for more in ((), (torch.full((3,), 2.0, dtype=dtype),), (torch.ones(3, dtype=dtype), torch.zeros(3, dtype=dtype))):
        assert F.layer_norm(torch.tensor([[3.3]], dtype=dtype), (1,), *[m[:1] for m in more]).abs().max() == 0
        assert F.layer_norm(x, (3,), *more)[1].abs().max() == 0


def test_changing_the_variance_of_var_mean_leaves_its_gradient():
    x = torch.tensor([[1.0, 2.0], [3.0, 5.0]], requires_grad=True)
    var, mean = torch.var_mean(x, 0)
    (expected,) = torch.autograd.grad(var.sum() + mean.sum(), x)
    var, mean = torch.var_mean(x, 0)
    (found,) = torch.autograd.grad(var.add_(1).sum() + mean.sum(), x)
    assert torch.equal(found, expected)


def test_second_derivative_of_logcumsumexp_with_a_zero_gradient():
    x = torch.tensor([0.5, -1.0, 2.0], dtype=torch.float64, requires_grad=True)
    weight = torch.tensor([1.0, 0.0, -2.0], dtype=torch.float64)
    (first,) = torch.autograd.grad((torch.logcumsumexp(x, 0) * weight).sum(), x, create_graph=True)
    (second,) = torch.autograd.grad((first * torch.tensor([1.0, 2.0, 3.0], dtype=torch.float64)).sum(), x)
    near = torch.tensor([1.0, 1e-9, -2.0], dtype=torch.float64)
    (first,) = torch.autograd.grad((torch.logcumsumexp(x, 0) * near).sum(), x, create_graph=True)
    (expected,) = torch.autograd.grad((first * torch.tensor([1.0, 2.0, 3.0], dtype=torch.float64)).sum(), x)
    torch.testing.assert_close(second, expected, rtol=1e-7, atol=1e-7)


@pytest.mark.parametrize("name", ["selu_", "celu_", "elu_", "relu_"])
def test_composites_change_one_of_several_views_where_no_gradient_is_recorded(name):
    x = torch.tensor([-1.0, 2.0, 3.0])
    a, _, _ = x.unbind(0)
    getattr(F, name)(a)
    assert x[0] == getattr(F, name[:-1])(torch.tensor(-1.0))


def test_broadcast_inputs_decide_the_layout_in_their_order():
    wide, tall = torch.zeros(2, 3), torch.zeros(6).as_strided((3, 2), (1, 2)).unsqueeze(2)
    assert (wide + tall).stride() == (3, 9, 1)
    assert (tall + wide).stride() == (3, 9, 1)
    assert (wide + tall.contiguous()).stride() == (6, 3, 1)
    turned, box = torch.zeros(3, 2).t(), torch.zeros(3, 2, 3)
    assert (turned + box).stride() == (6, 1, 2)
    assert (box + turned).stride() == (6, 3, 1)
