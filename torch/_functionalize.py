"""Functional tensors: in-place operators and views become operators that return new tensors.

A functional tensor holds an ordinary one. Operators with functional tensors are called with what these hold, in the form that
changes nothing; a tensor that a program changes in place gets a new value. `torch.func.functionalize` is built on this.
"""

from __future__ import annotations

import torch
from torch import _C


def _to_functional_tensor(t: torch.Tensor) -> torch.Tensor:
    """A functional tensor that holds `t`."""
    return _C._to_functional_tensor(t)


def _from_functional_tensor(t: torch.Tensor) -> torch.Tensor:
    """What a functional tensor holds now."""
    if not _C._is_functional_tensor(t):
        raise RuntimeError("_from_functional_tensor(): expected a functional tensor")
    return _C._from_functional_tensor(t)


def _is_functional_tensor(t: torch.Tensor) -> bool:
    """Whether a tensor is a functional one."""
    return _C._is_functional_tensor(t)


_is_functional_tensor_base = _is_functional_tensor


def _sync(t: torch.Tensor) -> None:
    """Bring a functional tensor up to date with changes of the tensors that share its memory."""
    if hasattr(t, "sync"):  # a torch._subclasses.functional_tensor.FunctionalTensor
        return t.sync()
    if not _C._is_functional_tensor(t):
        raise RuntimeError("_sync(): expected a functional tensor")
    _C._from_functional_tensor(t)


_functionalize_sync = _sync


def _functionalize_commit_update(t: torch.Tensor) -> None:
    """Pass the value of a functional tensor on to those that share its memory; `_functionalize_replace` has done so."""


def _functionalize_replace(self_: torch.Tensor, other: torch.Tensor) -> None:
    """Give a functional tensor, and all that share its memory, a new value."""
    _C._replace_functional_tensor(self_, other)


def _functionalize_has_data_mutation(t: torch.Tensor) -> bool:
    """Whether a functional tensor was changed in place since it was made."""
    return _C._functional_tensor_was_changed(t)


def _functionalize_unsafe_set(dst: torch.Tensor, src: torch.Tensor) -> None:
    """Give a tensor the storage of another, so that they count as aliases; nothing looks at elements."""
    _C._functionalize_unsafe_set(dst, src)


def _enable_functionalization(*, reapply_views: bool = False) -> None:
    """From now on, new tensors of this thread are functional.

    Args:
        reapply_views (bool, default False): call views as views, not as the copies that they have (view_copy)
    """
    if _C._is_functionalizing():
        raise RuntimeError("_enable_functionalization(): functionalization is on already")
    _C._set_functionalization(True, reapply_views)


def _disable_functionalization() -> None:
    """End what `_enable_functionalization` began."""
    _C._set_functionalization(False, True)
