from collections.abc import Sequence
from typing import overload

import torch
from torch import Generator, Tensor, memory_format
from torch.storage import TypedStorage
from torch._C import UntypedStorage
from torch._C import _bool, _DeviceLike, _dtype, _float, _int, _layout, _Number, _size, _str

@functions@
