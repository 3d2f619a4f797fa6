"""Filters of guards for `torch.compile(options={"guard_filter_fn": ...})`: which of a compiled function's checks are kept.

There is no compiler, so `torch.compile` calls none of them. They work on any entries that have the attributes of guards.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

_PORTABLE = ("TENSOR_MATCH", "SHAPE_ENV", "GRAD_MODE", "DETERMINISTIC_ALGORITHMS", "TORCH_FUNCTION_STATE", "DEFAULT_DEVICE",
             "AUTOCAST_STATE", "GLOBAL_STATE")  # fmt: skip


def skip_all_guards_unsafe(guard_entries: Sequence[Any]) -> list[bool]:
    """Keep no check: the compiled function must always be called in the same way.

    Args:
        guard_entries (Sequence): the checks

    Returns:
        False for each

    Example:
        >>> torch.compiler.skip_all_guards_unsafe(["first", "second"])
        [False, False]
    """
    return [False for _ in guard_entries]


def skip_guard_on_globals_unsafe(guard_entries: Sequence[Any]) -> list[bool]:
    """Keep no check of global variables.

    Args:
        guard_entries (Sequence): the checks

    Returns:
        for each, whether it is kept

    Example:
        >>> torch.compiler.skip_guard_on_globals_unsafe([])
        []
    """
    return [not entry.is_global for entry in guard_entries]


def keep_tensor_guards_unsafe(guard_entries: Sequence[Any], keep_parameters: bool = False) -> list[bool]:
    """Keep only checks of tensors.

    Args:
        guard_entries (Sequence): the checks
        keep_parameters (bool, default False): also those of parameters of modules

    Returns:
        for each, whether it is kept

    Example:
        >>> torch.compiler.keep_tensor_guards_unsafe([])
        []
    """
    import torch

    def is_kept(entry: Any) -> bool:
        if entry.guard_type != "TENSOR_MATCH":
            return False
        return keep_parameters or not isinstance(entry.value, torch.nn.Parameter)

    return [is_kept(entry) for entry in guard_entries]


def keep_portable_guards_unsafe(guard_entries: Sequence[Any]) -> list[bool]:
    """Keep only checks that make sense outside Python: of tensors, shapes and global settings.

    Args:
        guard_entries (Sequence): the checks

    Returns:
        for each, whether it is kept

    Example:
        >>> torch.compiler.keep_portable_guards_unsafe([])
        []
    """
    return [entry.guard_type in _PORTABLE for entry in guard_entries]


def skip_guard_on_all_nn_modules_unsafe(guard_entries: Sequence[Any]) -> list[bool]:
    """Keep no check of modules.

    Args:
        guard_entries (Sequence): the checks

    Returns:
        for each, whether it is kept

    Example:
        >>> torch.compiler.skip_guard_on_all_nn_modules_unsafe([])
        []
    """
    return [not entry.orig_guard.source.is_unspecialized_nn_module() for entry in guard_entries]


def skip_guard_on_inbuilt_nn_modules_unsafe(guard_entries: Sequence[Any]) -> list[bool]:
    """Keep no check of torch.nn's own modules.

    Args:
        guard_entries (Sequence): the checks

    Returns:
        for each, whether it is kept

    Example:
        >>> torch.compiler.skip_guard_on_inbuilt_nn_modules_unsafe([])
        []
    """
    return [not entry.orig_guard.source.is_unspecialized_builtin_nn_module() for entry in guard_entries]


_collectives = False


def set_enable_guard_collectives(enabled: bool) -> bool:
    """Let processes agree before each of them compiles again; of no effect, since nothing compiles.

    Args:
        enabled (bool): whether they do

    Returns:
        what was set before

    Example:
        >>> torch.compiler.set_enable_guard_collectives(False)
        False
    """
    global _collectives
    before, _collectives = _collectives, bool(enabled)
    return before
