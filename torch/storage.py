"""Typed storages: the legacy face of the untyped bytes under a tensor.

`torch.UntypedStorage` is made by the extension. A TypedStorage adds a dtype to one; FloatStorage and its kin
are TypedStorages of one dtype, and their names stand in every saved file.
"""

import copy
import io
import warnings

import torch
from torch._C import UntypedStorage

_DTYPES = {
    "DoubleStorage": torch.float64, "FloatStorage": torch.float32, "HalfStorage": torch.float16,
    "LongStorage": torch.int64, "IntStorage": torch.int32, "ShortStorage": torch.int16,
    "CharStorage": torch.int8,
    "ByteStorage": torch.uint8, "BoolStorage": torch.bool, "BFloat16Storage": torch.bfloat16,
    "ComplexDoubleStorage": torch.complex128, "ComplexFloatStorage": torch.complex64,
}
_NAMES = {dtype: name for name, dtype in _DTYPES.items()}


def _warn_deprecated():
    warnings.warn("TypedStorage is deprecated; use the untyped storage: tensor.untyped_storage() in the "
                  "place of "
                  "tensor.storage()", UserWarning, stacklevel=3)


class TypedStorage:
    """A storage seen as elements of one dtype."""

    is_sparse = False
    _fixed_dtype = None

    def __init__(self, *args, device=None, dtype=None, wrap_storage=None, _internal=False):
        if not _internal:
            _warn_deprecated()
        fixed = type(self)._fixed_dtype
        if fixed is not None and dtype is not None and dtype != fixed:
            raise RuntimeError(f"{type(self).__name__}(): dtype is {fixed}, got dtype={dtype}")
        self.dtype = fixed or dtype or torch.get_default_dtype()
        if wrap_storage is not None:
            if not isinstance(wrap_storage, UntypedStorage):
                raise TypeError(f"{type(self).__name__}(): wrap_storage must be UntypedStorage, got "
                                f"{type(wrap_storage)}")
            if args:
                raise RuntimeError(f"{type(self).__name__}(): no positional arguments beside wrap_storage")
            self._untyped_storage = wrap_storage
            return
        if len(args) > 1:
            raise RuntimeError(f"{type(self).__name__}(): expected at most one argument, got {len(args)}")
        if not args:
            self._untyped_storage = UntypedStorage(0)
        elif isinstance(args[0], int):
            self._untyped_storage = UntypedStorage(args[0] * self.dtype.itemsize)
        elif isinstance(args[0], (TypedStorage, list, tuple)):
            self._untyped_storage = torch.tensor(list(args[0]), dtype=self.dtype).untyped_storage()
        else:
            raise TypeError(f"{type(self).__name__}(): expected a size or a sequence, got {type(args[0])}")

    @staticmethod
    def _legacy_class(dtype):
        return globals()[_NAMES[dtype]] if dtype in _NAMES else TypedStorage

    def _like(self, untyped):
        return TypedStorage(wrap_storage=untyped, dtype=self.dtype, _internal=True)

    def _tensor(self):
        return torch.empty((0,), dtype=self.dtype, device=self.device).set_(
            self._untyped_storage, 0, (self._size(),), (1,))

    def _size(self):
        return self._untyped_storage.nbytes() // self.dtype.itemsize

    def untyped(self):
        return self._untyped_storage

    @property
    def device(self):
        return self._untyped_storage.device

    @property
    def is_cuda(self):
        return self.device.type == "cuda"

    def size(self):
        return self._size()

    __len__ = size

    def nbytes(self):
        return self._untyped_storage.nbytes()

    def data_ptr(self):
        return self._untyped_storage.data_ptr()

    def element_size(self):
        return self.dtype.itemsize

    def __getitem__(self, index):
        if isinstance(index, slice):
            raise RuntimeError("slices are only supported in UntypedStorage.__getitem__")
        if not isinstance(index, int):
            raise RuntimeError(f"can't index a {type(self)} with {type(index)}")
        if not -self._size() <= index < self._size():
            raise IndexError(f"index {index} is out of range for storage of size {self._size()}")
        return self._tensor()[index].item()

    def __setitem__(self, index, value):
        self._tensor()[index] = value

    def __iter__(self):
        return iter(self.tolist())

    def tolist(self):
        return self._tensor().tolist()

    def fill_(self, value):
        self._tensor().fill_(value)
        return self

    def copy_(self, source, non_blocking=None):
        self._tensor().copy_(source._tensor() if isinstance(source, TypedStorage) else source)
        return self

    def resize_(self, size):
        self._untyped_storage.resize_(size * self.dtype.itemsize)
        return self

    def clone(self):
        return self._like(self._untyped_storage.clone())

    def cpu(self):
        return self._like(self._untyped_storage.cpu())

    def type(self, dtype=None, non_blocking=False):
        if dtype is None:
            name = _NAMES.get(self.dtype, "TypedStorage")
            return "torch.storage.TypedStorage" if name == "TypedStorage" else f"torch.{name}"
        return self._converted(dtype)

    def _converted(self, dtype):
        wanted = _DTYPES.get(dtype.rsplit(".", 1)[-1]) if isinstance(dtype, str) else getattr(dtype,
                                                                                              "_fixed_dtype",
                                                                                              dtype)
        converted = self._tensor().to(wanted)
        converted = converted.clone() if wanted == self.dtype else converted
        return TypedStorage(wrap_storage=converted.untyped_storage(), dtype=wanted, _internal=True)

    def pickle_storage_type(self):
        """Name of the storage class that stands for this dtype in files."""
        if self.dtype not in _NAMES:
            raise KeyError(self.dtype)
        return _NAMES[self.dtype]

    def is_shared(self):
        return self._untyped_storage.is_shared()

    def share_memory_(self):
        self._untyped_storage.share_memory_()
        return self

    @classmethod
    def _new_shared(cls, size):
        """A storage of `size` elements in shared memory."""
        made = cls(_internal=True)
        made._untyped_storage = UntypedStorage._new_shared(size * made.dtype.itemsize)
        return made

    def is_pinned(self, device=None):
        return self._untyped_storage.is_pinned()

    def __eq__(self, other):
        return isinstance(other, TypedStorage) and self.dtype == other.dtype and (
            self._untyped_storage is other._untyped_storage or self.data_ptr() == other.data_ptr())

    __hash__ = None

    def __deepcopy__(self, memo):
        return self._like(copy.deepcopy(self._untyped_storage, memo))

    def __copy__(self):
        return self.clone()

    def __sizeof__(self):
        return object.__sizeof__(self) + self.nbytes()

    def __reduce__(self):
        written = io.BytesIO()
        torch.save(self, written, _use_new_zipfile_serialization=False)
        return _load_from_bytes, (written.getvalue(),)

    def __repr__(self):
        head = "\n ".join(map(str, self.tolist())) if self.device.type != "meta" else "..."
        kind = f"torch.storage.TypedStorage(dtype={self.dtype}, device={self.device})"
        return f" {head}\n[{kind} of size {self._size()}]"

    __str__ = __repr__


