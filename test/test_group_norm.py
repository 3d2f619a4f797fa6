"""The moments of groups, which are merged from those of pieces of 2,048 elements."""

import pytest

import torch
import torch.nn.functional as F


def expected(x, groups, eps):
    rows = x.double().reshape(x.shape[0] * groups, -1)
    middle = rows.mean(1, keepdim=True)
    variance = (rows - middle).square().mean(1, keepdim=True)
    return ((rows - middle) / (variance + eps).sqrt()).reshape(x.shape)


@pytest.mark.parametrize("length", (1, 2047, 2048, 2049, 4096, 5000))
@pytest.mark.parametrize("dtype", (torch.float32, torch.float64, torch.bfloat16))
def test_lengths_about_pieces(length, dtype):
    x = torch.randn(2, 4, length, generator=torch.Generator().manual_seed(0)).to(dtype)
    x[:, :, length // 2 :] += 3  # pieces of one group have different means
    tolerance = {torch.float64: 1e-12, torch.float32: 1e-5, torch.bfloat16: 2e-2}[dtype]
    torch.testing.assert_close(F.group_norm(x, 2).double(), expected(x, 2, 1e-5), rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("value", (0.1, 1.1, 3.3, 33333.3, 1e8 / 7))
@pytest.mark.parametrize("length", (100, 300, 3000))
def test_groups_of_equal_numbers_are_finite(value, length):
    x = torch.full((1, 2, length), value)
    for eps in (1e-5, 1e-12):
        _, middle, scale = torch.native_group_norm(x, None, None, 1, 2, length, 1, eps)
        assert scale.isfinite().all() and (scale > 0).all()
        assert torch.equal(middle, x[:, 0, :1])


def test_nan_and_infinity_stay_in_their_group():
    x = torch.ones(1, 4, 3000)
    x[0, 0, 7], x[0, 2, 2999] = float("nan"), float("inf")
    result = F.group_norm(x, 4)
    assert result[0, 0].isnan().all() and result[0, 2].isnan().all()
    assert result[0, [1, 3]].isfinite().all()
