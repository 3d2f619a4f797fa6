"""Tensors that a module knows as its own: parameters, which are trained, and buffers, which are only kept."""

from collections import OrderedDict

import torch
from torch import _C
from torch._C import Tensor


class _ParameterMeta(_C._TensorMeta):
    """A tensor of another class that was marked as a parameter is an instance of Parameter too."""

    def __instancecheck__(cls, instance):
        if type.__instancecheck__(cls, instance):
            return True
        return cls is Parameter and isinstance(instance, Tensor) and getattr(instance, "_is_param", False)


class Parameter(Tensor, metaclass=_ParameterMeta):
    """A tensor that a Module lists in `parameters()` as soon as it is assigned to one of its attributes.

    data: the values, shared and not copied; requires_grad: whether it is trained."""

    def __new__(cls, data=None, requires_grad=True):
        if data is None:
            data = torch.empty(0)
        kind = type(data)
        if kind is Tensor or kind is Parameter:
            return Tensor._make_subclass(cls, data, requires_grad)
        marked = data.detach().requires_grad_(requires_grad)
        if type(marked) is not kind:
            raise RuntimeError(f"Creating a Parameter from an instance of type {kind.__name__} requires "
                               "that detach() "
                               f"returns an instance of the same type, but it returned "
                               f"{type(marked).__name__}")
        marked._is_param = True
        return marked

    def __deepcopy__(self, memo):
        if id(self) not in memo:
            twin = type(self)(self.data.clone(memory_format=torch.preserve_format), self.requires_grad)
            memo[id(self)] = twin
        return memo[id(self)]

    def __repr__(self):
        return "Parameter containing:\n" + super().__repr__()

    def __reduce_ex__(self, protocol):
        from torch._tensor_pickle import object_state
        from torch._utils import _rebuild_parameter, _rebuild_parameter_with_state

        state, arguments = object_state(self), (self.data, self.requires_grad, OrderedDict())
        if state:
            return _rebuild_parameter_with_state, (*arguments, state)
        return _rebuild_parameter, arguments

    __torch_function__ = _C._disabled_torch_function_impl


class _BufferMeta(_C._TensorMeta):
    def __instancecheck__(cls, instance):
        if type.__instancecheck__(cls, instance):
            return True
        return cls is Buffer and isinstance(instance, Tensor) and getattr(instance, "_is_buffer", False)


class Buffer(Tensor, metaclass=_BufferMeta):
    """A tensor that becomes a buffer of the module it is assigned to; `persistent` ones are in its
    state_dict."""

    def __new__(cls, data=None, *, persistent=True):
        if data is None:
            data = torch.empty(0)
        marked = data.detach().requires_grad_(data.requires_grad)
        marked.persistent, marked._is_buffer = persistent, True
        return marked

    __torch_function__ = _C._disabled_torch_function_impl


_ALLOWED_UNINITIALIZED = frozenset((
    "__hash__", "__class__", "__repr__", "half", "float", "double", "char", "short", "int", "long", "cuda",
    "cpu", "to",
    "share_memory_", "device", "dtype", "requires_grad", "requires_grad_", "is_leaf", "grad_fn", "_is_param"))


class UninitializedTensorMixin:
    """A tensor whose shape is not known yet: lazy modules give it one on their first call."""

    def materialize(self, shape, device=None, dtype=None):
        self.data = torch.empty(shape, device=device or self.data.device, dtype=dtype or self.data.dtype)
        self.__class__ = self.cls_to_become

    @property
    def shape(self):
        raise RuntimeError("Can't access the shape of an uninitialized parameter or buffer. Call `forward` "
                           "once, or load "
                           "a state_dict that has the shape, before asking for it.")

    def share_memory_(self):
        raise RuntimeError("Can't share memory on an uninitialized parameter or buffer. Call `forward` to "
                           "initialize it.")

    def __repr__(self):
        return f"<{type(self).__name__}>"

    def __reduce_ex__(self, protocol):
        return type(self), (self.requires_grad,)


class UninitializedParameter(UninitializedTensorMixin, Parameter):
    """A parameter without a shape."""

    cls_to_become = Parameter

    def __new__(cls, requires_grad=True, device=None, dtype=None):
        return Tensor._make_subclass(cls, torch.empty(0, device=device, dtype=dtype), requires_grad)

    def __deepcopy__(self, memo):
        if id(self) not in memo:
            memo[id(self)] = type(self)(self.requires_grad, self.data.device, self.data.dtype)
        return memo[id(self)]


class UninitializedBuffer(UninitializedTensorMixin, Tensor):
    """A buffer without a shape."""

    cls_to_become = Tensor

    def __new__(cls, requires_grad=False, device=None, dtype=None, persistent=True):
        buffer = Tensor._make_subclass(cls, torch.empty(0, device=device, dtype=dtype), requires_grad)
        buffer.persistent, buffer._is_buffer = persistent, True
        return buffer


def is_lazy(tensor):
    return isinstance(tensor, UninitializedTensorMixin)
