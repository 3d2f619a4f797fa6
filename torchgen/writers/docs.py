"""Docstrings: from the sections of the docs.md files (torchgen/docs.py) and the schemas.

Docstrings of operators are constants in python_tables.cpp; those of hand-written names are in python_docs.cpp. Editing a text
therefore compiles one file.
"""

from __future__ import annotations

import os
import re
from functools import reduce

from torchgen.docs import DocsError, Section, manual_docs, operator_docs, parse
from torchgen.model import Operator
from torchgen.writers.examples import as_method, first_call
from torchgen.writers.ops import BANNER
from torchgen.writers.python import is_function, is_method
from torchgen.writers.signatures import Parameter, forms, merged, text_signature
from torchgen.writers.stubs import TEMPLATES, lazy_names

PREFIX = {None: "torch.", "nn": "torch._C._nn.", "linalg": "torch.linalg.", "special": "torch.special."}
FUNCTIONAL = "torch.nn.functional."


def is_internal(name: str) -> bool:
    """Names that a program has no reason to call."""
    return name.startswith("_") or re.search(r"_backward(_data)?_?$", name) is not None


def public_name(name: str, module: str | None) -> str:
    return PREFIX[module] + name.removeprefix(f"{module}_") if module else "torch." + name


class Docs:
    def __init__(self, bound: dict[str, list[Operator]], source_root: str):
        self.bound = bound
        self.operators = operator_docs(os.path.join(source_root, "aten", "src", "ATen", "native"))
        self.manual = manual_docs(os.path.join(source_root, "torch", "csrc"))
        self.python = set(lazy_names(source_root)[1])  # names that a Python function wraps
        with open(os.path.join(TEMPLATES, "arguments.md")) as f:
            common = parse("## common\nCommon.\n" + f.read().partition("\n\n")[2], "arguments.md")
        self.common = common[0].args
        self._check_names()

    def _check_names(self) -> None:
        for name, section in self.operators.items():
            if name not in self.bound:
                raise DocsError(f"{section.where}: there is no operator called {name}")
            if section.alias and section.alias not in self.operators:
                raise DocsError(f"{section.where}: {name} is an alias of {section.alias}, which has no section")
        self._check_arguments()

    def section(self, name: str) -> Section | None:
        """The section of a name, or the section that its text is derived from."""
        return self.operators.get(name) or (self.operators.get(name[:-1]) if name.endswith("_") else None)

    # --- one docstring

    def of(self, name: str, method: bool) -> str:
        """The text in CPython's format: the signature, a line of dashes, the docstring."""
        params = merged(self._forms(name, method), method)
        return f"{name}({text_signature(params, method)})\n--\n\n" + self.body(name, method)

    def body(self, name: str, method: bool) -> str:
        ops = self._forms(name, method)
        lines = self._text(name, ops, merged(ops, method), method)
        lists = forms(name, ops, method)
        if len(lists) > 1:
            lines += ["", "Forms:", *("    " + line for line in lists)]
        return "\n".join(lines) + "\n"

    def _text(self, name: str, ops: list[Operator], params: list[Parameter], method: bool) -> list[str]:
        section = self.section(name)
        view = ops[0].entry.copy_of if ops else None
        if section is None and view is not None and not is_internal(name):
            shown = self.operators.get(view.schema.name)
            called = ("torch." if "function" in view.variants else "Tensor.") + view.schema.name
            lines = [f"Like `{called}`, but the result is a copy that shares no memory with `input`."]
            lines += self._args(shown, shown, params) if shown else []
            example = self._copy_example(name, view.schema.name, shown) if shown else []
            return [*lines, *(["", "Example:", *("    " + line for line in example)] if example else [])]
        if section is None:
            return [f"The operator `{name}`."] if not is_internal(name) and name not in self.python else self._internal(name)
        lines = []
        source, inplace = section, section.name != name
        if inplace:
            lines += [
                f"In-place version of `{name[:-1]}`: the result is written into `{'self' if method else 'input'}`, which is returned.",
                "",
            ]
        if section.alias:
            source = self.operators[section.alias]
            alias_of = ("Tensor." if method else "torch.") + section.alias
            lines += [*([] if inplace else [f"Alias of `{alias_of}`.", ""])]
        summary = source.summary.replace("A copy of `input` with ", "`input` with ") if inplace else source.summary
        lines += [summary, *source.text]
        lines += self._args(section, source, params)
        returns = f"`{'self' if method else 'input'}`" if inplace else section.returns or source.returns or section.file_returns
        if returns:
            lines += ["", "Returns:", "    " + returns]
        raises = source.raises or section.raises
        if inplace:
            raises = [
                *raises,
                "    RuntimeError: when the result has another shape or a type that cannot be stored in "
                + ("`self`" if method else "`input`"),
            ]
        if raises:
            lines += ["", "Raises:", *raises]
        example = self._example(name, ops, section, source, method)
        if example:
            lines += ["", "Example:", *(("    " + line).rstrip() for line in example)]
        if method:
            lines = [re.sub(r"`[^`]*`", lambda code: re.sub(r"\binput\b", "self", code[0]), line) for line in lines]
        return lines

    def _internal(self, name: str) -> list[str]:
        base = re.sub(r"_backward(_data)?$", "", name).lstrip("_")
        if name in self.python:
            return [f"The operator behind the Python function `torch.{name}`."]
        if base != name.lstrip("_"):
            return [f"The gradient of `{base}`, as autograd computes it. Internal: its arguments may change."]
        return ["Internal: the library calls it; its arguments may change."]

    def _args(self, section: Section, source: Section, params: list[Parameter]) -> list[str]:
        base = self.operators.get(section.name.removesuffix("_"), section)  # `## eq_` says what differs from `## eq`
        known = {**self.common, **source.inherited, **section.inherited, **base.args, **source.args, **section.args}
        lines = []
        for p in params:
            text = known.get(p.name)
            if text is None:
                raise DocsError(f"{section.where}: {section.name} says nothing about its argument {p.name}")
            optional = ", optional" if p.literal and not p.required else ""
            kind = p.type + (f", default {p.default}" if p.default not in (None, "None") else optional)
            lines.append(f"    {p.name} {text}" if text.startswith("(") else f"    {p.name} ({kind}){text}")
        return ["", "Args:", *lines] if lines else []

    def _example(self, name: str, ops: list[Operator], section: Section, source: Section, method: bool) -> list[str]:
        """The section's example, with its calls rewritten as calls of this name."""
        example = section.example or source.example
        if section.name != name:  # in place
            example = first_call(example)
        if section.example and section.name == name and not method:
            return example
        shown = section if section.example else source
        calls = [public_name(shown.name, self.bound[shown.name][0].entry.python_module), FUNCTIONAL + shown.name]
        if not method:
            called = public_name(name, ops[0].entry.python_module)
            return [reduce(lambda text, call: text.replace(call + "(", called + "("), calls, line) for line in example]
        self_at = next((i for i, a in enumerate(ops[0].schema.arguments) if a.name == "self"), 0)
        for call in calls:
            rewritten = as_method(example, call, name, self_at)
            if rewritten:
                return rewritten
        return [line.replace(f").{shown.name}(", f").{name}(") for line in example]  # an alias of a method

    def _copy_example(self, name: str, view: str, section: Section) -> list[str]:
        """The first call of a view's example, as a call of its NAME_copy."""
        example = first_call(section.example)
        text = "\n".join(example).replace(f"torch.{view}(", f"torch.{name}(")
        text = re.sub(rf"\b(\w+)\.{view}\(\)", rf"torch.{name}(\1)", text)
        return re.sub(rf"\b(\w+)\.{view}\(", rf"torch.{name}(\1, ", text).split("\n")

    def _check_arguments(self) -> None:
        for name, section in self.operators.items():
            have = {p.name for n in (name, name + "_") if n in self.bound for m in (False, True) for p in self._params(n, m)}
            for a in section.args:
                if a not in have:
                    raise DocsError(f"{section.where}: {name} has no argument {a}")

    def _params(self, name: str, method: bool) -> list[Parameter]:
        ops = self._forms(name, method)
        return merged(ops, method) if ops else []

    def _forms(self, name: str, method: bool) -> list[Operator]:
        if method:
            return [o for o in self.bound[name] if is_method(o) and any(a.name == "self" for a in o.schema.arguments)]
        return [o for o in self.bound[name] if is_function(o) or o.form == "out"]


