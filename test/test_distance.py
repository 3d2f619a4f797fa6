"""cdist of half types: distances by products have them, as in PyTorch, and others do not."""

import pytest

import torch


@pytest.mark.parametrize("dtype", (torch.bfloat16, torch.float16), ids=str)
@pytest.mark.parametrize("rows, mode", ((30, "use_mm_for_euclid_dist_if_necessary"), (3, "use_mm_for_euclid_dist")))
def test_half_types_by_products(dtype, rows, mode):
    x, y = torch.randn(rows, 5).to(dtype), (torch.randn(4, 5) * 3).to(dtype)
    found = torch.cdist(x, y, compute_mode=mode)
    assert found.dtype == dtype
    torch.testing.assert_close(found.double(), torch.cdist(x.double(), y.double()), rtol=0.05, atol=0.2)


@pytest.mark.parametrize("dtype", (torch.bfloat16, torch.float16), ids=str)
@pytest.mark.parametrize("p, mode", ((1.0, "use_mm_for_euclid_dist"), (2.0, "donot_use_mm_for_euclid_dist")))
def test_half_types_one_by_one(dtype, p, mode):
    x = torch.zeros(30, 5, dtype=dtype)
    with pytest.raises(NotImplementedError, match="cdist"):
        torch.cdist(x, x, p, mode)
    assert torch.cdist(x[:0], x, p, mode).shape == (0, 30)
    assert torch.equal(torch.cdist(x[:, :0], x[:, :0], p, mode), torch.zeros(30, 30, dtype=dtype))
