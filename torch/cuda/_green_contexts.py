"""Green contexts: some of a GPU's multiprocessors, for work that shall not wait for other work."""

from __future__ import annotations

from typing import Any

from torch.cuda._devices import Stream, default_stream
from torch.cuda._runtime import index_of, initialize

_SCOPES = ("device_ctx", "balanced")


def _number(name: str, value: Any) -> int:
    """An argument that is a count: 0 if it was not given."""
    if value is None:
        return 0
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError(f"GreenContext.create(): {name} must be an int, not {type(value).__name__}")
    if not 0 < value < 1 << 31:
        raise RuntimeError(f"GreenContext.create(): {name} must be a positive number, got {value}")
    return value


class GreenContext:
    """A part of a GPU. `create` makes one; it must live as long as its streams are used.

    Example:
        >>> context = torch.cuda.GreenContext.create(num_sms=16)  # doctest: +SKIP
        >>> context.set_context()  # doctest: +SKIP
        >>> y = x @ x  # on these 16 multiprocessors  # doctest: +SKIP
        >>> context.pop_context()  # doctest: +SKIP
    """

    def __init__(self) -> None:
        raise RuntimeError("GreenContext(): GreenContext.create() makes one")

    @staticmethod
    def create(
        *,
        num_sms: int | None = None,
        workqueue_scope: str | None = None,
        workqueue_concurrency_limit: int | None = None,
        device_id: int | None = None,
    ) -> GreenContext:
        """Makes one.

        Args:
            num_sms (int, optional): how many multiprocessors it has at least: the driver makes groups of 2 to 8; by default all
            workqueue_scope (str, optional): whose the queues between host and GPU are: "device_ctx", shared by all contexts, or
                "balanced", apart from those of other such contexts where that can be
            workqueue_concurrency_limit (int, optional): for how many pieces of work at once; needs `workqueue_scope`
            device_id (int, optional): the GPU; the current one by default

        Raises:
            RuntimeError: `num_sms` and `workqueue_scope` are missing, or the GPU or its driver lacks what is asked for
        """
        count, limit = _number("num_sms", num_sms), _number("workqueue_concurrency_limit", workqueue_concurrency_limit)
        if count == 0 and workqueue_scope is None:
            raise RuntimeError("GreenContext.create(): expected num_sms, workqueue_scope, or both")
        if workqueue_scope is not None and workqueue_scope not in _SCOPES:
            raise RuntimeError(f"GreenContext.create(): workqueue_scope: expected one of {_SCOPES}, got {workqueue_scope!r}")
        if limit and workqueue_scope is None:
            raise RuntimeError("GreenContext.create(): workqueue_concurrency_limit needs workqueue_scope")
        made = object.__new__(GreenContext)
        device = index_of(device_id)
        has_queues, is_balanced = workqueue_scope is not None, workqueue_scope == "balanced"
        made._context = initialize().GreenContext(device, count, has_queues, is_balanced, limit)
        return made

    def set_context(self) -> None:
        """Later work of this thread on the GPU runs in this part, behind the work that the current stream has now."""
        self._context.begin()

    def pop_context(self) -> None:
        """Goes back to the stream that was current before `set_context`; its later work waits for the context's.

        Raises:
            RuntimeError: the context is not the current one
        """
        self._context.end()

    def Stream(self) -> Stream:
        """A new stream, whose work runs in this part."""
        number, index = self._context.make_stream()
        made = Stream(stream_id=number, device_index=index, device_type=default_stream(index).device_type)
        made._context = self._context  # lives as long as the stream
        return made

    @staticmethod
    def max_workqueue_concurrency(device_id: int | None = None) -> int:
        """For how many pieces of work at once a GPU can have queues.

        Args:
            device_id (int, optional): the GPU; the current one by default
        """
        return initialize().green_context_concurrency(index_of(device_id))
