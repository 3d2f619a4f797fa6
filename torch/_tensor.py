"""Methods of Tensor that are written in Python.

The extension creates the type; the functions below become its attributes. Modules that not every program
needs are imported inside the method that needs them.
"""

from __future__ import annotations

from torch import _C, _absent_methods, _tensor_legacy
from torch._C import Tensor
from torch._C import _has_torch_function_unary as _overridden
from torch._C import _VariableFunctions as _functions

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from torch import device as _device
    from torch import dtype as _dtype
    from torch.utils.hooks import RemovableHandle


def _method(function):
    """Attach `function` to Tensor, after a check for a subclass's `__torch_function__`."""

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
def backward(
    self: Tensor, gradient: Tensor | None = None, retain_graph: bool | None = None, create_graph: bool = False,
    inputs: Any = None,
) -> None:  # fmt: skip
    """Accumulate the derivative of this tensor into the `grad` of the leaves of its graph.

    Args:
        gradient (Tensor, optional): the gradient of this tensor, of its shape; may be left out for a single element
        retain_graph (bool, optional): keep what a second backward needs; by default as `create_graph`
        create_graph (bool, default False): record the backward, for derivatives of it
        inputs (Tensor or Sequence[Tensor], optional): the leaves that are to receive; by default all

    Raises:
        RuntimeError: no gradient is wanted anywhere, or the graph was freed by a backward before

    Example:
        >>> x = torch.tensor([1., 2.], requires_grad=True)
        >>> (x * x).sum().backward()
        >>> x.grad
        tensor([2., 4.])
    """
    if _overridden(self):
        from torch.overrides import handle_torch_function

        return handle_torch_function(
            Tensor.backward, (self,), self, gradient=gradient, retain_graph=retain_graph, create_graph=create_graph, inputs=inputs
        )
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


# Classes of tensors that define another one answer the calls of operators.
Tensor.__torch_dispatch__ = _C._disabled_torch_dispatch_impl


@_plain
def __reduce_ex__(self, protocol):
    from torch.serialization._tensor_pickle import reduce_tensor

    return reduce_tensor(self, protocol)


@_plain
def _reduce_ex_internal(self, protocol):
    from torch.serialization._tensor_pickle import reduce_data

    return reduce_data(self)


@_method
def __setstate__(self, state):
    from torch.serialization._tensor_pickle import set_state

    set_state(self, state)


@_plain
def __deepcopy__(self, memo):
    if _overridden(self):
        from torch.overrides import handle_torch_function

        return handle_torch_function(Tensor.__deepcopy__, (self,), self, memo)
    from torch.serialization._tensor_pickle import deepcopy_tensor

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
    raise RuntimeError(f"Tensor.__contains__ only supports Tensor or scalar, but you passed in a {type(element)}.")


@_method
def __array__(self, dtype=None):
    return self.numpy() if dtype is None else self.numpy().astype(dtype, copy=False)


@_method
def __array_wrap__(self, array):
    if array.dtype == bool:
        array = array.astype("uint8")  # NumPy comparisons of a tensor have always returned bytes
    from torch import from_numpy

    return from_numpy(array)


Tensor.__array_priority__ = 1000  # NumPy's binary operators defer to ours


@_plain
def __dir__(self):
    names = [*dir(type(self)), *getattr(self, "__dict__", ())]
    if not self.is_cuda:
        names = [name for name in names if name != "__cuda_array_interface__"]
    return sorted(names)


del __dir__  # Tensor has it; a module's own would be asked for this module's names


@_method
def register_hook(self: Tensor, hook: Callable[[Tensor], Any]) -> RemovableHandle:
    """Call a function whenever the gradient of this tensor is computed.

    Args:
        hook (function): gets the gradient; what it returns, if not None, replaces it

    Returns:
        a handle whose `remove()` takes the hook away

    Raises:
        RuntimeError: the tensor does not require a gradient

    Example:
        >>> x = torch.ones(2, requires_grad=True)
        >>> handle = x.register_hook(lambda gradient: gradient * 10)
        >>> x.sum().backward()
        >>> x.grad
        tensor([10., 10.])
    """
    _check_hookable(self)
    node = self.grad_fn
    # Hooks registered before an in-place change stay with the earlier value, in its node.
    if self._backward_hooks is None or (node is not None and not node._has_hook_dict(self)):
        from collections import OrderedDict

        self._backward_hooks = OrderedDict()
        if node is not None:
            node._register_hook_dict(self)
    return _hooked(self._backward_hooks, hook)


