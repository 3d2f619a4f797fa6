"""Reads the docstrings: docs.md in the folder of each family, and docs_*.md in torch/csrc.

    ## add
    Adds two tensors.

    More text, formulas, special cases.

    Args:
        other: what is added; broadcasts with `input`
    Returns: the sum
    Raises:
        RuntimeError: when ...
    Example:
        >>> torch.add(torch.tensor([1, 2]), 10)
        tensor([11, 12])

A section describes one Python name with all of its overloads. It leaves out types and defaults of arguments, which come from the
schemas. A section that only says `Alias of NAME.` uses the text of NAME. Text before the first section applies to
the whole file: its `Args:` and `Returns:` are used by sections that lack them. torchgen/templates/arguments.md describes
arguments that mean the same everywhere (out, dtype, ...).

Sections for names that C++ defines by hand (torch/csrc/docs_*.md) include the signature: `## Tensor.size(dim=None)`.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field

FIELDS = ("Args", "Returns", "Raises", "Example")


class DocsError(ValueError):
    pass


@dataclass
class Section:
    name: str
    file: str
    line: int
    signature: str | None = None  # "dim=None" of `## Tensor.size(dim=None)`
    alias: str | None = None
    summary: str = ""
    text: list[str] = field(default_factory=list)  # the lines between the summary and the first field
    args: dict[str, str] = field(default_factory=dict)
    returns: str = ""
    raises: list[str] = field(default_factory=list)
    example: list[str] = field(default_factory=list)
    inherited: dict[str, str] = field(default_factory=dict)  # the file's own Args
    file_returns: str = ""  # the file's own Returns

    @property
    def where(self) -> str:
        return f"{self.file}:{self.line}"


def _entries(lines: list[str]) -> dict[str, str]:
    """`name: text` or `name (type): text` lines, each with its continuation lines (indented further). The value includes the type."""
    found: dict[str, str] = {}
    name = ""
    for line in lines:
        m = re.match(r"^    \*{0,2}(\w+)((?: \([^)]*\))?: .*)$", line)
        if m:
            name = m[1]
            found[name] = m[2].strip()
        elif line.strip():
            if not name or not line.startswith("     "):
                raise DocsError(f"not `    name: text`: {line!r}")
            found[name] += " " + line.strip()
    return found


def _fill(section: Section, lines: list[str]) -> None:
    """Sorts the lines of a section into its parts."""
    parts: dict[str, list[str]] = {"": []}
    current = ""
    for line in lines:
        m = re.match(r"^(\w+):(?: (.*))?$", line)
        if m and m[1] in FIELDS:
            current = m[1]
            if current in parts:
                raise DocsError(f"two parts called {current}")
            parts[current] = ["    " + m[2]] if m[2] else []
        else:
            parts[current].append(line)
    text = parts[""]
    while text and not text[0].strip():
        text.pop(0)
    while text and not text[-1].strip():
        text.pop()
    section.summary, section.text = (text[0], text[1:]) if text else ("", [])
    section.args = _entries(parts.get("Args", []))
    section.returns = " ".join(line.strip() for line in parts.get("Returns", []) if line.strip())
    section.raises = [line for line in parts.get("Raises", []) if line.strip()]
    section.example = [line.removeprefix("    ") for line in parts.get("Example", [])]
    while section.example and not section.example[-1].strip():
        section.example.pop()
    m = re.match(r"^Alias of `?([\w.]+)`?\.$", section.summary)
    if m:
        section.alias = m[1]


def parse(text: str, file: str) -> list[Section]:
    sections: list[Section] = []
    preamble = Section("", file, 1)
    current, lines = preamble, []

    def finish() -> None:
        try:
            _fill(current, lines)
        except DocsError as e:
            raise DocsError(f"{current.where}: {current.name}: {e}") from e

    for number, line in enumerate(text.splitlines(), 1):
        m = re.match(r"^## ([\w.]+)(?:\((.*)\))?\s*$", line)
        if m:
            finish()
            current, lines = Section(m[1], file, number, m[2], inherited=preamble.args, file_returns=preamble.returns), []
            sections.append(current)
        elif line.startswith("## "):
            raise DocsError(f"{file}:{number}: a section is called `## name` or `## name(arguments)`, not {line!r}")
        else:
            lines.append(line.rstrip())
    finish()
    return sections


def _check(section: Section) -> None:
    def need(condition: object, what: str) -> None:
        if not condition:
            raise DocsError(f"{section.where}: {section.name}: {what}")

    need(section.summary, "a section begins with a line that says what it is")
    need(section.summary.endswith("."), "the first line is a sentence and ends with a full stop")
    need(len(section.summary) <= 130, "the first line is longer than 130 characters")
    need(not section.text or section.text[0] == "", "an empty line comes after the first one")
    need(not section.example or section.example[0].startswith(">>> "), "an example begins with >>>")


def read(paths: list[str], folder: str) -> dict[str, Section]:
    """The sections of these files, by name; messages give paths relative to `folder`."""
    found: dict[str, Section] = {}
    for path in paths:
        with open(path) as f:
            for section in parse(f.read(), os.path.relpath(path, folder)):
                _check(section)
                if section.name in found:
                    raise DocsError(f"{section.where}: {section.name} has a section at {found[section.name].where}")
                found[section.name] = section
    return found


def operator_docs(native: str) -> dict[str, Section]:
    """The docstrings of operators: docs.md in each family's folder."""
    paths = [os.path.join(native, family, "docs.md") for family in sorted(os.listdir(native))]
    return read([p for p in paths if os.path.exists(p)], native)


def manual_docs(csrc: str) -> dict[str, Section]:
    """The docstrings of names that C++ defines by hand: docs_*.md."""
    names = sorted(n for n in os.listdir(csrc) if re.match(r"^docs\w*\.md$", n))
    return read([os.path.join(csrc, n) for n in names], csrc)
