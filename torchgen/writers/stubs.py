"""Type stubs: torch/__init__.pyi, torch/_C/*.pyi and torch/return_types.pyi.

The signatures of operators come from their schemas. Stubs for hand-written parts of the extension and the package are
written by hand too, in torchgen/templates/.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, replace

from torchgen.model import Operator
from torchgen.schema import Argument, Return, Schema
from torchgen.schema_types import TYPES
from torchgen.writers.python import _varargs, is_function, is_method, python_modules, takes_number

TEMPLATES = os.path.join(os.path.dirname(os.path.dirname(__file__)), "templates")
BANNER = "# Written by torchgen from the native_functions.yaml files and torchgen/templates/. Edits here are lost.\n"
BANNER += '# mypy: disable-error-code="overload-cannot-match,overload-overlap"\n'
KEYWORDS = {"from", "lambda", "in", "is"}


@dataclass(frozen=True)
class Signature:
    schema: Schema
    outs: int  # the number of tensors that its out= takes
    options: bool  # whether it takes requires_grad= along with dtype=, device=, ...
    op: Operator


def signatures(ops: list[Operator]) -> list[Signature]:
    """The overloads of a name. An overload that only adds out= is merged into the other one."""
    outs = {o.schema.inputs: len(o.schema.out_arguments) for o in ops if o.schema.out_arguments}
    found, taken = [], set()
    for op in ops:
        s = op.schema
        if s.out_arguments:
            continue
        key = s.inputs
        if op.takes_options:
            key = tuple(a for a in key if a.name not in ("dtype", "layout", "device", "pin_memory"))
        found.append(Signature(s, outs.get(key, 0), op.takes_options, op))
        taken.add(key)
    for op in ops:
        if op.schema.out_arguments and op.schema.inputs not in taken:
            found.append(Signature(replace(op.schema, arguments=op.schema.inputs), len(op.schema.out_arguments), False, op))
    return found


def type_of(a: Argument, op: Operator) -> str:
    t = TYPES[a.type.base].stub
    if a.type.is_list:
        element = t + (" | None" if a.type.element_optional else "")
        t = "_size" if a.type.base in ("int", "SymInt") else f"Sequence[{element}]"
        if a.type.list_size and a.type.base != "Tensor":
            t += " | " + TYPES[a.type.base].stub
        if a.type.base == "Tensor":
            t += " | tuple[Tensor, ...]"
    elif a.name != "self" and takes_number(op, a):
        t += " | _Number"
    return t + (" | None" if a.type.optional else "")


def default_of(a: Argument) -> str:
    if a.default in ("None", "True", "False"):
        return a.default or ""
    if a.default is not None and a.type.base in ("int", "SymInt", "float") and not a.type.is_list:
        return a.default if a.default.lstrip("-").replace(".", "").replace("e", "").replace("-", "").isdigit() else "..."
    return "..."


def _returned(r: Return) -> str:
    """The type of a result.

    A number from a tensor is complex only if the tensor is. Most programs compare it or pass it to float(), and a type
    checker would reject that for a complex number.
    """
    return "_int | _float | _bool" if r.type.base == "Scalar" else TYPES[r.type.base].stub


def result_of(s: Schema) -> str:
    types = [f"tuple[{_returned(r)}, ...]" if r.type.is_list else _returned(r) for r in s.returns]
    if not types:
        return "None"
    if len(types) == 1:
        return types[0]
    if all(r.name for r in s.returns):
        return f"torch.return_types.{s.name}"
    return f"tuple[{', '.join(types)}]"


# Arguments that the bindings let a program leave out or give as None, beyond the schema: x.to("cuda").
LEFT_OUT = {("to", "device", "dtype")}


def parameters(sig: Signature, method: bool, varargs: bool) -> list[str]:
    s, parts, starred, keyword_only_from = sig.schema, [], False, False
    for a in s.arguments:
        if a.out or (method and a.name == "self"):
            continue
        if varargs and a.type.is_list and not a.kwarg_only and not keyword_only_from:
            parts.append(f"*{a.name}: {TYPES[a.type.base].stub}")
            keyword_only_from = starred = True
            continue
        if a.kwarg_only and not starred:
            parts.append("*")
            starred = True
        name = sig.schema.python_name(a) + "_" * (a.name in KEYWORDS)
        text = f"{name}: {type_of(a, sig.op)}"
        if (s.name, s.overload, a.name) in LEFT_OUT:
            text += " | None = None"
        elif a.default is not None:
            text += f" = {default_of(a)}"
        elif sig.options and a.kwarg_only:
            text += " = None"
        parts.append(text)
    if sig.options:
        parts.append("requires_grad: _bool = False")
    if sig.outs and not method:
        parts += [] if starred else ["*"]
        parts.append("out: " + ("Tensor" if sig.outs == 1 else "tuple[Tensor, ...] | list[Tensor]") + " | None = None")
    return parts


def definitions(name: str, ops: list[Operator], method: bool, doc: str) -> list[str]:
    """The overloads of a name; the first one carries the docstring."""
    texts = []
    for sig in signatures(ops):
        forms = [False, True] if _varargs(sig.schema) else [False]
        for varargs in forms:
            params = parameters(sig, method, varargs)
            text = f"def {name}({', '.join((['self'] if method else []) + params)}) -> {result_of(sig.schema)}: ..."
            if text not in texts:
                texts.append(text)
    text = ['    """' + doc.rstrip("\n").replace("\\", "\\\\").replace("\n", "\n    "), '    """']
    first = [texts[0].removesuffix(" ..."), *"\n".join(text).split("\n")]
    if len(texts) == 1:
        return first
    return ["@overload", *first, *(line for text in texts[1:] for line in ("@overload", text))]


def _fill(template: str, **parts: list[str]) -> str:
    """A template; a line `    @NAME@` becomes the lines of that part, indented as it is."""
    lines = []
    with open(os.path.join(TEMPLATES, template)) as f:
        for line in f.read().splitlines():
            mark = line.strip()
            if mark.startswith("@") and mark.endswith("@") and mark != "@":
                indent = line[: len(line) - len(line.lstrip())]
                lines += [(indent + part).rstrip() for part in parts[mark.strip("@")]]
            else:
                lines.append(line)
    return BANNER + "\n".join(lines) + "\n"


def return_types(groups: dict[str, list[Operator]]) -> list[str]:
    lines = []
    for name, ops in groups.items():
        for op in ops:
            if len(op.schema.returns) > 1 and all(r.name for r in op.schema.returns):
                lines += [
                    f"class {name}(NamedTuple):",
                    *(f"    {r.name}: {TYPES[r.type.base].stub}" for r in op.schema.returns),
                    "",
                ]
                break
    return lines


def lazy_names(source_root: str) -> tuple[list[str], dict[str, str]]:
    """SUBMODULES and ATTRIBUTES of torch/_lazy.py."""
    space: dict = {"__name__": "torch._lazy"}
    with open(os.path.join(source_root, "torch", "_lazy.py")) as f:
        exec(compile(f.read(), "torch/_lazy.py", "exec"), space)
    return sorted(space["SUBMODULES"]), space["ATTRIBUTES"]


def stubs(bound: dict[str, list[Operator]], source_root: str, doc: Callable[[str, bool], str]) -> dict[str, str]:
    """path -> text. `doc(name, method)` is a docstring without its signature."""

    def functions(module: str | None) -> list[str]:
        lines = []
        for name, ops in bound.items():
            mine = [o for o in ops if o.entry.python_module == module and (is_function(o) or o.form == "out")]
            if any(is_function(o) for o in mine):
                lines += definitions(name, mine, False, doc(name, False))
        return lines

    methods = []
    for name, ops in bound.items():
        mine = [o for o in ops if is_method(o) and any(a.name == "self" for a in o.schema.arguments)]
        if any("attribute" in o.entry.variants for o in ops):
            methods += ["@property", f"def {name}(self) -> Tensor: ..."]
        elif mine:
            methods += definitions(name, mine, True, doc(name, True))
    submodules, attributes = lazy_names(source_root)
    python_names = [f"from {where} import {name} as {name}" for name, where in attributes.items()]
    known = {name for name, ops in bound.items() if any(is_function(o) and o.entry.python_module is None for o in ops)}
    operators = [f"from torch._C._VariableFunctions import {name} as {name}" for name in sorted(known - set(attributes))]
    modules = [f"from torch import {name} as {name}" for name in submodules if name != "version"]
    files = {
        "torch/_C/__init__.pyi": _fill("_C.pyi", methods=methods),
        "torch/_C/_VariableFunctions.pyi": _fill("functions.pyi", functions=functions(None)),
        "torch/return_types.pyi": _fill("return_types.pyi", types=return_types(bound)),
        "torch/__init__.pyi": _fill("torch.pyi", operators=operators, attributes=python_names, modules=modules),
    }
    for module in python_modules(bound):
        files[f"torch/_C/_{module}.pyi"] = _fill("functions.pyi", functions=functions(module))
    return files
