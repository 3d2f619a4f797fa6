"""torchgen's reading of the docs.md files: what it makes of a section, and what it refuses."""

from __future__ import annotations

import pytest
from surroundings import ROOT

from torchgen.docs import DocsError, Section, operator_docs, parse
from torchgen.gen import outputs, read_entries
from torchgen.model import operators_of
from torchgen.writers import docs, python
from torchgen.writers.docs import literal
from torchgen.writers.examples import as_method


def test_a_section_has_parts() -> None:
    text = """Args:
    input: the tensor
Returns: a tensor

## add
Adds.

More.

Args:
    other: what is added,
        and more
Raises:
    RuntimeError: sometimes
Example:
    >>> 1
    1
"""
    (section,) = parse(text, "docs_x.md")
    assert (section.name, section.line, section.summary, section.text) == ("add", 5, "Adds.", ["", "More."])
    assert section.args == {"other": ": what is added, and more"}
    assert section.inherited == {"input": ": the tensor"} and section.file_returns == "a tensor"
    assert section.raises == ["    RuntimeError: sometimes"] and section.example == [">>> 1", "1"]


def test_what_is_no_section_is_refused_with_its_place() -> None:
    with pytest.raises(DocsError, match=r"docs_x.md:2: a section is called"):
        parse("text\n## two words\n", "docs_x.md")
    with pytest.raises(DocsError, match=r"docs_x.md:1: add: two parts called Args"):
        parse("## add\nAdds.\n\nArgs:\n    a: b\nArgs:\n    c: d\n", "docs_x.md")
    with pytest.raises(DocsError, match=r"docs_x.md:1: add: not `    name: text`"):
        parse("## add\nAdds.\n\nArgs:\n    nothing\n", "docs_x.md")


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (">>> torch.add(x, 1)", ">>> x.add_(1)"),
        (">>> torch.add(torch.tensor([1, 2]), y, alpha=2)", ">>> torch.tensor([1, 2]).add_(y, alpha=2)"),
        (">>> torch.add(x + 1, 1).sum()", ">>> (x + 1).add_(1).sum()"),
        (">>> torch.add(torch.add(x, 1), 2)", ">>> torch.add(x, 1).add_(2)"),
    ],
)
def test_examples_become_method_calls(line: str, expected: str) -> None:
    assert as_method([line, "out"], "torch.add", "add_", 0) == [expected, "out"]


def test_an_example_with_no_such_call_stays() -> None:
    assert as_method([">>> torch.mul(x, 2)"], "torch.add", "add", 0) is None
    assert as_method([">>> torch.add(2, x)"], "torch.add", "add", 0) is None


def test_literals_are_escaped() -> None:
    assert literal('a "b" \\n\nc\n') == '    "a \\"b\\" \\\\n\\n"\n    "c\\n"'


@pytest.fixture(scope="module")
def bound() -> dict:
    entries = read_entries(str(ROOT / "aten" / "src" / "ATen"))
    return python.bindings([(e, operators_of(e)) for e in entries])


def docs_of(text: str, bound: dict, monkeypatch: pytest.MonkeyPatch) -> docs.Docs:
    sections = {s.name: s for s in parse(text, "docs_x.md")}
    monkeypatch.setattr(docs, "operator_docs", lambda folder: sections)
    monkeypatch.setattr(docs, "manual_docs", lambda folder: {})
    return docs.Docs(bound, str(ROOT))


def test_unknown_names_and_arguments_are_refused(bound: dict, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(DocsError, match="docs_x.md:1: there is no operator called nosuch"):
        docs_of("## nosuch\nAdds.\n", bound, monkeypatch)
    with pytest.raises(DocsError, match="docs_x.md:1: add has no argument betta"):
        docs_of("## add\nAdds.\n\nArgs:\n    betta: a factor\n", bound, monkeypatch)
    with pytest.raises(DocsError, match="docs_x.md:1: plus is an alias|there is no operator called plus"):
        docs_of("## plus\nAlias of `add`.\n", bound, monkeypatch)
    with pytest.raises(DocsError, match="docs_x.md:1: subtract is an alias of sub, which has no section"):
        docs_of("## subtract\nAlias of `sub`.\n", bound, monkeypatch)


def test_an_argument_that_is_not_described_is_refused(bound: dict, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = docs_of("## add\nAdds.\n\nArgs:\n    input: a\n    other: b\n", bound, monkeypatch)
    with pytest.raises(DocsError, match="docs_x.md:1: add says nothing about its argument alpha"):
        texts.of("add", False)


def test_forms_are_derived(bound: dict, monkeypatch: pytest.MonkeyPatch) -> None:
    text = """Args:
    input: the first
    other: the second

## mul
The product of `input` and `other`.

Example:
    >>> torch.mul(torch.tensor([2]), 3)
    tensor([6])

## multiply
Alias of `mul`.
"""
    texts = docs_of(text, bound, monkeypatch)
    assert texts.of("mul", False).startswith("mul(input, other, *, out=None)\n--\n\nThe product of `input` and `other`.\n")
    method = texts.of("mul", True)
    assert method.startswith("mul($self, other)\n--\n\nThe product of `self` and `other`.\n")
    assert ">>> torch.tensor([2]).mul(3)" in method and "input (Tensor)" not in method
    assert "    other (Tensor or Number): the second\n" in method
    inplace = texts.of("mul_", True)
    assert "In-place version of `mul`" in inplace and ">>> torch.tensor([2]).mul_(3)" in inplace
    alias = texts.of("multiply", False)
    assert "Alias of `torch.mul`." in alias and ">>> torch.multiply(torch.tensor([2]), 3)" in alias


def test_an_edited_text_recompiles_one_file(monkeypatch: pytest.MonkeyPatch) -> None:
    entries = read_entries(str(ROOT / "aten" / "src" / "ATen"))
    before = outputs(entries, str(ROOT))

    def edited(folder: str) -> dict[str, Section]:
        sections = operator_docs(folder)
        sections["add"].summary = "Something else."
        return sections

    monkeypatch.setattr(docs, "operator_docs", edited)
    after = outputs(entries, str(ROOT))
    changed = {path for path in after if after[path] != before[path]}
    assert {path for path in changed if after[path][0] != "pyi"} == {"python_tables.cpp"}
