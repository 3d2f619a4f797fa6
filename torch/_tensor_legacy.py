"""Methods of Tensor from PyTorch's first years: functions of single elements, the old constructor, removed and renamed ones."""

from __future__ import annotations

import torch
from torch._C import Tensor

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, NoReturn

__all__: list[str] = []  # the methods are found on Tensor


def _elements(tensor: Tensor, shape: Any) -> list[Any]:
    """The elements in order, expanded to a shape."""
    return tensor.detach().expand(shape).reshape(-1).tolist()


def _store(tensor: Tensor, values: list[Any]) -> Tensor:
    found = torch.tensor(values, dtype=tensor.dtype) if values else torch.empty(0, dtype=tensor.dtype)
    return tensor.copy_(found.reshape(tensor.shape))


def _check_self(tensor: Tensor, name: str) -> None:
    if tensor.requires_grad:
        raise RuntimeError(f"{name}() changes elements behind autograd's back; call it on tensor.detach()")
    if tensor.device.type not in ("cpu", "meta"):
        raise TypeError(f"{name}() works on CPU tensors, got one on {tensor.device}")


def _check_other(tensor: Tensor, other: Any, name: str) -> None:
    if not isinstance(other, Tensor):
        raise TypeError(f"{name}(): expected a Tensor, got {type(other).__name__}")
    if other.requires_grad:
        raise RuntimeError(f"{name}() does not record gradients; pass tensor.detach()")
    if other.dtype != tensor.dtype:
        raise TypeError(f"{name}(): expected a tensor of {tensor.dtype}, got one of {other.dtype}")


def apply_(self: Tensor, callable: Callable[[Any], Any]) -> Tensor:
    """Replaces each element by a function of it, one after the other. Slow: operators do the same at once.

    Args:
        callable (function): takes a number and returns one

    Returns:
        the tensor itself

    Raises:
        RuntimeError: the tensor requires grad
        TypeError: the function does not return a number

    Example:
        >>> torch.tensor([1., 2.]).apply_(lambda v: v * v + 1)
        tensor([2., 5.])
    """
    _check_self(self, "apply_")
    if self.is_meta:
        return self
    return _store(self, [callable(v) for v in _elements(self, self.shape)])


def map_(self: Tensor, tensor: Tensor, callable: Callable[[Any, Any], Any]) -> Tensor:
    """Replaces each element by a function of it and of another tensor's element.

    Args:
        tensor (Tensor): of the same dtype, and of a shape that broadcasts to this one's
        callable (function): takes two numbers and returns one

    Returns:
        the tensor itself

    Raises:
        RuntimeError: a tensor requires grad
        TypeError: the dtypes differ

    Example:
        >>> torch.tensor([1., 2.]).map_(torch.tensor([10., 20.]), lambda a, b: a + b)
        tensor([11., 22.])
    """
    _check_self(self, "map_")
    _check_other(self, tensor, "map_")
    return _store(self, [callable(*v) for v in zip(_elements(self, self.shape), _elements(tensor, self.shape))])


def map2_(self: Tensor, x: Tensor, y: Tensor, callable: Callable[[Any, Any, Any], Any]) -> Tensor:
    """Replaces each element by a function of it and of the elements of two other tensors.

    Args:
        x (Tensor): of the same dtype, and of a shape that broadcasts to this one's
        y (Tensor): another one
        callable (function): takes three numbers and returns one

    Returns:
        the tensor itself

    Raises:
        RuntimeError: a tensor requires grad
        TypeError: the dtypes differ

    Example:
        >>> a = torch.tensor([1., 2.])
        >>> a.map2_(torch.ones(2), torch.tensor([3., 4.]), lambda a, b, c: a + b * c)
        tensor([4., 6.])
    """
    _check_self(self, "map2_")
    _check_other(self, x, "map2_")
    _check_other(self, y, "map2_")
    shape = self.shape
    return _store(self, [callable(*v) for v in zip(_elements(self, shape), _elements(x, shape), _elements(y, shape))])


