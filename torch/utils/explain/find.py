"""Resolves what a person writes to operators of the registry."""

import difflib
from dataclasses import dataclass, field

import torch
from torch._absent import absent_named
from torch._absent import text as text_of_absent
from torch.utils.explain.sources import base_name, names_in

PLACES = ("torch", "torch.Tensor", "torch.nn.functional", "torch.nn", "torch.linalg", "torch.special", "torch.fft")
# Modules with classes and functions that use operators; a short name is searched here last.
MORE_PLACES = (
    "torch.optim", "torch.optim.lr_scheduler", "torch.nn.init", "torch.nn.utils", "torch.autograd", "torch.utils.data",
    "torch.utils.checkpoint",
)  # fmt: skip
# Operators behind Python's special methods, if the name without underscores differs.
_PYTHON_OPERATORS = {
    "getitem": ["select.int", "slice.Tensor", "unsqueeze", "index.Tensor"], "setitem": ["copy_", "fill_.Scalar", "index_put_"],
    "truediv": ["div.Tensor"], "floordiv": ["floor_divide"], "mod": ["remainder.Tensor"],
    "pow": ["pow.Tensor_Tensor", "pow.Tensor_Scalar"],
    "and": ["bitwise_and.Tensor"], "or": ["bitwise_or.Tensor"], "xor": ["bitwise_xor.Tensor"], "invert": ["bitwise_not"],
    "lshift": ["bitwise_left_shift.Tensor"], "rshift": ["bitwise_right_shift.Tensor"],
    "bool": ["item"], "int": ["item"], "float": ["item"],
    "index": ["item"], "complex": ["item"], "contains": ["eq.Tensor", "any"], "iter": ["unbind.int"], "reversed": ["flip"],
}  # fmt: skip


class UnknownName(LookupError):
    """No operator, function, method or module has this name."""


@dataclass
class Found:
    name: str  # as requested, in its shortest form: "conv2d"
    entries: list = field(default_factory=list)  # (qualified Python name, object)
    operators: list = field(default_factory=list)  # "aten::conv2d", with overloads
    target: object = None  # the object that was passed, if it was not a name


def registry():
    return torch._C._dispatch_get_all_op_names()


def operators_named(base, names=None):
    """All operators of a base name: its overloads, its in-place form, its out= forms."""
    bases = {base, base + "_"}
    found = [n for n in names or registry() if base_name(n) in bases]
    return sorted(found, key=lambda n: (base_name(n), "out" in n.rpartition(".")[2], n))


def _lookup(path):
    """The object at a dotted path that begins with torch, or None."""
    found = torch
    for part in path.split(".")[1:]:
        try:
            found = getattr(found, part)
        except (AttributeError, NotImplementedError):
            return None
    return found


def python_entries(name):
    """(path, object) for each public place that has this name."""
    found = []
    for place in PLACES:
        owner = _lookup(place)
        value = getattr(owner, name, None) if owner is not None else None
        if value is not None and (callable(value) or isinstance(value, property) or type(value).__name__ == "getset_descriptor"):
            if not isinstance(value, type(torch)):
                found.append((f"{place}.{name}", value))
    return found


def known_names():
    names = {base_name(n) for n in registry()}
    for place in PLACES:
        owner = _lookup(place)
        names |= {n for n in (dir(owner) if owner else ()) if not n.startswith("_")}
    return names


def find(target):
    """What a name or an object of torch refers to; raises UnknownName with suggestions if it is unknown."""
    if not isinstance(target, str):
        return _find_object(target)
    text = target.strip()
    names = registry()
    found = _node(text) or _python_operator(text, names) or _cpp_name(text, names)
    if found:
        return found
    if "::" in text:
        exact = [n for n in names if n == text]
        found = exact or operators_named(base_name(text), names)
        if found:
            base = base_name(found[0])
            return Found(text, python_entries(base), found)
        _unknown(text)
    base = text.rpartition(".")[2] if not text.startswith("__") else text
    if text.startswith(("torch.", "F.", "nn.", "Tensor.", "optim.", "lr_scheduler.")):
        path = text.replace("F.", "torch.nn.functional.", 1) if text.startswith("F.") else text
        path = path.replace("lr_scheduler.", "torch.optim.lr_scheduler.", 1) if path.startswith("lr_scheduler.") else path
        path = path if path.startswith("torch.") else "torch." + path
        value = _lookup(path)
        if value is None:
            _unknown(text)
        return Found(base, [(path, value)], _operators_of(path, base, value, names))
    if "." in text and f"aten::{text}" in names:
        return Found(text, python_entries(text.partition(".")[0]), [f"aten::{text}"])
    entries = python_entries(base)
    found = operators_named(base, names)
    if not entries and not found:
        entries = _further_entries(base)
    if not entries and not found:
        _unknown(text)
    if not found and entries:
        found = _operators_of(entries[0][0], base, entries[0][1], names)
    return Found(base, entries, found)


