"""Gradients of gamma and Dirichlet samples: they are those of the sample as a function of the parameters at a fixed quantile."""

import pytest

import torch

special = pytest.importorskip("scipy.special")


def test_gamma_samples_keep_their_quantile():
    alpha = torch.tensor([0.3, 1.0, 2.5, 60.0], dtype=torch.float64, requires_grad=True)
    torch.manual_seed(0)
    x = torch._standard_gamma(alpha)
    (slope,) = torch.autograd.grad(x.sum(), alpha)
    step = 1e-4
    before = special.gammainc((alpha - step).detach().numpy(), (x - step * slope).detach().numpy())
    after = special.gammainc((alpha + step).detach().numpy(), (x + step * slope).detach().numpy())
    torch.testing.assert_close(torch.as_tensor(after), torch.as_tensor(before), rtol=0, atol=1e-8)


def test_dirichlet_coordinates_keep_their_quantile_and_the_others_their_proportions():
    alpha = torch.tensor([0.5, 2.0, 4.0], dtype=torch.float64, requires_grad=True)
    torch.manual_seed(0)
    x = torch._sample_dirichlet(alpha)
    jacobian = torch.stack([torch.autograd.grad(v, alpha, retain_graph=True)[0] for v in x])
    x, total, step = x.detach(), alpha.sum().item(), 1e-5
    for i in range(3):
        a, b = alpha[i].item(), total - alpha[i].item()
        moved = special.betainc(a + step, b, x[i] + step * jacobian[i, i]) - special.betainc(
            a - step, b, x[i] - step * jacobian[i, i]
        )
        assert abs(moved) < 1e-9
        others = [j for j in range(3) if j != i]
        torch.testing.assert_close(jacobian[others, i] / x[others], (-jacobian[i, i] / (1 - x[i])).expand(2))
    torch.testing.assert_close(jacobian.sum(0), torch.zeros(3, dtype=torch.float64))


def test_unusual_arguments_give_no_number():
    nan, inf = float("nan"), float("inf")
    alpha = torch.tensor([0.0, -1.0, inf, nan, 1.0, 1.0], dtype=torch.float64)
    x = torch.tensor([1.0, 1.0, 1.0, 1.0, 0.0, nan], dtype=torch.float64)
    assert torch._standard_gamma_grad(alpha, x).isnan().tolist() == [True, True, True, True, False, True]
    assert torch._dirichlet_grad(x * 0.5, alpha, alpha + 1).isnan().tolist() == [False, True, True, True, False, True]


@pytest.mark.parametrize("total", [1e3, 1e6, 1e9, 1e12])
def test_large_concentrations_are_those_of_a_normal_distribution(total):
    """At the mean of a symmetric distribution a sample moves as the mean does: by b / total^2, over 1 - x."""
    half = torch.tensor(0.5, dtype=torch.float64)
    slope = torch._dirichlet_grad(half, half * total, half * 2 * total)
    torch.testing.assert_close(slope.item() * total, 1.0, rtol=2 / total + 1e-6, atol=0)
    shape = torch.tensor(total, dtype=torch.float64)
    assert abs(torch._standard_gamma_grad(shape, shape).item() - 1) < 1 / total


@pytest.mark.parametrize("dtype", [torch.float64, torch.complex128])
@pytest.mark.parametrize("dim", [0, 1])
def test_cumprod_with_zeros_by_both_ways(dtype, dim):
    torch.manual_seed(0)
    x, grad = torch.randn(6, 9, dtype=dtype), torch.randn(6, 9, dtype=dtype)
    x[0, 0] = x[1, 4] = x[1, 6] = x[2, 8] = 0
    x[3, :] = x[4, 3:5] = 0
    x.requires_grad_()
    (short,) = torch.autograd.grad(x.cumprod(dim), x, grad)
    (differentiable,) = torch.autograd.grad(x.cumprod(dim), x, grad, create_graph=True)
    torch.testing.assert_close(short, differentiable.detach())
