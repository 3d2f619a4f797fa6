"""Compares the results of a program under two libraries, and sorts the differences into classes.

Hard classes (values, gradients, dtype, shape, error, crash) end the comparison, because later steps start from different
data. Soft classes (strides, is-view, memory, requires-grad) do not.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

HARD = ("crash", "error", "dtype", "shape", "values", "gradients")
CLASSES = (*HARD, "strides", "is-view", "memory", "requires-grad")
# Relative to the number itself and to the largest number in the tensor.
TOLERANCE = {"float64": 1e-9, "complex128": 1e-9, "float32": 2e-5, "complex64": 2e-5, "float16": 4e-3, "bfloat16": 3e-2,
             "complex32": 8e-3, "float8_e4m3fn": 0.15, "float8_e5m2": 0.3}  # fmt: skip


@dataclass
class Difference:
    kind: str
    op: str
    step: int  # index of the step; -1 for gradients
    message: str

    @property
    def signature(self):
        """Differences with the same signature most likely have the same cause."""
        return (self.kind, self.op, self.message.split(":")[0] if self.kind in ("error", "dtype") else "")


def close(a, b, tolerance):
    """Whether two lists of numbers agree, with NaN equal to NaN."""
    if a == b:
        return True
    if len(a) != len(b):
        return False
    scale = None
    for x, y in zip(a, b):
        if x == y or (x != x and y != y):
            continue
        if not (math.isfinite(x) and math.isfinite(y)):
            return False
        d = abs(x - y)
        if d <= tolerance * abs(y):
            continue
        if scale is None:
            scale = max([1.0, *(abs(v) for v in b if math.isfinite(v))])
        if d > tolerance * scale:
            return False
    return True


def first(a, b, tolerance):
    """Describes the first number that differs."""
    for i, (x, y) in enumerate(zip(a, b)):
        if not close([x], [y], tolerance):
            return f"[{i}] {x!r} / {y!r}"
    return f"{a[:4]} / {b[:4]}"


def results(step, a, b, factor):
    """Differences of the results of one step, hard ones first."""
    if isinstance(a, list) and isinstance(b, list):
        if len(a) != len(b):
            return [("shape", f"{len(a)} / {len(b)} results")]
        found = [d for x, y in zip(a, b) for d in results(step, x, y, factor)]
        return sorted(found, key=lambda d: CLASSES.index(d[0]))
    if "value" in a or "value" in b:
        return [] if a == b else [("values", f"{a} / {b}"[:200])]
    if a["dtype"] != b["dtype"]:
        return [("dtype", f"{a['dtype']} / {b['dtype']}")]
    if a["shape"] != b["shape"]:
        return [("shape", f"{a['shape']} / {b['shape']}")]
    found = []
    tolerance = TOLERANCE.get(a["dtype"], 0) * factor
    # Recorded results have only the numbers at the end of the program.
    if "numbers" in a and "numbers" in b and not close(a["numbers"], b["numbers"], tolerance):
        found.append(("values", f"{a['dtype']} {a['shape']}: {first(a['numbers'], b['numbers'], tolerance)}"))

    def significant_strides(f):
        return [t for t, n in zip(f["strides"], f["shape"]) if n > 1] if 0 not in f["shape"] else []

    if significant_strides(a) != significant_strides(b):
        found.append(("strides", f"{a['strides']} / {b['strides']} of {a['shape']}"))
    if a["view"] != b["view"]:
        found.append(("is-view", f"{a['view']} / {b['view']}"))
    if a["memory"] != b["memory"]:
        found.append(("memory", f"of {a['memory']} / of {b['memory']}"))
    if a["grad"] != b["grad"]:
        found.append(("requires-grad", f"{a['dtype']}: (requires_grad, is_leaf) {a['grad']} / {b['grad']}"))
    return found


def gradients(a, b, factor, min_tolerance=0.0):
    """(kind, label, message) of the gradients that differ."""
    found = []
    # If one library refuses all results at once, comparing each result alone says more.
    refused = {k for k in ("finite", "not finite") if "error" in a.get(k, {}) or "error" in b.get(k, {})}
    alone = [k for k in a if k in b and any(k.startswith(r + " ") for r in refused)]
    if alone:
        a, b = ({k: v for k, v in x.items() if k not in refused} for x in (a, b))
    for label in dict.fromkeys([*a, *b]):
        x, y = a.get(label), b.get(label)
        if x is None or y is None:
            if "finite " not in label:
                found.append(("gradients", label, "taken of one only"))
            continue
        found += gradient_sets(label, x, y, factor, min_tolerance)
    return found


def gradient_sets(label, x, y, factor, min_tolerance):
    if "error" in x or "error" in y:
        if x.get("error") == y.get("error"):
            return []
        return [("error", label, errors(x, y))]
    found = []
    for leaf in y:
        p, q = x.get(leaf), y[leaf]
        if leaf == "again":
            none = {k: None for k in q} if "error" not in q else {}
            found += gradient_sets(f"{label} again", none if p is None else p, q, factor, min_tolerance)
        elif p is None or q is None:
            # Without a path to a leaf, PyTorch gives zeros or no gradient; both mean zero.
            there = p or q
            if there and not zero(there, factor, min_tolerance):
                found.append(
                    (
                        "gradients",
                        label,
                        f"{leaf}: none / {q['numbers'][:4]}" if p is None else f"{leaf}: {p['numbers'][:4]} / none",
                    )
                )
        elif p["dtype"] != q["dtype"] or p["shape"] != q["shape"]:
            found.append(("gradients", label, f"{leaf}: {p['dtype']} {p['shape']} / {q['dtype']} {q['shape']}"))
        else:
            tolerance = max(TOLERANCE.get(p["dtype"], 0), min_tolerance) * factor * (12 if "float16" in p["dtype"] else 4)
            if not close(p["numbers"], q["numbers"], tolerance):
                found.append(("gradients", label, f"{leaf} {p['dtype']}: {first(p['numbers'], q['numbers'], tolerance)}"))
    return found


def zero(g, factor, min_tolerance):
    """Whether a gradient is 0 up to rounding."""
    return close(g["numbers"], [0.0] * len(g["numbers"]), max(TOLERANCE.get(g["dtype"], 0), min_tolerance) * factor)


def errors(a, b):
    """Describes which library raised which error."""
    name = [x["error"] if isinstance(x, dict) and "error" in x else "takes it" for x in (a, b)]
    text = [x["text"] if isinstance(x, dict) and "error" in x else "" for x in (a, b)]
    return f"{name[0]} / {name[1]}: {text[0][:120]} / {text[1][:160]}"


def differences(program, a, b, factor=1.0):
    """All soft differences and the first hard one, in the order of the steps."""
    if "crash" in a or "crash" in b:
        if "crash" in a and "crash" in b:
            return []
        return [
            Difference("crash", program.steps[-1].op, len(program.steps) - 1, " / ".join(r.get("crash", "runs") for r in (a, b)))
        ]
    found, reported, unlike = [], set(), set()
    torn = False  # both refused an in-place change, perhaps after one had begun to write
    for i, (step, x, y) in enumerate(zip(program.steps, a["steps"], b["steps"])):
        if x is None and y is None:
            continue
        if not (isinstance(x, list) and isinstance(y, list)):
            names = [v.get("error") if isinstance(v, dict) else v is None for v in (x, y)]
            if names[0] != names[1]:
                return [*found, Difference("error", step.op, i, errors(x, y))]
            torn = torn or any(o in s.outs for s in program.steps[:i] for o in step.outs)
            continue
        # Training amplifies rounding, and its state is in no variable that could be overwritten.
        for kind, message in results(step, x, y, factor * (50 if step.op == "train" else 1)):
            # In-place changes keep these properties, views share them, and later steps inherit layouts: report each once.
            if kind not in HARD and (
                (kind, *step.outs) in reported or (kind in ("strides", "requires-grad", "memory") and kind in unlike)
            ):
                continue
            if kind in ("is-view", "memory") and "strides" in unlike:
                continue
            owners = {f["memory"] for f in (*x, *y) if isinstance(f, dict) and "memory" in f}
            if kind == "is-view" and owners & unlike:
                continue
            reported.add((kind, *step.outs))
            unlike.update((kind, *step.outs))
            if kind == "values" and torn:
                return found
            found.append(Difference(kind, step.op, i, message))
            if kind in HARD:
                return found
    if torn:
        return found
    # Values that passed through a narrower type have its precision.
    types = {f["dtype"] for s in b["steps"] if isinstance(s, list) for f in s if isinstance(f, dict) and "dtype" in f}
    min_tolerance = max([TOLERANCE[t] for t in types if t in TOLERANCE and "float8" not in t] or [0.0])
    for kind, label, message in gradients(a.get("grads", {}), b.get("grads", {}), factor, min_tolerance):
        return [*found, Difference(kind, ops_of(program), -1, f"{message} ({label})")]
    for name in b["end"]:
        dtype = next((r["dtype"] for s, x in zip(program.steps, b["steps"]) if isinstance(x, list)
                      for o, r in zip(s.outs, x) if o == name and isinstance(r, dict) and "dtype" in r), "float32")  # fmt: skip
        if not close(a["end"].get(name, []), b["end"][name], TOLERANCE.get(dtype, 0) * factor * 4):
            return [
                *found,
                Difference("values", ops_of(program), -1, f"{name} at the end: {a['end'].get(name)} / {b['end'][name]}"[:200]),
            ]
    return found


def ops_of(program):
    """The operators of a program without its leaves: those that its gradients depend on."""
    return " ".join(dict.fromkeys(s.op for s in program.steps if s.op != "leaf"))