@_method
def register_post_accumulate_grad_hook(self: Tensor, hook: Callable[[Tensor], Any]) -> RemovableHandle:
    """Call a function after the gradient of this leaf was accumulated.

    Args:
        hook (function): gets the tensor, whose `grad` is complete

    Returns:
        a handle whose `remove()` takes the hook away

    Raises:
        RuntimeError: the tensor is no leaf, or does not require a gradient

    Example:
        >>> x = torch.ones(2, requires_grad=True)
        >>> handle = x.register_post_accumulate_grad_hook(lambda leaf: print(leaf.grad))
        >>> x.sum().backward()
        tensor([1., 1.])
    """
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
    """Add a hook to the dictionary; the handle removes it."""
    from torch.utils.hooks import RemovableHandle

    handle = RemovableHandle(hooks)
    hooks[handle.id] = hook
    return handle


@_plain
def _typed_storage(self):
    from torch.storage import TypedStorage

    return TypedStorage(wrap_storage=self.untyped_storage(), dtype=self.dtype, _internal=True)


@_method
def storage(self: Tensor) -> Any:
    """The typed view of this tensor's storage; `untyped_storage()` is what new programs use.

    Returns:
        a TypedStorage

    Example:
        >>> torch.tensor([1., 2.]).storage().tolist()
        [1.0, 2.0]
    """
    return self._typed_storage()


@_plain
def storage_type(self: Tensor) -> type:
    """The legacy class of this tensor's storage.

    Returns:
        the class

    Example:
        >>> torch.ones(2).storage_type()
        <class 'torch.FloatStorage'>
    """
    return type(self._typed_storage())._legacy_class(self.dtype)


@_method
def is_shared(self: Tensor) -> bool:
    """True if other processes can see this tensor's memory.

    Returns:
        whether they can

    Example:
        >>> torch.ones(2).is_shared()
        False
    """
    return self.is_cuda or self.untyped_storage().is_shared()


@_method
def to_dense(self: Tensor, dtype: Any = None, *, masked_grad: bool | None = None) -> Tensor:
    """The tensor with all its elements in memory, as every tensor here is.

    Args:
        dtype (torch.dtype, optional): of the result
        masked_grad (bool, optional): of no effect for dense tensors

    Returns:
        this tensor, or a converted one

    Example:
        >>> torch.ones(2).to_dense()
        tensor([1., 1.])
    """
    return self if dtype is None else self.to(dtype)


@_method
def share_memory_(self: Tensor) -> Tensor:
    """Move the storage into shared memory, in place.

    Returns:
        this tensor

    Example:
        >>> torch.ones(2).share_memory_().is_shared()
        True
    """
    self.untyped_storage().share_memory_()
    return self


@_method
def module_load(self: Tensor, other: Tensor, assign: bool = False) -> Tensor:
    """The tensor that `load_state_dict` puts in the place of this one.

    Args:
        other (Tensor): what is loaded
        assign (bool, default False): take `other` itself; otherwise this tensor, filled from it

    Returns:
        the tensor, without history

    Example:
        >>> torch.zeros(2).module_load(torch.ones(2))
        tensor([1., 1.])
    """
    return other.detach() if assign else self.copy_(other).detach()


@_method
def norm(self: Tensor, p: Any = "fro", dim: Any = None, keepdim: bool = False, dtype: _dtype | None = None) -> Tensor:
    """The p-norm of all elements, or over some dimensions; see `torch.norm`.

    Args:
        p (float or str, default "fro"): order of the norm
        dim (int or Sequence[int], optional): what to reduce; by default everything
        keepdim (bool, default False): keep the reduced dimensions with length 1
        dtype (torch.dtype, optional): convert to this first

    Returns:
        the norms

    Example:
        >>> torch.tensor([3., 4.]).norm()
        tensor(5.)
    """
    from torch.functional import norm

    return norm(self, p, dim, keepdim, dtype=dtype)


@_method
def split(self: Tensor, split_size: int | Sequence[int], dim: int = 0) -> tuple[Tensor, ...]:
    """Views of consecutive parts; see `torch.split`.

    Args:
        split_size (int or Sequence[int]): the size of each part (the last may be shorter), or the sizes of all
        dim (int, default 0): the dimension that is cut

    Returns:
        the parts

    Example:
        >>> torch.arange(3).split(2)
        (tensor([0, 1]), tensor([2]))
    """
    if isinstance(split_size, int):
        return _C._VariableFunctions.split(self, split_size, dim)
    return _C._VariableFunctions.split_with_sizes(self, list(split_size), dim)


