"""Tensors that belong to a module: parameters, which are trained, and buffers, which are only stored."""

from __future__ import annotations

from collections import OrderedDict

import torch
from torch import _C
from torch._C import Tensor

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from typing_extensions import Self

    from torch.types import Device

    _Meta = type
else:
    _Meta = _C._TensorMeta


class _ParameterMeta(_Meta):
    """A tensor of another class that was marked as a parameter is an instance of Parameter too."""

    def __instancecheck__(cls, instance: Any) -> bool:
        if type.__instancecheck__(cls, instance):
            return True
        return cls is Parameter and isinstance(instance, Tensor) and getattr(instance, "_is_param", False)


class Parameter(Tensor, metaclass=_ParameterMeta):
    """A tensor that a Module lists in `parameters()` as soon as it is assigned to one of its attributes.

    Args:
        data (Tensor or None): the values, shared and not copied; None: an empty tensor
        requires_grad (bool, default True): whether it is trained

    Example:
        >>> layer = nn.Module()
        >>> layer.scale = nn.Parameter(torch.ones(2))
        >>> list(layer.parameters())
        [Parameter containing:
        tensor([1., 1.], requires_grad=True)]
    """

    def __new__(cls, data: Tensor | None = None, requires_grad: bool = True) -> Self:
        if data is None:
            data = torch.empty(0)
        kind = type(data)
        if kind is Tensor or kind is Parameter:
            return Tensor._make_subclass(cls, data, requires_grad)
        marked = data.detach().requires_grad_(requires_grad)
        if type(marked) is not kind:
            raise RuntimeError(
                f"Creating a Parameter from an instance of type {kind.__name__} requires that detach() returns an "
                f"instance of the same type, but it returned {type(marked).__name__}"
            )
        marked._is_param = True
        return marked

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        if id(self) not in memo:
            twin = type(self)(self.data.clone(memory_format=torch.preserve_format), self.requires_grad)
            memo[id(self)] = twin
        return memo[id(self)]

    def __repr__(self) -> str:
        return "Parameter containing:\n" + super().__repr__()

    def __reduce_ex__(self, protocol: Any) -> Any:
        from torch._utils import _rebuild_parameter, _rebuild_parameter_with_state
        from torch.serialization._tensor_pickle import object_state

        state, arguments = object_state(self), (self.data, self.requires_grad, OrderedDict())
        if state:
            return _rebuild_parameter_with_state, (*arguments, state)
        return _rebuild_parameter, arguments

    __torch_function__ = _C._disabled_torch_function_impl


class _BufferMeta(_Meta):
    def __instancecheck__(cls, instance: Any) -> bool:
        if type.__instancecheck__(cls, instance):
            return True
        return cls is Buffer and isinstance(instance, Tensor) and getattr(instance, "_is_buffer", False)


class Buffer(Tensor, metaclass=_BufferMeta):
    """A tensor that becomes a buffer of the module it is assigned to: moved and saved with it, but not trained.

    Args:
        data (Tensor or None): the values, shared and not copied; None: an empty tensor
        persistent (bool, default True): whether it is in the module's state_dict

    Example:
        >>> layer = nn.Module()
        >>> layer.mean = nn.Buffer(torch.zeros(2))
        >>> [name for name, _ in layer.named_buffers()]
        ['mean']
    """

    def __new__(cls, data: Tensor | None = None, *, persistent: bool = True) -> Self:
        if data is None:
            data = torch.empty(0)
        marked = data.detach().requires_grad_(data.requires_grad)
        marked.persistent, marked._is_buffer = persistent, True
        return marked

    __torch_function__ = _C._disabled_torch_function_impl


__all__ = [
    "Parameter", "Buffer", "UninitializedTensorMixin", "UninitializedParameter", "UninitializedBuffer", "is_lazy",
]  # fmt: skip

_ALLOWED_UNINITIALIZED = frozenset(
    (
        "__hash__",
        "__class__",
        "__repr__",
        "half",
        "float",
        "double",
        "char",
        "short",
        "int",
        "long",
        "cuda",
        "cpu",
        "to",
        "share_memory_",
        "device",
        "dtype",
        "requires_grad",
        "requires_grad_",
        "is_leaf",
        "grad_fn",
        "_is_param",
    )
)


