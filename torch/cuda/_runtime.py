"""The extension module behind torch.cuda, which is loaded when a GPU is first asked for something."""

from __future__ import annotations

import importlib
import threading
import warnings
from collections.abc import Callable
from types import ModuleType
from typing import Any

import torch
from torch import _C

_lock = threading.RLock()
_module: ModuleType | None = None
_initialized = False
_waiting: list[tuple[Callable[[], None], str]] = []  # and the stack of the program at the request


def extension() -> ModuleType:
    """The extension module."""
    global _module
    if _module is None:
        with _lock:
            if _module is None:
                module = importlib.import_module(f"torch._C.{_C._cuda_extension()}")
                if module.is_emulated:
                    warnings.warn(
                        "torch.cuda: kernels of this device run on the CPU. It is a tool to test them; it is slow.", stacklevel=3
                    )
                _module = module
    return _module


def initialize() -> ModuleType:
    """The extension module, on a machine that has a GPU: raises an error otherwise. Calls that waited for it run once."""
    global _initialized
    module = extension()
    if not _initialized:
        module.device_count_ensure_non_zero()
        with _lock:
            _initialized = True
            while _waiting:
                _run(*_waiting.pop(0))
    return module


def _run(function: Callable[[], None], asked_at: str) -> None:
    try:
        function()
    except Exception as error:
        from torch.cuda import DeferredCudaCallError

        raise DeferredCudaCallError(
            f"a call that waited until CUDA was used failed: {error}\n\nIt was made at:\n{asked_at}"
        ) from error


def call_when_initialized(function: Callable[[], None], **options: Any) -> None:
    """Calls the function now if GPUs are in use, else before their first use. PyTorch's options say that it seeds: they change
    nothing here, where generators take their seed when they are made."""
    with _lock:
        if not _initialized:
            import traceback

            _waiting.append((function, "".join(traceback.format_stack()[:-1])))
            return
    function()


def is_in_bad_fork() -> bool:
    """Whether this process was forked from one that uses GPUs: it can use none."""
    return extension().is_in_bad_fork()


def sleep(cycles: int) -> None:
    """Keeps the current stream busy for so many cycles of the GPU's clock."""
    initialize().sleep(cycles)


def current_solver_handle() -> int:
    """The handle of cuSOLVER for this thread and the current GPU, which works on the current stream."""
    return initialize().current_solver_handle()


def is_initialized() -> bool:
    """Whether GPUs are in use."""
    return _initialized


def index_of(device: Any, optional: bool = True) -> int:
    """The index of a device, given as one, as its index or name; -1, or None, is the current one."""
    if device is None and optional:
        return initialize().current_device()
    if isinstance(device, int) and not isinstance(device, bool):
        return initialize().current_device() if device < 0 and optional else device
    made = torch.device(device)
    if made.type != "cuda":
        raise ValueError(f"Expected a cuda device, but got: {made}")
    return initialize().current_device() if made.index is None else made.index


def current_blas_handle() -> int:
    """The handle of cuBLAS for this thread and the current GPU, which works on the current stream."""
    return initialize().current_blas_handle()
