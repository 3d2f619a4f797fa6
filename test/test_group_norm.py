"""Group normalization: the moments of groups, which are merged from those of pieces, and channels-last images."""

import pytest

import torch
import torch.nn.functional as F


def expected(x, groups, eps, weight=None, bias=None):
    rows = x.double().reshape(x.shape[0] * groups, -1)
    middle = rows.mean(1, keepdim=True)
    variance = (rows - middle).square().mean(1, keepdim=True)
    y = ((rows - middle) / (variance + eps).sqrt()).reshape(x.shape)
    shape = (1, -1, *[1] * (x.dim() - 2))
    return y if weight is None else y * weight.double().view(shape) + bias.double().view(shape)


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


TOLERANCE = {torch.double: 1e-12, torch.float: 1e-5, torch.bfloat16: 4e-2, torch.half: 5e-3}


@pytest.mark.parametrize("dtype", TOLERANCE, ids=str)
@pytest.mark.parametrize("groups, width", [(1, 1), (4, 25), (3, 1), (8, 4), (2, 700), (32, 8)])
@pytest.mark.parametrize("batch, size", [(1, (1, 2)), (3, (7, 5)), (2, (20, 31)), (2, (3, 4, 5))])
@pytest.mark.parametrize("threads", [1, 2])
def test_channels_last(dtype, groups, width, batch, size, threads):
    x = (torch.randn(batch, groups * width, *size) * 3 + 1).to(dtype)
    x = x.contiguous(memory_format=torch.channels_last if len(size) == 2 else torch.channels_last_3d)
    weight, bias = torch.rand(groups * width).to(dtype), torch.rand(groups * width).to(dtype)
    before = torch.get_num_threads()
    torch.set_num_threads(threads)
    try:
        for w, b in ((weight, bias), (None, None)):
            found = F.group_norm(x, groups, w, b, 1e-3)
            torch.testing.assert_close(
                found.double(), expected(x, groups, 1e-3, w, b), rtol=TOLERANCE[dtype], atol=TOLERANCE[dtype]
            )
    finally:
        torch.set_num_threads(before)


def test_channels_last_images_far_from_zero():
    x = torch.randn(2, 16, 40, 40, dtype=torch.double) + 1000
    x[:, :, 0, :3] = 0  # a dark edge
    x = x.float().contiguous(memory_format=torch.channels_last)
    found = F.group_norm(x, 4)
    torch.testing.assert_close(found.double(), expected(x, 4, 1e-5), rtol=1e-5, atol=1e-5)


def test_channels_last_images_of_equal_numbers():
    x = torch.full((2, 8, 5, 5), 3.3).contiguous(memory_format=torch.channels_last)
    assert torch.equal(F.group_norm(x, 2), torch.zeros_like(x))