for _suffix, _dtype in (("double", torch.float64), ("float", torch.float32), ("half", torch.float16),
                        ("long", torch.int64), ("int", torch.int32), ("short", torch.int16), ("char",
                                                                                              torch.int8),
                        ("byte", torch.uint8), ("bool", torch.bool), ("bfloat16", torch.bfloat16),
                        ("complex_double", torch.complex128), ("complex_float", torch.complex64)):
    setattr(TypedStorage, _suffix, lambda self, _dtype=_dtype: self._converted(_dtype))


class _LegacyStorageMeta(type):
    def __instancecheck__(cls, instance):
        if type.__instancecheck__(cls, instance):
            return True
        return (
            cls._fixed_dtype is not None
            and type(instance) is TypedStorage
            and instance.dtype == cls._fixed_dtype
        )


class _LegacyStorage(TypedStorage, metaclass=_LegacyStorageMeta):
    @property
    def _like_dtype(self):
        return self._fixed_dtype


for _name, _dtype in _DTYPES.items():
    globals()[_name] = _LegacyStorageMeta(_name, (_LegacyStorage,), {
        "__module__": "torch", "_fixed_dtype": _dtype, "__doc__": f"Legacy storage of {_dtype} elements."})


def _load_from_bytes(data):
    return torch.load(io.BytesIO(data), weights_only=False)


def _untyped_deepcopy(self, memo):
    known = memo.setdefault("torch", {})
    if self._cdata not in known:
        known[self._cdata] = self.clone()
    return known[self._cdata]


def _untyped_reduce(self):
    written = io.BytesIO()
    torch.save(self, written, _use_new_zipfile_serialization=False)
    return _load_from_bytes, (written.getvalue(),)


def _untyped_byteswap(self, dtype):
    """Turn the bytes of each element round, in place; a complex number is two elements."""
    width = dtype.itemsize // (2 if dtype.is_complex else 1)
    if width > 1 and self.nbytes():
        elements = torch.empty(0, dtype=torch.uint8).set_(self, 0, (self.nbytes() // width, width), (width, 1))
        elements.copy_(elements.flip(1))


UntypedStorage.byteswap = _untyped_byteswap
UntypedStorage.__deepcopy__ = _untyped_deepcopy
UntypedStorage.__reduce__ = _untyped_reduce
