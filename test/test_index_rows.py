"""index_select along the last dimension, for rows and selections of all lengths."""

import numpy as np
import pytest

import torch


@pytest.mark.parametrize("dtype", (torch.uint8, torch.int16, torch.float32, torch.float64, torch.complex128), ids=str)
@pytest.mark.parametrize("shape", ((3, 16), (5, 40), (4, 2000), (70, 33), (200, 9)))
def test_columns(dtype, shape):
    x = torch.randint(0, 100, shape).to(dtype)
    for m in (1, 5, 32, 33, 600, 20_000):
        index = torch.randint(0, shape[1], (m,))
        np.testing.assert_array_equal(x.index_select(1, index).numpy(), x.numpy()[:, index.numpy()])


@pytest.mark.parametrize("place", (-41, -1, 40, 2**40))
@pytest.mark.parametrize("m", (1, 40, 1000))
def test_columns_that_are_not_there(place, m):
    index = torch.zeros(m, dtype=torch.int64)
    index[-1] = place
    with pytest.raises(IndexError, match="index out of range in self"):
        torch.zeros(5, 40).index_select(1, index)
