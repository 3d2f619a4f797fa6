"""torchgen's reading of docs_*.md: what it makes of a section, and what it refuses."""

from __future__ import annotations

import pytest

from torchgen.docs import DocsError, parse
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
