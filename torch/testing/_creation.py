"""Random tensors for tests."""

from __future__ import annotations

import math

import torch

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from typing import Any

_INTEGERS = (torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64, torch.uint16, torch.uint32, torch.uint64)


def make_tensor(
    *shape: Any, dtype: torch.dtype, device: Any, low: float | None = None, high: float | None = None,
    requires_grad: bool = False, noncontiguous: bool = False, exclude_zero: bool = False,
    memory_format: torch.memory_format | None = None,
) -> torch.Tensor:  # fmt: skip
    """A tensor of uniform random values, for tests.

    Args:
        *shape (int or Sequence[int]): the lengths of dimensions
        dtype (torch.dtype): of the elements
        device (torch.device or str): of the tensor
        low (float, optional): the least value: by default -9, 0 for unsigned integers and booleans
        high (float, optional): above the greatest value: by default 9, 10 for integers, 2 for booleans
        requires_grad (bool, default False): whether it wants a gradient
        noncontiguous (bool, default False): every second element of a larger tensor
        exclude_zero (bool, default False): zeros become the smallest positive value
        memory_format (torch.memory_format, optional): the order in memory

    Returns:
        the tensor

    Raises:
        ValueError: arguments that exclude each other, or low is above high

    Example:
        >>> x = torch.testing.make_tensor(2, 3, dtype=torch.int64, device="cpu", low=0, high=5)
        >>> x.shape, bool((x < 5).all())
        (torch.Size([2, 3]), True)
    """
    if len(shape) == 1 and isinstance(shape[0], (tuple, list)):
        shape = tuple(shape[0])
    if requires_grad and not (dtype.is_floating_point or dtype.is_complex):
        raise ValueError(f"`requires_grad=True` is not supported for boolean and integral dtypes, but got dtype={dtype!r}")
    if noncontiguous and memory_format is not None:
        raise ValueError(
            f"The parameters `noncontiguous` and `memory_format` are mutually exclusive, but got {noncontiguous=} "
            f"and {memory_format=}"
        )
    low, high = _bounds(dtype, low, high)
    spread = noncontiguous and len(shape) > 0 and math.prod(shape) > 1
    full = (*shape[:-1], shape[-1] * 2) if spread else shape  # every other element is dropped later
    if dtype == torch.bool:
        result = torch.randint(int(low), int(math.ceil(high)), full, dtype=torch.int64, device=device).bool()
    elif dtype in _INTEGERS:
        result = torch.randint(math.floor(low), math.ceil(high), full, dtype=torch.int64, device=device).to(dtype)
    elif dtype.is_complex:
        part = {torch.complex64: torch.float32, torch.complex128: torch.float64}.get(dtype, torch.float32)
        pairs = torch.empty((*full, 2), dtype=part, device=device).uniform_(low, high)
        result = torch.view_as_complex(pairs).to(dtype)
    else:
        wide = dtype if dtype in (torch.float32, torch.float64, torch.float16, torch.bfloat16) else torch.float32
        result = torch.empty(full, dtype=wide, device=device).uniform_(low, high).to(dtype)
    if spread:
        result = result[..., 1::2]
    if memory_format is not None:
        result = result.contiguous(memory_format=memory_format)
    if exclude_zero:
        tiny = torch.finfo(dtype).tiny if dtype.is_floating_point or dtype.is_complex else 1
        result[result == 0] = tiny
    return result.requires_grad_(requires_grad)


def _bounds(dtype, low, high):
    if dtype == torch.bool:
        minimum, maximum, defaults = 0, 2, (0, 2)
    elif dtype in _INTEGERS:
        info = torch.iinfo(dtype)
        minimum, maximum, defaults = info.min, info.max + (dtype != torch.int64), (0, 10) if info.min == 0 else (-9, 10)
        defaults = (0, 10) if info.min == 0 else (-9, 10)
    else:
        info = torch.finfo(dtype)
        minimum, maximum, defaults = info.min, info.max, (-9, 9)
    low = defaults[0] if low is None else low
    high = defaults[1] if high is None else high
    if any(isinstance(bound, float) and math.isnan(bound) for bound in (low, high)):
        raise ValueError(f"`low` and `high` cannot be NaN, but got {low=} and {high=}")
    if low > high:
        raise ValueError(f"make_tensor: low must be at most high, got low={low}, high={high}")
    return max(low, minimum), min(high, maximum)
