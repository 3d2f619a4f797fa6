"""soft_margin_loss of complex numbers: both derivatives, and the mean of a target that is broadcast."""

import pytest

import torch
import torch.nn.functional as F

SIGNS = torch.tensor([[1, -1, 1], [1, 1, -1]])


@pytest.mark.parametrize("reduction", ["none", "mean", "sum"])
@pytest.mark.parametrize("target", [SIGNS[0], SIGNS, torch.tensor([0.5 + 1j, -1, 2j], dtype=torch.complex128)])
def test_derivatives(reduction, target):
    x = torch.randn(3, dtype=torch.complex128, generator=torch.Generator().manual_seed(0), requires_grad=True)

    def loss(x):
        return F.soft_margin_loss(x, target, reduction=reduction)

    assert torch.autograd.gradcheck(loss, (x,))
    assert torch.autograd.gradgradcheck(loss, (x,))
