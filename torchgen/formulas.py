"""Checks the names in derivative formulas, so that a typo is reported with its line in the yaml, before the compiler runs."""

from __future__ import annotations

import difflib
import os
import re

from torchgen.model import Entry
from torchgen.schema import SchemaError

# A name that is not preceded by `.`, `->` or `::`, and whether `::` follows it.
_NAME = re.compile(r"(?<![\w.:>])([A-Za-z_]\w*)(\s*::)?")
_LITERAL = re.compile(r'"(?:[^"\\]|\\.)*"')
_CPP = frozenset(
    "true false double float bool int int64_t size_t Scalar Tensor ScalarType TensorOptions std at INFINITY NAN".split()
)


class FormulaFunctions:
    """The functions that formulas may call in addition to operators, each with the header that declares it.

    Those of a family are in native/FAMILY/backward.h; shared ones are in torch/csrc/autograd.
    """

    def __init__(self, source_root: str):
        self.header: dict[str, str] = {}  # function -> the backward.h of a family; "" for one of autograd's own headers
        for path in _headers(os.path.join(source_root, "torch", "csrc", "autograd")):
            self.header |= dict.fromkeys(_declared(path), "")
        native = os.path.join(source_root, "aten", "src", "ATen", "native")
        for family in sorted(os.listdir(native)) if os.path.isdir(native) else []:
            path = os.path.join(native, family, "backward.h")
            if os.path.exists(path):
                for name in _declared(path):
                    self.header.setdefault(name, f"ATen/native/{family}/backward.h")

    def headers_of(self, entries: list[Entry]) -> list[str]:
        """The families' headers that the formulas of these entries need."""
        words = {w for e in entries for text in e.derivatives.values() for w in re.findall(r"[A-Za-z_]\w*", text)}
        return sorted({self.header[w] for w in words if self.header.get(w)})


def _headers(folder: str) -> list[str]:
    return [os.path.join(at, name) for at, _, files in os.walk(folder) for name in sorted(files) if name.endswith(".h")]


def _declared(path: str) -> set[str]:
    with open(path) as f:
        text = f.read()
    return set(re.findall(r"\b([A-Za-z_]\w*)\(", text)) | set(re.findall(r"^constexpr \w+ (\w+)", text, re.M))


def check_formulas(entries: list[Entry], declared: FormulaFunctions) -> None:
    """Raises SchemaError for the first formula with an undefined name."""
    operators = {e.base for e in entries}
    functions = set(declared.header)
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
                    f"function of {e.family}/backward.h or torch/csrc/autograd{_close(name, known | operators | functions)}"
                )


def _close(name: str, known: set[str]) -> str:
    close = difflib.get_close_matches(name, known, n=1)
    return f"; did you mean {close[0]!r}?" if close else ""
