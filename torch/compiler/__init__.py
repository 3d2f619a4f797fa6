"""What programs say to a compiler. There is none in this version: functions come back as they are, and run eagerly."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal, TypeVar

import torch
from torch._lazy import names_what_is_absent

__all__ = [
    "allow_in_graph", "assume_constant_result", "compile", "cudagraph_mark_step_begin", "disable", "get_default_backend",
    "is_compiling", "is_dynamo_compiling", "is_exporting", "list_backends", "reset", "set_default_backend", "set_stance",
    "substitute_in_graph",
]  # fmt: skip

F = TypeVar("F")

_STANCES = ("default", "force_eager", "eager_on_recompile", "fail_on_recompile", "eager_then_compile", "aot_eager_then_compile")


def compile(*args: Any, **kwargs: Any) -> Any:
    """`torch.compile`."""
    return torch.compile(*args, **kwargs)


def is_compiling() -> bool:
    """Whether the caller is being compiled or exported: False."""
    return False


def is_dynamo_compiling() -> bool:
    """Whether the caller is being traced by PyTorch's compiler: False."""
    return False


def is_exporting() -> bool:
    """Whether the caller is being exported: False."""
    return False


def disable(fn: Any = None, recursive: bool = True, *, reason: str | None = None) -> Any:
    """Keep `fn` out of what is compiled: it comes back as it is. Without `fn` it is a decorator."""
    if fn is None:
        return lambda function: disable(function, recursive, reason=reason)
    if not callable(fn):
        raise AssertionError(f"fn must be callable, got {type(fn).__name__}")
    return fn


def allow_in_graph(fn: F) -> F:
    """Let a compiler keep calls of `fn` as they are: it, or the list of functions, comes back as it is."""
    for each in fn if isinstance(fn, (list, tuple)) else (fn,):
        if not callable(each):
            raise AssertionError(f"allow_in_graph expects a callable, got {type(each).__name__}")
    return fn


def assume_constant_result(fn: F) -> F:
    """Promise that `fn` always returns the same: it comes back as it is."""
    return fn


def substitute_in_graph(original_fn: Callable[..., Any], *, can_constant_fold_through: bool = False,
                        skip_signature_check: bool = False) -> Callable[[F], F]:
    """Let a compiler trace the decorated function in place of `original_fn`: it comes back as it is."""
    if not callable(original_fn):
        raise TypeError(f"substitute_in_graph expects a function but got {original_fn!r}")
    return lambda function: function


def cudagraph_mark_step_begin() -> None:
    """Tell that an iteration begins; nothing is recorded."""


def reset() -> None:
    """Forget what was compiled; there is nothing."""


def list_backends(exclude_tags: Sequence[str] | None = ("debug", "experimental")) -> list[str]:
    """The names of compilers that are there: none."""
    return []


def get_default_backend() -> str:
    """The backend that `torch.compile` takes where none is named."""
    from torch._compile import _state

    return _state["backend"]


def set_default_backend(backend: str | None) -> None:
    """Set the backend that `torch.compile` takes where none is named; None: "inductor" again."""
    from torch._compile import _state, check_backend

    if backend is not None:
        check_backend(backend)
    _state["backend"] = "inductor" if backend is None else backend


class set_stance:
    """How compiled functions are to be run, from now on, in a `with` block or in a decorated function: eagerly, whatever
    is asked for."""

    def __init__(self, stance: str = "default", *, skip_guard_eval_unsafe: bool = False, force_backend: object = None) -> None:
        if stance not in _STANCES:
            raise RuntimeError(f"invalid stance {stance!r}, expected one of {', '.join(_STANCES)}")

    def __enter__(self) -> None:
        return None

    def __exit__(self, *problem: object) -> Literal[False]:
        return False

    def __call__(self, fn: F) -> F:
        return fn


names_what_is_absent(__name__)
