"""The fake mode of what is going on, for programs that ask for it."""

from __future__ import annotations

from typing import Any

from torch import _C
from torch.utils._pytree import tree_leaves


def active_fake_mode() -> Any:
    """The FakeTensorMode that is on; None without one."""
    return _C._get_dispatch_mode(_C._TorchDispatchModeKey.FAKE)


def detect_fake_mode(inputs: Any = None) -> Any:
    """The FakeTensorMode that is on, or that of the fake tensors among some values; None without one.

    Raises:
        AssertionError: there are several
    """
    from torch._subclasses.fake_tensor import maybe_get_fake_mode

    found = [active_fake_mode(), *map(maybe_get_fake_mode, tree_leaves(inputs))]
    modes = [mode for mode in found if mode is not None]
    if any(mode is not modes[0] for mode in modes):
        raise AssertionError(f"detect_fake_mode(): there are fake tensors of several modes: {modes}")
    return modes[0] if modes else None