def _node(text):
    """AddBackward0: the operators whose derivative this node computes."""
    from torch.utils.explain.facts import index

    found = sorted(name for name, facts in index().items() if facts.get("node") == text)
    return Found(text, python_entries(base_name(found[0])), found) if found else None


def _python_operator(text, names):
    """__add__, __getitem__: a method of Tensor that Python's syntax calls."""
    if not (text.startswith("__") and text.endswith("__")) or not hasattr(torch.Tensor, text):
        return None
    word = text.strip("_")
    if word not in _PYTHON_OPERATORS and word[:1] in "ri" and (word[1:] in _PYTHON_OPERATORS or operators_named(word[1:], names)):
        inplace, word = word[0] == "i", word[1:]
    else:
        inplace = False
    listed = [f"aten::{n}" for n in _PYTHON_OPERATORS.get(word, ())]
    if inplace:  # div.Tensor -> div_.Tensor
        listed = [".".join([first + "_", *rest]) for first, *rest in (n.split(".") for n in listed)]
    found = [n for n in listed if n in names] or operators_named(word, names)
    return Found(text, [(f"torch.Tensor.{text}", getattr(torch.Tensor, text))], found)


def _cpp_name(text, names):
    """add_stub, at::native::add, layer_norm_kernel: the operators that a C++ function or stub serves."""
    from torch.utils.explain import cpp
    from torch.utils.explain.facts import index

    if text.startswith("at::") and not text.startswith("at::native::"):
        text = text.replace("at::_ops::", "at::").replace("at::", "at::native::", 1)
    word = text.removeprefix("at::native::")
    if not text.startswith("at::native::") and not word.endswith(("_stub", "_kernel")):
        return None
    direct = [n for n, facts in index().items() if word in facts.get("kernels", ()) or word in facts.get("dispatch", {}).values()]
    inner = word.endswith(("_stub", "_kernel"))
    found = direct + ([] if inner else operators_named(word, names) or operators_named(word.removesuffix("_out"), names))
    place = cpp.place_of(word)
    if not found and not place:
        return None
    if not found:
        found = [n for n, facts in index().items() if facts.get("form") == "functional" and cpp.leads_to(n, word)]
    entries = [(f"at::native::{word}", place)] if place and inner else python_entries(base_name(found[0]))
    return Found(text, entries, sorted(set(found)))


def _further_entries(name):
    """(path, object) of classes and functions that are not operators: optimizers, schedules, initializers."""
    found = []
    for place in MORE_PLACES:
        value = _lookup(f"{place}.{name}")
        if value is not None and callable(value):
            found.append((f"{place}.{name}", value))
    return found[:1]


def _find_object(target):
    kind = target if isinstance(target, type) else type(target)
    if issubclass(kind, torch.nn.Module):
        path = f"{kind.__module__}.{kind.__qualname__}"
        return Found(kind.__name__, [(path, kind)], _operators_of(path, kind.__name__, kind, registry()), target)
    name = getattr(target, "__name__", None) or getattr(target, "_name", "")
    qualified = getattr(target, "_qualified_op_name", None) or str(getattr(target, "_schema", "")).partition("(")[0]
    if "::" in qualified:
        return Found(qualified, python_entries(name.partition(".")[0]), [qualified], target)
    if not name:
        raise UnknownName(f"explain: expected a name, or a function, method or module of torch, got {type(target).__name__}")
    entries = [(p, o) for p, o in python_entries(name) if o is target] or python_entries(name)
    if not entries:
        module = getattr(target, "__module__", "") or ""
        if not module.startswith("torch"):
            _unknown(name)
        entries = [(f"{module}.{name}", target)]
    return Found(name, entries, _operators_of(entries[0][0], name, target, registry()), target)


def _operators_of(path, base, value, names):
    """The operators behind a Python function or class: those with its name, or those that its text calls."""
    found = operators_named(base, names)
    for prefix in ("linalg", "special", "fft"):
        if f"torch.{prefix}." in path:
            found = operators_named(f"{prefix}_{base}", names) or found
    if found:
        return found
    for name in names_in(value):
        found += operators_named(name, names)
    return list(dict.fromkeys(found))


def _unknown(name):
    base = name.partition("::")[2] or name.rpartition(".")[2]
    long = {"F": "torch.nn.functional", "nn": "torch.nn", "optim": "torch.optim", "Tensor": "torch.Tensor"}
    first, dot, rest = name.partition(".")
    absent = absent_named(long.get(first, first) + dot + rest)
    if absent:
        others = f" (so are {', '.join(absent[1:])})" if absent[1:] else ""
        raise UnknownName(f"explain: {text_of_absent(absent[0])}{others}")
    close = difflib.get_close_matches(base, known_names(), n=5, cutoff=0.6)
    hint = f"; did you mean {', '.join(close)}?" if close else ""
    raise UnknownName(f"explain: nothing is called {name!r}{hint}")
