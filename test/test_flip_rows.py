"""flip along a dimension that short rows of elements follow."""

import pytest

import torch


@pytest.mark.parametrize("dtype", [torch.int8, torch.int16, torch.int32, torch.int64, torch.complex128], ids=str)
@pytest.mark.parametrize("n", [1, 2, 7, 15, 16, 17, 31, 33, 64, 65, 130])
def test_rows(dtype, n):
    for width in range(1, 12):
        x = torch.arange(3 * n * width).reshape(3, n, width).to(dtype)
        expected = x[:, torch.arange(n - 1, -1, -1)]
        assert torch.equal(x.flip(1), expected)
        assert torch.equal(x.transpose(1, 2).flip(-1), expected.transpose(1, 2))
