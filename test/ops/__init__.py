"""The table of operators: one entry each, by family. test_ops.py runs every check over all of it.

A family has the name of its folder under aten/src/ATen/native, and a module here that offers OPS, a list of Op. To add an
operator's entry, write one line there. common.py has the fields, and sample inputs for the usual shapes;
shared/ has code that families and tests share.
"""

import functools
import importlib
import json
import os
import pkgutil

import torch


def families():
    return sorted(m.name for m in pkgutil.iter_modules(__path__) if not m.ispkg and m.name != "common")


def all_ops():
    from ops.shared.copies import copy_of

    ops = []
    for family in families():
        for op in importlib.import_module(f"ops.{family}").OPS:
            for entry in filter(None, (op, copy_of(op))):
                entry.family = family
                ops.append(entry)
    return ops


@functools.cache
def family_of_operators():
    """The name of a registered operator, without overload -> the family whose folder has its entry."""
    with open(os.path.join(os.path.dirname(torch.__file__), "_operator_index.json")) as f:
        index = json.load(f)
    found = {}
    for name, entry in index.items():
        base = name.partition("::")[2].partition(".")[0]
        found[base] = entry["entry"].partition(":")[0]
    return found


def family_of(op):
    """The family of an entry's operator: "div" for the name "div.mode", "add_" where only the in-place form is registered."""
    base = op.name.partition(".")[0]
    families = family_of_operators()
    return families.get(base) or families.get(base + "_")
