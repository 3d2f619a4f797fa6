"""Collects the facts about an operator."""

import functools
import json
import os
from dataclasses import dataclass, field

import torch
from torch.utils.explain import cpp, sources
from torch.utils.explain.layers import layers_of_call, layers_of_operator


@functools.cache
def index():
    """The generated index of the operators: yaml entry, derivative, node."""
    path = os.path.join(sources.PACKAGE, "_operator_index.json")
    try:
        with open(path) as f:
            return json.load(f)
    except OSError:
        return {}


@dataclass(frozen=True)
class Kernel:
    key: str  # dispatch key; for a kernel that another one calls, the stub or library in between
    name: str  # "at::native::add", or "add_stub"
    symbol: str  # the C++ function
    place: str  # file:line
    by: str = ""  # the function, or operator, that calls it


@dataclass
class OperatorFacts:
    name: str
    schema: str
    yaml: str = ""
    node: str = ""  # the autograd node that computes its derivative
    derivatives: dict = field(default_factory=dict)
    forwards: str = ""
    composite: bool = False
    calls: list = field(default_factory=list)  # operators that a composite's text calls
    kernels: list = field(default_factory=list)
    breakpoints: list = field(default_factory=list)
    layers: list = field(default_factory=list)  # what each layer over the kernels does with it, the outermost first


@dataclass
class Explanation:
    """The result of torch.utils.explain: str() gives the page, to_json() the same for programs."""

    name: str
    entries: list  # (Python name, file:line or what binds it)
    operators: list
    tests: list
    benchmarks: list
    capability: str  # the CPU capability, which selects among kernels
    layers: list = field(default_factory=list)  # the layers that a call passes through, the outermost first
    path: list = field(default_factory=list)  # DispatchRecords of a call
    result: str = ""  # what that call gave

    def __str__(self):
        from torch.utils.explain.page import page

        return page(self)

    __repr__ = __str__

    def to_json(self):
        return json.dumps(self, indent=1, default=lambda o: o._asdict() if hasattr(o, "_asdict") else vars(o))

    def to_svg(self):
        """The call tree as a picture: of the call that was made, else of what the operators are made of."""
        from torch.utils.explain.graph import svg

        return svg(self)


def _unique(items):
    return list(dict.fromkeys(items))


def breakpoints(kernels):
    """Commands for gdb: a breakpoint for each function."""
    lines = []
    for k in kernels:
        if k.key in ("oneDNN", "OpenBLAS"):
            continue  # in a library that is opened on first use: before that, gdb does not know the name
        if k.name.startswith("at::native::"):
            lines.append(f"break {k.name}")
        elif k.symbol.startswith("torch::autograd::VariableType"):
            lines.append(f"break {k.symbol}")
        elif k.place and not k.place.startswith("build/"):
            lines.append(f"break {os.path.basename(k.place)}")
    return _unique(lines)


# The keys whose kernels compute; kernels of other keys call these.
BACKENDS = ("CPU", "CompositeImplicitAutograd", "CompositeExplicitAutograd")


@functools.cache
def _kernels_of(operator):
    """The kernels of the first overload of an operator that C++ calls by this name."""
    names = set(torch._C._dispatch_get_all_op_names())
    exact = f"aten::{operator}"
    name = exact if exact in names else min((n for n in names if n.startswith(exact + ".") and "out" not in n), default="")
    return torch._C._dispatch_kernels(name) if name else []


def inner_kernels(file, line, caller, depth=3):
    """Kernels that the C++ function at a line leads to by stubs, libraries, and the operators that it calls."""
    found = [Kernel(by, name, name, f"{where}:{at}", caller) for by, name, where, at in cpp.kernels_called(file, line)]
    if found or depth == 0:
        return found
    for called in cpp.operators_called(file, line):
        for key, kernel, symbol, where, at in _kernels_of(called):
            if where and key in BACKENDS:
                place = sources.shown(where)
                if f"{os.sep}cpu{os.sep}" in place:
                    name = symbol if not kernel or kernel.endswith("_stub") else kernel
                    found.append(Kernel(key, name, symbol, f"{place}:{cpp.definition_line(place, at)}", called))
                found += inner_kernels(place, at, called, depth - 1)
    return found