class UninitializedTensorMixin:
    """A tensor whose shape is not known yet: lazy modules give it one on their first call.

    Example:
        >>> weight = nn.UninitializedParameter()
        >>> weight.materialize((2, 3))
        >>> weight.shape
        torch.Size([2, 3])
    """

    cls_to_become: type[Tensor]

    def materialize(self, shape: Sequence[int], device: Device = None, dtype: torch.dtype | None = None) -> None:
        """Gives the tensor a shape; the values stay undefined.

        Args:
            shape (Sequence[int]): the sizes
            device (device or None): None: where it is now
            dtype (dtype or None): None: the one it has now

        Example:
            >>> weight = nn.UninitializedParameter()
            >>> weight.materialize((2, 3), dtype=torch.float64)
            >>> weight.dtype
            torch.float64
        """
        self.data = torch.empty(shape, device=device or self.data.device, dtype=dtype or self.data.dtype)
        self.__class__ = self.cls_to_become

    @property
    def shape(self) -> torch.Size:
        """Not known yet: asking for it raises RuntimeError.

        Example:
            >>> nn.UninitializedParameter().shape
            Traceback (most recent call last):
                ...
            RuntimeError: Can't access the shape of an uninitialized parameter or buffer. Call ...
        """
        raise RuntimeError(
            "Can't access the shape of an uninitialized parameter or buffer. Call `forward` once, or load a "
            "state_dict that has the shape, before asking for it."
        )

    def share_memory_(self) -> Self:
        """Raises RuntimeError: there is nothing to share yet.

        Example:
            >>> nn.UninitializedParameter().share_memory_()
            Traceback (most recent call last):
                ...
            RuntimeError: Can't share memory on an uninitialized parameter or buffer. Call ...
        """
        raise RuntimeError("Can't share memory on an uninitialized parameter or buffer. Call `forward` to initialize it.")

    def __repr__(self) -> str:
        return f"<{type(self).__name__}>"

    def __reduce_ex__(self, protocol: Any) -> Any:
        return type(self), (self.requires_grad,)


class UninitializedParameter(UninitializedTensorMixin, Parameter):
    """A parameter without a shape; the first call of its lazy module gives it one.

    Args:
        requires_grad (bool, default True): whether it is trained
        device (device or None): where it is to be made; None: the default device
        dtype (dtype or None): its type; None: the default dtype

    Example:
        >>> nn.UninitializedParameter()
        <UninitializedParameter>
    """

    cls_to_become = Parameter

    def __new__(cls, requires_grad: bool = True, device: Device = None, dtype: torch.dtype | None = None) -> Self:
        return Tensor._make_subclass(cls, torch.empty(0, device=device, dtype=dtype), requires_grad)

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        if id(self) not in memo:
            memo[id(self)] = type(self)(self.requires_grad, self.data.device, self.data.dtype)
        return memo[id(self)]


class UninitializedBuffer(UninitializedTensorMixin, Tensor):
    """A buffer without a shape; the first call of its lazy module gives it one.

    Args:
        requires_grad (bool, default False): whether it needs a gradient
        device (device or None): where it is to be made; None: the default device
        dtype (dtype or None): its type; None: the default dtype
        persistent (bool, default True): whether it is in the module's state_dict

    Example:
        >>> nn.UninitializedBuffer()
        <UninitializedBuffer>
    """

    cls_to_become = Tensor

    def __new__(
        cls,
        requires_grad: bool = False,
        device: Device = None,
        dtype: torch.dtype | None = None,
        persistent: bool = True,
    ) -> Self:
        buffer = Tensor._make_subclass(cls, torch.empty(0, device=device, dtype=dtype), requires_grad)
        buffer.persistent, buffer._is_buffer = persistent, True
        return buffer


def is_lazy(tensor: Any) -> bool:
    """Whether a tensor still waits for its shape.

    Args:
        tensor (Any): any object

    Example:
        >>> from torch.nn.parameter import is_lazy
        >>> is_lazy(nn.LazyLinear(3).weight), is_lazy(nn.Linear(2, 3).weight)
        (True, False)
    """
    return isinstance(tensor, UninitializedTensorMixin)
