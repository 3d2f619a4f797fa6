"""Python bindings: tables that torch/csrc/binding/python_arg_parser.h describes, and one thunk for each C++ signature.

An operator adds only rows to these tables, no code.
"""

from __future__ import annotations

from collections.abc import Callable

from torchgen.model import Entry, Operator
from torchgen.schema import Argument, Schema
from torchgen.schema_types import TYPES
from torchgen.template import fill
from torchgen.types_cpp import ENUMS

TEMPLATES = "python.cpp.in"


def _kind(a: Argument) -> str:
    if a.type.is_list:
        return "OptionalTensorList" if a.type.element_optional else TYPES[a.type.base].list_kind
    return TYPES[a.type.base].kind


def _default(a: Argument, prefix: str, extra: list[str]) -> str:
    """The initializer of ArgSpec's default; `extra` collects the arrays that it points to."""
    d = a.default
    if d is None or d == "None":
        return "{}"
    if a.type.is_list:
        items = d[1:-1].split(",") if d.startswith("[") else [d] * (a.type.list_size or 1)
        items = [i.strip() for i in items if i.strip()]
        if a.type.base == "bool":
            items = ["1" if i == "True" else "0" for i in items]
        if not items:
            return "{}"
        extra.append(f"static const int64_t {prefix}_{a.name}[] = {{{', '.join(items)}}};")
        return f"DefaultValue::of_list({prefix}_{a.name}, {len(items)})"
    if d in ("True", "False"):
        return f"DefaultValue::integer({int(d == 'True')})" if a.type.base == "bool" else f"DefaultValue::boolean({d.lower()})"
    if a.type.base == "str":
        text = d.strip("\"'")
        return f'DefaultValue::of_text("{text}")'
    if d in TYPES[a.type.base].defaults:
        return f"DefaultValue::integer({TYPES[a.type.base].defaults[d]})"
    if a.type.base in ENUMS:
        return f"DefaultValue::integer({d})"
    if a.type.base in ("int", "SymInt"):
        return f"DefaultValue::integer({d})"
    if a.type.base == "Scalar":
        return f"DefaultValue::integer({d})" if d.lstrip("-").isdigit() else f"DefaultValue::real({d})"
    return f"DefaultValue::real({d})"


def _returns_text(s: Schema) -> str:
    if len(s.returns) > 1 and all(r.name for r in s.returns):
        return '"' + ",".join(r.name or "" for r in s.returns) + '"'
    return "nullptr"


def takes_number(op: Operator, a: Argument) -> bool:
    """Whether a Python number may be passed as this tensor argument; it becomes a wrapped number."""
    return (
        a.type.is_tensor
        and not a.type.mutable
        and (op.entry.numbers == "all" or (op.entry.numbers == "other" and a.name != "self"))
    )


def overload_rows(op: Operator, lines: list[str]) -> str:
    """Writes the argument rows of one operator; returns the initializer of its Overload."""
    s = op.schema
    extra: list[str] = []
    rows = []
    for a in s.arguments:
        flags = []
        if a.type.optional or a.name in op.entry.undefined:
            flags.append("kOptional")
        if a.kwarg_only:
            flags.append("kKeywordOnly")
        if a.default is not None:
            flags.append("kHasDefault")
        if a.out:
            flags.append("kOut")
        if takes_number(op, a):
            flags.append("kNumberAsTensor")
        rows.append(
            f'    {{"{s.python_name(a)}", ArgKind::{_kind(a)}, {a.type.list_size or 0}, '
            f'{" | ".join(flags) or "0"}, "{a.type.plain}", {_default(a, "d_" + s.cpp_name, extra)}}},'
        )
    lines += extra
    if rows:
        lines.append(fill(TEMPLATES, "arguments", name=s.cpp_name, rows=rows))
    npos = sum(not a.kwarg_only for a in s.arguments)
    flags = []
    if op.form == "out" or any(a.out for a in s.arguments):
        flags.append("kOutForm")
    if op.takes_options:
        flags.append("kTakesOptions")
    elif op.form == "out" and {"dtype", "device"} <= {a.name for a in op.entry.schema.arguments}:
        flags.append("kIgnoresOptions")
    if op.changes_each:
        flags.append("kReturnsFirst")
    if _varargs(s):
        flags.append("kVarArgs")
    self_at = next((i for i, a in enumerate(s.arguments) if a.name == "self" and a.type.is_tensor), -1)
    pyargs = f"args_{s.cpp_name}" if rows else "nullptr"
    return (
        f"    {{{pyargs}, {len(s.arguments)}, {npos}, {self_at}, {' | '.join(flags) or '0'}, "
        f"&Thunk<at::_ops::{s.cpp_name}::schema>::run, &at::_ops::{s.cpp_name}::entry, {_returns_text(s)}}},"
    )


