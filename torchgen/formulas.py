"""Checks the names in derivative formulas, so that a typo is reported with its place in the yaml and not by the compiler."""

from __future__ import annotations

import difflib
import os
import re

from torchgen.model import Entry
from torchgen.schema import SchemaError

# A name that no `.`, `->` or `::` stands before, and whether `::` follows it.
_NAME = re.compile(r"(?<![\w.:>])([A-Za-z_]\w*)(\s*::)?")
_LITERAL = re.compile(r'"(?:[^"\\]|\\.)*"')
_CPP = frozenset("true false double float bool int int64_t size_t Scalar Tensor ScalarType TensorOptions std at INFINITY NAN".split())


def declared_functions(source_root: str) -> set[str]:
    """The functions that formulas may call beside the operators: what autograd's headers declare or define."""
    found: set[str] = set()
    for folder, _, files in os.walk(os.path.join(source_root, "torch", "csrc", "autograd")):
        for name in files:
            if name.endswith(".h"):
                with open(os.path.join(folder, name)) as f:
                    text = f.read()
                found |= set(re.findall(r"\b([A-Za-z_]\w*)\(", text)) | set(re.findall(r"^constexpr \w+ (\w+)", text, re.M))
    return found


def check_formulas(entries: list[Entry], source_root: str) -> None:
    """Raises SchemaError for the first formula with a name that is nothing it can mean."""
    operators = {e.base for e in entries}
    functions = declared_functions(source_root)
    for e in entries:
        arguments = {a.name for a in e.schema.arguments}
        results = {r.name or ("result" if len(e.schema.returns) == 1 else f"result{i}") for i, r in enumerate(e.schema.returns)}
        own = arguments | results | {"grad", "grads"}
        for inputs, text in e.derivatives.items():
            names = [i.strip() for i in inputs.split(",")]
            known = own | ({"grad_input_mask"} if len(names) > 1 else set())
            for name, scope in _NAME.findall(_LITERAL.sub("", text)):
                if scope or name in known or name in operators or name in functions or name in _CPP or name.startswith("M_"):
                    continue
                raise SchemaError(
                    f"{e.place}: {e.schema.full_name}: the formula for {inputs} names {name!r}, which is no argument, result, operator or "
                    f"function of torch/csrc/autograd{_close(name, known | operators | functions)}"
                )


def _close(name: str, known: set[str]) -> str:
    close = difflib.get_close_matches(name, known, n=1)
    return f"; did you mean {close[0]!r}?" if close else ""
