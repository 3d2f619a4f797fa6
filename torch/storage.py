"""Typed storages: the legacy interface to the untyped bytes of a tensor.

`torch.UntypedStorage` is made by the extension. A TypedStorage adds a dtype to one. FloatStorage and similar
classes are TypedStorages of one dtype, and every saved file contains their names.
"""

from __future__ import annotations

import copy
import io
import warnings

import torch
from torch._C import UntypedStorage

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

_DTYPES = {
    "DoubleStorage": torch.float64,
    "FloatStorage": torch.float32,
    "HalfStorage": torch.float16,
    "LongStorage": torch.int64,
    "IntStorage": torch.int32,
    "ShortStorage": torch.int16,
    "CharStorage": torch.int8,
    "ByteStorage": torch.uint8,
    "BoolStorage": torch.bool,
    "BFloat16Storage": torch.bfloat16,
    "ComplexDoubleStorage": torch.complex128,
    "ComplexFloatStorage": torch.complex64,
}
_NAMES = {dtype: name for name, dtype in _DTYPES.items()}


def _warn_deprecated() -> None:
    warnings.warn(
        "TypedStorage is deprecated; use the untyped storage: tensor.untyped_storage() in the place of tensor.storage()",
        UserWarning,
        stacklevel=3,
    )


class TypedStorage:
    """A storage seen as elements of one dtype.

    Args:
        *args (int or Sequence): the number of elements, or their values
        device (device, optional): of the bytes, the CPU by default
        dtype (torch.dtype, optional): of the elements; by default the default dtype
        wrap_storage (UntypedStorage, optional): bytes to look at instead of new ones

    Raises:
        RuntimeError: more than one argument, or a dtype that is not that of the class
        TypeError: `wrap_storage` is no UntypedStorage, or the argument neither a number nor a sequence

    Example:
        >>> storage = torch.tensor([1., 2.]).storage()
        >>> storage.tolist(), storage.dtype, storage.nbytes()
        ([1.0, 2.0], torch.float32, 8)
    """

    is_sparse = False
    _fixed_dtype = None

    def __init__(
        self,
        *args: Any,
        device: Any = None,
        dtype: torch.dtype | None = None,
        wrap_storage: UntypedStorage | None = None,
        _internal: bool = False,
    ) -> None:
        if not _internal:
            _warn_deprecated()
        fixed = type(self)._fixed_dtype
        if fixed is not None and dtype is not None and dtype != fixed:
            raise RuntimeError(f"{type(self).__name__}(): dtype is {fixed}, got dtype={dtype}")
        self.dtype = fixed or dtype or torch.get_default_dtype()
        if wrap_storage is not None:
            if not isinstance(wrap_storage, UntypedStorage):
                raise TypeError(f"{type(self).__name__}(): wrap_storage must be UntypedStorage, got {type(wrap_storage)}")
            if args:
                raise RuntimeError(f"{type(self).__name__}(): no positional arguments beside wrap_storage")
            self._untyped_storage = wrap_storage
            return
        if len(args) > 1:
            raise RuntimeError(f"{type(self).__name__}(): expected at most one argument, got {len(args)}")
        if not args:
            self._untyped_storage = UntypedStorage(0, device=device or "cpu")
        elif isinstance(args[0], int):
            self._untyped_storage = UntypedStorage(args[0] * self.dtype.itemsize, device=device or "cpu")
        elif isinstance(args[0], (TypedStorage, list, tuple)):
            self._untyped_storage = torch.tensor(list(args[0]), dtype=self.dtype, device=device or "cpu").untyped_storage()
        else:
            raise TypeError(f"{type(self).__name__}(): expected a size or a sequence, got {type(args[0])}")

    @staticmethod
    def _legacy_class(dtype: torch.dtype) -> type:
        return globals()[_NAMES[dtype]] if dtype in _NAMES else TypedStorage

    def _like(self, untyped: UntypedStorage) -> TypedStorage:
        return TypedStorage(wrap_storage=untyped, dtype=self.dtype, _internal=True)

    def _tensor(self) -> torch.Tensor:
        return torch.empty((0,), dtype=self.dtype, device=self.device).set_(self._untyped_storage, 0, (self._size(),), (1,))

    def _size(self) -> int:
        return self._untyped_storage.nbytes() // self.dtype.itemsize

    def untyped(self) -> UntypedStorage:
        """The bytes."""
        return self._untyped_storage

    @property
    def device(self) -> torch.device:
        """The device of the bytes."""
        return self._untyped_storage.device

    @property
    def is_cuda(self) -> bool:
        """Whether the bytes are on a GPU."""
        return self.device.type == "cuda"

    def size(self) -> int:
        """The number of elements."""
        return self._size()

    __len__ = size

    def nbytes(self) -> int:
        """The number of bytes."""
        return self._untyped_storage.nbytes()

    def data_ptr(self) -> int:
        """The address of the first byte."""
        return self._untyped_storage.data_ptr()

    def element_size(self) -> int:
        """Bytes of an element."""
        return self.dtype.itemsize

    def __getitem__(self, index: int) -> Any:
        if isinstance(index, slice):
            raise RuntimeError("slices are only supported in UntypedStorage.__getitem__")
        if not isinstance(index, int):
            raise RuntimeError(f"can't index a {type(self)} with {type(index)}")
        if not -self._size() <= index < self._size():
            raise IndexError(f"index {index} is out of range for storage of size {self._size()}")
        return self._tensor()[index].item()

    def __setitem__(self, index: Any, value: Any) -> None:
        self._tensor()[index] = value

    def __iter__(self) -> Iterator[Any]:
        return iter(self.tolist())

    def tolist(self) -> list[Any]:
        """The elements as numbers of Python."""
        return self._tensor().tolist()

    def fill_(self, value: Any) -> TypedStorage:
        """Sets every element.

        Args:
            value (Number): what to

        Returns:
            this storage
        """
        self._tensor().fill_(value)
        return self

    def copy_(self, source: Any, non_blocking: bool | None = None) -> TypedStorage:
        """Takes the elements of another storage.

        Args:
            source (TypedStorage or Tensor): of the same number of elements
            non_blocking (bool, optional): accepted for compatibility

        Returns:
            this storage
        """
        self._tensor().copy_(source._tensor() if isinstance(source, TypedStorage) else source)
        return self

    def resize_(self, size: int) -> TypedStorage:
        """Changes the number of elements; those that are there stay.

        Args:
            size (int): the number

        Returns:
            this storage
        """
        self._untyped_storage.resize_(size * self.dtype.itemsize)
        return self

    def clone(self) -> TypedStorage:
        """A copy."""
        return self._like(self._untyped_storage.clone())

    def cpu(self) -> TypedStorage:
        """The storage on the CPU; itself if it is already there."""
        return self._like(self._untyped_storage.cpu())

    def cuda(self, device: Any = None, non_blocking: bool = False) -> TypedStorage:
        """The storage on a GPU; itself if it is already there.

        Args:
            device (device or int, optional): which; the current one by default
            non_blocking (bool, default False): whether the copy may go on when the call returns
        """
        return self._like(self._untyped_storage.cuda(device, non_blocking))

    def to(self, *, device: Any, non_blocking: bool = False) -> TypedStorage:
        """The storage on a device; itself if it is already there.

        Args:
            device (device): where to
            non_blocking (bool, default False): whether the copy may go on when the call returns
        """
        return self._like(self._untyped_storage.to(device=device, non_blocking=non_blocking))

    def get_device(self) -> int:
        """The number of the device; -1 on the CPU."""
        return self._untyped_storage.get_device()

    def type(self, dtype: Any = None, non_blocking: bool = False) -> Any:
        """The name of the storage's type, or a copy as another one.

        Args:
            dtype (torch.dtype, type or str, optional): what to convert to
            non_blocking (bool, default False): accepted for compatibility

        Returns:
            the name without `dtype`, and the copy with it
        """
        if dtype is None:
            name = _NAMES.get(self.dtype, "TypedStorage")
            return "torch.storage.TypedStorage" if name == "TypedStorage" else f"torch.{name}"
        return self._converted(dtype)

    def _converted(self, dtype: Any) -> TypedStorage:
        requested = _DTYPES.get(dtype.rsplit(".", 1)[-1]) if isinstance(dtype, str) else getattr(dtype, "_fixed_dtype", dtype)
        converted = self._tensor().to(requested)
        converted = converted.clone() if requested == self.dtype else converted
        return TypedStorage(wrap_storage=converted.untyped_storage(), dtype=requested, _internal=True)

    def pickle_storage_type(self) -> str:
        """Name of the storage class that represents this dtype in files."""
        if self.dtype not in _NAMES:
            raise KeyError(self.dtype)
        return _NAMES[self.dtype]

    def is_shared(self) -> bool:
        """Whether other processes can see the bytes."""
        return self._untyped_storage.is_shared()

    def share_memory_(self) -> TypedStorage:
        """Moves the bytes into shared memory."""
        self._untyped_storage.share_memory_()
        return self

    @classmethod
    def _new_shared(cls, size: int) -> TypedStorage:
        """A storage of `size` elements in shared memory."""
        made = cls(_internal=True)
        made._untyped_storage = UntypedStorage._new_shared(size * made.dtype.itemsize)
        return made

    def is_pinned(self, device: Any = None) -> bool:
        """Whether the bytes are in memory that a GPU can read.

        Args:
            device (device, optional): the accelerator; any by default
        """
        return self._untyped_storage.is_pinned(device)

    def pin_memory(self, device: Any = None) -> TypedStorage:
        """A copy in memory that a GPU can read; the storage itself if it is there.

        Args:
            device (device, optional): the accelerator
        """
        return self._like(self._untyped_storage.pin_memory(device))

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, TypedStorage)
            and self.dtype == other.dtype
            and (self._untyped_storage is other._untyped_storage or self.data_ptr() == other.data_ptr())
        )

    __hash__ = None

    def __deepcopy__(self, memo: dict[Any, Any]) -> TypedStorage:
        return self._like(copy.deepcopy(self._untyped_storage, memo))

    def __copy__(self) -> TypedStorage:
        return self.clone()

    def __sizeof__(self) -> int:
        return object.__sizeof__(self) + self.nbytes()

    def __reduce__(self) -> Any:
        written = io.BytesIO()
        torch.save(self, written, _use_new_zipfile_serialization=False)
        return _load_from_bytes, (written.getvalue(),)

    def __repr__(self) -> str:
        head = "\n ".join(map(str, self.tolist())) if self.device.type != "meta" else "..."
        kind = f"torch.storage.TypedStorage(dtype={self.dtype}, device={self.device})"
        return f" {head}\n[{kind} of size {self._size()}]"

    __str__ = __repr__


