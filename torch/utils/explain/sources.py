"""Places in source files: of Python objects, of generated code, of tests and benchmarks."""

import functools
import inspect
import os
import re

import torch

PACKAGE = os.path.dirname(torch.__file__)
ROOT = os.path.dirname(PACKAGE)


# Names that are both operators and ordinary Python.
_TOO_COMMON = set("all any abs sum min max range round pow index type set size to split full empty".split())


def base_name(operator):
    """ "aten::add.Tensor" -> "add"."""
    return operator.partition("::")[2].partition(".")[0]


def in_source_tree():
    return os.path.exists(os.path.join(ROOT, "aten", "src", "ATen"))


def shown(path):
    """A path relative to the repository."""
    return os.path.relpath(path, ROOT) if path.startswith(ROOT + os.sep) else path


def place_of(value):
    """file:line of a Python function or class, or what kind of built-in it is."""
    try:
        plain = inspect.unwrap(value) if callable(value) else value
        return f"{shown(inspect.getsourcefile(plain))}:{inspect.getsourcelines(plain)[1]}"
    except (TypeError, OSError):
        return _place_of_members(value) if isinstance(value, type) else ""


def _place_of_members(kind):
    """file:line of a class whose module is not the one that defines it, by the first of its functions."""
    codes = [f.__code__ for f in map(inspect.unwrap, filter(inspect.isfunction, vars(kind).values()))]
    codes = [code for code in codes if code.co_filename.startswith(PACKAGE)]
    if not codes:
        return ""
    first = min(codes, key=lambda code: code.co_firstlineno)
    path = shown(first.co_filename)
    above = [k for k, line in enumerate(lines_of(path)[: first.co_firstlineno], 1) if re.match(rf"class {kind.__name__}\b", line)]
    return f"{path}:{above[-1] if above else first.co_firstlineno}"


def names_in(value):
    """Names of operators that the Python text of a function, or of a module's forward, calls, in order."""
    functions = [value]
    if isinstance(value, type):
        is_module = issubclass(value, torch.nn.Module)
        calling = ("forward", "_forward", "_conv_forward") if is_module else ("step", "__call__", "_update")
        functions = [getattr(value, n) for n in calling if inspect.isfunction(getattr(value, n, None))]
        # An optimizer's step calls functions of its module; the module names the operators that they call.
        if "torch.optim" in value.__module__ and "lr_scheduler" not in value.__module__:
            functions += [inspect.getmodule(base) for base in value.__mro__ if base.__module__.startswith("torch.optim.")]
    names = []
    if isinstance(value, type):  # BatchNorm2d -> batch_norm, LSTM -> lstm, Conv2d -> conv2d
        snake = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", value.__name__).lower()
        names += [snake, re.sub(r"_?[123]d$", "", snake)]
    for function in functions:
        try:
            text = inspect.getsource(inspect.unwrap(function))
        except (TypeError, OSError):
            continue
        names += re.findall(r"\b(?:F|torch|_VF|_nn|VF|NN|functional)\.(\w+)\b", text)
        names += re.findall(r"\b(_fused_\w+)\b", text)
        names += re.findall(r"\b_?([a-z]\w*)\(", text)
    names = [n for n in names if n.startswith("_fused_")] + names
    return [n for n in dict.fromkeys(names) if n not in _TOO_COMMON]


@functools.cache
def lines_of(path):
    try:
        with open(os.path.join(ROOT, path)) as f:
            return f.read().splitlines()
    except OSError:
        return []


@functools.cache
def _words(folder):
    """word -> [(file:line, the line)] of the Python files below a folder of the source tree."""
    found = {}
    for base, _, files in sorted(os.walk(os.path.join(ROOT, folder))):
        for name in sorted(n for n in files if n.endswith(".py")):
            path = shown(os.path.join(base, name))
            for k, line in enumerate(lines_of(path), 1):
                for word in set(re.findall(r"\w+", line)):
                    found.setdefault(word, []).append((f"{path}:{k}", line))
    return found


def tests_of(base):
    """Entries of the operator table first, then tests that name it."""
    if not in_source_tree():
        return []
    lines = _words("test").get(base.rstrip("_"), [])
    if base[0].isupper():  # a module: "Linear" is also a part of the names of files
        lines = [(place, line) for place, line in lines if re.search(rf"\b(?:nn\.{base}\b|{base}\()", line)]
    table = _table_entry(base.rstrip("_"), lines)
    return table + [place for place, _ in lines if place not in table and not place.startswith("test/ops/")]


@functools.cache
def _families():
    """Name of an operator -> its family: the folder of its yaml entry."""
    from torch.utils.explain import facts

    return {base_name(name).rstrip("_"): entry["entry"].partition(":")[0] for name, entry in facts.index().items()}


def _table_entry(base, lines):
    """[file:line] of the entries of an operator in its family's module of the table; `lines` name the operator."""
    family = _families().get(base)
    if family is None:
        return []
    path = f"test/ops/{family}.py"
    quoted = re.compile(rf"""["']{base}["'.]""")
    table = [place for place, line in lines if place.startswith(path + ":") and quoted.search(line)]
    if table:
        return table
    # For a composed name, f"avg_pool{n}d", the longest part that a line contains.
    words = re.sub(r"_backward$|[123]d", "", base.strip("_"))
    while words:
        for k, line in enumerate(lines_of(path), 1):
            if re.search(rf"""["'{{ ]{re.escape(words)}""", line):
                return [f"{path}:{k}"]
        words = words.rpartition("_")[0]
    return [f"{path}:1"]


def benchmarks_of(base):
    """Lines that name it, those of its family first; its family's cases if there are none."""
    if not in_source_tree():
        return []
    own = f"benchmarks/cases/{_families().get(base.rstrip('_'))}.py"
    places = [place for place, _ in _words("benchmarks").get(base.rstrip("_"), [])]
    if not any(place.startswith(own) for place in places) and lines_of(own):
        places.append(f"{own}:1")
    return sorted(places, key=lambda place: not place.startswith(own))
