"""The table of operators: one entry each, by family. test_ops.py runs every check over all of it.

A family's module offers OPS, a list of Op. To add an operator's entry, write one line there; common.py has the
fields, and ready-made sample inputs for the usual shapes.
"""

import importlib
import pkgutil


def all_ops():
    ops = []
    for module in sorted(m.name for m in pkgutil.iter_modules(__path__) if m.name != "common"):
        for op in importlib.import_module(f"ops.{module}").OPS:
            op.family = module
            ops.append(op)
    return ops
