"""The flash attention kernels that another package may bring; a CPU has its own only."""

from __future__ import annotations

import warnings

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

_registered: dict[str, Callable[..., Any]] = {}
_active: list[tuple[str, Any]] = []  # the name that was activated, and what its function returned


def register_flash_attention_impl(impl: str, *, register_fn: Callable[..., Any]) -> None:
    """Makes a kernel known, under a name.

    Args:
        impl (str): the name
        register_fn (Callable): puts the kernel in place, and returns a handle whose `remove()` takes it away, or None

    Example:
        >>> from torch.nn import attention
        >>> attention.register_flash_attention_impl("mine", register_fn=lambda: None)
        >>> "mine" in attention.list_flash_attention_impls()
        True
    """
    _registered[impl] = register_fn


def activate_flash_attention_impl(impl: str) -> None:
    """Puts a kernel in the place of the library's own.

    Args:
        impl (str): its name

    Raises:
        ValueError: no kernel of this name is registered

    Example:
        >>> from torch.nn import attention
        >>> attention.register_flash_attention_impl("mine", register_fn=lambda: None)
        >>> attention.activate_flash_attention_impl("mine")
        >>> attention.current_flash_attention_impl()
        'mine'
        >>> attention.restore_flash_attention_impl()
    """
    register = _registered.get(impl)
    if register is None:
        raise ValueError(f"no flash attention kernel is registered as '{impl}'; there are {list_flash_attention_impls()}")
    if current_flash_attention_impl() == impl:
        return
    restore_flash_attention_impl(_raise_warn=False)
    _active.append((impl, register()))


def list_flash_attention_impls() -> list[str]:
    """The names of the kernels that are registered.

    Returns:
        the names, in the order of the alphabet

    Example:
        >>> isinstance(torch.nn.attention.list_flash_attention_impls(), list)
        True
    """
    return sorted(_registered)


def current_flash_attention_impl() -> str | None:
    """The name of the kernel that was activated.

    Returns:
        the name, or None where it is the library's own

    Example:
        >>> torch.nn.attention.current_flash_attention_impl() is None
        True
    """
    return _active[-1][0] if _active else None


def restore_flash_attention_impl(_raise_warn: bool = True) -> None:
    """Puts the library's own kernel back.

    Example:
        >>> torch.nn.attention.restore_flash_attention_impl()
    """
    if not _active:
        if _raise_warn:
            warnings.warn("no flash attention kernel was activated, so there is nothing to restore", stacklevel=2)
        return
    _, handle = _active.pop()
    if handle is not None:
        handle.remove()
