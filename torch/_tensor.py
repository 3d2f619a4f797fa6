"""Methods of Tensor that are written in Python.

The type itself is made by the extension; the functions below become its attributes. Whatever is not needed by
every program is imported inside the method that needs it.
"""

from torch import _C, _absent_methods
from torch._C import Tensor
from torch._C import _has_torch_function_unary as _overridden


def _method(function):
    """Attach `function` to Tensor, giving a subclass's `__torch_function__` the first say."""

    def method(self, *args, **kwargs):
        if _overridden(self):
            from torch.overrides import handle_torch_function

            return handle_torch_function(method, (self,), self, *args, **kwargs)
        return function(self, *args, **kwargs)

    method.__wrapped__ = function
    return _plain(method, function)


def _plain(method, function=None):
    """Attach `method` to Tensor as it is."""
    name = (function or method).__name__
    method.__name__, method.__qualname__, method.__module__ = name, "Tensor." + name, "torch"
    method.__doc__ = (function or method).__doc__
    setattr(Tensor, name, method)
    return method


@_plain
def backward(self, gradient=None, retain_graph=None, create_graph=False, inputs=None):
    """Accumulate the derivative of this tensor into the `grad` of the leaves of its graph.

    `gradient` has the shape of this tensor and may be left out for a single element. `inputs` names the
    leaves
    that are to receive; `retain_graph` keeps what a second backward needs; `create_graph` records the
    backward."""
    if _overridden(self):
        from torch.overrides import handle_torch_function

        return handle_torch_function(Tensor.backward, (self,), self, gradient=gradient,
                                     retain_graph=retain_graph,
                                     create_graph=create_graph, inputs=inputs)
    _run_backward(self, gradient, retain_graph, create_graph, inputs)


def _run_backward(tensor, gradient, retain_graph, create_graph, inputs):
    from torch.autograd import backward as run

    run(tensor, gradient, retain_graph, create_graph, inputs=inputs)


@_plain
def __repr__(self, *, tensor_contents=None):
    if _overridden(self):
        from torch.overrides import handle_torch_function

        return handle_torch_function(Tensor.__repr__, (self,), self, tensor_contents=tensor_contents)
    from torch._tensor_str import tensor_text

    return tensor_text(self, tensor_contents)


@_plain
def __format__(self, spec):
    if _overridden(self):
        from torch.overrides import handle_torch_function

        return handle_torch_function(Tensor.__format__, (self,), self, spec)
    if self.dim() == 0 and not self.is_meta and type(self) is Tensor:
        return self.item().__format__(spec)
    return object.__format__(self, spec)


@_plain
def __reduce_ex__(self, protocol):
    from torch._tensor_pickle import reduce_tensor

    return reduce_tensor(self, protocol)


@_plain
def _reduce_ex_internal(self, protocol):
    from torch._tensor_pickle import reduce_data

    return reduce_data(self)


@_method
def __setstate__(self, state):
    from torch._tensor_pickle import set_state

    set_state(self, state)


@_plain
def __deepcopy__(self, memo):
    if _overridden(self):
        from torch.overrides import handle_torch_function

        return handle_torch_function(Tensor.__deepcopy__, (self,), self, memo)
    from torch._tensor_pickle import deepcopy_tensor

    return deepcopy_tensor(self, memo)


@_plain
def __iter__(self):
    if self.dim() == 0:
        raise TypeError("iteration over a 0-d tensor")
    return iter(self.unbind(0))


@_method
def __reversed__(self):
    return self if self.dim() == 0 else self.flip(0)


@_method
def __contains__(self, element):
    if isinstance(element, (Tensor, int, float, complex)) and not isinstance(element, str):
        return bool((element == self).any().item())
    raise RuntimeError(f"Tensor.__contains__ only supports Tensor or scalar, but you passed in a "
                       f"{type(element)}.")


@_method
def __array__(self, dtype=None):
    return self.numpy() if dtype is None else self.numpy().astype(dtype, copy=False)


@_method
def __array_wrap__(self, array):
    if array.dtype == bool:
        array = array.astype("uint8")  # comparisons of NumPy on a tensor have always come back as bytes
    from torch import from_numpy

    return from_numpy(array)


Tensor.__array_priority__ = 1000  # NumPy's binary operators give way to ours


@_plain
def __dir__(self):
    names = [*dir(type(self)), *getattr(self, "__dict__", ())]
    if not self.is_cuda:
        names = [name for name in names if name != "__cuda_array_interface__"]
    return sorted(names)


@_method
def register_hook(self, hook):
    """Call `hook(grad)` whenever the gradient of this tensor is computed; what it returns replaces the
    gradient.

    Returns a handle whose `remove()` takes the hook away."""
    _check_hookable(self)
    node = self.grad_fn
    # What was registered before a change in place stays with the value of then, in its node.
    if self._backward_hooks is None or (node is not None and not node._has_hook_dict(self)):
        from collections import OrderedDict

        self._backward_hooks = OrderedDict()
        if node is not None:
            node._register_hook_dict(self)
    return _hooked(self._backward_hooks, hook)


@_method
def register_post_accumulate_grad_hook(self, hook):
    """Call `hook(tensor)` after the gradient of this leaf was accumulated into `tensor.grad`."""
    _check_hookable(self)
    if self.grad_fn is not None:
        raise RuntimeError("post accumulate grad hooks cannot be registered on non-leaf tensors")
    if self._post_accumulate_grad_hooks is None:
        self._post_accumulate_grad_hooks = {}
    return _hooked(self._post_accumulate_grad_hooks, hook)