def _conversion(name: str, dtype: torch.dtype) -> Callable[[TypedStorage], TypedStorage]:
    def convert(self: TypedStorage) -> TypedStorage:
        return self._converted(dtype)

    convert.__name__, convert.__qualname__ = name, f"TypedStorage.{name}"
    convert.__doc__ = f"A copy whose elements are {dtype}."
    return convert


for _suffix, _dtype in (
    ("double", torch.float64),
    ("float", torch.float32),
    ("half", torch.float16),
    ("long", torch.int64),
    ("int", torch.int32),
    ("short", torch.int16),
    ("char", torch.int8),
    ("byte", torch.uint8),
    ("bool", torch.bool),
    ("bfloat16", torch.bfloat16),
    ("complex_double", torch.complex128),
    ("complex_float", torch.complex64),
):
    setattr(TypedStorage, _suffix, _conversion(_suffix, _dtype))


class _LegacyStorageMeta(type):
    def __instancecheck__(cls, instance):
        if type.__instancecheck__(cls, instance):
            return True
        return cls._fixed_dtype is not None and type(instance) is TypedStorage and instance.dtype == cls._fixed_dtype


class _LegacyStorage(TypedStorage, metaclass=_LegacyStorageMeta):
    @property
    def _like_dtype(self):
        return self._fixed_dtype


