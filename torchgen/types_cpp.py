"""How schema types are written in C++.

Names of the standard library are written from the root (::std::): there is an operator called std.
"""

from __future__ import annotations

import difflib

from torchgen.schema import Argument, Return, Schema, SchemaError, Type

_VALUE = {
    "int": "int64_t", "SymInt": "int64_t", "float": "double", "bool": "bool", "str": "::std::string_view",
    "ScalarType": "ScalarType", "Layout": "Layout", "Device": "Device", "MemoryFormat": "MemoryFormat",
    "Generator": "Generator", "Storage": "Storage", "Scalar": "Scalar", "Tensor": "Tensor",
    "DeviceIndex": "int64_t",
}  # fmt: skip


def check_types(s: Schema) -> None:
    """Raises SchemaError for a type that nothing here can pass."""
    for what, t in [*((f"argument {a.name!r}", a.type) for a in s.arguments), *(("a result", r.type) for r in s.returns)]:
        if t.base not in _VALUE:
            close = difflib.get_close_matches(t.base, _VALUE, n=1)
            hint = f"did you mean {close[0]}?" if close else f"known are {', '.join(_VALUE)}"
            raise SchemaError(f"{s.full_name}: {what} has the unknown type {t.base!r}; {hint}")


def _list_type(t: Type) -> str:
    if t.base == "Tensor":
        return "OptionalTensorList" if t.element_optional else "TensorList"
    if t.base in ("int", "SymInt"):
        return "IntArrayRef"
    if t.base == "bool" and t.list_size:
        return f"::std::array<bool, {t.list_size}>"
    return f"ArrayRef<{_VALUE[t.base]}>"


def argument_type(t: Type) -> str:
    """The type of a parameter, in kernels, at:: functions and dispatcher signatures alike."""
    if t.is_list:
        inner = _list_type(t)
        return f"::std::optional<{inner}>" if t.optional else inner
    if t.base == "Tensor":
        if t.optional:
            return "const ::std::optional<Tensor>&"
        return "Tensor&" if t.mutable else "const Tensor&"
    if t.base == "Scalar":
        return "const ::std::optional<Scalar>&" if t.optional else "const Scalar&"
    value = _VALUE[t.base]
    if t.base == "Generator" or t.optional:
        return f"::std::optional<{value}>"
    return value


def _return_type(r: Return) -> str:
    t = r.type
    if t.is_list:
        return "::std::vector<Tensor>" if t.base == "Tensor" else f"::std::vector<{_VALUE[t.base]}>"
    if t.base == "Tensor":
        return "Tensor&" if t.mutable else "Tensor"
    return "::std::string" if t.base == "str" else _VALUE[t.base]


def return_type(s: Schema) -> str:
    if not s.returns:
        return "void"
    if len(s.returns) == 1:
        # An out= form of a list of tensors gives nothing back.
        return "void" if s.returns[0].type.mutable and s.returns[0].type.is_list else _return_type(s.returns[0])
    return "::std::tuple<" + ", ".join(map(_return_type, s.returns)) + ">"


def signature(s: Schema) -> str:
    return f"{return_type(s)}({', '.join(argument_type(a.type) for a in s.arguments)})"


def parameters(args: list[Argument] | tuple[Argument, ...], defaults: bool = False, no_default: frozenset[str] = frozenset()) -> str:
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
    if d == "Mean":
        return "1"
    if d == "Sum":
        return "2"
    if t.base in ("ScalarType", "MemoryFormat", "Layout") and d.isdigit():  # schemas print enumerators as numbers
        return f"static_cast<{t.base}>({d})"
    if t.base == "ScalarType":
        return {"long": "ScalarType::Long", "float": "ScalarType::Float"}[d]
    if t.base == "MemoryFormat":
        return {"contiguous_format": "MemoryFormat::Contiguous", "preserve_format": "MemoryFormat::Preserve"}[d]
    return d
