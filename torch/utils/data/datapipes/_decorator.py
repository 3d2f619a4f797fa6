"""Decorators of pipes: names of methods, determinism, checks of types."""

from __future__ import annotations

import functools
import inspect
import typing
from collections.abc import Callable
from typing import Any

from torch.utils.data.datapipes.datapipe import IterDataPipe, MapDataPipe


class functional_datapipe:
    """Make a class of pipes a method of all pipes of its kind.

    Args:
        name (str): of the method
        enable_df_api_tracing (bool): accepted; there are no pipes of data frames here

    Example:
        >>> from torch.utils.data.datapipes.iter import IterableWrapper
        >>> @torch.utils.data.functional_datapipe("doubled")
        ... class Doubled(torch.utils.data.IterDataPipe):
        ...     def __init__(self, source):
        ...         self.source = source
        ...     def __iter__(self):
        ...         yield from (2 * x for x in self.source)
        >>> list(IterableWrapper([1, 2]).doubled())
        [2, 4]
    """

    def __init__(self, name: str, enable_df_api_tracing: bool = False) -> None:
        self.name, self.enable_df_api_tracing = name, enable_df_api_tracing

    def __call__(self, cls: Any) -> Any:
        """Register a class.

        Args:
            cls (type): of pipes
        """
        kind = next((kind for kind in (IterDataPipe, MapDataPipe) if isinstance(cls, type) and issubclass(cls, kind)), None)
        if kind is None:
            raise TypeError(f"functional_datapipe: expected a subclass of IterDataPipe or MapDataPipe, got {cls}")
        kind.register_datapipe_as_function(self.name, cls, enable_df_api_tracing=self.enable_df_api_tracing)
        return cls


_determinism = False


class _Setting:
    """A module's flag that is changed at once, and put back at the end of a `with` block."""

    _name: str

    def _set(self, value: bool) -> None:
        self._before = globals()[self._name]
        globals()[self._name] = value

    def __enter__(self) -> None:
        pass

    def __exit__(self, exc_type: object, exc_value: object, traceback: object) -> None:
        globals()[self._name] = self._before


class guaranteed_datapipes_determinism(_Setting):
    """In a `with` block, pipes that are marked as non-deterministic cannot be made.

    Example:
        >>> with torch.utils.data.guaranteed_datapipes_determinism():
        ...     pass
    """

    _name = "_determinism"

    def __init__(self) -> None:
        self._set(True)


class non_deterministic:
    """Mark a class of streams whose order may differ from run to run.

    Args:
        arg (type or function): the class; or a function of a pipe that says whether it is, which makes this a decorator

    Example:
        >>> @torch.utils.data.non_deterministic
        ... class Racing(torch.utils.data.IterDataPipe): ...
        >>> with torch.utils.data.guaranteed_datapipes_determinism():
        ...     Racing()
        Traceback (most recent call last):
        TypeError: Racing is non-deterministic
    """

    def __init__(self, arg: type[IterDataPipe[Any]] | Callable[..., bool]) -> None:
        self.cls = self.is_marked = None
        if isinstance(arg, type):
            if not issubclass(arg, IterDataPipe):
                raise TypeError(f"non_deterministic: expected a subclass of IterDataPipe, got {arg.__name__}")
            self.cls = arg
        elif callable(arg):
            self.is_marked = arg
        else:
            raise TypeError(f"non_deterministic: expected a class or a function, got {type(arg).__name__}")

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Make a pipe of the class, or mark the class that is given."""
        if self.cls is not None:
            self._refuse(self.cls)
            return self.cls(*args, **kwargs)
        cls, is_marked = args[0], self.is_marked
        if not (isinstance(cls, type) and issubclass(cls, IterDataPipe)):
            raise TypeError(f"non_deterministic: expected a subclass of IterDataPipe, got {getattr(cls, '__name__', cls)}")

        @functools.wraps(cls)
        def make(*args: Any, **kwargs: Any) -> Any:
            pipe = cls(*args, **kwargs)
            result = is_marked(pipe) if is_marked is not None else True
            if not isinstance(result, bool):
                raise TypeError(f"non_deterministic: the function should return a bool, got {type(result).__name__}")
            if result:
                self._refuse(cls)
            return pipe

        return make

    @staticmethod
    def _refuse(cls: Any) -> None:
        if _determinism:
            raise TypeError(f"{cls.__name__} is non-deterministic, which guaranteed_datapipes_determinism() does not allow")


def _origin(hint: Any) -> Any:
    return typing.get_origin(hint) or hint


def argument_validation(f: Callable[..., Any]) -> Callable[..., Any]:
    """Check that arguments annotated as IterDataPipe are streams.

    Args:
        f (function): with annotations

    Example:
        >>> @torch.utils.data.argument_validation
        ... def count(pipe: torch.utils.data.IterDataPipe):
        ...     return len(list(pipe))
        >>> count([1])
        Traceback (most recent call last):
        TypeError: count: expected an IterDataPipe for 'pipe', got list
    """
    signature = inspect.signature(f)

    @functools.wraps(f)
    def checked(*args: Any, **kwargs: Any) -> Any:
        hints = typing.get_type_hints(f)
        for name, value in signature.bind(*args, **kwargs).arguments.items():
            expected = _origin(hints.get(name))
            if isinstance(expected, type) and issubclass(expected, IterDataPipe) and not isinstance(value, expected):
                raise TypeError(f"{f.__name__}: expected an {expected.__name__} for {name!r}, got {type(value).__name__}")
        return f(*args, **kwargs)

    return checked


_validation = True


class runtime_validation_disabled(_Setting):
    """In a `with` block, `runtime_validation` checks nothing.

    Example:
        >>> with torch.utils.data.runtime_validation_disabled():
        ...     pass
    """

    _name = "_validation"

    def __init__(self) -> None:
        self._set(False)


def _declared(cls: type) -> Any:
    """The class that `class Pipe(IterDataPipe[int])` declares for its samples."""
    for base in getattr(cls, "__orig_bases__", ()):
        arguments = typing.get_args(base)
        if arguments and isinstance(_origin(base), type) and issubclass(_origin(base), IterDataPipe):
            expected = _origin(arguments[0])
            return expected if isinstance(expected, type) else None
    return None


def runtime_validation(f: Callable[..., Any]) -> Callable[..., Any]:
    """Check that the samples of a stream have the type that its class declares, as in `class Pipe(IterDataPipe[int])`.

    Args:
        f (function): its `__iter__`

    Example:
        >>> class Numbers(torch.utils.data.IterDataPipe[int]):
        ...     @torch.utils.data.runtime_validation
        ...     def __iter__(self):
        ...         yield "one"
        >>> list(Numbers())
        Traceback (most recent call last):
        RuntimeError: Numbers: expected samples of int, got str
    """
    if f.__name__ != "__iter__":
        raise TypeError(f"runtime_validation: expected the method __iter__, got {f.__name__}")

    @functools.wraps(f)
    def checked(self: Any) -> Any:
        expected = _declared(type(self)) if _validation else None
        for value in f(self):
            if expected is not None and not isinstance(value, expected):
                raise RuntimeError(f"{type(self).__name__}: expected samples of {expected.__name__}, got {type(value).__name__}")
            yield value

    return checked
