"""Operators on expanded rows compute one row and repeat it: short rows by blocks, results past the caches by streams."""

import numpy as np
import pytest

import torch


@pytest.mark.parametrize("length", [1, 3, 17, 64, 1023, 1024, 1025, 4000, 8193])
@pytest.mark.parametrize("dtype", [np.uint8, np.float32, np.complex128])
def test_rows_are_repeated(length, dtype):
    row = (np.arange(length) % 101 + 1).astype(dtype)
    for rows in (2, 5, 40_000 // length + 3):
        expected = np.broadcast_to(row, (rows, length))
        expanded = torch.from_numpy(row).expand(rows, length)
        assert np.array_equal(expanded.contiguous().numpy(), expected)
        assert np.array_equal(torch.neg(expanded).numpy(), -expected)


@pytest.mark.parametrize("length", [1, 17, 1025, 30_000])
def test_results_past_the_caches(length):
    row = np.arange(length, dtype=np.float32) + 1
    rows = 48_000_000 // row.nbytes
    threads = torch.get_num_threads()
    try:
        torch.set_num_threads(1)  # each thread repeats its own part
        result = torch.from_numpy(row).expand(rows, length).contiguous().numpy()
    finally:
        torch.set_num_threads(threads)
    assert np.array_equal(result, np.broadcast_to(row, (rows, length)))