def literal(text: str) -> str:
    """A C++ string literal, with one source line per line of text."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return "\n".join(f'    "{line}\\n"' for line in escaped.removesuffix("\n").split("\n"))


def manual_doc(section: Section) -> str:
    """The docstring of a name that C++ defines by hand."""
    lines = [section.summary, *section.text]
    if section.args:
        lines += ["", "Args:", *(f"    {name} {text}".replace(" :", ":") for name, text in section.args.items())]
    if section.returns:
        lines += ["", "Returns:", "    " + section.returns]
    if section.raises:
        lines += ["", "Raises:", *section.raises]
    if section.example:
        lines += ["", "Example:", *(("    " + line).rstrip() for line in section.example)]
    head = ""
    if section.signature is not None:
        method = "." in section.name and section.name.partition(".")[0] != "torch"
        inside = ", ".join(part for part in ("$self" if method else "", section.signature) if part)
        head = f"{section.name.rpartition('.')[2]}({inside})\n--\n\n"
    return head + "\n".join(lines) + "\n"


def symbol(section: Section) -> str:
    return section.name.replace(".", "_")


def manual_files(docs: Docs) -> dict[str, tuple[str, str]]:
    """Constants for the docstrings from torch/csrc/docs_*.md, which hand-written tables refer to."""
    lines = [BANNER, "#include <python_docs.h>\n", "namespace torch::docs {\n"]
    header = [BANNER, "#pragma once", "// Docstrings from torch/csrc/docs_*.md.\n", "namespace torch::docs {"]
    for section in docs.manual.values():
        header.append(f"extern const char {symbol(section)}[];")
        lines.append(f"const char {symbol(section)}[] =\n{literal(manual_doc(section))};")
    return {
        "python_docs.cpp": ("python", "\n".join([*lines, "}  // namespace torch::docs"]) + "\n"),
        "python_docs.h": ("header", "\n".join([*header, "}  // namespace torch::docs"]) + "\n"),
    }
