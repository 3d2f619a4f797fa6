"""The backend of groups of processes that use GPUs."""

from __future__ import annotations

import datetime
import importlib
import os
from types import ModuleType
from typing import Any

from torch import _C
from torch._C._distributed_c10d import Store


def extension() -> ModuleType | None:
    """The extension module with ProcessGroupNCCL, of this build's CUDA backend; None if it has none."""
    cuda = _C._cuda_extension()
    if not cuda:
        return None
    try:
        return importlib.import_module(f"torch._C._distributed_nccl{cuda.removeprefix('_cuda')}")
    except ModuleNotFoundError:
        return None


def __getattr__(name: str) -> Any:
    module = extension() if name == "ProcessGroupNCCL" else None
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return module.ProcessGroupNCCL


def make(store: Store, rank: int, size: int, timeout: datetime.timedelta, options: Any) -> Any:
    """The backend of one group. The options' timeout counts, if there are some."""
    module = extension()
    assert module is not None
    import torch.cuda

    torch.cuda.init()
    if options is None:
        options = module.ProcessGroupNCCL.Options()
        options._timeout = timeout
    elif not isinstance(options, module.ProcessGroupNCCL.Options):
        raise TypeError(f"expected the options of NCCL as ProcessGroupNCCL.Options, got {type(options).__name__}")
    if os.environ.get("TORCH_NCCL_BLOCKING_WAIT", "0") not in ("", "0"):
        options._blocking_wait = True
    return module.ProcessGroupNCCL(store, rank, size, options)
