"""Rules about the sources that no compiler checks: each is an entry of RULES.

A rule names folders or files, a regular expression that no line there may match, and what to write instead. Files that need an
exception are listed with the reason. Comments are ignored.
"""

import re
from dataclasses import dataclass, field

import pytest
from surroundings import ROOT


@dataclass(frozen=True)
class Rule:
    """`pattern` matches a line that breaks the rule; `instead` is what its author should write."""

    name: str
    folders: tuple[str, ...]  # relative to the root; glob patterns are allowed
    pattern: str
    instead: str
    allowed: dict[str, str] = field(default_factory=dict)  # file: why it needs the exception
    suffixes: tuple[str, ...] = (".cpp", ".h")
    in_strings: bool = True  # whether strings are searched too
    not_in: tuple[str, ...] = ()  # names of subfolders that the rule does not apply to


RULES = [
    Rule(
        "references are owned",
        ("torch/csrc",),
        r"\bPy_(X?DECREF|CLEAR|X?SETREF)\b",
        "hold the reference in a THPObjectPtr (torch/csrc/object_ptr.h): an exception or an early return leaks it otherwise",
        {"torch/csrc/object_ptr.h": "the owner itself"},
    ),
    Rule(
        "the GIL has guards",
        ("torch/csrc",),
        r"\b(PyGILState_(Ensure|Release)|PyEval_(SaveThread|RestoreThread|AcquireThread|ReleaseThread)|"
        r"Py_(BEGIN|END)_ALLOW_THREADS|Py_(UN)?BLOCK_THREADS)\b",
        "use gil_scoped_acquire or gil_scoped_release (torch/csrc/gil.h): an exception must not leave the lock as it is",
        {"torch/csrc/gil.h": "the guards themselves"},
    ),
    Rule(
        "results of appending and setting are checked",
        ("torch/csrc",),
        r"^\s*(\(void\)\s*)?Py(List_(Append|Insert|SetItem)|Dict_SetItem(String)?|Object_Set(Item|Attr|AttrString)|"
        r"Module_Add\w*)\((?!.*(==|!=|<)).*\);\s*$",
        "check the result, or use append() of torch/csrc/python_containers.h: these functions fail when memory is short",
    ),
    Rule(
        "types are defined by one helper",
        ("torch/csrc",),
        r"\b(PyVarObject_HEAD_INIT|PyType_Ready|PyType_FromSpec\w*|PyModule_AddType)\b",
        "use type_object(), heap_type() and add_type() (torch/csrc/type_object.h)",
        {"torch/csrc/type_object.h": "the helper itself"},
    ),
    Rule(
        "objects are added with a reference of their own",
        ("torch/csrc",),
        r"\bPyModule_AddObject\(",
        "use PyModule_AddObjectRef: PyModule_AddObject takes the reference only when it succeeds",
    ),
    Rule(
        "the folder decides the device",
        ("aten/src/ATen/native",),
        r"\b(\w*data_ptr|parallel_for|parallel_reduce|kCPU|kCUDA|is_meta|DeviceType::(CPU|CUDA))\b",
        "move what touches memory or threads to the family's cpu/ folder, behind a stub (ATen/native/common/DispatchStub.h); a "
        "stub call takes the device from its tensors, and does nothing on the meta device",
        {"aten/src/ATen/native/copy/copy.cpp": "copies cross devices: out of a meta tensor there is nothing to copy"},
        not_in=("common", "cpu", "mkldnn", "blas", "cuda"),
    ),
    Rule(
        "operands outlive their iterator",
        ("aten/src/ATen",),
        r"\b(build_\w+_op\w*|add_input|add_output)\(\s*at::",
        "give the tensor a name: TensorIterator does not keep what it is given",
    ),
    Rule(
        "lambdas name their types",
        ("aten/src/ATen", "torch/csrc"),
        r"typename decltype\(\w+\)::type\b",
        "write [&]<typename T>(TypeTag<T>) { ... }",
    ),
    Rule(
        "identifiers are the field's ordinary words",
        ("aten/src/ATen", "c10", "torch/csrc"),
        r"\b(most|least|wanted|fresh|turned|kMost\w*|kLeast\w*|\w*_with_care|note_way\w*)\b",
        "say max, min, requested or expected, new or inserted, transposed or flipped, checked, record_backend",
        in_strings=False,
    ),
    Rule(
        "identifiers in Python are the field's ordinary words",
        ("torch", "torchgen", "tools", "benchmarks", "examples", "test"),
        r"\b(most|least|wanted|fresh|turned|said|told|rival|_?MOST\w*|_?LEAST\w*|\w*_with_care)\b",
        "say maximum, minimum or limit, requested or expected, new or inserted, transposed or flipped, args or output, peer",
        suffixes=(".py",),
        in_strings=False,
    ),
]