@_method
def nonzero(self: Tensor, *, as_tuple: bool = False) -> Any:
    """Places of the elements that are not zero; see `torch.nonzero`.

    Args:
        as_tuple (bool, default False): an index tensor for each dimension

    Returns:
        one row of indices for each such element, or the tuple

    Example:
        >>> torch.tensor([0, 5]).nonzero()
        tensor([[1]])
    """
    return tuple(_functions.nonzero_numpy(self)) if as_tuple else _functions.nonzero(self)


@_method
def unique(
    self: Tensor, sorted: bool = True, return_inverse: bool = False, return_counts: bool = False, dim: int | None = None,
) -> Any:  # fmt: skip
    """Distinct elements, or slices along a dimension; see `torch.unique`.

    Args:
        sorted (bool, default True): in ascending order
        return_inverse (bool, default False): also where each element is in the result
        return_counts (bool, default False): also how often each one occurs
        dim (int, optional): compare whole slices along this dimension

    Returns:
        the values, or a tuple of them and what else was asked for

    Example:
        >>> torch.tensor([3, 1, 3]).unique()
        tensor([1, 3])
    """
    from torch.functional import unique

    return unique(self, sorted, return_inverse, return_counts, dim)


@_method
def unique_consecutive(self: Tensor, return_inverse: bool = False, return_counts: bool = False, dim: int | None = None) -> Any:
    """The elements without repetitions of the one before; see `torch.unique_consecutive`.

    Args:
        return_inverse (bool, default False): also where each element is in the result
        return_counts (bool, default False): also the length of each run
        dim (int, optional): compare whole slices along this dimension

    Returns:
        the values, or a tuple of them and what else was asked for

    Example:
        >>> torch.tensor([1, 1, 2, 1]).unique_consecutive()
        tensor([1, 2, 1])
    """
    from torch.functional import unique_consecutive

    return unique_consecutive(self, return_inverse, return_counts, dim)


@_method
def unflatten(self: Tensor, dim: int, sizes: Sequence[int]) -> Tensor:
    """Split a dimension into several.

    Args:
        dim (int): the dimension
        sizes (Sequence[int]): the lengths, one of which may be -1

    Returns:
        a view

    Raises:
        RuntimeError: the lengths do not multiply to that of the dimension

    Example:
        >>> torch.ones(2, 6).unflatten(1, (3, -1)).shape
        torch.Size([2, 3, 2])
    """
    if not sizes:
        raise RuntimeError("unflatten: sizes must be non-empty")
    return _C._VariableFunctions.unflatten(self, dim, sizes)


@_method
def lu(self: Tensor, pivot: bool = True, get_infos: bool = False) -> Any:
    """LU factors of matrices in one tensor, with pivots; see `torch.lu`.

    Args:
        pivot (bool, default True): exchange rows; on the CPU it must be True
        get_infos (bool, default False): also the number of the first pivot that is zero, for each matrix

    Returns:
        the factors, pivots, and what else was asked for

    Example:
        >>> torch.tensor([[2.0]]).lu()
        (tensor([[2.]]), tensor([1], dtype=torch.int32))
    """
    from torch.functional import lu

    return lu(self, pivot, get_infos)


@_method
def eig(self: Tensor, *_: Any, **__: Any) -> Any:
    """Removed: use `torch.linalg.eig` or `torch.linalg.eigvals`.

    Example:
        >>> torch.linalg.eigvals(torch.tensor([[2.0]]))
        tensor([2.+0.j])
    """
    from torch._linalg_utils import eig

    return eig()


@_method
def lstsq(self: Tensor, *_: Any, **__: Any) -> Any:
    """Removed: use `torch.linalg.lstsq`.

    Example:
        >>> torch.linalg.lstsq(torch.tensor([[2.0]]), torch.tensor([[4.0]])).solution
        tensor([[2.]])
    """
    from torch._linalg_utils import lstsq

    return lstsq()


@_method
def solve(self: Tensor, *_: Any, **__: Any) -> Any:
    """Removed: use `torch.linalg.solve`.

    Example:
        >>> torch.linalg.solve(torch.tensor([[2.0]]), torch.tensor([[4.0]]))
        tensor([[2.]])
    """
    from torch._linalg_utils import solve

    return solve()


