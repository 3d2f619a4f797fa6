"""The cases of the sweep, made from the operator table of the tests (test/ops).

Both interpreters import this module and make the same cases in the same order. A case is a sample of an entry, scaled up: a size
of its tensors is replaced by a larger one everywhere, so that shapes still fit each other. Matrix products are also
timed with all sizes larger: these have much to add up.
"""

from __future__ import annotations

import importlib
import itertools
import pkgutil
import random
import sys
import warnings
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "test"))

# Elements of the largest tensor: within the first cache, within the last one, and past all of them.
SIZES = {"small": 0, "medium": 1 << 16, "large": 1 << 22}
DTYPES = ("float32", "float64", "bfloat16", "float16", "int64", "int32", "uint8", "bool", "complex64")
# Their time says nothing about a kernel: results without values, random generators of tests, handles.
SKIPPED_FAMILIES = {"foreach", "forward_ad"}


# The operator's argument that is contracted along its last dimension.
PRODUCTS = {"mm": 0, "bmm": 0, "matmul": 0, "linear": 0, "addmm": 1, "baddbmm": 1, "addbmm": 1}
# Those that are also timed with all sizes scaled: matmul broadcasts its operands, and its results would be too large.
EVEN_PRODUCTS = {"mm", "bmm", "linear", "addmm", "baddbmm"}


@dataclass(frozen=True)
class Case:
    family: str
    op: str
    sample: int
    dtype: str
    size: str
    layout: str
    direction: str  # forward, backward
    threads: int

    @property
    def name(self) -> str:
        unit = "thread" if self.threads == 1 else "threads"
        return f"{self.family}/{self.op} {self.dtype} {self.size} {self.layout} {self.direction} {self.threads} {unit}"


def tables():
    """Family -> entries, of the families whose modules can be imported here; family -> why not, of the others."""
    import ops

    found, failed = {}, {}
    for module in sorted(m.name for m in pkgutil.iter_modules(ops.__path__) if not m.ispkg and m.name != "common"):
        if module in SKIPPED_FAMILIES:
            continue
        try:
            found[module] = importlib.import_module(f"ops.{module}").OPS
        except Exception as e:
            failed[module] = f"{type(e).__name__}: {e}"
    return found, failed


def tensors_in(x):
    if isinstance(x, torch.Tensor):
        return [x]
    if isinstance(x, dict):
        x = list(x.values())
    return [t for v in x for t in tensors_in(v)] if isinstance(x, (list, tuple)) else []


def mapped(x, f):
    if isinstance(x, torch.Tensor):
        return f(x)
    if isinstance(x, dict):
        return {k: mapped(v, f) for k, v in x.items()}
    if type(x) in (list, tuple):
        return type(x)(mapped(v, f) for v in x)
    return x


def multiplications(op, arguments, result):
    """Floating-point operations of a product or a convolution; 0 for other operators."""
    tensors, results = tensors_in(arguments), tensors_in([result])
    if op in PRODUCTS and tensors[PRODUCTS[op]].dim():
        return 2 * results[0].numel() * tensors[PRODUCTS[op]].shape[-1]
    if op in ("conv1d", "conv2d", "conv3d"):
        weight = tensors[1]
        return 2 * results[0].numel() * weight[0].numel()
    return 0


def repeated(t, larger):
    """The tensor with dimensions of some sizes repeated to larger ones, in a random order: a processor learns the branches of a
    short pattern, and would time them as no program meets them."""
    for dim, n in enumerate(t.shape):
        if n in larger:
            order = torch.randperm(larger[n], generator=torch.Generator().manual_seed(larger[n]))
            t = t.index_select(dim, order % n)
    return t


def scaled(arguments, target, even=False):
    """Arguments whose largest tensor has about `target` elements, in the order of preference; `even` scales all sizes alike."""
    if even:
        largest = max(tensors_in(arguments), key=lambda t: t.numel())
        factor = (target / largest.numel()) ** (1 / largest.dim())
        # Multiples of 64, as the sizes of layers are.
        larger = {n: max(n, round(n * factor / 64) * 64) for t in tensors_in(arguments) for n in t.shape if n > 1}
        yield mapped(arguments, lambda t: repeated(t, larger))
        return
    sizes = Counter(n for t in tensors_in(arguments) for n in t.shape if n > 1)
    largest = max((t.numel() for t in tensors_in(arguments)), default=0)
    for size, _ in sorted(sizes.items(), key=lambda item: (-item[1], -item[0])):
        power = max((list(t.shape).count(size) for t in tensors_in(arguments)), default=1)
        factor = (target / max(largest, 1)) ** (1 / power)
        larger = int(size * factor) // size * size
        if larger > size:
            yield mapped(arguments, lambda t, size=size, larger=larger: repeated(t, {size: larger}))


def laid_out(x, layout):
    if layout == "transposed":
        return mapped(x, lambda t: t.transpose(-1, -2).contiguous().transpose(-1, -2) if t.dim() > 1 else t)
    if layout == "channels_last":
        return mapped(x, lambda t: t.contiguous(memory_format=torch.channels_last) if t.dim() == 4 else t)
    if layout == "broadcast":  # one row, which the first dimension repeats
        return mapped(x, lambda t: t[:1].expand(t.shape) if t.dim() > 1 and t.shape[0] else t)
    return x


