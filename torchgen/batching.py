"""The rule by which torch.vmap batches an operator: the one that its entry names, or the one of its kind.

Rules are C++ functions (aten/src/ATen/functorch/BatchRules.h), defined as `const RuleEntry NAME{...}` in
aten/src/ATen/functorch or in the folder of a family.
"""

from __future__ import annotations

import difflib
import glob
import os
import re

from torchgen.model import COMPOSITE_KEYS, Entry, operators_of
from torchgen.writers.ops import BANNER

_DEFINITION = re.compile(r"^const RuleEntry (\w+)\{", re.MULTILINE)
_DIM_ARGUMENTS = {"dim", "dims", "dim0", "dim1"}


def batching_of(entry: Entry) -> str | None:
    """The name of the rule; None for an operator that is taken apart or called once for each example."""
    if entry.batching:
        return entry.batching
    if entry.structured == "iterator":
        return "elementwise"
    if entry.dispatch.keys() & COMPOSITE_KEYS or entry.forwards or entry.foreach:
        return None
    arguments = {a.name: a for a in entry.schema.arguments}
    if [a.name for a in entry.schema.arguments if a.type.is_tensor_like] != ["self"]:
        return None
    if {"dim", "keepdim"} <= arguments.keys():
        dim = arguments["dim"].type
        return "over_dim_or_all" if dim.optional and not dim.is_list else "over_dims"
    is_view = any(r.type.alias and not r.type.mutable for r in entry.schema.returns)
    return "view_along_dim" if is_view and _DIM_ARGUMENTS & arguments.keys() else None


def known_rules(source_root: str) -> set[str]:
    """The rules that C++ defines."""
    aten = os.path.join(source_root, "aten", "src", "ATen")
    found: set[str] = set()
    for path in glob.glob(os.path.join(aten, "functorch", "*.cpp")) + glob.glob(
        os.path.join(aten, "native", "*", "batching.cpp")
    ):
        with open(path) as f:
            found.update(_DEFINITION.findall(f.read()))
    return found


def check_rules(entries: list[Entry], source_root: str) -> None:
    """Raises SystemExit for an entry that names a rule that is not there."""
    known = known_rules(source_root)
    for e in entries:
        if e.batching and e.batching not in known:
            close = difflib.get_close_matches(e.batching, known, 1)
            hint = f"; did you mean {close[0]}?" if close else ""
            raise SystemExit(
                f"{e.place}: {e.schema.full_name}: there is no rule {e.batching!r} for batching, no `const RuleEntry {e.batching}` "
                f"in aten/src/ATen/functorch or a batching.cpp of a family{hint}"
            )


def names_header(entries: list[Entry]) -> str:
    """BatchRuleNames.h: declares the rules that entries name."""
    names = sorted({rule for e in entries if (rule := batching_of(e))})
    rows = "".join(f"extern const RuleEntry {name};\n" for name in names)
    return (
        f"{BANNER}#pragma once\n#include <ATen/functorch/BatchRules.h>\n\n"
        f"namespace at::functorch::batch_rules {{\n{rows}}}  // namespace at::functorch::batch_rules\n"
    )


def table_header(entries: list[Entry]) -> str:
    """BatchRuleTable.h: operator, rule. The rule of an in-place form serves only if the rule says that it may."""
    rows = []
    for e in entries:
        rule = batching_of(e)
        for op in operators_of(e) if rule else ():
            if op.form != "out":
                flag = "true" if op.form == "inplace" else "false"
                rows.append(f'    {{"{op.schema.name}", "{op.schema.overload}", &batch_rules::{rule}, {flag}}},\n')
    return (
        f"{BANNER}#pragma once\n#include <ATen/functorch/BatchRuleNames.h>\n\nnamespace at::functorch {{\n\n"
        "struct NamedRule {\n  const char* name;\n  const char* overload;\n  const RuleEntry* rule;\n  bool is_in_place_form;\n};\n\n"
        f"constexpr NamedRule kNamedRules[] = {{\n{''.join(rows)}}};\n\n}}  // namespace at::functorch\n"
    )
