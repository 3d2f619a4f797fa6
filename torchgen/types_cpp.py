"""How schema types are written in C++.

Names of the standard library are written from the root (::std::): there is an operator called std.
"""

from __future__ import annotations

import difflib

from torchgen.schema import Argument, Return, Schema, SchemaError, Type
from torchgen.schema_types import TYPES

# Types whose values are enumerators, although schemas may write them as numbers.
ENUMS = ("ScalarType", "MemoryFormat", "Layout")


def check_types(s: Schema) -> None:
    """Raises SchemaError for a type that the generated code cannot pass."""
    for what, t in [*((f"argument {a.name!r}", a.type) for a in s.arguments), *(("a result", r.type) for r in s.returns)]:
        if t.base not in TYPES:
            close = difflib.get_close_matches(t.base, TYPES, n=1)
            hint = f"did you mean {close[0]}?" if close else f"known are {', '.join(TYPES)}"
            raise SchemaError(f"{s.full_name}: {what} has the unknown type {t.base!r}; {hint}")


def _list_type(t: Type) -> str:
    kind = TYPES[t.base]
    if t.base == "Tensor" and t.element_optional:
        return "OptionalTensorList"
    if t.base == "bool" and t.list_size:
        return f"::std::array<bool, {t.list_size}>"
    return kind.list_argument or f"ArrayRef<{kind.value}>"


def argument_type(t: Type) -> str:
    """The type of a parameter, in kernels, at:: functions and dispatcher signatures alike."""
    if t.is_list:
        inner = _list_type(t)
        return f"::std::optional<{inner}>" if t.optional else inner
    kind = TYPES[t.base]
    if t.base == "Tensor" and t.mutable:
        return "Tensor&"
    if kind.argument:
        return f"const ::std::optional<{kind.value}>&" if t.optional else kind.argument
    return f"::std::optional<{kind.value}>" if t.optional or kind.always_optional else kind.value


def _return_type(r: Return) -> str:
    t = r.type
    if t.is_list:
        return f"::std::vector<{TYPES[t.base].value}>"
    if t.base == "Tensor":
        return "Tensor&" if t.mutable else "Tensor"
    return "::std::string" if t.base == "str" else TYPES[t.base].value


def return_type(s: Schema) -> str:
    if not s.returns:
        return "void"
    if len(s.returns) == 1:
        # The out= form of a list of tensors returns nothing.
        return "void" if s.returns[0].type.mutable and s.returns[0].type.is_list else _return_type(s.returns[0])
    return "::std::tuple<" + ", ".join(map(_return_type, s.returns)) + ">"


def signature(s: Schema) -> str:
    return f"{return_type(s)}({', '.join(argument_type(a.type) for a in s.arguments)})"


def parameters(
    args: list[Argument] | tuple[Argument, ...], defaults: bool = False, no_default: frozenset[str] = frozenset()
) -> str:
    parts = []
    for k, a in enumerate(args):
        p = f"{argument_type(a.type)} {a.name}"
        if defaults and a.default is not None and not any(b.name in no_default for b in args[k:]):
            p += f" = {default_value(a)}"
        parts.append(p)
    return ", ".join(parts)


def default_value(a: Argument) -> str:
    d, t = a.default, a.type
    if d is None:
        raise ValueError(a.name)
    if d == "None":
        return "::std::nullopt"
    if d in ("True", "False"):
        return d.lower()
    if t.is_list:
        if d.startswith("["):
            items = d[1:-1]
            if t.base == "bool":
                return "{{" + items.lower() + "}}"
            return "{" + items + "}"
        return "{" + ", ".join([d] * (t.list_size or 1)) + "}"
    if t.base == "str":
        return '"' + d.strip("\"'") + '"'
    number = TYPES[t.base].defaults.get(d, int(d) if d.isdigit() and t.base in ENUMS else None)
    if number is None:
        return d
    return f"static_cast<{t.base}>({number})" if t.base in ENUMS else str(number)
