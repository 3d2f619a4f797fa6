"""torch.jit.fork and wait: outside compiled code, the call is done at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torch.futures import Future


def fork(func: Callable[..., Any], *args: Any, **kwargs: Any) -> Future[Any]:
    """Call a function, and hold its result.

    Args:
        func (function): is called at once
        *args (Any): of the call
        **kwargs (Any): of the call

    Returns:
        a future that is done

    Example:
        >>> torch.jit.wait(torch.jit.fork(lambda x: x + 1, torch.zeros(1)))
        tensor([1.])
    """
    future: Future[Any] = Future()
    future.set_result(func(*args, **kwargs))
    return future


def wait(future: Any) -> Any:
    """The result of `fork`.

    Args:
        future (Future): what `fork` returned

    Returns:
        what the function returned

    Example:
        >>> torch.jit.wait(torch.jit.fork(abs, -1))
        1
    """
    return future.wait()


_fork, _wait = fork, wait
