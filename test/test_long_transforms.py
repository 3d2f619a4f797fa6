"""Fourier transforms that are too long for the caches: products of short ones, convolutions, real ones of half the length."""

import numpy as np
import pytest

import torch

PRIME = 16411
LENGTHS = [
    1 << 14,  # two large factors
    (1 << 14) + 1,
    61 * 61 * 5,  # no balanced factors, but small primes
    PRIME,
    2 * PRIME,
    3 * PRIME,
    4 * PRIME,
    1 << 18,
    3 << 17,
    2 * 131101,  # twice a prime
]


def close(found, expected):
    tolerance = 2e-6 if found.dtype in (torch.float32, torch.complex64) else 1e-14
    assert np.abs(found.numpy() - expected).max() <= tolerance * np.abs(expected).max()


@pytest.mark.parametrize("strided", [False, True])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("n, rows", [(n, rows) for n in LENGTHS for rows in (1, 3, 9) if n * rows < 1000000])
def test_both_directions(n, dtype, rows, strided):
    torch.manual_seed(0)
    numbers = torch.randn(n, rows, 2, dtype=dtype) if strided else torch.randn(2, rows, n, dtype=dtype).permute(2, 1, 0)
    x, z = numbers[..., 0].t(), torch.complex(numbers[..., 0], numbers[..., 1]).t()
    z = z if strided else z.contiguous()
    wide, wide_z = x.double().numpy(), z.to(torch.complex128).numpy()
    close(torch.fft.fft(z), np.fft.fft(wide_z))
    close(torch.fft.ifft(z), np.fft.ifft(wide_z))
    close(torch.fft.rfft(x), np.fft.rfft(wide))
    close(torch.fft.fft(x), np.fft.fft(wide))
    # The imaginary parts of the first value, and of the last one for even n, do not count.
    half = z[:, : n // 2 + 1]
    close(torch.fft.irfft(half, n), np.fft.irfft(wide_z[:, : n // 2 + 1], n))
    close(torch.fft.hfft(half, n, norm="ortho"), np.fft.hfft(wide_z[:, : n // 2 + 1], n, norm="ortho"))


@pytest.mark.parametrize("n", [PRIME, 2 * PRIME])
def test_along_the_first_dimension(n):
    x = torch.randn(n, 2, dtype=torch.float64)
    close(torch.fft.rfft(x, dim=0), np.fft.rfft(x.numpy(), axis=0))
    y = torch.randn(n // 2 + 1, 2, dtype=torch.complex128)
    close(torch.fft.irfft(y, n, dim=0), np.fft.irfft(y.numpy(), n, axis=0))


def test_threads():
    threads = torch.get_num_threads()
    x = torch.randn(3, 2 * PRIME)
    try:
        found = []
        for torch_threads in (1, 2):
            torch.set_num_threads(torch_threads)
            found.append([torch.fft.rfft(x), torch.fft.rfft(x[0]), torch.fft.fft(x[0])])
    finally:
        torch.set_num_threads(threads)
    for one, two in zip(*found, strict=True):
        assert torch.equal(one, two)
