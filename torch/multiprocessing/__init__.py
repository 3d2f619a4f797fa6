"""Python's multiprocessing, with tensors that processes share.

A tensor that goes through a queue or a pipe, or is an argument of a new process, is moved into shared memory: sender
and receiver see each other's changes. docs/decisions.md says how that memory is named and freed."""

from __future__ import annotations

import multiprocessing as _python
import sys as _sys
from multiprocessing import *  # noqa: F401,F403

from torch import _lazy
from torch.multiprocessing.reductions import init_reductions
from torch.multiprocessing.spawn import (  # noqa: F401
    ENV_VAR_PARALLEL_START,
    ProcessContext,
    ProcessExitedException,
    ProcessRaisedException,
    SpawnContext,
    spawn,
    start_processes,
)

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from typing import Any

__all__ = [
    *_python.__all__,
    "get_all_sharing_strategies",
    "get_sharing_strategy",
    "set_sharing_strategy",
    "spawn",
    "start_processes",
    "ProcessContext",
    "ProcessExitedException",
    "ProcessRaisedException",
    "SpawnContext",
]
_sys.modules[__name__].__class__ = _lazy._FunctionsOverModules  # `spawn` is the function, not the module of that name
init_reductions()

_all_sharing_strategies = {"file_descriptor", "file_system"}
_sharing_strategy = "file_descriptor"


def get_all_sharing_strategies() -> set[str]:
    """The names that `set_sharing_strategy` takes.

    Returns:
        the names

    Example:
        >>> sorted(torch.multiprocessing.get_all_sharing_strategies())
        ['file_descriptor', 'file_system']
    """
    return set(_all_sharing_strategies)


def get_sharing_strategy() -> str:
    """How the memory of tensors is passed to other processes.

    Returns:
        "file_descriptor" or "file_system"

    Example:
        >>> torch.multiprocessing.get_sharing_strategy()
        'file_descriptor'
    """
    return _sharing_strategy


def set_sharing_strategy(new_strategy: str) -> None:
    """Choose how the memory of tensors is passed to other processes from now on.

    Either way the sender must live until the tensor is received.

    Args:
        new_strategy (str): "file_descriptor": the descriptor travels over a socket that the receiver opens to the sender;
            "file_system": the receiver opens the memory by its name under /proc

    Raises:
        AssertionError: another name

    Example:
        >>> torch.multiprocessing.set_sharing_strategy("file_system")
        >>> torch.multiprocessing.set_sharing_strategy("file_descriptor")
    """
    global _sharing_strategy
    if new_strategy not in _all_sharing_strategies:
        raise AssertionError(f"unknown sharing strategy {new_strategy!r}, expected one of {sorted(_all_sharing_strategies)}")
    _sharing_strategy = new_strategy


_absent, _ = _lazy.lazy(__name__, ("pool", "queue"))


def __getattr__(name: str) -> Any:
    return getattr(_python, name) if hasattr(_python, name) and name not in ("pool", "queue") else _absent(name)