def cuda_kernels(kernels):
    """What the stubs among these kernels call on CUDA devices."""
    stubs = _unique(word for k in kernels for word in (k.key, k.name) if word.endswith("_stub"))
    there, known = cpp.cuda_kernels_of_stubs(), {k.place for k in kernels}
    found = [(stub, *there[stub]) for stub in stubs if stub in there]
    return [
        Kernel("CUDA", name, name, f"{file}:{line}", stub) for stub, name, file, line in found if f"{file}:{line}" not in known
    ]


def operator_facts(name):
    space = index().get(name, {})
    base, _, overload = name.partition(".")
    facts = OperatorFacts(name, torch._C._dispatch_get_schema(base, overload))
    if "entry" in space:
        family, _, line = space["entry"].partition(":")
        facts.yaml = f"aten/src/ATen/native/{family}/native_functions.yaml:{line}"
    facts.derivatives = space.get("derivatives", {})
    facts.node = space.get("node", "")
    facts.forwards = space.get("forwards", "")
    facts.composite = bool(space.get("composite"))
    merged, inner = {}, []
    for key, kernel, symbol, file, line in torch._C._dispatch_kernels(name):
        if file:
            file, line = cpp.place(symbol, file, line)
        place = f"{file}:{line}" if file else ""
        merged.setdefault((kernel, symbol, place), []).append(key)
        if facts.composite and kernel and not facts.calls:
            facts.calls = cpp.operators_called(file, line)
        if file and key in BACKENDS:
            inner += inner_kernels(file, line, kernel or symbol)
    facts.kernels = [Kernel(", ".join(keys), kernel, symbol, place) for (kernel, symbol, place), keys in merged.items()]
    known = {k.place for k in facts.kernels}
    for k in inner:
        if k.place not in known:
            known.add(k.place)
            facts.kernels.append(k)
    if torch.cuda._is_compiled():
        facts.kernels += cuda_kernels(facts.kernels)
    facts.breakpoints = breakpoints(facts.kernels)
    facts.layers = layers_of_operator(name, facts.composite, facts.node)
    if facts.node:
        facts.breakpoints.append(f"break {facts.node}::apply")
    return facts


def binding_of(path, value):
    if isinstance(value, str):  # a C++ function: its place is known
        return value
    place = sources.place_of(value)
    if place:
        return place
    name = path.rpartition(".")[2]
    if name in torch._C._VariableFunctions.__dict__ or hasattr(torch._C._VariableFunctions, name):
        return f"built in: torch._C._VariableFunctions.{name}"
    return "built in"


def collect(found, args, kwargs, called):
    operators = [operator_facts(n) for n in found.operators]
    entries = [(path, binding_of(path, value)) for path, value in found.entries]
    bases = _unique(sources.base_name(n).rstrip("_") for n in found.operators) or [found.name]
    names = _unique([found.name, *bases[:3]])
    tests = _unique(t for b in names for t in sources.tests_of(b))[:8]
    marks = _unique(t for b in names for t in sources.benchmarks_of(b))[:6]
    made = Explanation(found.name, entries, operators, tests, marks, torch._C._get_cpu_capability())
    if called:
        made.layers = layers_of_call(args, kwargs)
        run = found.target if found.target is not None else _callable_of(found)
        with torch.utils.dispatch_trace(details="all", print=False) as records:
            result = run(*args, **kwargs)
        made.path = records
        made.result = _described(result)
    return made


def _callable_of(found):
    for _, value in found.entries:
        if callable(value) and not isinstance(value, type):
            return value
    space, _, rest = found.operators[0].partition("::")
    base, _, overload = rest.partition(".")
    return getattr(getattr(getattr(torch.ops, space), base), overload or "default")


def _described(x):
    if isinstance(x, torch.Tensor):
        return f"{str(x.dtype)[6:]}{list(x.shape)}" + (f" grad_fn={type(x.grad_fn).__name__}" if x.grad_fn else "")
    if isinstance(x, (tuple, list)):
        return "(" + ", ".join(map(_described, x)) + ")"
    return repr(x)[:80]
