"""FileCheck: checks of the order in which texts appear in an output, after LLVM's tool of that name."""

from __future__ import annotations

import re

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from typing import Any

_LINE = re.compile(
    r"^\s*(?:#|//)?\s*CHECK(?:-(COUNT-EXACTLY|COUNT)-(\d+)|-(NEXT|SAME|NOT|DAG|REGEX|SOURCE-HIGHLIGHTED))?:\s*(.*?)\s*$"
)


def _name(kind: str) -> str:
    return f"CHECK-{kind}" if kind else "CHECK"


class FileCheck:
    """A list of checks that a text has to pass, each from where the last one matched on.

    Example:
        >>> from torch.testing import FileCheck
        >>> FileCheck().check("conv").check_not("pool").check_count("relu", 2).run("conv relu relu")
    """

    def __init__(self) -> None:
        self._checks: list[tuple[str, str, int]] = []

    def _add(self, kind: str, text: str, count: int = 1) -> FileCheck:
        if not isinstance(text, str):
            raise TypeError(f"FileCheck: a check is a str, got {type(text).__name__}")
        self._checks.append((kind, text, count))
        return self

    def check(self, text: str) -> FileCheck:
        """The text appears.

        Args:
            text (str): what is searched

        Returns:
            this object
        """
        return self._add("", text)

    def check_not(self, text: str) -> FileCheck:
        """The text does not appear before what the next check matches, or up to the end.

        Args:
            text (str): what is searched

        Returns:
            this object
        """
        return self._add("NOT", text)

    def check_same(self, text: str) -> FileCheck:
        """The text appears on the line where the last match ended.

        Args:
            text (str): what is searched

        Returns:
            this object
        """
        return self._add("SAME", text)

    def check_next(self, text: str) -> FileCheck:
        """The text appears on the next line.

        Args:
            text (str): what is searched

        Returns:
            this object
        """
        return self._add("NEXT", text)

    def check_count(self, text: str, count: int, exactly: bool = False) -> FileCheck:
        """The text appears a number of times.

        Args:
            text (str): what is searched
            count (int): how often
            exactly (bool, default False): and not once more

        Returns:
            this object
        """
        return self._add("COUNT-EXACTLY" if exactly else "COUNT", text, count)

    def check_dag(self, text: str) -> FileCheck:
        """The text appears, in any order with those of the neighbouring checks of this kind.

        Args:
            text (str): what is searched

        Returns:
            this object
        """
        return self._add("DAG", text)

    def check_regex(self, text: str) -> FileCheck:
        """A regular expression matches.

        Args:
            text (str): the expression

        Returns:
            this object
        """
        return self._add("REGEX", text)

    def check_source_highlighted(self, text: str) -> FileCheck:
        """The text appears, and is underlined with ~ on the following line.

        Args:
            text (str): what is searched

        Returns:
            this object
        """
        return self._add("SOURCE-HIGHLIGHTED", text)

    def run(self, *args: Any, **kwargs: Any) -> None:
        """Run the checks on a text.

        `run(test_file)` takes the checks of this object; `run(checks_file, test_file)` adds those that comments of a text
        list, such as `# CHECK: conv`, `# CHECK-NOT: pool` and `# CHECK-COUNT-2: relu`. Texts are searched as `str(x)`.

        Raises:
            RuntimeError: a check fails, or there is none
        """
        if kwargs:
            args = (*args, *[kwargs.pop(name) for name in ("checks_file", "test_file") if name in kwargs])
        if kwargs or len(args) not in (1, 2):
            raise TypeError("FileCheck.run: expected (test_file) or (checks_file, test_file)")
        if len(args) == 2:
            self._parse(str(args[0]))
        if not self._checks:
            raise RuntimeError("FileCheck: there are no checks to run")
        _Run(str(args[-1])).all(self._checks)

    def _parse(self, text: str) -> None:
        for line in text.splitlines():
            found = _LINE.match(line)
            if found is not None:
                counted, count, kind, pattern = found.groups()
                self._add(counted or kind or "", pattern, int(count or 1))

    def __repr__(self) -> str:
        return f"FileCheck({', '.join(f'{_name(kind)}: {text}' for kind, text, _ in self._checks)})"


class _Run:
    """One search through a text: `end` is where the last match ended, `excluded` what may not come before the next one."""

    def __init__(self, text: str) -> None:
        self.text, self.end = text, 0
        self.excluded: list[str] = []

    def fail(self, kind: str, pattern: str, problem: str) -> None:
        raise RuntimeError(f"FileCheck: {_name(kind)}: {pattern!r} {problem}, searched from position {self.end} of:\n{self.text}")

    def find(self, kind: str, pattern: str, start: int) -> tuple[int, int]:
        """Where the pattern is."""
        if kind == "REGEX":
            found = re.compile(pattern).search(self.text, start)
            if found is not None:
                return found.span()
        else:
            place = self.text.find(pattern, start)
            if place >= 0:
                return place, place + len(pattern)
        self.fail(kind, pattern, "was not found")
        raise AssertionError

    def move(self, start: int, end: int) -> None:
        """Accept a match, if nothing excluded stands before it."""
        for pattern in self.excluded:
            if self.text.find(pattern, self.end, start) >= 0:
                self.fail("NOT", pattern, "was found")
        self.excluded = []
        self.end = end

    def all(self, checks: list[tuple[str, str, int]]) -> None:
        position = 0
        while position < len(checks):
            kind, pattern, count = checks[position]
            position += 1
            if kind == "NOT":
                self.excluded.append(pattern)
            elif kind == "DAG":
                group = [pattern]
                while position < len(checks) and checks[position][0] == "DAG":
                    group.append(checks[position][1])
                    position += 1
                spans = [self.find("DAG", text, self.end) for text in group]
                self.move(min(start for start, _ in spans), max(end for _, end in spans))
            else:
                for _ in range(count):
                    self.one(kind, pattern)
                if kind == "COUNT-EXACTLY":
                    self.excluded.append(pattern)
        self.move(len(self.text), len(self.text))

    def one(self, kind: str, pattern: str) -> None:
        start, end = self.find(kind, pattern, self.end)
        lines = self.text.count("\n", self.end, start)
        if kind == "SAME" and lines or kind == "NEXT" and lines != 1:
            self.fail(kind, pattern, f"was found {lines} lines below the last match")
        if kind == "SOURCE-HIGHLIGHTED":
            column = start - (self.text.rfind("\n", 0, start) + 1)
            below = self.text[end:].split("\n")[1:2]
            if not below or below[0][column : column + end - start] != "~" * (end - start):
                self.fail(kind, pattern, "is not underlined")
        self.move(start, end)
