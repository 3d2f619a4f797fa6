"""From what a person writes to operators of the registry."""

import difflib
from dataclasses import dataclass, field

import torch
from torch.utils.explain.sources import base_name, names_in

PLACES = ("torch", "torch.Tensor", "torch.nn.functional", "torch.nn", "torch.linalg", "torch.special", "torch.fft")


class UnknownName(LookupError):
    """No operator, function, method or module has this name."""


@dataclass
class Found:
    name: str  # as it was asked for, shortest form: "conv2d"
    entries: list = field(default_factory=list)  # (qualified Python name, object)
    operators: list = field(default_factory=list)  # "aten::conv2d", with overloads
    target: object = None  # what was given, if it was no name


def registry():
    return torch._C._dispatch_get_all_op_names()


def operators_named(base, names=None):
    """All operators of a base name: its overloads, its in-place form, its out= forms."""
    wanted = {base, base + "_"}
    found = [n for n in names or registry() if base_name(n) in wanted]
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
        names |= {n for n in dir(_lookup(place)) if not n.startswith("_")}
    return names


def find(target):
    """What a name or an object of torch stands for; UnknownName with suggestions otherwise."""
    if not isinstance(target, str):
        return _find_object(target)
    text = target.strip()
    names = registry()
    if "::" in text:
        exact = [n for n in names if n == text]
        found = exact or operators_named(base_name(text), names)
        if found:
            base = base_name(found[0])
            return Found(text, python_entries(base), found)
        _unknown(text)
    base = text.rpartition(".")[2] if not text.startswith("__") else text
    if text.startswith(("torch.", "F.", "nn.", "Tensor.")):
        path = text.replace("F.", "torch.nn.functional.", 1) if text.startswith("F.") else text
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
        _unknown(text)
    if not found and entries:
        found = _operators_of(entries[0][0], base, entries[0][1], names)
    return Found(base, entries, found)


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
    """The operators that an entry of Python stands for: of its name, or those that its text calls."""
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
    close = difflib.get_close_matches(base, known_names(), n=5, cutoff=0.6)
    hint = f"; did you mean {', '.join(close)}?" if close else ""
    raise UnknownName(f"explain: nothing is called {name!r}{hint}")