def _check_hookable(tensor):
    if not tensor.requires_grad:
        raise RuntimeError("cannot register a hook on a tensor that doesn't require gradient")


def _hooked(hooks, hook):
    """Put a hook into the dictionary; the handle takes it out again."""
    from torch.utils.hooks import RemovableHandle

    handle = RemovableHandle(hooks)
    hooks[handle.id] = hook
    return handle


@_plain
def _typed_storage(self):
    from torch.storage import TypedStorage

    return TypedStorage(wrap_storage=self.untyped_storage(), dtype=self.dtype, _internal=True)


@_method
def storage(self):
    """The typed view of this tensor's storage. `untyped_storage()` is what new programs use."""
    return self._typed_storage()


@_plain
def storage_type(self):
    return type(self._typed_storage())._legacy_class(self.dtype)


@_method
def is_shared(self):
    """True if other processes can see this tensor's memory."""
    return self.is_cuda or self.untyped_storage().is_shared()


@_method
def share_memory_(self):
    """Move the storage into shared memory, in place."""
    self.untyped_storage().share_memory_()
    return self


@_method
def module_load(self, other, assign=False):
    """The tensor that `load_state_dict` puts in the place of this one: `self` filled from `other`, or
    `other`."""
    return other.detach() if assign else self.copy_(other).detach()


@_method
def norm(self, p="fro", dim=None, keepdim=False, dtype=None):
    from torch.functional import norm

    return norm(self, p, dim, keepdim, dtype=dtype)


@_method
def split(self, split_size, dim=0):
    """Views of `split_size` slices along `dim` (the last may be shorter), or of the sizes in a list."""
    if isinstance(split_size, int):
        return _C._VariableFunctions.split(self, split_size, dim)
    return _C._VariableFunctions.split_with_sizes(self, list(split_size), dim)


@_method
def nonzero(self, *, as_tuple=False):
    from torch.functional import nonzero

    return nonzero(self, as_tuple=as_tuple)


@_method
def unique(self, sorted=True, return_inverse=False, return_counts=False, dim=None):
    from torch.functional import unique

    return unique(self, sorted, return_inverse, return_counts, dim)


@_method
def unique_consecutive(self, return_inverse=False, return_counts=False, dim=None):
    from torch.functional import unique_consecutive

    return unique_consecutive(self, return_inverse, return_counts, dim)


@_method
def unflatten(self, dim, sizes):
    """Split dimension `dim` into the shape `sizes`, in which one entry may be -1."""
    if not sizes:
        raise RuntimeError("unflatten: sizes must be non-empty")
    return _C._VariableFunctions.unflatten(self, dim, sizes)


@_method
def lu(self, pivot=True, get_infos=False):
    from torch.functional import lu

    return lu(self, pivot, get_infos)


@_method
def stft(self, n_fft, hop_length=None, win_length=None, window=None, center=True, pad_mode="reflect",
         normalized=False, onesided=None, return_complex=None, align_to_window=None):
    from torch.functional import stft

    return stft(self, n_fft, hop_length, win_length, window, center, pad_mode, normalized, onesided,
                return_complex, align_to_window)


@_method
def istft(self, n_fft, hop_length=None, win_length=None, window=None, center=True, normalized=False,
          onesided=None, length=None, return_complex=False):
    return _C._VariableFunctions.istft(self, n_fft, hop_length, win_length, window, center, normalized,
                                       onesided,
                                       length, return_complex)


@_method
def dim_order(self, *, ambiguity_check=False):
    """Dimensions from the slowest to the fastest in memory."""
    strides = self.stride()
    order = sorted(range(self.dim()), key=lambda d: (-strides[d], d))
    if ambiguity_check and any(strides[a] == strides[b] for a, b in zip(order, order[1:])):
        raise RuntimeError("The tensor does not have unique dim order, or cannot map to exact one of the "
                           "given "
                           f"memory formats. strides: {strides}")
    return tuple(order)


@_plain
def __dlpack__(self, *, stream=-1, max_version=None, dl_device=None, copy=None):
    from torch.utils.dlpack import export

    return export(self, stream, max_version, dl_device, copy)


@_plain
def __dlpack_device__(self):
    from torch.utils.dlpack import device_of

    return device_of(self)


@property
def __cuda_array_interface__(self):
    raise AttributeError(f"Can't get __cuda_array_interface__ on non-CUDA tensor type: {self.type()} "
                         "If CUDA data is required use tensor.cuda() to copy tensor to device memory.")


Tensor.__cuda_array_interface__ = __cuda_array_interface__


def _as_class(result, cls):
    """Results of operators on a subclass are of that subclass, inside of lists and tuples too."""
    if isinstance(result, Tensor):
        return result if isinstance(result, cls) else result.as_subclass(cls)
    if isinstance(result, (tuple, list)):
        return type(result)(_as_class(item, cls) for item in result)
    return result


@classmethod
def __torch_function__(cls, func, types, args=(), kwargs=None):
    """Run `func` on the plain data and wrap its results in `cls`. Subclasses override this to intercept."""
    for kind in types:
        if not issubclass(cls, kind):
            return NotImplemented
    with _C.DisableTorchFunctionSubclass():
        result = func(*args, **(kwargs or {}))
    from torch.overrides import get_default_nowrap_functions

    return result if cls is Tensor or func in get_default_nowrap_functions() else _as_class(result, cls)


Tensor.__torch_function__ = __torch_function__
Tensor.__torch_dispatch__ = _C._disabled_torch_dispatch_impl

_absent_methods.attach(Tensor)
