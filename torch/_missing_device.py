"""Makes the functions and classes of a device's module in a build without that device.

Queries answer "no" or "nothing", and what needs the device raises an error that says so.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

_EXAMPLE = "\n\nExample:\n    >>> {call}\n    {result}"


class MissingDevice:
    """Fills the module of one device.

    Args:
        module (str): its full name, such as "torch.xpu"
        space (dict): its globals
        error (type): of the error
        reason (str): what the error says
    """

    def __init__(self, module: str, space: dict[str, Any], error: type[Exception], reason: str) -> None:
        self.module, self.space, self.error, self.reason = module, space, error, reason

    def _put(self, name: str, made: Any, doc: str) -> None:
        made.__name__ = made.__qualname__ = name
        made.__module__, made.__doc__ = self.module, doc
        self.space[name] = made

    def answers(self, names: str, value: Any, doc: str) -> None:
        """Functions of any arguments that return a value, or a copy of it."""
        copied = isinstance(value, (list, dict))
        for name in names.split():

            def answer(*args: Any, **kwargs: Any) -> Any:
                return value.copy() if copied else value

            shown = "" if value is None else repr(value)
            example = _EXAMPLE.format(call=f"{self.module}.{name}()", result=shown).rstrip()
            about = "\n\nArgs:\n    *args (Any): of no effect\n    **kwargs (Any): of no effect"
            result = "" if value is None else f"\n\nReturns:\n    {shown}"
            self._put(name, answer, doc + about + result + example)

    def refuses(self, names: str, doc: str = "Needs the device, which is not there.") -> None:
        """Functions that raise the error."""
        for name in names.split():
            self._put(name, self._refusal(name), doc + self._raises(f"{self.module}.{name}()"))

    def refused_classes(
        self, names: str, doc: str = "An object of the device, which is not there.", error: type[Exception] = RuntimeError
    ) -> None:  # fmt: skip
        """Classes that cannot be instantiated."""
        for name in names.split():
            refuse = self._refusal(name, error)

            def new(cls: Any, *args: Any, _refuse: Callable[..., Any] = refuse, **kwargs: Any) -> Any:
                _refuse()

            self._put(name, type(name, (), {"__new__": new}), doc + self._raises(f"{self.module}.{name}()", error))

    def _refusal(self, name: str, error: type[Exception] | None = None) -> Callable[..., Any]:
        error = error or self.error
        text = f"{self.module}.{name}: {self.reason}"

        def refuse(*args: Any, **kwargs: Any) -> Any:
            raise error(text)

        return refuse

    def _raises(self, call: str, error: type[Exception] | None = None) -> str:
        name = (error or self.error).__name__
        about = "\n\nArgs:\n    *args (Any): any\n    **kwargs (Any): any"
        result = f"Traceback (most recent call last):\n    {name}: ..."
        return f"{about}\n\nRaises:\n    {name}: always" + _EXAMPLE.format(call=call, result=result)


@contextlib.contextmanager
def nothing(*args: Any, **kwargs: Any) -> Iterator[None]:
    """A block that changes nothing, because there is no device.

    Args:
        *args (Any): of no effect
        **kwargs (Any): of no effect

    Example:
        >>> with torch.xpu.device(None):
        ...     torch.ones(1)
        tensor([1.])
    """
    yield
