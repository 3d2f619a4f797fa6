"""Group normalization of channels-last images against the definition in double precision."""

import pytest

import torch
import torch.nn.functional as F

TOLERANCE = {torch.double: 1e-12, torch.float: 1e-5, torch.bfloat16: 4e-2, torch.half: 5e-3}


def by_definition(x, groups, weight, bias, eps):
    rows = x.double().reshape(x.shape[0], groups, -1)
    mean, variance = rows.mean(-1, keepdim=True), rows.var(-1, correction=0, keepdim=True)
    y = ((rows - mean) / (variance + eps).sqrt()).reshape(x.shape)
    shape = (1, -1, *[1] * (x.dim() - 2))
    return y if weight is None else y * weight.double().view(shape) + bias.double().view(shape)


@pytest.mark.parametrize("dtype", TOLERANCE, ids=str)
@pytest.mark.parametrize("groups, width", [(1, 1), (4, 25), (3, 1), (8, 4), (2, 700), (32, 8)])
@pytest.mark.parametrize("batch, size", [(1, (1, 2)), (3, (7, 5)), (2, (20, 31)), (2, (3, 4, 5))])
@pytest.mark.parametrize("threads", [1, 2])
def test_result(dtype, groups, width, batch, size, threads):
    x = (torch.randn(batch, groups * width, *size) * 3 + 1).to(dtype)
    x = x.contiguous(memory_format=torch.channels_last if len(size) == 2 else torch.channels_last_3d)
    weight, bias = torch.rand(groups * width).to(dtype), torch.rand(groups * width).to(dtype)
    before = torch.get_num_threads()
    torch.set_num_threads(threads)
    try:
        for w, b in ((weight, bias), (None, None)):
            found = F.group_norm(x, groups, w, b, 1e-3)
            expected = by_definition(x, groups, w, b, 1e-3)
            torch.testing.assert_close(found.double(), expected, rtol=TOLERANCE[dtype], atol=TOLERANCE[dtype])
    finally:
        torch.set_num_threads(before)


def test_images_far_from_zero():
    x = torch.randn(2, 16, 40, 40, dtype=torch.double) + 1000
    x[:, :, 0, :3] = 0  # a dark edge
    x = x.float().contiguous(memory_format=torch.channels_last)
    found = F.group_norm(x, 4)
    torch.testing.assert_close(found.double(), by_definition(x, 4, None, None, 1e-5), rtol=1e-5, atol=1e-5)


def test_equal_numbers():
    x = torch.full((2, 8, 5, 5), 3.3).contiguous(memory_format=torch.channels_last)
    assert torch.equal(F.group_norm(x, 2), torch.zeros_like(x))
