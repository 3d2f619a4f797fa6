"""Everything bound in C++ has a docstring with a summary, its arguments and a running example, and a readable signature."""

from __future__ import annotations

import doctest
import inspect
import types
import warnings
from collections import Counter

import pytest

import torch
import torch.linalg
import torch.nn.functional
import torch.special

FUNCTIONS = (types.BuiltinFunctionType, types.MethodDescriptorType, types.ClassMethodDescriptorType)
PROPERTIES = (types.GetSetDescriptorType, types.MemberDescriptorType)
SPACES = {
    "torch": torch, "torch.Tensor": torch.Tensor, "torch.special": torch.special, "torch.linalg": torch.linalg,
    "torch.nn.functional": torch.nn.functional, "torch.dtype": torch.dtype, "torch.device": torch.device,
    "torch.Size": torch.Size, "torch.Generator": torch.Generator, "torch.UntypedStorage": torch.UntypedStorage,
    "torch.layout": torch.layout, "torch.memory_format": torch.memory_format, "torch.finfo": torch.finfo,
    "torch.iinfo": torch.iinfo,
}  # fmt: skip
# What Python itself describes.
INHERITED = {"count", "index"}


def is_internal(name: str) -> bool:
    return name.startswith("_") or name.removesuffix("_").endswith(("_backward", "_backward_data"))


def members(space: object) -> dict[str, object]:
    """The public names of a module or type that are bound in C++."""
    found = {}
    for name in dir(space):
        if is_internal(name) or (space is torch.Size and name in INHERITED):
            continue
        o = inspect.getattr_static(space, name) if isinstance(space, type) else getattr(space, name, None)
        if isinstance(o, FUNCTIONS + PROPERTIES):
            found[name] = o
    return found


ALL = [(f"{where}.{name}", o) for where, space in SPACES.items() for name, o in members(space).items()]
CALLABLE = [(name, o) for name, o in ALL if isinstance(o, FUNCTIONS)]
TYPES = [(where, space) for where, space in SPACES.items() if isinstance(space, type)]


def described_arguments(doc: str) -> set[str]:
    """The names in the Args section."""
    names, inside = set(), False
    for line in doc.splitlines():
        if inside and line.startswith("    ") and not line.startswith("     "):
            names.add(line.strip().split(" ")[0].split(":")[0].lstrip("*"))
        elif line.strip():
            inside = line == "Args:"
    return names


def test_every_name_has_a_docstring() -> None:
    found = Counter(name.rpartition(".")[0] for name, o in ALL if o.__doc__)
    total = Counter(name.rpartition(".")[0] for name, _ in ALL)
    print("\n" + "\n".join(f"{where}: {found[where]} of {total[where]}" for where in total))
    missing = [name for name, o in ALL + TYPES if not o.__doc__]
    assert not missing


def test_every_docstring_begins_with_a_sentence() -> None:
    wrong = [name for name, o in ALL + TYPES if not (o.__doc__ or "").split("\n")[0].endswith(".")]
    assert not wrong


def test_every_signature_can_be_read() -> None:
    wrong = []
    for name, o in CALLABLE:
        try:
            inspect.signature(o)
        except (ValueError, TypeError) as e:
            wrong.append(f"{name}: {e}")
    assert not wrong


def test_every_argument_is_described() -> None:
    wrong = {}
    for name, o in CALLABLE:
        names = {n for n in inspect.signature(o).parameters if n != "self"}
        if names != described_arguments(o.__doc__ or ""):
            wrong[name] = names ^ described_arguments(o.__doc__ or "")
    assert not wrong


def test_every_function_has_an_example() -> None:
    wrong = [name for name, o in CALLABLE + TYPES if ">>> " not in (o.__doc__ or "")]
    assert not wrong


@pytest.mark.parametrize("where", SPACES)
def test_examples_run(where: str) -> None:
    parser, runner = doctest.DocTestParser(), doctest.DocTestRunner(optionflags=doctest.ELLIPSIS, verbose=False)
    failures: list[str] = []
    seen = set()
    space = SPACES[where]
    for name, o in [*members(space).items(), ("", space)]:
        doc = o.__doc__ if name or isinstance(space, type) else None
        if not doc or doc in seen:
            continue
        seen.add(doc)
        test = parser.get_doctest(doc, {"torch": torch}, f"{where}.{name}", None, 0)
        with warnings.catch_warnings(), torch.random.fork_rng():
            warnings.simplefilter("ignore")
            runner.run(test, out=failures.append)
    assert not failures, "".join(failures)


def test_signatures_follow_the_schemas() -> None:
    assert str(inspect.signature(torch.add)) == "(input, other, *, alpha=1, out=None)"
    assert str(inspect.signature(torch.Tensor.add_)) == "(self, /, other, *, alpha=1)"
    assert str(inspect.signature(torch.ones(1).add)) == "(other, *, alpha=1)"
    assert str(inspect.signature(torch.sum)) == "(input, dim=None, keepdim=False, *, dtype=None, out=None)"
    # An argument that only some overloads have: the Ellipsis says that it may be left out.
    assert str(inspect.signature(torch.max)) == "(input, dim=Ellipsis, keepdim=False, *, other=Ellipsis, out=None)"
    inspect.signature(torch.zeros).bind(2, 3, dtype=torch.int64)


def test_overloads_are_listed() -> None:
    doc = torch.max.__doc__
    assert "Forms:" in doc
    assert "    max(input: Tensor, dim: int, keepdim: bool = False, *, out=None) -> (values, indices)" in doc
    assert "    max(dim: int, keepdim: bool = False) -> (values, indices)" in torch.Tensor.max.__doc__
