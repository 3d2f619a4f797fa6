from typing import Any

import torch as torch
from torch import _C as _C
from torch._C import *
from torch._C import Size as Size
from torch._C import Tensor as Tensor
from torch._C import device as device
from torch._C import dtype as dtype
from torch._globals import *
from torch.autograd.grad_mode import enable_grad as enable_grad
from torch.autograd.grad_mode import inference_mode as inference_mode
from torch.autograd.grad_mode import no_grad as no_grad
from torch.autograd.grad_mode import set_grad_enabled as set_grad_enabled
@attributes@
@operators@
@modules@

__version__: str

def tensor(
    data: Any,
    *,
    dtype: dtype | None = None,
    device: _C._DeviceLike | None = None,
    requires_grad: _C._bool = False,
    pin_memory: _C._bool = False,
) -> Tensor: ...
def as_tensor(data: Any, dtype: dtype | None = None, device: _C._DeviceLike | None = None) -> Tensor: ...
def from_numpy(ndarray: Any, /) -> Tensor: ...
def frombuffer(
    buffer: Any, *, dtype: dtype, count: _C._int = -1, offset: _C._int = 0, requires_grad: _C._bool = False
) -> Tensor: ...
def can_cast(from_: dtype, to: dtype) -> _C._bool: ...
def promote_types(type1: dtype, type2: dtype) -> dtype: ...
def result_type(tensor1: Tensor | _C._Number, tensor2: Tensor | _C._Number) -> dtype: ...
def is_complex(input: Tensor) -> _C._bool: ...
def is_floating_point(input: Tensor) -> _C._bool: ...
def is_inference(input: Tensor) -> _C._bool: ...
def is_signed(input: Tensor) -> _C._bool: ...
def numel(input: Tensor) -> _C._int: ...