def _legacy_doc(name: str, dtype: torch.dtype) -> str:
    return f"""Legacy storage of {dtype} elements.

Args:
    *args (int or Sequence): the number of elements, or their values
    device (device, optional): of the bytes, the CPU by default
    dtype (torch.dtype, optional): {dtype}
    wrap_storage (UntypedStorage, optional): bytes to look at instead of new ones

Example:
    >>> torch.{name}(3).nbytes()
    {3 * dtype.itemsize}
"""


for _name, _dtype in _DTYPES.items():
    globals()[_name] = _LegacyStorageMeta(
        _name, (_LegacyStorage,), {"__module__": "torch", "_fixed_dtype": _dtype, "__doc__": _legacy_doc(_name, _dtype)}
    )


def _load_from_bytes(data: bytes) -> Any:
    return torch.load(io.BytesIO(data), weights_only=False)


def _untyped_deepcopy(self: UntypedStorage, memo: dict[Any, Any]) -> UntypedStorage:
    known = memo.setdefault("torch", {})
    if self._cdata not in known:
        known[self._cdata] = self.clone()
    return known[self._cdata]


def _untyped_reduce(self: UntypedStorage) -> Any:
    written = io.BytesIO()
    torch.save(self, written, _use_new_zipfile_serialization=False)
    return _load_from_bytes, (written.getvalue(),)


def _untyped_byteswap(self: UntypedStorage, dtype: torch.dtype) -> None:
    """Turns the bytes of each element round, in place.

    Args:
        dtype (torch.dtype): of the elements; a complex number is two

    Example:
        >>> storage = torch.tensor([1], dtype=torch.int16).untyped_storage()
        >>> storage.byteswap(torch.int16)
        >>> storage.tolist()
        [0, 1]
    """
    width = dtype.itemsize // (2 if dtype.is_complex else 1)
    if width > 1 and self.nbytes():
        elements = torch.empty(0, dtype=torch.uint8, device=self.device).set_(
            self, 0, (self.nbytes() // width, width), (width, 1)
        )
        elements.copy_(elements.flip(1))


UntypedStorage.byteswap = _untyped_byteswap
UntypedStorage.__deepcopy__ = _untyped_deepcopy
UntypedStorage.__reduce__ = _untyped_reduce
