"""The C++ text of the operators: what a function calls, and the kernels behind its stubs.

Works on the source tree; without one, as in an installed wheel, nothing is found.
"""

import functools
import glob
import os
import re

import torch
from torch.utils.explain.sources import ROOT, in_source_tree, lines_of, shown

# Members of containers, and queries of a tensor: these are not calls of operators.
_NOT_METHODS = set("add size stride numel dim item data resize empty insert erase find count sort get".split())
NATIVE = os.path.join("aten", "src", "ATen", "native")


@functools.cache
def _operator_ids():
    """C++ name of an operator -> its name: add -> add, add_Tensor -> add.Tensor."""
    found = {}
    for name in torch._C._dispatch_get_all_op_names():
        base, _, overload = name.partition("::")[2].partition(".")
        found[base] = base
        if overload:
            found.setdefault(f"{base}_{overload}", f"{base}.{overload}")
    return found


def definition_line(file, line):
    """The line at which the C++ function of a line begins: a compiler's line may be the first of its body."""
    lines = lines_of(file) if in_source_tree() else []
    if not line <= len(lines):
        return line
    while line > 1 and lines[line - 1][:1] in (" ", ""):
        line -= 1
    return line


@functools.cache
def body(file, line):
    """The text of the C++ function that a line belongs to."""
    lines, text, depth, begun = lines_of(file), [], 0, False
    line = definition_line(file, line)
    for part in lines[line - 1 : line + 300]:
        text.append(part)
        depth += part.count("{") - part.count("}")
        begun |= "{" in part
        if begun and depth <= 0:
            break
    return "\n".join(text)


@functools.cache
def functions(file):
    """name -> line of the functions that a C++ file defines."""
    found = {}
    for k, text in enumerate(lines_of(file), 1):
        # Text at the start of a line that opens a list of parameters and declares nothing else.
        start = re.match(r"(?!using|struct|class|enum|namespace|#|//|REGISTER|TORCH_)[\w:].*?\b(\w+)\(", text)
        if start and not text.rstrip().endswith(";"):
            found.setdefault(start[1], k)
    return found


@functools.cache
def _sources():
    return sorted(shown(path) for path in glob.glob(os.path.join(ROOT, NATIVE, "**", "*.cpp"), recursive=True))


@functools.cache
def _shared_functions():
    """name -> (file, line) of functions that other files call, where one file outside of the kernels defines them."""
    found = {}
    for file in _sources():
        if f"{os.sep}cpu{os.sep}" not in file:
            for name, line in functions(file).items():
                found.setdefault(name, []).append((file, line))
    return {name: places[0] for name, places in found.items() if len(places) == 1}


def place(symbol, file, line):
    """(file, line) of a function that begins with inlined code, whose place is all that the line table has."""
    if not file.endswith(".cpp"):
        return _shared_functions().get(symbol.rpartition("::")[2], (shown(file), line))
    return shown(file), definition_line(shown(file), line)


@functools.cache
def _library_functions():
    """The functions in the tables of NativeLibraries.h: name -> (file, line)."""
    folders = (f"{os.sep}mkldnn{os.sep}", f"{os.sep}blas_backend{os.sep}")
    return {
        name: (file, line)
        for file in _sources()
        if any(folder in file for folder in folders)
        for name, line in functions(file).items()
    }


@functools.cache
def kernels_of_stubs():
    """stub -> (C++ name, file, line) of the kernel that REGISTER_DISPATCH or REGISTER_ALL_CPU_DISPATCH gives it."""
    found = {}
    for file in _sources():
        if f"{os.sep}cpu{os.sep}" not in file:
            continue
        text = "\n".join(lines_of(file))
        for stub, function in re.findall(r"^REGISTER_(?:ALL_CPU_)?DISPATCH\(\s*(\w+),\s*&?\s*\(?&?(\w+)", text, re.M):
            found[stub] = (f"at::native::{function}", file, functions(file).get(function, 0))
    return found


