"""Runs generated code so that tracebacks, debuggers and `inspect` find its lines."""

from __future__ import annotations

import itertools
import linecache
from collections.abc import Callable
from typing import Any

from torch.fx._names import _custom_builtins


class _EvalCacheLoader:
    """The texts of generated modules; `linecache` asks the loader in the globals of code for them."""

    def __init__(self) -> None:
        self.eval_cache: dict[str, str] = {}
        self._numbers = itertools.count()

    def cache(self, src: str, globals: dict[str, Any], co_fields: dict[str, Any] | None = None) -> str:
        """Keep a text; returns the name of the file that it pretends to be."""
        # linecache reads no file whose name ends with ">".
        key = f"<eval_with_key>.{next(self._numbers)}"
        if co_fields and "co_filename" in co_fields:
            key += f" from {co_fields['co_filename']}:{co_fields['co_firstlineno']} in {co_fields['co_name'].strip('<>')}"
        self.eval_cache[key] = src
        space = globals.copy()
        space.update(__file__=key, __name__=key, __loader__=self)
        linecache.lazycache(key, space)
        return key

    def get_source(self, fullname: str) -> str | None:
        """The text, for linecache."""
        return self.eval_cache.get(fullname)


_loader = _EvalCacheLoader()


def _exec_with_source(src: str, globals: dict[str, Any], co_fields: dict[str, Any] | None = None) -> None:
    exec(compile(src, _loader.cache(src, globals, co_fields), "exec"), globals)  # noqa: S102


def _method_from_src(method_name: str, src: str, globals: dict[str, Any],
                     co_fields: dict[str, Any] | None = None) -> Callable[..., Any]:  # fmt: skip
    """A function that a piece of code defines."""
    space = globals.copy()
    _exec_with_source(src, space, co_fields)
    return space[method_name]


def _forward_from_src(src: str, globals: dict[str, Any], co_fields: dict[str, Any] | None = None) -> Callable[..., Any]:
    return _method_from_src("forward", src, globals, co_fields)


def _format_import_statement(name: str, obj: Any) -> str:
    """The line that makes `name` mean `obj`."""
    if name in _custom_builtins:
        return _custom_builtins[name].import_str
    module = getattr(obj, "__module__", None)
    if isinstance(obj, type(linecache)):
        return f"import {obj.__name__} as {name}"
    if module in (None, "builtins"):
        return f"from builtins import {obj.__name__} as {name}" if hasattr(obj, "__name__") else f"{name} = {obj!r}"
    attribute = getattr(obj, "__qualname__", None) or getattr(obj, "__name__", None) or getattr(obj, "_name", None)
    if attribute is None:
        return f"{name} = {obj!r}"
    root, _, rest = attribute.partition(".")
    if rest or attribute == "<lambda>":
        raise RuntimeError(f"torch.fx: {module}.{attribute} cannot be imported by name, so code that uses it cannot be pickled")
    return f"from {module} import {root} as {name}"


def _format_import_block(globals: dict[str, Any]) -> str:
    return "\n".join(sorted({_format_import_statement(name, obj) for name, obj in globals.items()}))
