"""Wraps functions, generators and classes so that each run enters a context manager."""

import functools
import inspect


def _generator(make, func):
    """The context is held only while the generator runs, not while its consumer does."""

    @functools.wraps(func)
    def wrapped(*args, **kwargs):
        inner = func(*args, **kwargs)
        resume, value = inner.send, None
        try:
            while True:
                try:
                    with make():
                        produced = resume(value)
                except StopIteration as done:
                    return done.value
                try:
                    value = yield produced
                    resume = inner.send
                except GeneratorExit:
                    with make():
                        inner.close()
                    raise
                except BaseException as problem:
                    value, resume = problem, inner.throw
        finally:
            inner.close()

    return wrapped


def context_decorator(make, func):
    """`func` with `make()` entered around every call."""
    if isinstance(func, type):
        import warnings

        warnings.warn("Decorating a class is deprecated and decorates only its __init__", FutureWarning, 3)
        func.__init__ = context_decorator(make, func.__init__)
        return func
    if inspect.isgeneratorfunction(func):
        return _generator(make, func)

    @functools.wraps(func)
    def wrapped(*args, **kwargs):
        with make():
            return func(*args, **kwargs)

    return wrapped


class _DecoratorContextManager:
    """Base for context managers of users that also want to be decorators."""

    def clone(self):
        return self.__class__()

    def __call__(self, func):
        return context_decorator(self.clone, func)

    def __enter__(self):
        raise NotImplementedError

    def __exit__(self, exc_type, exc_value, traceback):
        raise NotImplementedError


class _NoParamDecoratorContextManager(_DecoratorContextManager):
    """The same for managers without arguments: the parentheses of the decorator may be left out."""

    def __new__(cls, orig_func=None):
        return super().__new__(cls) if orig_func is None else super().__new__(cls)(orig_func)