def _varargs(s: Schema) -> bool:
    """Whether f(2, 3) means f([2, 3]), because the first list of ints is the last positional argument."""
    pos = [a for a in s.arguments if not a.kwarg_only and a.name != "self"]
    return len(pos) == 1 and pos[0].type.is_list and pos[0].type.base in ("int", "SymInt")


def bindings(entries: list[tuple[Entry, list[Operator]]]) -> dict[str, list[Operator]]:
    """Python name -> its overloads, in the order in which they are tried."""
    found: dict[str, list[Operator]] = {}
    for entry, ops in entries:
        if entry.variants <= {"operator", "operator_out"}:  # they would be tried as overloads of a function of that name
            continue
        for op in ops:
            if op.form != "out" or "out" in op.entry.variants:
                found.setdefault(op.schema.name, []).append(op)
    for name in found:
        found[name].sort(key=lambda op: (op.form == "out", _tensor_order(op)))
    return found


def _tensor_order(op: Operator) -> tuple:
    # Only types that accept the same values matter: Tensor before Scalar. The others keep the yaml's order.
    return tuple(1 if a.type.base == "Scalar" and not a.kwarg_only else 0 for a in op.schema.arguments)


def is_function(op: Operator) -> bool:
    if op.form == "inplace":
        return "inplace_function" in op.entry.variants
    return "function" in op.entry.variants


def is_method(op: Operator) -> bool:
    if op.form == "out":
        return False
    if op.form == "inplace":
        return not op.schema.arguments[0].type.is_list
    return "method" in op.entry.variants


def python_modules(all_bindings: dict[str, list[Operator]]) -> list[str]:
    """nn, linalg, ...: the submodules of torch._C that hold the functions of entries with a python_module."""
    return sorted({o.entry.python_module for ops in all_bindings.values() for o in ops if o.entry.python_module})


def python_source(groups: dict[str, list[Operator]], bases: set[str]) -> str:
    bindings = []
    for name, ops in groups.items():
        tables: list[str] = []
        rows = [overload_rows(op, tables) for op in ops]
        bindings.append(fill(TEMPLATES, "binding", tables=tables, name=name, rows=rows, count=str(len(rows))) + "\n")
    includes = [f"#include <ATen/ops/{b}_ops.h>" for b in sorted(bases)]
    return fill(TEMPLATES, "file", includes=includes, bindings=bindings) + "\n"


def _method_table(title: str, names: list[str], entry: str, docstring: Callable[[str, bool], str]) -> str:
    """One PyMethodDef table and its docstrings."""
    method = entry == "method_entry"
    kind = "method" if method else "function"
    return fill(
        TEMPLATES,
        "table",
        title=title,
        # Arrays, because the linker would merge literals with the strings that the import reads, and spread both over more pages.
        docstrings=[f"static const char {kind}_{n}_doc[] =\n{docstring(n, method)};" for n in names],
        rows=[fill(TEMPLATES, "method", name=n, entry=entry, doc=f"{kind}_{n}_doc") for n in names],
    )


def tables_source(all_bindings: dict[str, list[Operator]], docstring: Callable[[str, bool], str]) -> str:
    """`docstring(name, method)` is a C++ string literal."""

    def functions_in(module: str | None) -> list[str]:
        return [n for n, ops in all_bindings.items() if any(is_function(o) and o.entry.python_module == module for o in ops)]

    modules = python_modules(all_bindings)
    tables = [_method_table("generated_functions", functions_in(None), "function_entry", docstring)]
    for module in modules:
        title = f"generated_{module}_functions"
        tables.append(f"extern PyMethodDef {title}[];")
        tables.append(_method_table(title, functions_in(module), "function_entry", docstring))
    methods = [n for n, ops in all_bindings.items() if any(is_method(o) for o in ops)]
    tables.append(_method_table("generated_methods", methods, "method_entry", docstring))
    return (
        fill(
            TEMPLATES,
            "tables",
            declarations=[f"extern const Binding binding_{name};" for name in all_bindings],
            tables=tables,
            modules=[f'    {{"torch._C._{m}", generated_{m}_functions}},' for m in modules],
            bindings=[f"    &binding_{n}," for n in all_bindings],
        )
        + "\n"
    )
