"""Names for annotations."""

import builtins
from typing import Any, List, Optional, Sequence, Tuple, Union  # noqa: F401

import torch
from torch._C import device as _device, dtype as _dtype, layout as _layout  # noqa: F401

Tensor = torch.Tensor
_int, _float, _bool, _complex = builtins.int, builtins.float, builtins.bool, builtins.complex
_size = Union[torch.Size, List[int], Tuple[int, ...]]
Number = (_int, _float, _bool)
_TensorOrTensors = Union[Tensor, Sequence[Tensor]]
Device = Union[_device, str, int, None]
FileLike = Any
Storage = torch.UntypedStorage