@functools.cache
def cuda_kernels_of_stubs():
    """stub -> (C++ name, file, line) of the function that REGISTER_CUDA_DISPATCH gives it."""
    found = {}
    for path in sorted(glob.glob(os.path.join(ROOT, NATIVE, "*", "cuda", "*.c*"))):
        file = os.path.relpath(path, ROOT)
        for stub, function in re.findall(r"^REGISTER_CUDA_DISPATCH\(\s*(\w+),\s*&?(\w+)", "\n".join(lines_of(file)), re.M):
            found[stub] = (f"at::native::{function}", file, functions(file).get(function, 0))
    return found


# at::_ops::add_Tensor::call(...), at::add(...), &at::_ops::add_Tensor::call; tensor.add(...); library->sgemm(...);
# helper(...), native::helper(...)
_CALLS = re.compile(
    r"\b(?:at::(?:_ops::)?|(?<!:)_ops::)(?P<function>\w+)(?:::call)?\(|&(?:at::)?_ops::(?P<passed>\w+)::call\b|"
    r"(?<=\w\.)(?P<method>\w+)\(|->(?P<member>\w+)\(|"
    r"(?<![\w:.>])(?:native::|torch::autograd::generated::)?(?P<helper>[a-z_]\w+)(?:<[^()]*>)?\("
)


def _calls(file, line, seen):
    """("operator" | "stub" | "library", name) of what the function at a line calls, directly or through helpers, in order."""
    for call in _CALLS.finditer(body(file, line).partition("{")[2]):
        kind, name = call.lastgroup, call[call.lastgroup]
        if kind == "member":
            if name in _library_functions():
                yield "library", name
        elif kind in ("function", "passed", "method"):
            if name in _operator_ids() and (kind != "method" or name not in _NOT_METHODS):
                yield "operator", _operator_ids()[name]
        elif name in kernels_of_stubs():
            yield "stub", name
            # A kernel that is compiled once for all capabilities calls others that are not.
            _, *place = kernels_of_stubs()[name]
            if place[1] and tuple(place) not in seen:
                seen.add(tuple(place))
                yield from (call for call in _calls(*place, seen) if call[0] != "operator")
        else:
            own = functions(file).get(name)
            place = (file, own) if own else _shared_functions().get(name)
            if place and place not in seen:
                seen.add(place)
                yield from _calls(*place, seen)


@functools.cache
def _all_calls(file, line):
    if not in_source_tree() or not 1 <= line <= len(lines_of(file)):
        return ()
    return tuple(dict.fromkeys(_calls(file, line, {(file, line)})))


def operators_called(file, line):
    """Names of operators that the C++ function at a line calls, directly or through helpers, in order."""
    return [name for kind, name in _all_calls(file, line) if kind == "operator"]


def kernels_called(file, line):
    """(stub or library, C++ name, file, line) of the kernels that the C++ function at a line reaches, in order."""
    found = []
    for kind, name in _all_calls(file, line):
        if kind == "stub":
            found.append((name, *kernels_of_stubs()[name]))
        elif kind == "library":
            where, at = _library_functions()[name]
            library = "oneDNN" if "mkldnn" in where else "OpenBLAS"
            found.append((library, f"at::native::{'mkldnn::' if library == 'oneDNN' else ''}{name}", where, at))
    return found


def place_of(name):
    """file:line of a C++ function of at::native, or of the kernel behind a stub; empty if unknown."""
    if not in_source_tree():
        return ""
    if name in kernels_of_stubs():
        _, file, line = kernels_of_stubs()[name]
        return f"{file}:{line}"
    for file in _sources():
        if name in functions(file):
            return f"{file}:{functions(file)[name]}"
    return ""


def leads_to(operator, name):
    """Whether the CPU kernel of an operator calls a stub, or a kernel of a stub, by this name, directly or through helpers."""
    for key, _, _, file, line in torch._C._dispatch_kernels(operator):
        if file and key == "CPU":
            for stub, function, _, _ in kernels_called(shown(file), line):
                if name == stub or function == f"at::native::{name}":
                    return True
    return False
