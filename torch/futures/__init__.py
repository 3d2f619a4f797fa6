"""Results that come later."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, Generic, TypeVar

import torch

__all__ = ["Future", "collect_all", "wait_all"]

T = TypeVar("T")
S = TypeVar("S")


class Future(Generic[T]):
    """A value that some thread sets once, and others wait for.

    Args:
        devices (list of device, optional): of tensors in the value, with indices; only CPUs are there

    Raises:
        RuntimeError: a device that is not there
        ValueError: a device without an index

    Example:
        >>> future = torch.futures.Future()
        >>> doubled = future.then(lambda done: done.value() * 2)
        >>> future.set_result(3)
        >>> doubled.wait()
        6
    """

    def __init__(self, *, devices: list[Any] | None = None) -> None:
        for device in map(torch.device, devices or ()):
            if device.type not in ("cpu", "meta"):
                raise RuntimeError(f"Future: there is no device {device}")
            if device.index is None:
                raise ValueError(f"Future: expected devices with indices, got {device}")
        self._condition = threading.Condition()
        self._done, self._value, self._error = False, None, None
        self._callbacks: list[Callable[[], None]] = []

    def done(self) -> bool:
        """Whether the value, or an error in its place, was set.

        Returns:
            whether it was
        """
        return self._done

    def wait(self) -> T:
        """Wait for the value.

        Returns:
            the value

        Raises:
            Exception: what was set in its place
        """
        with self._condition:
            while not self._done:
                self._condition.wait()
        return self.value()

    def value(self) -> T:
        """The value, which must have been set.

        Returns:
            the value

        Raises:
            RuntimeError: it was not set yet
        """
        if not self._done:
            raise RuntimeError("Future.value(): the future is not done yet; use wait()")
        if self._error is not None:
            raise self._error
        return self._value  # type: ignore[return-value]

    def then(self, callback: Callable[[Future[T]], S]) -> Future[S]:
        """A future of what a function makes of this one.

        Args:
            callback (function): gets this future, when it is done

        Returns:
            the future of its result

        Raises:
            TypeError: `callback` cannot be called
        """
        self._check(callback, "then")
        result: Future[S] = Future()

        def run():
            try:
                value = callback(self)
            except Exception as error:
                text = f"the callback of Future.then() failed: {type(error).__name__}: {error}"
                problem = RuntimeError(text)
                problem.__cause__ = error
                result._finish(None, problem)
            else:
                result._finish(value, None)

        self._when_done(run)
        return result

    def add_done_callback(self, callback: Callable[[Future[T]], None]) -> None:
        """Call a function when this future is done, at once if it is.

        Args:
            callback (function): gets this future

        Raises:
            TypeError: `callback` cannot be called
        """
        self._check(callback, "add_done_callback")

        def run():
            try:
                callback(self)
            except Exception:
                import logging

                logging.getLogger("torch.futures").exception("a callback of Future.add_done_callback() failed")

        self._when_done(run)

    def set_result(self, result: T) -> None:
        """Set the value.

        Args:
            result (Any): the value

        Raises:
            RuntimeError: it was set before
        """
        self._finish(result, None)

    def set_exception(self, result: T) -> None:
        """Set an error in place of the value.

        Args:
            result (BaseException): what `wait` raises

        Raises:
            AssertionError: it is no exception
            RuntimeError: the future is done
        """
        if not isinstance(result, Exception):
            raise AssertionError(f"Future.set_exception(): expected an Exception, got {type(result).__name__}")
        self._finish(None, result)

    @staticmethod
    def _check(callback, where):
        if not callable(callback):
            raise TypeError(f"Future.{where}(): expected a function, got {type(callback).__name__}")

    def _finish(self, value, error):
        with self._condition:
            if self._done:
                raise RuntimeError("Future: it is done already, and is completed only once")
            self._value, self._error, self._done = value, error, True
            callbacks, self._callbacks = self._callbacks, []
            self._condition.notify_all()
        for run in callbacks:
            run()

    def _when_done(self, run):
        with self._condition:
            if not self._done:
                self._callbacks.append(run)
                return
        run()

    def __getstate__(self):
        raise RuntimeError("cannot pickle a Future: it belongs to its process")


def collect_all(futures: list[Future[Any]]) -> Future[list[Future[Any]]]:
    """One future for several.

    Args:
        futures (list of Future): the futures

    Returns:
        a future whose value is the list of them, when all are done; its error is the first one's

    Example:
        >>> a, b = torch.futures.Future(), torch.futures.Future()
        >>> both = torch.futures.collect_all([a, b])
        >>> a.set_result(1)
        >>> both.done()
        False
        >>> b.set_result(2)
        >>> [future.value() for future in both.wait()]
        [1, 2]
    """
    futures = list(futures)
    result: Future[list[Future[Any]]] = Future()
    lock = threading.Lock()
    remaining = len(futures)

    def one_done():
        nonlocal remaining
        with lock:
            remaining -= 1
            if remaining:
                return
        error = next((future._error for future in futures if future._error is not None), None)
        result._finish(None if error else futures, error)

    if not futures:
        result.set_result(futures)
    for future in futures:
        future._when_done(one_done)
    return result


def wait_all(futures: list[Future[Any]]) -> list[Any]:
    """Wait for several futures.

    Args:
        futures (list of Future): the futures

    Returns:
        their values

    Raises:
        Exception: the first error among them

    Example:
        >>> future = torch.futures.Future()
        >>> future.set_result(1)
        >>> torch.futures.wait_all([future])
        [1]
    """
    return [future.wait() for future in collect_all(futures).wait()]
