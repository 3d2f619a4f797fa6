"""Window functions. Each is a function of the distance from the middle of the window, computed in float64.

The formulas are those of Harris, "On the use of windows for harmonic analysis with the discrete Fourier transform", 1978, and
Nuttall, "Some windows with very good sidelobe behavior", 1981.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from operator import index
from typing import Any

import torch
from torch import Tensor


class _Window:
    """The arguments that all window functions take, checked."""

    def __init__(self, name: str, M: Any, sym: bool, dtype: Any, layout: Any, device: Any, requires_grad: bool) -> None:
        self.points, self.sym, self.dtype = index(M), sym, torch.get_default_dtype() if dtype is None else dtype
        self.device, self.requires_grad = device, requires_grad
        if self.points < 0:
            raise ValueError(f"{name}: expected M to be 0 or more, got M={M}")
        if layout is not torch.strided:
            raise ValueError(f"{name}: expected layout torch.strided, got {layout}")
        if self.dtype not in (torch.float32, torch.float64):
            raise ValueError(f"{name}: expected dtype float32 or float64, got {self.dtype}")
        # The steps from the first point of the window to the last one, which a periodic window leaves out.
        self.steps = max(0, self.points - 1) if sym else self.points

    def places(self) -> Tensor:
        """0, 1, 2, ..."""
        return torch.arange(self.points, dtype=torch.float64, device=self.device)

    def distances(self) -> Tensor:
        """How far each point is from the middle."""
        return self.places() - self.steps / 2

    def cosines(self, a: Iterable[float]) -> Tensor:
        """a[0] - a[1] cos(t) + a[2] cos(2 t) - ..., where t goes from 0 to 2 pi over the window."""
        t = self.places() * (2 * math.pi / max(self.steps, 1))
        terms = [(-1) ** k * value * torch.cos(k * t) for k, value in enumerate(a)]
        return torch.stack(terms).sum(0)

    def result(self, values: Tensor) -> Tensor:
        found = torch.ones_like(values) if self.points == 1 else values
        return found.to(self.dtype).requires_grad_(self.requires_grad)


def bartlett(
    M: int, *, sym: bool = True, dtype: torch.dtype | None = None,
    layout: torch.layout = torch.strided, device: Any = None, requires_grad: bool = False,
) -> Tensor:  # fmt: skip
    """A triangle from 0 to 1 and back.

    Args:
        M (int): the number of points
        sym (bool, default True): False: one period of a periodic function, for transforms
        requires_grad (bool, default False): whether the result requires a gradient

    Returns:
        a vector of float32 or float64

    Raises:
        ValueError: an argument is out of range

    Example:
        >>> torch.signal.windows.bartlett(5)
        tensor([0.0000, 0.5000, 1.0000, 0.5000, 0.0000])
    """
    window = _Window("bartlett", M, sym, dtype, layout, device, requires_grad)
    return window.result(1 - (2 * window.distances() / max(window.steps, 1)).abs())


def blackman(
    M: int, *, sym: bool = True, dtype: torch.dtype | None = None,
    layout: torch.layout = torch.strided, device: Any = None, requires_grad: bool = False,
) -> Tensor:  # fmt: skip
    """The Blackman window, `0.42 - 0.5 cos(t) + 0.08 cos(2 t)`.

    Args:
        M (int): the number of points
        sym (bool, default True): False: one period of a periodic function, for transforms
        requires_grad (bool, default False): whether the result requires a gradient

    Returns:
        a vector of float32 or float64

    Raises:
        ValueError: an argument is out of range

    Example:
        >>> torch.signal.windows.blackman(4, sym=False)[1:]
        tensor([0.3400, 1.0000, 0.3400])
    """
    window = _Window("blackman", M, sym, dtype, layout, device, requires_grad)
    return window.result(window.cosines((0.42, 0.5, 0.08)))


def cosine(
    M: int, *, sym: bool = True, dtype: torch.dtype | None = None,
    layout: torch.layout = torch.strided, device: Any = None, requires_grad: bool = False,
) -> Tensor:  # fmt: skip
    """Half a period of a sine.

    Args:
        M (int): the number of points
        sym (bool, default True): False: one period of a periodic function, for transforms
        requires_grad (bool, default False): whether the result requires a gradient

    Returns:
        a vector of float32 or float64

    Raises:
        ValueError: an argument is out of range

    Example:
        >>> torch.signal.windows.cosine(4)
        tensor([0.3827, 0.9239, 0.9239, 0.3827])
    """
    window = _Window("cosine", M, sym, dtype, layout, device, requires_grad)
    return window.result(torch.sin((window.places() + 0.5) * (math.pi / (window.steps + 1))))


def exponential(
    M: int, *, center: float | None = None, tau: float = 1.0, sym: bool = True, dtype: torch.dtype | None = None,
    layout: torch.layout = torch.strided, device: Any = None, requires_grad: bool = False,
) -> Tensor:  # fmt: skip
    """A double exponential, `exp(-abs(n - center) / tau)`.

    Args:
        M (int): the number of points
        center (float, optional): the place of the maximum, for sym=False; None: the middle
        tau (float, default 1.0): the number of points over which it falls to 1 / e
        sym (bool, default True): False: one period of a periodic function, for transforms
        requires_grad (bool, default False): whether the result requires a gradient

    Returns:
        a vector of float32 or float64

    Raises:
        ValueError: an argument is out of range

    Example:
        >>> torch.signal.windows.exponential(3)
        tensor([0.3679, 1.0000, 0.3679])
    """
    window = _Window("exponential", M, sym, dtype, layout, device, requires_grad)
    if tau <= 0:
        raise ValueError(f"exponential: expected tau to be positive, got {tau}")
    if sym and center is not None:
        raise ValueError("exponential: center is for sym=False only")
    distances = window.distances() if center is None else window.places() - center
    return window.result(torch.exp(-distances.abs() / tau))


def gaussian(
    M: int, *, std: float = 1.0, sym: bool = True, dtype: torch.dtype | None = None,
    layout: torch.layout = torch.strided, device: Any = None, requires_grad: bool = False,
) -> Tensor:  # fmt: skip
    """A normal curve, `exp(-(n - middle)**2 / (2 std**2))`.

    Args:
        M (int): the number of points
        std (float, default 1.0): the standard deviation, in points
        sym (bool, default True): False: one period of a periodic function, for transforms
        requires_grad (bool, default False): whether the result requires a gradient

    Returns:
        a vector of float32 or float64

    Raises:
        ValueError: an argument is out of range

    Example:
        >>> torch.signal.windows.gaussian(3)
        tensor([0.6065, 1.0000, 0.6065])
    """
    window = _Window("gaussian", M, sym, dtype, layout, device, requires_grad)
    if std <= 0:
        raise ValueError(f"gaussian: expected std to be positive, got {std}")
    return window.result(torch.exp(-0.5 * (window.distances() / std) ** 2))


def general_cosine(
    M: int, *, a: Iterable, sym: bool = True, dtype: torch.dtype | None = None,
    layout: torch.layout = torch.strided, device: Any = None, requires_grad: bool = False,
) -> Tensor:  # fmt: skip
    """A sum of cosines, `a[0] - a[1] cos(t) + a[2] cos(2 t) - ...`.

    Args:
        M (int): the number of points
        a (list or tuple of float): the weights
        sym (bool, default True): False: one period of a periodic function, for transforms
        requires_grad (bool, default False): whether the result requires a gradient

    Returns:
        a vector of float32 or float64

    Raises:
        ValueError: an argument is out of range

    Example:
        >>> torch.signal.windows.general_cosine(3, a=[0.5, 0.5])
        tensor([0., 1., 0.])
    """
    window = _Window("general_cosine", M, sym, dtype, layout, device, requires_grad)
    if not isinstance(a, Iterable):
        raise TypeError(f"general_cosine: expected a list or tuple of weights, got {type(a).__name__}")
    weights = tuple(a)
    if not weights:
        raise ValueError("general_cosine: expected at least one weight")
    return window.result(window.cosines(weights))


def general_hamming(
    M: int, *, alpha: float = 0.54, sym: bool = True, dtype: torch.dtype | None = None,
    layout: torch.layout = torch.strided, device: Any = None, requires_grad: bool = False,
) -> Tensor:  # fmt: skip
    """A raised cosine, `alpha - (1 - alpha) cos(t)`.

    Args:
        M (int): the number of points
        alpha (float, default 0.54): the mean
        sym (bool, default True): False: one period of a periodic function, for transforms
        requires_grad (bool, default False): whether the result requires a gradient

    Returns:
        a vector of float32 or float64

    Raises:
        ValueError: an argument is out of range

    Example:
        >>> torch.signal.windows.general_hamming(3, alpha=0.5)
        tensor([0., 1., 0.])
    """
    window = _Window("general_hamming", M, sym, dtype, layout, device, requires_grad)
    return window.result(window.cosines((alpha, 1 - alpha)))


def hamming(
    M: int, *, sym: bool = True, dtype: torch.dtype | None = None,
    layout: torch.layout = torch.strided, device: Any = None, requires_grad: bool = False,
) -> Tensor:  # fmt: skip
    """The Hamming window, `0.54 - 0.46 cos(t)`.

    Args:
        M (int): the number of points
        sym (bool, default True): False: one period of a periodic function, for transforms
        requires_grad (bool, default False): whether the result requires a gradient

    Returns:
        a vector of float32 or float64

    Raises:
        ValueError: an argument is out of range

    Example:
        >>> torch.signal.windows.hamming(3)
        tensor([0.0800, 1.0000, 0.0800])
    """
    window = _Window("hamming", M, sym, dtype, layout, device, requires_grad)
    return window.result(window.cosines((0.54, 0.46)))


def hann(
    M: int, *, sym: bool = True, dtype: torch.dtype | None = None,
    layout: torch.layout = torch.strided, device: Any = None, requires_grad: bool = False,
) -> Tensor:  # fmt: skip
    """The Hann window, `0.5 - 0.5 cos(t)`.

    Args:
        M (int): the number of points
        sym (bool, default True): False: one period of a periodic function, for transforms
        requires_grad (bool, default False): whether the result requires a gradient

    Returns:
        a vector of float32 or float64

    Raises:
        ValueError: an argument is out of range

    Example:
        >>> torch.signal.windows.hann(3)
        tensor([0., 1., 0.])
    """
    window = _Window("hann", M, sym, dtype, layout, device, requires_grad)
    return window.result(window.cosines((0.5, 0.5)))


def kaiser(
    M: int, *, beta: float = 12.0, sym: bool = True, dtype: torch.dtype | None = None,
    layout: torch.layout = torch.strided, device: Any = None, requires_grad: bool = False,
) -> Tensor:  # fmt: skip
    """The Kaiser window, `i0(beta * sqrt(1 - x**2)) / i0(beta)` with x from -1 to 1.

    Args:
        M (int): the number of points
        beta (float, default 12.0): the larger, the wider the main lobe and the smaller the others
        sym (bool, default True): False: one period of a periodic function, for transforms
        requires_grad (bool, default False): whether the result requires a gradient

    Returns:
        a vector of float32 or float64

    Raises:
        ValueError: an argument is out of range

    Example:
        >>> torch.signal.windows.kaiser(3, beta=2.0)
        tensor([0.4387, 1.0000, 0.4387])
    """
    window = _Window("kaiser", M, sym, dtype, layout, device, requires_grad)
    if beta < 0:
        raise ValueError(f"kaiser: expected beta to be 0 or more, got {beta}")
    return window.result(torch.kaiser_window(window.points, not sym, float(beta), dtype=torch.float64, device=device))


def nuttall(
    M: int, *, sym: bool = True, dtype: torch.dtype | None = None,
    layout: torch.layout = torch.strided, device: Any = None, requires_grad: bool = False,
) -> Tensor:  # fmt: skip
    """The Blackman-Nuttall window, of four cosines.

    Args:
        M (int): the number of points
        sym (bool, default True): False: one period of a periodic function, for transforms
        requires_grad (bool, default False): whether the result requires a gradient

    Returns:
        a vector of float32 or float64

    Raises:
        ValueError: an argument is out of range

    Example:
        >>> torch.signal.windows.nuttall(3)
        tensor([3.6280e-04, 1.0000e+00, 3.6280e-04])
    """
    window = _Window("nuttall", M, sym, dtype, layout, device, requires_grad)
    return window.result(window.cosines((0.3635819, 0.4891775, 0.1365995, 0.0106411)))
