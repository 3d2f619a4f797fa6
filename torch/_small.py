"""Small functions of the top-level namespace that are seldom used."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import _C
from torch.storage import FloatStorage as Storage  # noqa: F401

has_mkl = False
has_spectral = True


def asarray(
    obj: Any, *, dtype: torch.dtype | None = None, device: Any = None, copy: bool | None = None, requires_grad: bool = False
) -> torch.Tensor:
    """A tensor from anything that holds numbers, over the same memory where possible.

    Args:
        obj (Tensor, NumPy array, DLPack object, buffer, number or nested sequence): the numbers
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


def get_device(input: torch.Tensor) -> int:
    """The index of a tensor's device; -1 on the CPU.

    Args:
        input (Tensor): the tensor

    Returns:
        the index

    Example:
        >>> torch.get_device(torch.ones(1))
        -1
    """
    return input.get_device()


def is_distributed(input: torch.Tensor) -> bool:
    """Whether a tensor is spread over devices.

    Args:
        input (Tensor): the tensor

    Returns:
        False

    Example:
        >>> torch.is_distributed(torch.ones(1))
        False
    """
    if not isinstance(input, torch.Tensor):
        raise TypeError(f"is_distributed(): expected input to be a Tensor, got {type(input).__name__}")
    return False


def is_same_size(input: torch.Tensor, other: torch.Tensor) -> bool:
    """Whether two tensors have the same shape.

    Args:
        input (Tensor): one
        other (Tensor): the other

    Returns:
        whether they have

    Example:
        >>> torch.is_same_size(torch.ones(2, 3), torch.ones(3, 2))
        False
    """
    return input.shape == other.shape


def is_vulkan_available() -> bool:
    """Whether this build runs on Vulkan.

    Returns:
        False

    Example:
        >>> torch.is_vulkan_available()
        False
    """
    return False


def init_num_threads() -> None:
    """Set the number of threads to the one that this process began with.

    Example:
        >>> torch.init_num_threads()
    """
    _C.set_num_threads(_threads_at_start)


_threads_at_start = _C.get_num_threads()


def to_dlpack(ext_tensor: torch.Tensor) -> Any:
    """A DLPack capsule over the memory of a tensor.

    Args:
        ext_tensor (Tensor): the tensor

    Returns:
        the capsule

    Example:
        >>> torch.from_dlpack(torch.to_dlpack(torch.ones(2)))
        tensor([1., 1.])
    """
    return torch.utils.dlpack.to_dlpack(ext_tensor)


def thread_safe_generator() -> torch.Generator | None:
    """The generator of a data loader's thread; None in other threads.

    Returns:
        None: workers are processes

    Example:
        >>> torch.thread_safe_generator() is None
        True
    """
    return None


def cond(
    pred: Any, true_fn: Callable[..., Any], false_fn: Callable[..., Any], operands: Any = ()
) -> Any:  # fmt: skip
    """The result of one of two functions.

    Args:
        pred (bool or Tensor): which; a tensor has one element
        true_fn (function): for True
        false_fn (function): for False
        operands (tuple or list, default ()): what the function gets

    Returns:
        what it returns

    Raises:
        RuntimeError: an argument of another type

    Example:
        >>> torch.cond(torch.tensor(True), lambda x: x + 1, lambda x: x - 1, (torch.ones(1),))
        tensor([2.])
    """
    if not isinstance(pred, (bool, torch.Tensor)):
        raise RuntimeError(f"torch.cond: expected pred to be a bool or a Tensor, got {type(pred).__name__}")
    if isinstance(pred, torch.Tensor) and pred.numel() != 1:
        raise RuntimeError(f"torch.cond: expected pred to have one element, got shape {tuple(pred.shape)}")
    if not callable(true_fn) or not callable(false_fn):
        raise RuntimeError("torch.cond: expected true_fn and false_fn to be functions")
    if not isinstance(operands, (tuple, list)):
        raise RuntimeError(f"torch.cond: expected operands to be a tuple, got {type(operands).__name__}")
    return (true_fn if bool(pred) else false_fn)(*operands)


def while_loop(cond_fn: Callable[..., Any], body_fn: Callable[..., Any], carried_inputs: Any) -> Any:
    """Repeat a function while a condition of its results holds.

    Args:
        cond_fn (function): gets the current values; returns a bool, or a Tensor of one element
        body_fn (function): gets the current values; returns the next ones in a tuple
        carried_inputs (tuple): the first values

    Returns:
        the last values

    Raises:
        RuntimeError: an argument of another type, or a function that returns something else

    Example:
        >>> torch.while_loop(lambda x: x.sum() < 3, lambda x: (x + 1,), (torch.ones(1),))
        (tensor([3.]),)
    """
    if not callable(cond_fn) or not callable(body_fn):
        raise RuntimeError("torch.while_loop: expected cond_fn and body_fn to be functions")
    if not isinstance(carried_inputs, (tuple, list)):
        raise RuntimeError(f"torch.while_loop: expected carried_inputs to be a tuple, got {type(carried_inputs).__name__}")
    values = tuple(carried_inputs)
    while bool(cond_fn(*values)):
        result = body_fn(*values)
        result = tuple(result) if isinstance(result, (tuple, list)) else (result,)
        if len(result) != len(values):
            raise RuntimeError(f"torch.while_loop: body_fn got {len(values)} values, and returned {len(result)}")
        values = result
    return values


for _value in list(globals().values()):
    if getattr(_value, "__module__", "") == __name__:
        _value.__module__ = "torch"
