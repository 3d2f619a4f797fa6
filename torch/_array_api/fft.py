"""Fourier transforms of the array API standard (an extension)."""

from __future__ import annotations

import torch
from torch import Tensor

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Literal

    Norm = Literal["backward", "ortho", "forward"]

__all__ = [
    *("fft", "fftfreq", "fftn", "fftshift", "hfft", "ifft", "ifftn", "ifftshift", "ihfft", "irfft", "irfftn", "rfft"),
    *("rfftfreq", "rfftn"),
]


def _along_one_axis(name: str, doc: str) -> Callable[..., Tensor]:
    compute = getattr(torch.fft, name)

    def function(x: Tensor, /, *, n: int | None = None, axis: int = -1, norm: Norm = "backward") -> Tensor:
        return compute(x, n=n, dim=axis, norm=norm)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = doc
    return function


def _along_axes(name: str, doc: str) -> Callable[..., Tensor]:
    compute = getattr(torch.fft, name)

    def function(
        x: Tensor, /, *, s: Sequence[int] | None = None, axes: Sequence[int] | None = None, norm: Norm = "backward"
    ) -> Tensor:
        return compute(x, s=s, dim=axes, norm=norm)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = doc
    return function


fft = _along_one_axis("fft", "The discrete Fourier transform along an axis.")
ifft = _along_one_axis("ifft", "The inverse of fft.")
rfft = _along_one_axis("rfft", "The half of fft that determines the rest, for real input.")
irfft = _along_one_axis("irfft", "The inverse of rfft.")
hfft = _along_one_axis("hfft", "fft of a signal with Hermitian symmetry: the result is real.")
ihfft = _along_one_axis("ihfft", "The inverse of hfft.")
fftn = _along_axes("fftn", "The discrete Fourier transform along several axes.")
ifftn = _along_axes("ifftn", "The inverse of fftn.")
rfftn = _along_axes("rfftn", "The half of fftn that determines the rest, for real input.")
irfftn = _along_axes("irfftn", "The inverse of rfftn.")


def fftfreq(n: int, /, *, d: float = 1.0, dtype: torch.dtype | None = None, device: torch.device | str | None = None) -> Tensor:
    """The frequencies of fft of `n` samples at distance `d`."""
    return torch.fft.fftfreq(n, d, dtype=dtype, device=device)


def rfftfreq(n: int, /, *, d: float = 1.0, dtype: torch.dtype | None = None, device: torch.device | str | None = None) -> Tensor:
    """The frequencies of rfft of `n` samples at distance `d`."""
    return torch.fft.rfftfreq(n, d, dtype=dtype, device=device)


def _listed(axes: int | Sequence[int] | None) -> list[int] | None:
    return [axes] if isinstance(axes, int) else axes if axes is None else list(axes)


def fftshift(x: Tensor, /, *, axes: int | Sequence[int] | None = None) -> Tensor:
    """Moves the zero frequency to the middle."""
    return torch.fft.fftshift(x, _listed(axes))


def ifftshift(x: Tensor, /, *, axes: int | Sequence[int] | None = None) -> Tensor:
    """The inverse of fftshift."""
    return torch.fft.ifftshift(x, _listed(axes))