def new(self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
    """The old constructor: a tensor of this one's type from sizes, a sequence, a storage or a tensor.

    `new_empty`, `new_tensor` and their kin say which of these is meant.

    Args:
        *args (Any): sizes give uninitialized memory; a sequence its values; a tensor or a storage shares its memory
        **kwargs (Any): device

    Returns:
        the tensor

    Raises:
        TypeError: no constructor takes these arguments

    Example:
        >>> torch.ones(1, dtype=torch.float64).new([1, 2])
        tensor([1., 2.], dtype=torch.float64)
        >>> torch.ones(1).new(2, 3).shape
        torch.Size([2, 3])
    """
    device = kwargs.pop("device", None)
    if kwargs:
        raise TypeError(f"new(): unexpected keyword arguments {sorted(kwargs)}")
    options: dict[str, Any] = {"dtype": self.dtype, "device": self.device if device is None else device}
    if len(args) == 1 and not isinstance(args[0], int):
        (source,) = args
        if isinstance(source, torch.Size):
            return torch.empty(source, **options)
        if isinstance(source, Tensor):
            if source.dtype != self.dtype:
                raise TypeError(f"new(): expected a tensor of {self.dtype}, got one of {source.dtype}")
            return source.detach()
        if isinstance(source, (torch.UntypedStorage, torch.TypedStorage)):
            return torch.empty(0, **options).set_(source)
        if isinstance(source, (list, tuple)):
            return torch.tensor(source, **options)
        raise TypeError(f"new(): expected sizes, a sequence, a tensor or a storage, got {type(source).__name__}")
    return torch.empty(args or (0,), **options)


def resize(self: Tensor, *sizes: Any) -> Tensor:
    """The old name of `reshape`, whose sizes must have as many elements.

    Args:
        *sizes (int): the shape

    Returns:
        a view, or a copy where strides do not allow one

    Raises:
        RuntimeError: the number of elements differs

    Example:
        >>> torch.arange(4).resize(2, 2)
        tensor([[0, 1],
                [2, 3]])
    """
    shape = torch.Size(sizes[0] if len(sizes) == 1 and not isinstance(sizes[0], int) else sizes)
    if shape.numel() != self.numel():
        raise RuntimeError(
            f"resize(): {tuple(shape)} has {shape.numel()} elements, and the tensor {self.numel()}; resize_ changes the number"
        )
    return self.reshape(shape)


def resize_as(self: Tensor, tensor: Tensor) -> Tensor:
    """The old name of `reshape_as`.

    Args:
        tensor (Tensor): has the shape

    Returns:
        a view, or a copy where strides do not allow one

    Raises:
        RuntimeError: the number of elements differs

    Example:
        >>> torch.arange(4).resize_as(torch.ones(2, 2)).shape
        torch.Size([2, 2])
    """
    return resize(self, *tensor.shape)


def reinforce(self: Tensor, *args: Any, **kwargs: Any) -> NoReturn:
    """Removed long ago: `torch.distributions` has log_prob, which gives the same gradient.

    Raises:
        RuntimeError: always

    Example:
        >>> torch.ones(1).reinforce(1)
        Traceback (most recent call last):
        RuntimeError: Tensor.reinforce() was removed; use log_prob of torch.distributions
    """
    raise RuntimeError("Tensor.reinforce() was removed; use log_prob of torch.distributions")


def is_distributed(self: Tensor) -> bool:
    """False: no tensor is spread over several machines by itself.

    Returns:
        False

    Example:
        >>> torch.ones(1).is_distributed()
        False
    """
    return False


def record_stream(self: Tensor, stream: Any) -> None:
    """Tells the allocator of a device that a stream uses the memory. The CPU has no streams.

    Args:
        stream (Stream): the stream

    Raises:
        RuntimeError: the tensor is on the CPU

    Example:
        >>> torch.ones(1).record_stream(None)
        Traceback (most recent call last):
        RuntimeError: record_stream(): the cpu device has no streams
    """
    if not self.is_cuda:
        raise RuntimeError(f"record_stream(): the {self.device.type} device has no streams")
    from torch.cuda._runtime import initialize

    initialize().record_stream(self.untyped_storage()._cdata, stream.stream_id, stream.device_index)


def pin_memory(self: Tensor, device: Any = None) -> Tensor:
    """A copy in pinned memory, from which a GPU copies faster; the tensor itself if it is pinned.

    Args:
        device (device, optional): the GPU, or another accelerator

    Returns:
        the copy

    Raises:
        RuntimeError: there is no GPU, or the tensor is not on the CPU

    Example:
        >>> torch.ones(1).pin_memory()
        Traceback (most recent call last):
        RuntimeError: pin_memory(): there is no accelerator that memory could be pinned for
    """
    return torch.ops.aten.pin_memory(self, None if device is None else torch.device(device))


def const_data_ptr(self: Tensor) -> int:
    """The address of the first element, for reading only.

    Returns:
        the address

    Example:
        >>> x = torch.ones(1)
        >>> x.const_data_ptr() == x.data_ptr()
        True
    """
    return self.data_ptr()


def __long__(self: Tensor) -> int:
    return int(self)


def __nonzero__(self: Tensor) -> bool:
    return bool(self)


METHODS = (
    apply_, map_, map2_, new, resize, resize_as, reinforce, is_distributed, record_stream, pin_memory, const_data_ptr,
    __long__, __nonzero__,
)  # fmt: skip
OLD_NAMES = {"__div__": "__truediv__", "__idiv__": "__itruediv__", "__rdiv__": "__rtruediv__"}
