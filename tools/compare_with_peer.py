"""Runs the samples of the operator table under this library and another, and lists the differences.

    python tools/compare_with_peer.py --peer /path/to/python [-k NAME] [--check values,layout,out,inplace,empty]

The peer is an interpreter of a virtual environment that has torch==2.13.0 and numpy. Both run the same calls. The tool compares
dtype, shape, strides, values, the warning about a resized out=, and the type of exception if a call raises one.
The exit status is 1 if something differs.

    values   every sample in every type of its entry; requires_grad too
    layout   inputs that are transposed, channels_last, sliced or expanded
    out      out= of other types, shapes and devices, expanded, with gaps, overlapping an input
    inplace  in-place forms on tensors that are expanded, overlap an argument, have another type or shape
    empty    inputs without elements, in every type
"""

import argparse
import collections
import fnmatch
import os
import pickle
import subprocess
import sys
import tempfile
import warnings

HERE = os.path.dirname(os.path.abspath(__file__))
TESTS = os.path.join(os.path.dirname(HERE), "test")
CHECKS = ("values", "layout", "out", "inplace", "empty")
MAX_NUMBERS = 2000  # per sample: other tests compare what needs several threads


# --- what runs under both ------------------------------------------------------------------------------


class Calls:
    """The calls of one operator. Each has a label and creates its own tensors."""

    def __init__(self, torch, op):
        from ops.common import ALL

        self.torch, self.op, self.types = torch, op, ALL
        self.first = torch.float32 if torch.float32 in op.dtypes else op.dtypes[0]

    def samples(self, dtype, max_count=None):
        try:
            found = list(self.op.samples(dtype))
        except (RuntimeError, TypeError):  # the type cannot represent these numbers
            return []
        found = [s for s in found if sum(t.numel() for t in self.tensors([s.input, s.args, s.kwargs])) <= MAX_NUMBERS]
        return (
            found
            if max_count is None or len(found) <= max_count
            else [found[i * len(found) // max_count] for i in range(max_count)]
        )

    def tensors(self, x):
        if isinstance(x, self.torch.Tensor):
            return [x]
        if isinstance(x, dict):
            x = list(x.values())
        return [t for v in x for t in self.tensors(v)] if isinstance(x, (tuple, list)) else []

    def each(self, x, f):
        """Applies f to every tensor in x."""
        if isinstance(x, self.torch.Tensor):
            return f(x)
        if isinstance(x, dict):
            return {k: self.each(v, f) for k, v in x.items()}
        if type(x) in (tuple, list):
            return type(x)(self.each(v, f) for v in x)
        return x

    def copy(self, s):
        return (self.each(v, self.torch.clone) for v in (s.input, s.args, s.kwargs))

    def run(self, s, change=None, **more):
        x, args, kwargs = self.copy(s)
        if change:
            x = self.each(x, change)
        return self.op.fn(x, *args, **kwargs, **more)

    def values(self):
        for dtype in self.op.dtypes:
            for i, s in enumerate(self.samples(dtype)):
                yield f"{dtype} #{i}", lambda s=s: self.run(s)
        for i, s in enumerate(self.samples(self.first, 3)):

            def leaf(t):
                return t.clone().requires_grad_() if t.is_floating_point() or t.is_complex() else t

            yield f"requires_grad #{i}", lambda s=s: [(t, t.requires_grad) for t in self.tensors(self.run(s, leaf))]

    def layout(self):
        torch = self.torch

        def channels_last(t):
            if t.dim() not in (4, 5):
                return t
            return t.to(memory_format=torch.channels_last if t.dim() == 4 else torch.channels_last_3d)

        def transposed(t):
            return t.mT.contiguous().mT if t.dim() > 1 else t

        def reversed_dims(t):
            order = list(reversed(range(t.dim())))
            return t.permute(order).contiguous().permute(order)

        def sliced(t):
            return torch.stack([t, t], -1)[..., 0] if t.dim() else t

        def expanded(t):
            return t[:1].expand(t.shape) if t.dim() and t.shape[0] > 1 else t

        for i, s in enumerate(self.samples(self.first, 12)):
            for change in (channels_last, transposed, reversed_dims, sliced, expanded):
                yield f"{change.__name__} input #{i}", lambda s=s, change=change: self.run(s, change)

            def all_of_them(s=s):
                x, args, kwargs = (self.each(v, reversed_dims) for v in (s.input, s.args, s.kwargs))
                return self.op.fn(x, *args, **kwargs)

            yield f"all arguments reversed #{i}", all_of_them

    def out(self):
        if not self.op.out:
            return
        torch = self.torch
        for i, s in enumerate(self.samples(self.first, 4)):
            try:
                expected = self.tensors(self.run(s))
            except (RuntimeError, TypeError):
                continue

            def call(make, k, s=s, expected=expected):
                outs = [torch.empty_like(t) for t in expected]
                x, args, kwargs = self.copy(s)
                if make is not None:
                    outs[k] = make(expected[k], x)
                    if outs[k] is None:
                        return None
                    if isinstance(outs[k], tuple):
                        x, outs[k] = outs[k]
                result = self.op.fn(x, *args, **kwargs, out=tuple(outs) if len(outs) > 1 else outs[0])
                return [result, [a is b for a, b in zip(self.tensors(result), outs)]]

            def zeros(t, *shape):
                return torch.zeros(shape, dtype=t.dtype)

            def gaps(t, x):
                return torch.stack([t, t], -1).zero_()[..., 0]

            def onto_itself(t, x):
                fits = isinstance(x, torch.Tensor) and x.dtype == t.dtype and x.shape == t.shape
                return (x, x) if fits else None

            def shifted(t, x):
                if not isinstance(x, torch.Tensor) or x.dtype != t.dtype or x.shape != t.shape or t.numel() < 2:
                    return None
                base = torch.cat([x.reshape(-1), x.reshape(-1)[:1]])
                return base[:-1].view(x.shape), base[1:].view(x.shape)

            def leaf(t, x):
                return torch.zeros_like(t).requires_grad_() if t.is_floating_point() or t.is_complex() else None

            changes = {str(d): lambda t, x, d=d: torch.zeros(t.shape, dtype=d) for d in self.types}
            changes |= {
                "more rows": lambda t, x: zeros(t, *t.shape, 2),
                "one number": lambda t, x: zeros(t, 1),
                "no numbers": lambda t, x: zeros(t, 0),
                "empty of another type": lambda t, x: torch.zeros(0, dtype=torch.uint8),
                "expanded": lambda t, x: zeros(t, 1).expand(t.shape) if t.dim() else None,
                "expanded of another shape": lambda t, x: zeros(t, 1).expand(*t.shape, 3),
                "expanded of another type": lambda t, x: torch.zeros(1, dtype=torch.int16).expand(t.shape),
                "gaps": gaps,
                "reversed": lambda t, x: torch.zeros(tuple(reversed(t.shape)), dtype=t.dtype).permute(*reversed(range(t.dim()))),
                "meta": lambda t, x: torch.empty_like(t, device="meta"),
                "the input": onto_itself,
                "overlaps the input": shifted,
                "requires_grad": leaf,
            }
            for k in range(len(expected)):
                for label, make in changes.items():
                    yield f"out[{k}] {label} #{i}", lambda call=call, make=make, k=k: call(make, k)

            def with_grad(s=s, expected=expected):
                outs = [torch.empty_like(t) for t in expected]
                x = self.each(s.input, lambda t: t.clone().requires_grad_() if t.is_floating_point() else t)
                return self.op.fn(x, *s.args, **s.kwargs, out=tuple(outs) if len(outs) > 1 else outs[0])

            yield f"input requires_grad #{i}", with_grad

    def inplace(self):
        torch = self.torch
        name = self.op.name.split(".")[-1] + "_"
        if not hasattr(torch.Tensor, name):
            return
        for i, s in enumerate(self.samples(self.first, 6)):
            if not isinstance(s.input, torch.Tensor):
                continue

            def call(x, args, kwargs):
                result = getattr(x, name)(*args, **kwargs)
                return [result, result is x]

            def plain(x, args, kwargs):
                return call(x, args, kwargs)

            def expanded(x, args, kwargs):
                return call(x[..., :1].expand(x.shape), args, kwargs) if x.dim() else None

            def rows_overlap(x, args, kwargs):
                n = x.numel()
                if x.dim() < 2 or n == 0:
                    return None
                call(x.reshape(-1).as_strided(x.shape, [1] * x.dim()), args, kwargs)
                return "taken"  # the result depends on the order of the writes, which is unspecified

            def argument_is_self(x, args, kwargs):
                return call(x, [x if isinstance(a, torch.Tensor) and a.shape == x.shape and a.dtype == x.dtype else a
                                for a in args], kwargs)  # fmt: skip

            def argument_overlaps(x, args, kwargs):
                if x.numel() < 2:
                    return None
                fits = [isinstance(a, torch.Tensor) and a.shape == x.shape and a.dtype == x.dtype for a in args]
                if not any(fits):
                    return None
                base = torch.cat([x.reshape(-1), x.reshape(-1)[:1]])
                args = [base[1:].view(x.shape) if fit else a for fit, a in zip(fits, args)]
                return call(base[:-1].view(x.shape), args, kwargs)

            def smaller(x, args, kwargs):
                return call(x[..., :1].clone(), args, kwargs) if x.dim() and x.shape[-1] > 1 else None

            def leaf(x, args, kwargs):
                return call(x.requires_grad_(), args, kwargs) if x.is_floating_point() else None

            def meta(x, args, kwargs):
                return call(x.to("meta"), args, kwargs)

            changes = [plain, expanded, rows_overlap, argument_is_self, argument_overlaps, smaller, leaf, meta]
            for change in changes:
                yield f"{change.__name__} #{i}", lambda s=s, change=change: change(*self.copy(s))
            for dtype in self.types:
                yield f"{dtype} #{i}", lambda s=s, dtype=dtype: call(s.input.clone().to(dtype), *list(self.copy(s))[1:])

    def empty(self):
        for dtype in self.types:
            for i, s in enumerate(self.samples(self.first)):
                if any(t.numel() == 0 for t in self.tensors([s.input, s.args, s.kwargs])):

                    def like(t, dtype=dtype):
                        return t.to(dtype) if t.dtype == self.first else t.clone()

                    def call(s=s, like=like):
                        x, args, kwargs = (self.each(v, like) for v in (s.input, s.args, s.kwargs))
                        return self.op.fn(x, *args, **kwargs)

                    yield f"{dtype} #{i}", call
            # If an operator has no sample without elements, empty the first dimension.
            for i, s in enumerate(self.samples(self.first, 2)):

                def without(s=s, dtype=dtype):
                    x, args, kwargs = self.copy(s)
                    shapes = {t.shape for t in self.tensors([x]) if t.dim()}

                    def cut(t):
                        t = t.to(dtype) if t.dtype == self.first else t
                        return t[:0] if t.shape in shapes else t

                    return self.op.fn(*self.each([x, *args], cut), **self.each(kwargs, cut))

                yield f"{dtype} without rows #{i}", without


def facts(torch, x):
    """What is compared of a result, as plain data."""
    if isinstance(x, torch.Tensor):
        y = x.detach()
        if y.is_meta or y.layout != torch.strided:
            return ("tensor", str(y.dtype), tuple(y.shape), y.stride() if y.layout == torch.strided else (), None)
        y = y.resolve_conj().resolve_neg()
        numbers = y.float() if y.dtype in (torch.bfloat16, torch.float16) else y
        return ("tensor", str(x.dtype), tuple(x.shape), tuple(x.stride()), numbers.contiguous().clone().numpy())
    if isinstance(x, (tuple, list)):
        return ("list", [facts(torch, v) for v in x])
    return ("value", x if isinstance(x, (int, float, bool, complex, str, type(None))) else repr(x))


def outcome(torch, call):
    torch.manual_seed(7)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            result = facts(torch, call())
        except Exception as e:
            return ("refused", type(e).__name__, str(e).partition("\n")[0])
    resized = any("resized" in str(w.message) for w in caught)
    return ("done", result, resized)


def work(path, checks, pattern, start):
    """Writes a record for each operator: (position, name, check, {label: outcome})."""
    sys.path.insert(0, TESTS)
    from ops import all_ops

    import torch

    torch.set_num_threads(1)
    with open(path, "ab") as f:
        for n, (op, check) in enumerate((op, check) for op in all_ops() for check in checks):
            if n < start or not fnmatch.fnmatch(op.name, pattern):
                continue
            pickle.dump((n, op.name, check, None), f)  # remains as the last record if this call crashes
            f.flush()
            calls = Calls(torch, op)
            found = {label: outcome(torch, call) for label, call in getattr(calls, check)()}
            pickle.dump((n, op.name, check, found), f)
            f.flush()


# --- the comparison ------------------------------------------------------------------------------------


def records(python, checks, pattern):
    """{(position, name, check): {label: outcome}}; None where the interpreter died."""
    found, start = {}, 0
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "records")
        while True:
            ask = [python, os.path.abspath(__file__), "--work", path, "--check", ",".join(checks), "-k", pattern,
                   "--start", str(start)]  # fmt: skip
            done = subprocess.run(ask, cwd=folder, stderr=subprocess.PIPE, text=True)
            last = None
            if os.path.exists(path):
                with open(path, "rb") as f:
                    while True:
                        try:
                            n, name, check, outcomes = pickle.load(f)
                        except EOFError:
                            break
                        found[n, name, check] = outcomes
                        last = n
            if done.returncode == 0:
                return found
            if last is None or last < start:
                raise SystemExit(f"{python} cannot run the table:\n{done.stderr}")
            start = last + 1


def difference(a, b, tolerances):
    """Describes how two results differ; empty if they do not."""
    import numpy as np

    if a[0] != b[0]:
        return f"{a[0]} / {b[0]}"
    if a[0] == "list":
        if len(a[1]) != len(b[1]):
            return f"{len(a[1])} / {len(b[1])} results"
        return next((d for d in (difference(x, y, tolerances) for x, y in zip(a[1], b[1])) if d), "")
    if a[0] == "value":
        same = a[1] == b[1] or a[1] != a[1] or (isinstance(a[1], float) and np.isclose(a[1], b[1], rtol=1e-5))
        return "" if same else f"{a[1]} / {b[1]}"
    for what, x, y in (("dtype", a[1], b[1]), ("shape", a[2], b[2])):
        if x != y:
            return f"{what} {x} / {y}"
    shape = a[2]
    x, y = a[4], b[4]
    if x is not None and y is not None:
        tolerance = tolerances.get(a[1], 0)
        if not np.array_equal(x, y) and not np.allclose(x, y, rtol=tolerance, atol=tolerance, equal_nan=True):
            return f"values {str(x).split()[:8]} / {str(y).split()[:8]}"
    if 0 not in shape and [s for s, n in zip(a[3], shape) if n > 1] != [s for s, n in zip(b[3], shape) if n > 1]:
        return f"strides {a[3]} / {b[3]} of {shape}"
    return ""


TOLERANCES = {"torch.float32": 1e-4, "torch.float64": 1e-8, "torch.float16": 5e-3, "torch.bfloat16": 4e-2,
              "torch.complex64": 1e-4, "torch.complex128": 1e-8}  # fmt: skip


def compare(ours, theirs):
    """Describes how two outcomes of a call differ."""
    if ours is None or theirs is None:
        return "" if ours == theirs else "made by one only"
    if ours[0] != theirs[0]:
        return " / ".join("takes it" if o[0] == "done" else f"refuses: {o[1]}: {o[2][:110]}" for o in (ours, theirs))
    if ours[0] == "refused":
        return "" if ours[1] == theirs[1] else f"{ours[1]}: {ours[2][:70]} / {theirs[1]}: {theirs[2][:70]}"
    if ours[2] != theirs[2]:
        return "warns of the resize / does not" if ours[2] else "does not warn of the resize / warns"
    return difference(ours[1], theirs[1], TOLERANCES)


def main():
    parse = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parse.add_argument("--peer", help="a Python that has the library to compare with")
    parse.add_argument("-k", default="*", metavar="NAME", help="operators with this name; * and ? are wildcards")
    parse.add_argument("--check", default=",".join(CHECKS), help="some of " + ", ".join(CHECKS))
    parse.add_argument("--all", action="store_true", help="every label that differs, not the first of a kind")
    parse.add_argument("--work", help=argparse.SUPPRESS)
    parse.add_argument("--start", type=int, default=0, help=argparse.SUPPRESS)
    args = parse.parse_args()
    checks = args.check.split(",")
    if set(checks) - set(CHECKS):
        parse.error(f"--check takes some of {', '.join(CHECKS)}")
    if args.work:
        work(args.work, checks, args.k, args.start)
        return 0
    if not args.peer:
        parse.error("--peer is needed")
    ours, theirs = (records(p, checks, args.k) for p in (sys.executable, args.peer))
    calls = different = 0
    for key in sorted(set(ours) | set(theirs)):
        _, name, check = key
        a, b = ours.get(key), theirs.get(key)
        if a is None or b is None:
            different += 1
            print(f"{name} [{check}] " + ("we crash" if a is None else "the peer crashes"))
            continue
        kinds = collections.defaultdict(list)
        for label in {**a, **b}:
            calls += 1
            difference = compare(a.get(label), b.get(label))
            if difference:
                different += 1
                kinds[difference if args.all else difference[:40]].append((label, difference))
        for found in kinds.values():
            label, difference = found[0]
            more = f" (and {len(found) - 1} like it)" if len(found) > 1 else ""
            print(f"{name} [{check}] {label}{more}: {difference}")
    print(f"{calls} calls, {different} differ (ours / the peer's)")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
