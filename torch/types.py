"""Names for annotations."""

import builtins
import os
from collections.abc import Sequence
from typing import IO, Any, TypeAlias, Union  # noqa: F401

import torch
from torch._C import DispatchKey, Size  # noqa: F401
from torch._C import device as _device
from torch._C import dtype as _dtype  # noqa: F401
from torch._C import layout as _layout  # noqa: F401
from torch._symbolic import SymBool, SymFloat, SymInt

Tensor = torch.Tensor
_int, _float, _bool, _complex = builtins.int, builtins.float, builtins.bool, builtins.complex
_str, _bytes = builtins.str, builtins.bytes
_size = Union[torch.Size, list[int], tuple[int, ...]]
_symsize = Union[torch.Size, Sequence[Union[int, SymInt]]]
_dispatchkey = Union[str, DispatchKey]
Number = Union[int, float, bool]
_Number = (_int, _float, _bool)
_TensorOrTensors = Union[Tensor, Sequence[Tensor]]
_TensorOrOptionalTensors = Union[Tensor, Sequence[Union[Tensor, None]]]
Device = Union[_device, str, int, None]
FileLike = Union[str, os.PathLike[str], IO[bytes]]
Storage = torch.UntypedStorage
IntLikeType = Union[int, SymInt]
FloatLikeType = Union[float, SymFloat]
BoolLikeType = Union[bool, SymBool]
PySymType = Union[SymInt, SymFloat, SymBool]
py_sym_types = (SymInt, SymFloat, SymBool)
