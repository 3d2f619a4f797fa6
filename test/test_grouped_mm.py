"""F.grouped_mm, weights in 4 bits, and F.interpolate(mode="lanczos")."""

import pytest

import torch
import torch.nn.functional as F


def test_experts_of_a_mixture():
    rows, experts = torch.randn(7, 4, requires_grad=True), torch.randn(3, 4, 5, requires_grad=True)
    ends = torch.tensor([2, 2, 7], dtype=torch.int32)
    y = F.grouped_mm(rows, experts, offs=ends)
    expected = torch.cat([rows[:2] @ experts[0], rows[2:] @ experts[2]])
    torch.testing.assert_close(y, expected)
    grads = torch.autograd.grad(y.sin().sum(), (rows, experts))
    torch.testing.assert_close(grads[0], torch.autograd.grad(expected.sin().sum(), rows)[0])
    assert grads[1][1].eq(0).all()


def test_weights_in_4_bits_are_packed_and_unpacked():
    """The product with the identity gives the weights back."""
    weight = torch.randint(0, 16, (16, 64), dtype=torch.int32)
    packed = torch._convert_weight_to_int4pack_for_cpu(weight, 1)
    scales = torch.tensor([1.0, 8.0]).expand(2, 16, 2)
    found = torch._weight_int4pack_mm_for_cpu(torch.eye(64), packed, 32, scales)
    assert packed.shape == (16, 32) and torch.equal(found.t().to(torch.int32), weight)


@pytest.mark.parametrize("size", [(3, 3), (8, 8), (11, 5)])
def test_lanczos_keeps_constants_and_straight_lines(size):
    x = torch.arange(8.0).expand(8, 8)[None, None]
    y = F.interpolate(x, size, mode="lanczos", antialias=True)
    torch.testing.assert_close(y[..., 0, :], y[..., -1, :])
    torch.testing.assert_close(
        F.interpolate(torch.ones(1, 1, 8, 8), size, mode="lanczos", antialias=True), torch.ones(1, 1, *size)
    )


def test_lanczos_refuses_what_it_has_not():
    x = torch.ones(1, 1, 4, 4)
    with pytest.raises(ValueError, match="needs antialias"):
        F.interpolate(x, (2, 2), mode="lanczos")
    with pytest.raises(ValueError, match="align_corners"):
        F.interpolate(x, (2, 2), mode="lanczos", antialias=True, align_corners=True)
    with pytest.raises(ValueError, match="4-D"):
        F.interpolate(x[0], (2,), mode="lanczos", antialias=True)