@_method
def symeig(self: Tensor, *_: Any, **__: Any) -> Any:
    """Removed: use `torch.linalg.eigh` or `torch.linalg.eigvalsh`.

    Example:
        >>> torch.linalg.eigvalsh(torch.tensor([[2.0]]))
        tensor([2.])
    """
    from torch._linalg_utils import symeig

    return symeig()


@_method
def stft(
    self: Tensor, n_fft: int, hop_length: int | None = None, win_length: int | None = None, window: Tensor | None = None,
    center: bool = True, pad_mode: str = "reflect", normalized: bool = False, onesided: bool | None = None,
    return_complex: bool | None = None, align_to_window: bool | None = None,
) -> Tensor:  # fmt: skip
    """The spectra of overlapping frames of a signal: `torch.stft` of this tensor.

    Args:
        n_fft (int): the length of a frame's transform, in samples
        hop_length (int, optional): the distance between the starts of frames; by default a quarter of `n_fft`
        win_length (int, optional): the length of the window, by default `n_fft`
        window (Tensor, optional): the window, by default ones
        center (bool, default True): frame t is centered at sample t * hop_length
        pad_mode (str, default "reflect"): how the signal is padded for that
        normalized (bool, default False): divide by the square root of `n_fft`
        onesided (bool, optional): only frequencies from 0 upwards; the default for real signals
        return_complex (bool, optional): complex numbers, or pairs of real ones
        align_to_window (bool, optional): without `center`: frames as long as the window

    Returns:
        a tensor of shape (B, frequencies, frames), without B for one signal

    Example:
        >>> torch.ones(8).stft(4, center=False, return_complex=True).shape
        torch.Size([3, 5])
    """
    from torch.functional import stft

    return stft(
        self, n_fft, hop_length, win_length, window, center, pad_mode, normalized, onesided, return_complex, align_to_window
    )


@_method
def istft(
    self: Tensor, n_fft: int, hop_length: int | None = None, win_length: int | None = None, window: Tensor | None = None,
    center: bool = True, normalized: bool = False, onesided: bool | None = None, length: int | None = None,
    return_complex: bool = False,
) -> Tensor:  # fmt: skip
    """The signal of overlapping frames' spectra: `torch.istft` of this tensor.

    Args:
        n_fft (int): the length of a frame's transform, in samples
        hop_length (int, optional): the distance between the starts of frames; by default a quarter of `n_fft`
        win_length (int, optional): the length of the window, by default `n_fft`
        window (Tensor, optional): the window, by default ones
        center (bool, default True): frame t was centered at sample t * hop_length
        normalized (bool, default False): the spectra were divided by the square root of `n_fft`
        onesided (bool, optional): only frequencies from 0 upwards are given
        length (int, optional): of the signal, in samples
        return_complex (bool, default False): the signal is complex

    Returns:
        the signal, of shape (B, L), without B for one signal

    Example:
        >>> torch.ones(8).stft(4, window=torch.ones(4), return_complex=True).istft(4, window=torch.ones(4)).shape
        torch.Size([8])
    """
    return _C._VariableFunctions.istft(
        self, n_fft, hop_length, win_length, window, center, normalized, onesided, length, return_complex
    )


@_method
def dim_order(self: Tensor, *, ambiguity_check: Any = False) -> tuple[int, ...]:
    """Dimensions from the slowest to the fastest in memory.

    Args:
        ambiguity_check (bool, default False): refuse a tensor whose order is not the only one

    Returns:
        the dimensions

    Raises:
        RuntimeError: there are several orders, and they are refused

    Example:
        >>> torch.ones(2, 3).t().dim_order()
        (1, 0)
    """
    strides = self.stride()
    order = sorted(range(self.dim()), key=lambda d: (-strides[d], d))
    if ambiguity_check and any(strides[a] == strides[b] for a, b in zip(order, order[1:])):
        raise RuntimeError(
            "The tensor does not have unique dim order, or cannot map to exact one of the given memory formats. "
            f"strides: {strides}"
        )
    return tuple(order)


@_plain
def __dlpack__(self, *, stream=-1, max_version=None, dl_device=None, copy=None):
    from torch.utils.dlpack import export

    return export(self, stream, max_version, dl_device, copy)


@_plain
def __dlpack_device__(self):
    from torch.utils.dlpack import device_of

    return device_of(self)


