"""sigmoid and silu of numbers whose exponentials overflow, beside others in the same register."""

import math

import pytest

import torch
import torch.nn.functional as F

LARGE = (
    math.nan,
    math.inf,
    -math.inf,
    80.0,
    -80.0,
    80.5,
    -80.5,
    88.0,
    -88.0,
    89.0,
    -89.0,
    -103.0,
    -104.0,
    1e4,
    -1e4,
    700.0,
    -700.0,
    -740.0,
    -746.0,
)


@pytest.mark.parametrize("dtype", (torch.float32, torch.float64, torch.bfloat16, torch.float16), ids=str)
def test_sigmoid_and_silu(dtype):
    for value in LARGE:
        x = torch.linspace(-4, 4, 37).to(dtype)
        x[5] = value
        exact = [1 / (1 + math.exp(-v)) if v > -700 else math.exp(v) if v == v else v for v in x.tolist()]
        for found, expected in (
            (x.sigmoid(), exact),
            (F.silu(x), [v * e if v > -700 else v * math.exp(v / 2) * math.exp(v / 2) for v, e in zip(x.tolist(), exact)]),
        ):
            rounded = torch.tensor(expected, dtype=torch.float64).to(dtype)
            torch.testing.assert_close(
                found, rounded, rtol=4 * torch.finfo(dtype).eps, atol=4e-45 if dtype == torch.float32 else 0, equal_nan=True
            )
