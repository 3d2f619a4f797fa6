"""The registrations of a torch.library.Library, which last as long as the Library."""

from torch import _C


class Schema:
    """An operator's schema: name, overload_name, arguments, returns; str() is its text."""

    def __init__(self, text):
        self._text = text
        self.name, self.overload_name, arguments, returns = _C._dispatch_parse_schema(text)
        self.arguments = [Argument(*row) for row in arguments]
        self.returns = [Argument(name, kind, None, False, False) for name, kind in returns]

    def __str__(self):
        return self._text

    __repr__ = __str__

    @property
    def is_mutable(self):
        return any(a.is_write for a in self.arguments)


class Argument:
    def __init__(self, name, type, default, kwarg_only, is_write):
        self.name, self.type, self.default_text, self.kwarg_only, self.is_write = name, type, default, kwarg_only, is_write

    def has_default_value(self):
        return self.default_text is not None

    @property
    def default_value(self):
        """The default as a value; None without one."""
        return None if self.default_text is None else _value_of(self.default_text, str(self.type))

    @property
    def is_out(self):
        return self.is_write and self.kwarg_only

    def __repr__(self):
        return f"{self.type} {self.name}"


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
