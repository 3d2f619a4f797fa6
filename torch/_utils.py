"""Functions that pickled tensors refer to, and helpers shared by submodules."""

import importlib
import sys
import traceback

import torch
from torch import _C


def get_tensor_metadata(tensor):
    """Flags of a tensor beyond sizes and strides."""
    return _C._get_tensor_metadata(tensor)


def set_tensor_metadata(tensor, metadata):
    for name in metadata:
        if name not in ("conj", "neg"):
            raise ValueError(f"unknown tensor metadata {name!r}, expected conj or neg")
    _C._set_tensor_metadata(tensor, metadata)


def _extent(size, stride, offset):
    """Elements of storage that a strided tensor reaches.

    Sizes, strides and offset must be integers, and not negative.
    """
    if len(size) != len(stride):
        raise RuntimeError(f"rebuilding a tensor: size {tuple(size)} and stride {tuple(stride)} differ in length")
    reach, empty = 0, False
    for length, step in zip(size, stride):
        if not isinstance(length, int) or not isinstance(step, int) or length < 0 or step < 0:
            raise RuntimeError(f"rebuilding a tensor: bad size {tuple(size)} or stride {tuple(stride)}")
        reach += (length - 1) * step
        empty |= length == 0
    if not isinstance(offset, int) or offset < 0:
        raise RuntimeError(f"rebuilding a tensor: bad storage offset {offset!r}")
    return offset if empty else offset + reach + 1


def _place(tensor, storage, offset, size, stride):
    """Point an empty tensor at a storage. The storage never grows, because the sizes in a file cannot be trusted."""
    needed = _extent(size, stride, offset) * tensor.element_size()
    if needed > storage.nbytes():
        raise RuntimeError(
            f"rebuilding a tensor: size {tuple(size)}, stride {tuple(stride)} and offset {offset} need {needed} "
            f"bytes, but the storage has {storage.nbytes()}"
        )
    return tensor.set_(storage, offset, torch.Size(size), tuple(stride))


def _rebuild_tensor(storage, storage_offset, size, stride):
    untyped = storage._untyped_storage
    # Under FakeTensorMode the memory is on the meta device, whatever the tensor's device.
    device = getattr(storage, "_fake_device", None) or untyped.device
    return _place(torch.empty((0,), dtype=storage.dtype, device=device), untyped, storage_offset, size, stride)


def _rebuild_tensor_v2(storage, storage_offset, size, stride, requires_grad, backward_hooks, metadata=None):
    tensor = _rebuild_tensor(storage, storage_offset, size, stride)
    return _finish(tensor, requires_grad, backward_hooks, metadata)


def _rebuild_tensor_v3(storage, storage_offset, size, stride, requires_grad, backward_hooks, dtype, metadata=None):
    untyped = getattr(storage, "_untyped_storage", storage)
    device = getattr(storage, "_fake_device", None) or untyped.device
    tensor = _place(torch.empty((0,), dtype=dtype, device=device), untyped, storage_offset, size, stride)
    return _finish(tensor, requires_grad, backward_hooks, metadata)


def _finish(tensor, requires_grad, backward_hooks, metadata):
    tensor.requires_grad_(requires_grad)
    if metadata:
        if _left_over is None:
            set_tensor_metadata(tensor, metadata)
        else:
            _left_over.append(metadata)
    if backward_hooks:
        tensor._backward_hooks = backward_hooks
    return tensor


def _rebuild_parameter(data, requires_grad, backward_hooks):
    parameter = torch.nn.Parameter(data, requires_grad)
    if backward_hooks:
        parameter._backward_hooks = backward_hooks
    return parameter


def _rebuild_parameter_with_state(data, requires_grad, backward_hooks, state):
    return _set_obj_state(_rebuild_parameter(data, requires_grad, backward_hooks), state)


def _rebuild_meta_tensor_no_storage(dtype, size, stride, requires_grad):
    _extent(size, stride, 0)
    return torch.empty_strided(size, stride, dtype=dtype, device="meta", requires_grad=requires_grad)


# While a legacy file loads, whose storages are read last: the tensors that depend on the values.
_left_over = None


def _rebuild_sparse_tensor(layout, data):
    if layout not in (torch.sparse_coo, torch.sparse_csr, torch.sparse_csc, torch.sparse_bsr, torch.sparse_bsc):
        raise NotImplementedError(f"rebuilding a sparse tensor of layout {layout}")
    known = not data[0].is_meta  # indices without values cannot be checked
    tensor = _sparse(layout, data, known and _left_over is None)
    if known and _left_over is not None:
        _left_over.append(layout)
    return tensor


def _sparse(layout, data, check):
    if not hasattr(torch, "sparse_coo_tensor"):
        raise NotImplementedError(f"this file holds a tensor of layout {layout}: this build has dense tensors only")
    if layout is torch.sparse_coo:
        indices, values, size, *coalesced = data
        return torch.sparse_coo_tensor(
            indices, values, size, check_invariants=check, is_coalesced=coalesced[0] if coalesced else None
        )
    compressed, plain, values, size = data
    return torch.sparse_compressed_tensor(compressed, plain, values, size, layout=layout, check_invariants=check)


