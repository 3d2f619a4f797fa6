"""torch.asarray: a tensor from anything that holds numbers, over the same memory where possible."""

from __future__ import annotations

from typing import Any

import torch


def asarray(
    obj: Any, *, dtype: torch.dtype | None = None, device: Any = None, copy: bool | None = None, requires_grad: bool = False
) -> torch.Tensor:
    """A tensor from anything that holds numbers, over the same memory where possible.

    Args:
        obj (Tensor, NumPy or CUDA array, DLPack object, buffer, number or nested sequence): the numbers
        dtype (torch.dtype, optional): of the result; by default that of `obj`
        device (device, optional): of the result; by default that of `obj`
        copy (bool, optional): True: always new memory; False: never, or an error; None: where it is needed
        requires_grad (bool, default False): whether the result requires a gradient

    Returns:
        the tensor

    Raises:
        ValueError: copy=False, and a copy is needed
        RuntimeError: `obj` cannot be converted

    Example:
        >>> x = torch.ones(2)
        >>> torch.asarray(x) is x, torch.asarray(x, copy=True) is x
        (True, False)
        >>> torch.asarray([1, 2], dtype=torch.float32)
        tensor([1., 2.])
    """
    shared = _over_same_memory(obj, dtype)
    if shared is None:
        if copy is False:
            raise ValueError(f"asarray: cannot convert {type(obj).__name__} without a copy, which copy=False forbids")
        result = torch.tensor(obj, dtype=dtype, device=device)
        return result.requires_grad_(requires_grad) if requires_grad else result
    differs = (
        dtype is not None and shared.dtype != dtype or device is not None and _elsewhere(shared.device, torch.device(device))
    )
    if differs and copy is False:
        raise ValueError(
            f"asarray: {shared.dtype} on {shared.device} needs a copy to become {dtype} on {device}, which copy=False forbids"
        )
    if not differs and not copy:
        result = shared
        if isinstance(obj, torch.Tensor) and obj.requires_grad and not requires_grad:
            result = shared.detach()
    else:
        result = shared.to(device=device, dtype=dtype, copy=True)
        if not requires_grad and result.requires_grad:
            result = result.detach()
    if requires_grad and not result.requires_grad:
        result = (result.detach() if result is obj and not result.is_leaf else result).requires_grad_()
    return result


def _elsewhere(here: torch.device, there: torch.device) -> bool:
    return here.type != there.type or there.index is not None and here.index != there.index


def _over_same_memory(obj: Any, dtype: torch.dtype | None) -> torch.Tensor | None:
    """A tensor over the memory of `obj`, or None if it has none."""
    if isinstance(obj, torch.Tensor):
        return obj
    if type(obj).__module__ == "numpy":
        import numpy

        if isinstance(obj, numpy.ndarray):
            return torch.from_numpy(obj)
        if isinstance(obj, numpy.generic):
            return torch.from_numpy(numpy.array(obj))
    if hasattr(obj, "__dlpack__"):
        return torch.from_dlpack(obj)
    if hasattr(obj, "__cuda_array_interface__"):
        return torch.as_tensor(obj)
    if hasattr(obj, "__array_interface__"):
        import numpy

        return torch.from_numpy(numpy.asarray(obj))
    if isinstance(obj, (bytes, bytearray, memoryview)) or _is_buffer(obj):
        kind = dtype if dtype is not None else torch.get_default_dtype()
        if not len(memoryview(obj).cast("B")):
            return torch.empty(0, dtype=kind)
        return torch.frombuffer(obj, dtype=kind)
    return None


def _is_buffer(obj: Any) -> bool:
    try:
        memoryview(obj)
    except TypeError:
        return False
    return True


for _value in list(globals().values()):
    if getattr(_value, "__module__", "") == __name__:
        _value.__module__ = "torch"
