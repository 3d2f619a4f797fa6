"""Pickling and deep copies of tensors."""

import copyreg
import warnings
from collections import OrderedDict

import torch
from torch import _C, _utils
from torch._C import Tensor

_PLAIN_STORAGE = frozenset(
    (
        torch.uint8,
        torch.int8,
        torch.int16,
        torch.int32,
        torch.int64,
        torch.float16,
        torch.float32,
        torch.float64,
        torch.bool,
        torch.bfloat16,
        torch.complex64,
        torch.complex128,
    )
)  # dtypes that files represent by a legacy storage class


def object_state(obj):
    """The attributes of an instance: its `__dict__`, and its slots if it has any."""
    state = obj.__getstate__() if hasattr(type(obj), "__getstate__") and _own_getstate(obj) else None
    if state is not None:
        return state
    slots = copyreg._slotnames(type(obj))
    attributes = getattr(obj, "__dict__", None) or {}
    if not slots:
        return attributes
    held = {name: getattr(obj, name) for name in slots if hasattr(obj, name)}
    return (attributes, held) if held else attributes


def _own_getstate(obj):
    found = type(obj).__getstate__
    return found is not getattr(object, "__getstate__", None)


def warn_about_hooks(tensor):
    if tensor._backward_hooks:
        for hook in tensor._backward_hooks.values():
            if not hasattr(hook, "__torch_unserializable__"):
                warnings.warn(
                    f"backward hook {hook!r} on tensor will not be serialized. If this is expected, you can "
                    "decorate the function with @torch.utils.hooks.unserializable_hook to suppress this warning"
                )


def reduce_tensor(tensor, protocol):
    state = object_state(tensor)
    if type(tensor) is Tensor and not state:
        return reduce_data(tensor)
    if _C._has_torch_function_unary(tensor):
        from torch.overrides import handle_torch_function

        return handle_torch_function(Tensor.__reduce_ex__, (tensor,), tensor, protocol)
    function, arguments = reduce_data(tensor)
    return _rebuild_from_type_v2, (function, type(tensor), arguments, state or None)


def reduce_data(tensor):
    """(function, arguments) that rebuild the tensor, whatever its class."""
    warn_about_hooks(tensor)
    hooks = OrderedDict()
    if answers_calls(tensor) and not tensor.untyped_storage().nbytes():
        from torch.serialization import _layout  # noqa: F401  (how pickles refer to tensor.layout)

        arguments = (
            type(tensor), tensor.dtype, tuple(tensor.size()), tensor.stride(), tensor.storage_offset(), tensor.layout,
            tensor.device, tensor.requires_grad,
        )  # fmt: skip
        return _utils._rebuild_wrapper_subclass, arguments
    if tensor.layout is not torch.strided:
        return _utils._rebuild_sparse_tensor, _sparse_parts(tensor)
    if tensor.is_meta:
        return _utils._rebuild_meta_tensor_no_storage, (tensor.dtype, tuple(tensor.size()), tensor.stride(), tensor.requires_grad)
    typed = tensor.dtype in _PLAIN_STORAGE
    storage = tensor._typed_storage() if typed else tensor.untyped_storage()
    arguments = (storage, tensor.storage_offset(), tuple(tensor.size()), tensor.stride(), tensor.requires_grad, hooks)
    if not typed:
        arguments += (tensor.dtype,)
    metadata = _utils.get_tensor_metadata(tensor)
    if metadata:
        arguments += (metadata,)
    return (_utils._rebuild_tensor_v2 if typed else _utils._rebuild_tensor_v3), arguments


def answers_calls(tensor):
    """Whether the tensor's class defines `__torch_dispatch__`."""
    return type(tensor).__torch_dispatch__ is not Tensor.__torch_dispatch__


def _sparse_parts(tensor):
    if tensor.layout is torch.sparse_coo:
        parts = (tensor._indices(), tensor._values(), tensor.size(), tensor.is_coalesced())
    elif tensor.layout in (torch.sparse_csr, torch.sparse_bsr):
        parts = (tensor.crow_indices(), tensor.col_indices(), tensor.values(), tensor.size())
    else:
        parts = (tensor.ccol_indices(), tensor.row_indices(), tensor.values(), tensor.size())
    return tensor.layout, parts


def set_state(tensor, state):
    if not tensor.is_leaf:
        raise RuntimeError("__setstate__ can be only called on leaf Tensors")
    if len(state) == 4:  # the form of versions before 0.4
        tensor.set_(*state)
    elif len(state) == 5:
        tensor.data = state[0]
        tensor._backward_hooks, tensor.requires_grad = state[4], state[3]
    else:
        raise RuntimeError(f"Tensor.__setstate__: expected a state of 4 or 5 items, got {len(state)}")


def _rebuild_from_type_v2(func, new_type, args, state):
    """Undo `reduce_tensor` for a subclass, or for a tensor with attributes."""
    tensor = func(*args)
    if type(tensor) is not new_type:
        tensor = tensor.as_subclass(new_type)
    restore = getattr(type(tensor), "__setstate__", Tensor.__setstate__)
    if restore is not Tensor.__setstate__:
        tensor.__setstate__(state)
    else:
        tensor = _utils._set_obj_state(tensor, state)
    return tensor


_rebuild_from_type_v2.__module__ = "torch._tensor"  # the name that it has in files
_rebuild_from_type_v2.__qualname__ = "_rebuild_from_type_v2"
torch._tensor._rebuild_from_type_v2 = _rebuild_from_type_v2


def deepcopy_tensor(tensor, memo):
    """A copy that shares only what other objects in the same deep copy share with it."""
    if not tensor.is_leaf:
        raise RuntimeError(
            "Only Tensors created explicitly by the user (graph leaves) support the deepcopy protocol at "
            "the moment: "
            f"this one was computed by {tensor.grad_fn.name()}. Copy tensor.detach(), or the module's "
            "parameters."
        )
    if id(tensor) in memo:
        return memo[id(tensor)]
    import copy

    with torch.no_grad():
        if tensor.layout is not torch.strided or tensor.is_meta or answers_calls(tensor):
            twin = tensor.clone()
            if type(twin) is not type(tensor):
                raise RuntimeError(
                    f"deepcopy: the class {type(tensor).__name__} must define __deepcopy__, or its __torch_dispatch__ must "
                    f"return a tensor of the class from aten.clone; it returned {type(twin).__name__}"
                )
        else:
            storage = copy.deepcopy(tensor.untyped_storage(), memo)
            twin = tensor.new_empty([]) if type(tensor) is Tensor else tensor.detach().as_subclass(Tensor).new_empty([])
            twin.set_(storage, tensor.storage_offset(), tensor.size(), tensor.stride())
            if tensor.is_conj():
                twin = twin.conj()
            if tensor.is_neg():
                twin = twin._neg_view()
    if type(tensor) is not type(twin):
        twin = twin.as_subclass(type(tensor))
    twin.requires_grad_(tensor.requires_grad)
    memo[id(tensor)] = twin
    if tensor.grad is not None:
        twin.grad = copy.deepcopy(tensor.grad, memo)
    for name, value in getattr(tensor, "__dict__", {}).items():
        twin.__dict__[name] = copy.deepcopy(value, memo)
    for name in copyreg._slotnames(type(tensor)):
        if hasattr(tensor, name):
            setattr(twin, name, copy.deepcopy(getattr(tensor, name), memo))
    return twin