class storages_unfilled:
    """A block in which the values of tensors are not there yet: what needs them is left out.

    It gives a function that says whether anything was.
    """

    def __enter__(self):
        global _left_over
        self.outer, _left_over = _left_over, []
        notes = _left_over
        return lambda: bool(notes)

    def __exit__(self, *problem):
        global _left_over
        _left_over = self.outer


def _rebuild_device_tensor_from_numpy(data, dtype, device, requires_grad):
    return torch.from_numpy(data).to(dtype=dtype, device=device).requires_grad_(requires_grad)


def _rebuild_wrapper_subclass(cls, dtype, size, stride, storage_offset, layout, device, requires_grad):
    return torch.Tensor._make_wrapper_subclass(
        cls,
        size,
        strides=stride,
        dtype=dtype,
        storage_offset=storage_offset,
        layout=layout,
        device=device,
        requires_grad=requires_grad,
    )


def _get_obj_state(obj):
    from torch.serialization._tensor_pickle import object_state

    return object_state(obj)


def _set_obj_state(obj, state):
    """Attributes, or (attributes, slots), back onto an object."""
    attributes, slots = state if isinstance(state, tuple) else (state, None)
    if isinstance(state, tuple) and len(state) != 2:
        raise RuntimeError(f"Invalid serialized state: {state}")
    for part in (attributes, slots):
        for name, value in (part or {}).items():
            setattr(obj, name, value)
    return obj


def _import_dotted_name(name):
    first, *rest = name.split(".")
    found = __import__(first)
    for part in rest:
        found = getattr(found, part)
    return found


def _element_size(dtype):
    return dtype.itemsize


def _flatten_dense_tensors(tensors):
    return torch.cat([tensor.contiguous().view(-1) for tensor in tensors]) if len(tensors) else torch.empty(0)


def _unflatten_dense_tensors(flat, tensors):
    pieces = flat.split([tensor.numel() for tensor in tensors])
    return tuple(piece.view_as(tensor) for piece, tensor in zip(pieces, tensors))


class KeyErrorMessage(str):
    """A message whose repr is itself: KeyError shows the repr of its argument."""

    __slots__ = ()

    def __repr__(self):
        return str(self)


class ExceptionWrapper:
    """An exception with its traceback as text, to be raised again in another thread or process."""

    def __init__(self, exc_info=None, where="in background"):
        exc_info = exc_info or sys.exc_info()
        self.exc_type, self.where = exc_info[0], where
        self.exc_msg = "".join(traceback.format_exception(*exc_info))

    def reraise(self):
        text = f"Caught {self.exc_type.__name__} {self.where}.\nOriginal {self.exc_msg}"
        if self.exc_type is KeyError:
            text = KeyErrorMessage(text)
        elif getattr(self.exc_type, "message", None):
            raise self.exc_type(message=text)
        try:
            problem = self.exc_type(text)
        except Exception:  # its constructor takes other arguments
            raise RuntimeError(text) from None
        raise problem


def import_module_once(name):
    return sys.modules.get(name) or importlib.import_module(name)


def is_compiling():
    return False


def _get_available_device_type():
    """The kind of GPU that is there; None: there is none."""
    import torch

    found = torch.accelerator.current_accelerator(check_available=True)
    return None if found is None else found.type


def _get_all_device_indices():
    """The numbers of all GPUs."""
    import torch

    return list(range(torch.accelerator.device_count()))


def _get_current_device_index():
    """The number of the current GPU; None: there is none."""
    import torch

    return torch.accelerator.current_device_index() if torch.accelerator.is_available() else None


def _get_device_index(device, optional=False, allow_cpu=False):
    """The number of a device; -1 for the CPU, if it is allowed. If `optional`, that of the current GPU for a device without."""
    import torch

    if isinstance(device, str):
        device = torch.device(device)
    index = device
    if isinstance(device, torch.device):
        if device.type == "cpu":
            if allow_cpu:
                return -1
            raise ValueError(f"expected a device other than the CPU, but got {device}")
        index = device.index
    if isinstance(index, int):
        return index
    if optional:
        return _get_current_device_index()
    raise ValueError(f"expected a torch.device with a number, or a number, but got {device}")


def _take_tensors(tensors, size_limit):
    """Lists of tensors of one type, none of which is larger than `size_limit` bytes, unless a tensor is."""
    open_lists = {}
    for tensor in tensors:
        kind, size = tensor.type(), tensor.numel() * tensor.element_size()
        held, total = open_lists.get(kind, ([], 0))
        if held and total + size > size_limit:
            yield held
            held, total = [], 0
        open_lists[kind] = [*held, tensor], total + size
    for held, _ in open_lists.values():
        if held:
            yield held


class classproperty:
    """A property of a class."""

    def __init__(self, function):
        self.fget = classmethod(function)

    def __get__(self, instance, owner=None):
        return self.fget.__get__(None, owner or type(instance))()


def render_call(function, args, kwargs):
    """A call as text, with short forms of tensors."""
    import torch

    def short(value):
        return f"tensor(shape={tuple(value.shape)}, dtype={value.dtype})" if isinstance(value, torch.Tensor) else repr(value)

    name = torch.overrides.resolve_name(function) or str(function)
    return f"{name}({', '.join([*map(short, args), *(f'{key}={short(value)}' for key, value in kwargs.items())])})"
