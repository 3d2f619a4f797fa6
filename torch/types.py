"""Names for annotations."""

import builtins
from collections.abc import Sequence  # noqa: F401
from typing import Any, Union

import torch
from torch._C import device as _device  # noqa: F401

Tensor = torch.Tensor
_int, _float, _bool, _complex = builtins.int, builtins.float, builtins.bool, builtins.complex
_size = Union[torch.Size, list[int], tuple[int, ...]]
Number = (_int, _float, _bool)
_TensorOrTensors = Union[Tensor, Sequence[Tensor]]
Device = Union[_device, str, int, None]
FileLike = Any
Storage = torch.UntypedStorage
