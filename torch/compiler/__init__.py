"""What programs tell a compiler. This version has none: functions are returned unchanged and run eagerly."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, Literal, TypeVar

import torch
from torch._lazy import lazy
from torch.compiler._caches import load_cache_artifacts, load_compiled_function, save_cache_artifacts
from torch.compiler._guards import (
    keep_portable_guards_unsafe,
    keep_tensor_guards_unsafe,
    set_enable_guard_collectives,
    skip_all_guards_unsafe,
    skip_guard_on_all_nn_modules_unsafe,
    skip_guard_on_globals_unsafe,
    skip_guard_on_inbuilt_nn_modules_unsafe,
)

__all__ = [
    "allow_in_graph", "assume_constant_result", "compile", "cudagraph_mark_step_begin", "disable", "get_default_backend",
    "is_compiling", "is_dynamo_compiling", "is_exporting", "keep_portable_guards_unsafe", "keep_tensor_guards_unsafe",
    "list_backends", "load_cache_artifacts", "load_compiled_function", "nested_compile_region", "reset", "save_cache_artifacts",
    "set_default_backend", "set_enable_guard_collectives", "set_stance", "skip_all_guards_unsafe",
    "skip_guard_on_all_nn_modules_unsafe", "skip_guard_on_globals_unsafe", "skip_guard_on_inbuilt_nn_modules_unsafe",
    "substitute_in_graph", "wrap_numpy",
]  # fmt: skip

F = TypeVar("F")

_STANCES = ("default", "force_eager", "eager_on_recompile", "fail_on_recompile", "eager_then_compile", "aot_eager_then_compile")


def compile(*args: Any, **kwargs: Any) -> Any:
    """The same as `torch.compile`.

    Args:
        *args (Any): its arguments
        **kwargs (Any): its arguments

    Returns:
        what it returns

    Example:
        >>> torch.compiler.compile(lambda x: x + 1, backend="eager")(torch.zeros(1))
        tensor([1.])
    """
    return torch.compile(*args, **kwargs)


def is_compiling() -> bool:
    """Whether the caller is being compiled or exported.

    Returns:
        False

    Example:
        >>> torch.compiler.is_compiling()
        False
    """
    return False


def is_dynamo_compiling() -> bool:
    """Whether the caller is being traced by PyTorch's compiler.

    Returns:
        False

    Example:
        >>> torch.compiler.is_dynamo_compiling()
        False
    """
    return False


def is_exporting() -> bool:
    """Whether the caller is being exported.

    Returns:
        False

    Example:
        >>> torch.compiler.is_exporting()
        False
    """
    return False


def disable(fn: Any = None, recursive: bool = True, *, reason: str | None = None) -> Any:
    """Keep a function out of what is compiled: it comes back as it is.

    Args:
        fn (function, optional): the function; without it, the call is a decorator
        recursive (bool, default True): what it calls as well
        reason (str, optional): for readers

    Returns:
        the function, or a decorator

    Raises:
        AssertionError: `fn` cannot be called

    Example:
        >>> @torch.compiler.disable
        ... def double(x):
        ...     return x * 2
        >>> double(3)
        6
    """
    if fn is None:
        return lambda function: disable(function, recursive, reason=reason)
    if not callable(fn):
        raise AssertionError(f"fn must be callable, got {type(fn).__name__}")
    return fn


def allow_in_graph(fn: F) -> F:
    """Let a compiler keep calls of a function as they are: it comes back as it is.

    Args:
        fn (function or list of function): the function

    Returns:
        the same

    Raises:
        AssertionError: it cannot be called

    Example:
        >>> torch.compiler.allow_in_graph(abs)(-1)
        1
    """
    for each in fn if isinstance(fn, (list, tuple)) else (fn,):
        if not callable(each):
            raise AssertionError(f"allow_in_graph expects a callable, got {type(each).__name__}")
    return fn


def assume_constant_result(fn: F) -> F:
    """Promise that a function always returns the same: it comes back as it is.

    Args:
        fn (function): the function

    Returns:
        the function

    Example:
        >>> torch.compiler.assume_constant_result(abs)(-1)
        1
    """
    return fn


def substitute_in_graph(
    original_fn: Callable[..., Any], *, can_constant_fold_through: bool = False, skip_signature_check: bool = False
) -> Callable[[F], F]:
    """Let a compiler trace the decorated function in place of another: it comes back as it is.

    Args:
        original_fn (function): the other one
        can_constant_fold_through (bool, default False): of no effect
        skip_signature_check (bool, default False): of no effect

    Returns:
        a decorator

    Raises:
        TypeError: `original_fn` cannot be called

    Example:
        >>> @torch.compiler.substitute_in_graph(abs)
        ... def absolute(x):
        ...     return x if x >= 0 else -x
        >>> absolute(-1)
        1
    """
    if not callable(original_fn):
        raise TypeError(f"substitute_in_graph expects a function but got {original_fn!r}")
    return lambda function: function


def cudagraph_mark_step_begin() -> None:
    """Tell that an iteration begins; nothing is recorded.

    Example:
        >>> torch.compiler.cudagraph_mark_step_begin()
    """


def reset() -> None:
    """Forget what was compiled; there is nothing.

    Example:
        >>> torch.compiler.reset()
    """


def list_backends(exclude_tags: Sequence[str] | None = ("debug", "experimental")) -> list[str]:
    """The names of compilers that are there.

    Args:
        exclude_tags (Sequence[str], optional): which sorts to leave out

    Returns:
        an empty list

    Example:
        >>> torch.compiler.list_backends()
        []
    """
    return []


def get_default_backend() -> str:
    """The backend that `torch.compile` takes where none is named.

    Returns:
        its name

    Example:
        >>> torch.compiler.get_default_backend()
        'inductor'
    """
    from torch._compile import _state

    return _state["backend"]


def set_default_backend(backend: str | None) -> None:
    """Set the backend that `torch.compile` takes where none is named.

    Args:
        backend (str or None): its name; None: "inductor" again

    Raises:
        RuntimeError: there is no such backend in PyTorch

    Example:
        >>> torch.compiler.set_default_backend("eager")
        >>> torch.compiler.set_default_backend(None)
    """
    from torch._compile import _state, check_backend

    if backend is not None:
        check_backend(backend)
    _state["backend"] = "inductor" if backend is None else backend


class set_stance:
    """How compiled functions are to be run, from now on, in a `with` block or in a decorated function: always eagerly.

    Args:
        stance (str, default "default"): "force_eager", "fail_on_recompile", ...: checked, of no effect
        skip_guard_eval_unsafe (bool, default False): of no effect
        force_backend (str or function, optional): of no effect

    Raises:
        RuntimeError: an unknown stance

    Example:
        >>> with torch.compiler.set_stance("force_eager"):
        ...     pass
    """

    def __init__(self, stance: str = "default", *, skip_guard_eval_unsafe: bool = False, force_backend: object = None) -> None:
        if stance not in _STANCES:
            raise RuntimeError(f"invalid stance {stance!r}, expected one of {', '.join(_STANCES)}")

    def __enter__(self) -> None:
        return None

    def __exit__(self, *problem: object) -> Literal[False]:
        return False

    def __call__(self, fn: F) -> F:
        return fn


def nested_compile_region(fn: Any = None, *, options: Any = None, max_reuse_entries: int = 8, reuse_hash_fn: Any = None) -> Any:
    """Mark a function that a compiler shall compile once and use wherever it is called: it comes back as it is.

    Args:
        fn (function, optional): the function; without it, the call is a decorator
        options (NestedCompileRegionOptions, optional): of no effect
        max_reuse_entries (int, default 8): of no effect
        reuse_hash_fn (function, optional): of no effect

    Returns:
        the function, or a decorator

    Raises:
        TypeError: `fn` cannot be called

    Example:
        >>> @torch.compiler.nested_compile_region
        ... def double(x):
        ...     return x * 2
        >>> double(3)
        6
    """
    if fn is None:
        return nested_compile_region
    if not callable(fn):
        raise TypeError(f"nested_compile_region: expected a function, got {type(fn).__name__}")
    return fn


def wrap_numpy(fn: Callable[..., Any]) -> Callable[..., Any]:
    """Make a function of tensors from one of NumPy arrays.

    Args:
        fn (function): takes and returns arrays, also in lists, tuples and dictionaries

    Returns:
        a function that takes and returns tensors; they share memory with the arrays where that is possible

    Example:
        >>> import numpy
        >>> torch.compiler.wrap_numpy(numpy.cumsum)(torch.tensor([1, 2, 3]))
        tensor([1, 3, 6])
    """

    @functools.wraps(fn)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        import numpy

        from torch.utils import _pytree

        args, kwargs = _pytree.tree_map_only(torch.Tensor, lambda x: x.numpy(), (args, kwargs))
        return _pytree.tree_map_only(numpy.ndarray, torch.from_numpy, fn(*args, **kwargs))

    return wrapper


__getattr__, _ = lazy(__name__, ("config",))
