"""Maxima of windows whose channels are innermost are found some channels at a time: as with planes, one after the other."""

import pytest

import torch

DTYPES = [torch.uint8, torch.int16, torch.int32, torch.int64, torch.float16, torch.bfloat16, torch.float32, torch.float64]


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("channels", [1023, 2047, 2048, 2049, 3071, 5000])
def test_channels_last(channels, dtype):
    torch.manual_seed(0)
    x = torch.randint(0, 100, (2, channels, 5, 6)).to(dtype)
    if dtype.is_floating_point:
        x[0, :, 2, 3] = float("nan")
        x[1, ::7] = -float("inf")
    for f in (
        lambda t: torch.nn.functional.max_pool2d(t, 3, 2, 1, return_indices=True),
        lambda t: torch.nn.functional.max_pool2d(t, 2, return_indices=True),
        lambda t: torch.nn.functional.adaptive_max_pool2d(t, (3, 4), return_indices=True),
    ):
        values, indices = f(x)
        values_last, indices_last = f(x.contiguous(memory_format=torch.channels_last))
        assert torch.equal(indices, indices_last)
        assert torch.equal(
            values.nan_to_num(-1) if dtype.is_floating_point else values,
            values_last.nan_to_num(-1) if dtype.is_floating_point else values_last,
        )
