"""The registrations of a torch.library.Library, which last as long as the Library."""

from __future__ import annotations

from torch import _C

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from typing import Any


class Schema:
    """An operator's schema: name, overload_name, arguments, returns; str() is its text.

    Args:
        text (str): the schema

    Raises:
        RuntimeError: it is no schema

    Example:
        >>> torch.parse_schema("aten::neg(Tensor self) -> Tensor").name
        'aten::neg'
    """

    __module__ = "torch"

    def __init__(self, text: str) -> None:
        self._text = text
        self.name, self.overload_name, arguments, returns = _C._dispatch_parse_schema(text)
        self.arguments = [Argument(*row) for row in arguments]
        self.returns = [Argument(name, kind, None, False, False) for name, kind in returns]

    def __str__(self):
        return self._text

    __repr__ = __str__

    def __eq__(self, other):
        return str(self) == str(other) if isinstance(other, Schema) else NotImplemented

    def __hash__(self):
        return hash(self._text)

    @property
    def is_mutable(self) -> bool:
        """Whether the operator changes an argument."""
        return any(a.is_write for a in self.arguments)

    def is_backward_compatible_with(self, old: Schema) -> bool:
        """Whether every call of another schema is one of this: it may have more arguments, with defaults.

        Args:
            old (FunctionSchema): the other schema

        Returns:
            whether it is
        """
        if (self.name, self.overload_name, len(self.returns)) != (old.name, old.overload_name, len(old.returns)):
            return False
        if any(str(mine.type) != str(theirs.type) for mine, theirs in zip(self.returns, old.returns)):
            return False
        mine = {a.name: a for a in self.arguments}
        for a in old.arguments:
            found = mine.pop(a.name, None)
            if found is None or str(found.type) != str(a.type) or (found.kwarg_only and not a.kwarg_only):
                return False
        names = [a.name for a in old.arguments if not a.kwarg_only]
        in_order = [a.name for a in self.arguments if not a.kwarg_only][: len(names)] == names
        return in_order and all(a.has_default_value() for a in mine.values())


class Argument:
    """An argument or a result in an operator's schema.

    Args:
        name (str): its name
        type (Type): its type
        default (str or None): the text of its default
        kwarg_only (bool): whether it is given by name only
        is_write (bool): whether the operator changes it

    Example:
        >>> torch.parse_schema("f(Tensor x, int n=2) -> Tensor").arguments[1].default_value
        2
    """

    __module__ = "torch"

    def __init__(self, name: str, type: Any, default: str | None, kwarg_only: bool, is_write: bool) -> None:
        self.name, self.type, self.default_text, self.kwarg_only, self.is_write = name, type, default, kwarg_only, is_write

    def has_default_value(self) -> bool:
        """Whether it has a default.

        Returns:
            whether it has
        """
        return self.default_text is not None

    @property
    def default_value(self) -> Any:
        """The default as a value; None without one."""
        return None if self.default_text is None else _value_of(self.default_text, str(self.type))

    @property
    def is_out(self) -> bool:
        """Whether it takes a result, as `out` does."""
        return self.is_write and self.kwarg_only

    def __repr__(self):
        return f"{self.type} {self.name}"


def parse_schema(schema: str) -> Schema:
    """Read an operator's schema.

    Args:
        schema (str): such as "aten::neg(Tensor self) -> Tensor"

    Returns:
        the schema

    Raises:
        RuntimeError: it is no schema

    Example:
        >>> [a.name for a in torch.parse_schema("f(Tensor x, int n=2) -> Tensor").arguments]
        ['x', 'n']
    """
    try:
        return Schema(schema)
    except ValueError as problem:
        raise RuntimeError(str(problem)) from None


_ENUMS = {"Mean": 1, "Sum": 2, "contiguous_format": 0, "preserve_format": 1, "strided": 0, "long": 4, "float": 6}


def _value_of(text, kind):
    """The value that a default of a schema stands for."""
    import ast

    if text in _ENUMS and not kind.startswith("str"):
        return _ENUMS[text]
    try:
        value = ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return float(text) if text.lstrip("-") in ("inf", "nan") else text
    return float(value) if kind == "float" and isinstance(value, int) and not isinstance(value, bool) else value


def get_schema(qualified, overload):
    return Schema(_C._dispatch_get_schema(qualified, overload))


# {(qualified name, overload): tags} of operators from Python.
tags_of = {}
# Kernels of operators that nobody has defined yet: (qualified name, overload) -> [(Registrations, key, function)].
_waiting = {}


def is_defined(qualified, overload):
    """Whether there is such an operator."""
    try:
        _C._dispatch_get_schema(qualified, overload)
    except RuntimeError:
        return False
    return True


class Registrations:
    """define, impl and fallback of one Library; `reset` undoes all of them.

    A kernel may come before its operator: it waits for the definition.
    """

    def __init__(self, namespace, file, line):
        self.namespace, self.place = namespace, f"{file}:{line}"
        self.defined, self.kernels, self.fallbacks = [], [], []

    def define(self, schema, alias_analysis="", tags=()):
        text = schema if "::" in schema.split("(")[0] else f"{self.namespace}::{schema}"
        self.defined.append(_C._dispatch_define(text, self.place))
        if tags:
            tags_of[self.defined[-1]] = list(tags)
        for owner, key, fn in _waiting.pop(self.defined[-1], ()):
            owner._register(*self.defined[-1], key, fn)
        return self.defined[-1][0]

    def impl(self, name, key, fn, with_keyset=False):
        if with_keyset:
            raise NotImplementedError("torch.library: with_keyset=True is not supported")
        base, _, overload = name.partition(".")
        qualified = f"{self.namespace}::{base}"
        if is_defined(qualified, overload):
            self._register(qualified, overload, key, fn)
        else:
            _C._dispatch_key_parse(key)
            _waiting.setdefault((qualified, overload), []).append((self, key, fn))

    def _register(self, qualified, overload, key, fn):
        handle = _C._dispatch_impl(qualified, overload, key, fn, self.place)
        self.kernels.append((qualified, overload, handle))

    def fallback(self, key, fn, with_keyset=False):
        if with_keyset:
            raise NotImplementedError("torch.library: with_keyset=True is not supported")
        from torch._library.utils import lookup_op

        def run(name, overload, args, kwargs):
            return fn(lookup_op(f"{name}.{overload}" if overload else name), *args, **kwargs)

        self.fallbacks.append(_C._dispatch_fallback(key, run, self.place))

    def reset(self):
        for qualified, overload, handle in self.kernels:
            _C._dispatch_unimpl(qualified, overload, handle)
        for handle in self.fallbacks:
            _C._dispatch_unfallback(handle)
        for qualified, overload in self.defined:
            _C._dispatch_undefine(qualified, overload)
            tags_of.pop((qualified, overload), None)
        for place, entries in list(_waiting.items()):
            _waiting[place] = [entry for entry in entries if entry[0] is not self]
            if not _waiting[place]:
                del _waiting[place]
        self.kernels, self.defined, self.fallbacks = [], [], []