@_plain
def __array_namespace__(self, *, api_version: str | None = None):
    """The namespace of the Python array API standard (2025.12) over tensors.

    Raises:
        ValueError: the version asked for is not known

    Example:
        >>> xp = torch.ones(2).__array_namespace__(api_version="2025.12")
        >>> xp.add(torch.ones(2), torch.tensor(1, dtype=torch.float64)).dtype
        torch.float64
    """
    from torch._array_api import namespace

    return namespace(api_version)


@_method
def to_device(self: Tensor, device: _device | str | int, /, *, stream: None = None) -> Tensor:
    """The tensor on another device, as the array API standard calls it.

    Args:
        device (device): where it goes
        stream (None): tensors on a CPU have no streams

    Returns:
        the tensor itself if it is there, else a copy

    Raises:
        ValueError: a stream was given; tensors on a CPU have none

    Example:
        >>> torch.ones(1).to_device("cpu").device
        device(type='cpu')
    """
    if stream is not None:
        raise ValueError(f"to_device: stream must be None, got {stream!r}")
    return self.to(device)


@property
def __cuda_array_interface__(self):
    if self.is_cuda:
        from torch.cuda._interop import array_interface

        return array_interface(self)
    raise AttributeError(
        f"Can't get __cuda_array_interface__ on non-CUDA tensor type: {self.type()} If CUDA data is required use "
        "tensor.cuda() to copy tensor to device memory."
    )


Tensor.__cuda_array_interface__ = __cuda_array_interface__
Tensor.__dlpack_c_exchange_api__ = _C._dlpack_exchange_api  # functions that other libraries call from C


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

for _function in _tensor_legacy.METHODS:
    _method(_function)
for _name, _meaning in _tensor_legacy.OLD_NAMES.items():
    setattr(Tensor, _name, getattr(Tensor, _meaning))


@property
def volatile(self: Tensor) -> bool:
    """False: `torch.no_grad` took the place of this attribute.

    Example:
        >>> torch.ones(1).volatile
        False
    """
    return False


Tensor.volatile = volatile

_absent_methods.attach(Tensor)


def from_file(filename: str, shared: bool = False, nbytes: int = 0) -> _C.UntypedStorage:
    """A storage over the first bytes of a file, which are read when they are used.

    Args:
        filename (str): the file
        shared (bool, default False): True: changes go to the file, which is made or grows if it is too short; False: they stay
            in this process
        nbytes (int, default 0): how many bytes

    Returns:
        the storage

    Raises:
        RuntimeError: the file cannot be opened, or is too short

    Example:
        >>> import tempfile
        >>> with tempfile.NamedTemporaryFile() as file:
        ...     _ = file.write(b"abc"), file.flush()
        ...     torch.UntypedStorage.from_file(file.name, shared=False, nbytes=2).tolist()
        [97, 98]
    """
    from torch import _storage_files

    return _storage_files.from_file(filename, shared, nbytes)


def untyped(self: _C.UntypedStorage) -> _C.UntypedStorage:
    """The storage itself, as a TypedStorage has it inside.

    Returns:
        this storage

    Example:
        >>> storage = torch.UntypedStorage(3)
        >>> storage.untyped() is storage
        True
    """
    return self


def element_size(self: _C.UntypedStorage) -> int:
    """Bytes of an element: it is a byte.

    Returns:
        1

    Example:
        >>> torch.UntypedStorage(3).element_size()
        1
    """
    return 1


def get_device(self: _C.UntypedStorage) -> int:
    """The index of the device.

    Returns:
        the index, -1 for the CPU

    Example:
        >>> torch.UntypedStorage(3).get_device()
        -1
    """
    return -1 if self.device.index is None else self.device.index


_C.UntypedStorage.from_file = staticmethod(from_file)
_C.UntypedStorage.untyped, _C.UntypedStorage.element_size, _C.UntypedStorage.get_device = untyped, element_size, get_device
_C.UntypedStorage.is_sparse = _C.UntypedStorage.is_sparse_csr = False
for _function in (from_file, untyped, element_size, get_device):
    _function.__qualname__, _function.__module__ = f"UntypedStorage.{_function.__name__}", "torch"


def __getattr__(name: str) -> object:
    """The function that pickles of tensor subclasses name, which is loaded with the rest of pickling."""
    if name == "_rebuild_from_type_v2":
        from torch.serialization import _tensor_pickle

        return _tensor_pickle._rebuild_from_type_v2
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
