"""torch/_operator_index.json: the location of each operator's entry and what the entry says, for torch.utils.explain."""

from __future__ import annotations

import json

from torchgen.model import Entry, Operator
from torchgen.writers import native
from torchgen.writers.ops import has_autograd
from torchgen.writers.python import is_function, is_method


def index_text(pairs: list[tuple[Entry, list[Operator]]]) -> str:
    """One line per operator, so that diffs of the file are readable."""
    rows = []
    for entry, ops in pairs:
        for op in ops:
            rows.append(f"{json.dumps(op.schema.namespace + '::' + op.schema.full_name)}: {json.dumps(_facts(entry, op))}")
    return "{\n" + ",\n".join(rows) + "\n}\n"


def _facts(entry: Entry, op: Operator) -> dict:
    facts = {
        "entry": f"{entry.file.partition('/')[0]}:{entry.line}",  # family and line
        "form": op.form,
        "dispatch": entry.dispatch,
        "structured": entry.structured,
        "function": is_function(op),
        "method": is_method(op),
        "module": entry.python_module,
        "derivatives": entry.derivatives if has_autograd(op) else {},
        "node": entry.node if entry.derivatives and has_autograd(op) else None,
        "forwards": entry.forwards or entry.foreach,
        "composite": entry.composite_implicit,
        "kernels": [k for k in (*native.kernels(entry), entry.out_kernel, entry.inplace_kernel) if k],
    }
    return {k: v for k, v in facts.items() if v not in (None, {}, [], False)}
