"""Names of `torch._C` that have a meaning in Python only: errors, questions about what is under way, switches of a compiler."""

from __future__ import annotations

import enum
from typing import Any


class JITException(RuntimeError):
    """An error in compiled code.

    Example:
        >>> issubclass(torch.JITException, RuntimeError)
        True
    """


class FatalError(RuntimeError):
    """An error after which a program cannot go on.

    Example:
        >>> issubclass(torch.FatalError, RuntimeError)
        True
    """


class AcceleratorError(RuntimeError):
    """An error that a device reports.

    Example:
        >>> issubclass(torch.AcceleratorError, RuntimeError)
        True
    """


class _TorchDispatchModeKey(enum.Enum):
    """The library's own dispatch modes, which come after those of programs: the last one first."""

    FAKE, PROXY, FUNCTIONAL = range(3)


class AggregationType(enum.Enum):
    """How counters of the runtime are combined.

    Example:
        >>> torch.AggregationType.SUM.name
        'SUM'
    """

    SUM = 0
    AVG = 1


SUM, AVG = AggregationType


def _log_api_usage_once(event: str) -> None:
    """Note that a part of a library is used; nobody is notified."""


_log_api_usage_metadata = _log_api_usage_once


def _get_tracing_state() -> None:
    """The trace under way: there is none."""


def _get_accelerator(check: bool | None = None) -> Any:
    """The device beside the CPU; the CPU where there is none."""
    import torch

    found = torch.accelerator.current_accelerator()
    return torch.device("cpu") if found is None else found


def _get_default_device() -> str:
    """The type of the default device."""
    import torch

    return str(torch.get_default_device())


def _get_cudnn_enabled() -> bool:
    """Whether cuDNN may be used where it is there."""
    import torch

    return bool(torch.backends.cudnn.enabled)


def _are_functorch_transforms_active() -> bool:
    """Whether a transform, such as vmap, is under way."""
    import torch

    return torch._C._functorch._current_level() > 0


def _is_tracing() -> bool:
    """Whether a trace is under way."""
    return False


_settings: dict[str, Any] = {}


def _switch(name: str, default: Any) -> Any:
    """A setting of the compiler of TorchScript. It is kept, and has no effect; the call returns what it was."""

    def set_it(value):
        before = _settings.get(name, default)
        _settings[name] = value
        return before

    set_it.__name__ = set_it.__qualname__ = name
    return set_it


_jit_set_profiling_mode = _switch("_jit_set_profiling_mode", True)
_jit_set_profiling_executor = _switch("_jit_set_profiling_executor", True)
_jit_set_bailout_depth = _switch("_jit_set_bailout_depth", 1)
_jit_set_texpr_fuser_enabled = _switch("_jit_set_texpr_fuser_enabled", None)
_jit_override_can_fuse_on_cpu = _switch("_jit_override_can_fuse_on_cpu", None)
_jit_override_can_fuse_on_gpu = _switch("_jit_override_can_fuse_on_gpu", None)
_jit_set_nvfuser_enabled = _switch("_jit_set_nvfuser_enabled", None)
_jit_set_nvfuser_guard_mode = _switch("_jit_set_nvfuser_guard_mode", None)
_debug_set_autodiff_subgraph_inlining = _switch("_debug_set_autodiff_subgraph_inlining", None)


def _jit_can_fuse_on_cpu() -> bool:
    """Whether compiled code is fused."""
    return False


_jit_can_fuse_on_gpu = _jit_texpr_fuser_enabled = _jit_can_fuse_on_cpu


def __getattr__(name: str) -> Any:
    if name == "Tag":
        from torch._tag import Tag

        return Tag
    if name in ("SymInt", "SymFloat", "SymBool"):
        from torch import _symbolic

        return getattr(_symbolic, name)
    if name[:5] in ("_cuda", "_Cuda", "_CUDA"):
        from torch import _C

        if _C._cuda_extension():
            from torch.cuda import _c_names

            return getattr(_c_names, name)
    if name[:1] != "_":
        from torch import _script_types

        return getattr(_script_types, name)
    raise AttributeError(name)