def layouts_of(op, dims):
    """The layouts that differ for tensors of up to this many dimensions. An "even" case is contiguous, with all sizes scaled."""
    matrices = ["transposed", "broadcast"] if dims > 1 else []
    images = ["channels_last"] if dims == 4 else []
    products = ["even"] if op in EVEN_PRODUCTS else []
    return ["contiguous", *matrices, *images, *products]


def covering(cases, count, rng):
    """Some cases of an operator: each pair of choices (a type with a layout, a size with a direction) occurs, as far as so many
    cases can have them."""

    def pairs(case):
        choices = [(name, getattr(case, name)) for name in ("dtype", "size", "layout", "direction", "threads")]
        return set(itertools.combinations(choices, 2)) | set(choices)

    left = [(case, pairs(case)) for case in rng.sample(cases, len(cases))]
    chosen, seen = [], set()
    while left and len(chosen) < count:
        best = max(range(len(left)), key=lambda k: len(left[k][1] - seen))
        case, found = left.pop(best)
        chosen.append(case)
        seen |= found
    return chosen


class Table:
    """The entries of the table, and the calls of their cases."""

    def __init__(self, families=()):
        warnings.simplefilter("ignore")
        self.entries = {}
        self.made = (None, None)
        found, self.failed = tables()
        for family, ops in found.items():
            if families and family not in families:
                continue
            for op in ops:
                if not op.name.endswith("_") and not op.name.startswith("_") and op.values:
                    self.entries.setdefault((family, op.name), op)

    def cases(self, sizes, dtypes, threads, count=None):
        """The cases that this library can run, `count` of each operator. They take the sample with the most elements."""
        found, rng = [], random.Random(0)
        for (family, name), op in self.entries.items():
            own = []
            known = {str(d).removeprefix("torch.") for d in op.dtypes}
            for dtype in (d for d in dtypes if d in known):
                try:
                    samples = list(op.make(getattr(torch, dtype)))
                except Exception:
                    continue
                counts = [sum(t.numel() for t in tensors_in([s.input, list(s.args)])) for s in samples]
                if not counts or not max(counts):
                    continue
                best = counts.index(max(c for c in counts if c < 20_000) if min(counts) < 20_000 else min(counts))
                dims = max(t.dim() for t in tensors_in([samples[best].input, list(samples[best].args)]))
                directions = ["forward", "backward"] if op.grad and dtype in ("float32", "float64") else ["forward"]
                for size in sizes:
                    # A small call is one thread's, and layouts do not show in it.
                    small = size == "small"
                    own += [Case(family, name, best, dtype, size, layout, direction, n)
                              for layout in (["contiguous"] if small else layouts_of(name, dims)) for direction in directions
                              for n in (threads[:1] if small else threads)]  # fmt: skip
            found += covering(own, count, rng) if count else own
        return found

    def call(self, case):
        """(function to time, bytes of the tensors that it reads and writes, floating-point operations of a product)."""
        op = self.entries[case.family, case.op]
        # Cases of one operator, type and size follow each other, and have the same arguments.
        even = case.layout == "even"
        key = (case.family, case.op, case.sample, case.dtype, case.size, even)
        if self.made[0] != key:
            self.made = (key, None)
        _, made = self.made
        if made:
            return self._bound(op, made[0], made[1], case)
        sample = list(op.make(getattr(torch, case.dtype)))[case.sample]
        arguments, reason = [sample.input, *sample.args], None
        for candidate in [arguments] if SIZES[case.size] == 0 else scaled(arguments, SIZES[case.size], even):
            try:
                bound = self._bound(op, candidate, sample.kwargs, case)
            except Exception as e:
                reason = e
                continue
            self.made = (key, (candidate, sample.kwargs))
            return bound
        raise RuntimeError(f"no larger sample: {reason}")

    def _bound(self, op, arguments, kwargs, case):
        arguments = laid_out(arguments, case.layout)
        if case.direction == "backward":
            arguments = mapped(arguments, lambda t: t.detach().clone().requires_grad_() if t.is_floating_point() else t)
        result = op.fn(*arguments, **kwargs)
        moved = sum(t.numel() * t.element_size() for t in tensors_in([arguments, result]))
        operations = multiplications(op.name, arguments, result)
        if case.direction == "forward":
            return lambda: op.fn(*arguments, **kwargs), moved, operations
        outputs = [y for y in tensors_in([result]) if y.requires_grad]
        leaves = [t for t in tensors_in(arguments) if t.requires_grad]
        if not outputs or not leaves:
            raise RuntimeError("no gradient")
        weights = [torch.ones_like(y) for y in outputs]

        def run():
            return torch.autograd.grad(outputs, leaves, weights, retain_graph=True, allow_unused=True)

        run()
        return run, 2 * moved, 2 * operations