CPP_COMMENT = r"//[^\n]*|/\*.*?\*/"
CPP_STRING = r'"(?:\\.|[^"\\\n])*"'
PYTHON_COMMENT = r"#[^\n]*"
PYTHON_STRING = r'"{3}.*?"{3}|\'{3}.*?\'{3}|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\''


def without_comments(rule, text):
    """The text with comments replaced by spaces, and also strings if the rule does not search them. The lines keep their numbers.

    Strings are matched in any case: a comment mark inside a string starts no comment.
    """
    comment, string = (PYTHON_COMMENT, PYTHON_STRING) if ".py" in rule.suffixes else (CPP_COMMENT, CPP_STRING)

    def blank(match):
        return match[0] if rule.in_strings and match["string"] else re.sub(r"[^\n]", " ", match[0])

    return re.sub(f"{comment}|(?P<string>{string})", blank, text, flags=re.S)


def files_of(rule):
    for folder in rule.folders:
        places = sorted(ROOT.glob(folder))
        assert places, f"rule {rule.name!r}: there is no {folder}"
        for place in places:
            for path in [place] if place.is_file() else sorted(place.rglob("*")):
                if path.suffix in rule.suffixes and not set(rule.not_in) & set(path.relative_to(place).parts[:-1]):
                    yield path


def violations(rule, text):
    """The numbers of the lines that break the rule."""
    lines = without_comments(rule, text).splitlines()
    return [number for number, line in enumerate(lines, 1) if re.search(rule.pattern, line)]


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name.replace(" ", "_"))
def test_rule(rule):
    found = []
    for path in files_of(rule):
        name = str(path.relative_to(ROOT))
        if name not in rule.allowed:
            found += [f"{name}:{number}" for number in violations(rule, path.read_text())]
    assert not found, "\n".join([f"{rule.name}: {rule.instead}", *found])


@pytest.mark.parametrize("folder", ["aten/src/ATen", "c10", "torch/csrc", "test/cpp"])
def test_files_say_what_they_are_for(folder):
    """The first line, after `#pragma once`, is a comment."""
    silent = []
    for path in sorted((ROOT / folder).rglob("*")):
        if path.suffix in (".cpp", ".h", ".c"):
            lines = [line for line in path.read_text().splitlines() if line.strip() and line != "#pragma once"]
            if not lines[0].startswith(("//", "/*")):
                silent.append(str(path.relative_to(ROOT)))
    assert not silent, "open these files with a sentence that says what they are for:\n" + "\n".join(silent)


def test_loops_in_headers_of_kernels_belong_to_a_capability():
    """Kernels are compiled for several kinds of processors. Of an inline function that all of them share, the linker keeps one
    copy: the one for the oldest processors."""
    shared = []
    for path in sorted(ROOT.glob("aten/src/ATen/native/*/cpu/*.h")):
        text = path.read_text()
        if re.search(r"\bfor \(", text) and not re.search(r"^(inline namespace CPU_CAPABILITY|namespace) \{", text, flags=re.M):
            shared.append(str(path.relative_to(ROOT)))
    assert not shared, "put what these headers define into `inline namespace CPU_CAPABILITY`:\n" + "\n".join(shared)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name.replace(" ", "_"))
def test_exceptions_are_needed(rule):
    for name in rule.allowed:
        assert violations(rule, (ROOT / name).read_text()), f"{rule.name}: {name} keeps the rule, take it off the list"


@pytest.mark.parametrize(
    "name, line",
    [
        ("references are owned", "  Py_XDECREF(o);"),
        ("the GIL has guards", "  PyThreadState* s = PyEval_SaveThread();"),
        ("results of appending and setting are checked", "  PyList_Append(list, o);"),
        ("types are defined by one helper", "PyTypeObject t = {PyVarObject_HEAD_INIT(nullptr, 0)};"),
        ("objects are added with a reference of their own", '  return PyModule_AddObject(module, "x", o) == 0;'),
        ("the folder decides the device", "  sin_stub(kCPU, iter);"),
        ("identifiers are the field's ordinary words", "  int64_t most = 0;"),
        ("operands outlive their iterator", "  iter.build_binary_op(at::neg(a), b);"),
        ("lambdas name their types", "    using T = typename decltype(tag)::type;"),
        ("identifiers in Python are the field's ordinary words", "    most = 0"),
    ],
)
def test_rules_find_what_breaks_them(name, line):
    rule = next(r for r in RULES if r.name == name)
    assert violations(rule, f"a = 1;\n{line}\n") == [2]
    comments = f'# {line}\n"""{line}\n{line}"""\n' if ".py" in rule.suffixes else f"// {line}\n/* {line}\n{line} */\n"
    assert not violations(rule, comments)
