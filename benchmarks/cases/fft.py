"""Fourier transforms."""

from cases import Case

import torch


def transform(f, *shape, dtype=torch.complex64):
    """f of random numbers."""

    def make():
        torch.manual_seed(0)
        x = torch.randn(*shape, dtype=dtype)
        return lambda: f(x)

    return Case(make, 1 / 0.95)


CASES = {
    "compute": {
        "fft 1024": transform(torch.fft.fft, 1024),
        "fft 256 x 1024": transform(torch.fft.fft, 256, 1024),
        "fft 65536": transform(torch.fft.fft, 65536),
        "fft2 512 x 512": transform(torch.fft.fft2, 512, 512),
        "fft2 512 x 512 float64": transform(torch.fft.fft2, 512, 512, dtype=torch.complex128),
        "rfft 256 x 1024": transform(torch.fft.rfft, 256, 1024, dtype=torch.float32),
        "irfft 256 x 513": transform(torch.fft.irfft, 256, 513),
        "fft 1009": transform(torch.fft.fft, 1009),
    },
}
