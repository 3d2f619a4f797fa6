"""Groups of patterns that choose modules of a package by their dotted names, or files by their paths."""

from __future__ import annotations

import re
from collections.abc import Iterable

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from typing import TypeAlias

    GlobPattern: TypeAlias = str | Iterable[str]


def _expression(pattern: str, separator: str) -> re.Pattern[str]:
    """The regular expression of a pattern, for a name that has a separator in front of every segment."""
    text = ""
    for segment in pattern.split(separator):
        if segment == "**":
            text += f"(?:{re.escape(separator)}[^{separator}]+)*"
        elif "**" in segment:
            raise ValueError(f"the pattern {pattern!r}: ** must be a whole segment, as in 'package.**'")
        else:
            text += re.escape(separator) + f"[^{separator}]*".join(map(re.escape, segment.split("*")))
    return re.compile(text)


class GlobGroup:
    """Names that match one of some patterns, and none of others.

    `*` stands for any text inside one segment, and `**` for any number of whole segments, also none: `package.**` is a package
    with everything in it, and `package.*` is what it holds directly.

    Args:
        include (str or iterable of str): patterns of the names
        exclude (str or iterable of str, default ()): patterns of names that are left out all the same
        separator (str, default "."): what separates segments

    Raises:
        ValueError: a segment holds `**` and more
        TypeError: the patterns are no strings

    Example:
        >>> group = torch.package.GlobGroup("torch.**", exclude="torch.nn.**")
        >>> [group.matches(name) for name in ("torch", "torch.fft", "torch.nn.init", "numpy")]
        [True, True, False, False]
    """

    def __init__(self, include: GlobPattern, *, exclude: GlobPattern = (), separator: str = ".") -> None:
        self._written = f"include={include}, exclude={exclude}"
        self.separator = separator
        self.include = self._expressions(include)
        self.exclude = self._expressions(exclude)

    def _expressions(self, patterns: GlobPattern) -> list[re.Pattern[str]]:
        if isinstance(patterns, str):
            patterns = (patterns,)
        elif not isinstance(patterns, Iterable):
            raise TypeError(f"GlobGroup: expected a pattern, or an iterable of them, got {type(patterns).__name__}")
        found = []
        for pattern in patterns:
            if not isinstance(pattern, str):
                raise TypeError(f"GlobGroup: a pattern must be a string, got {type(pattern).__name__}")
            found.append(_expression(pattern, self.separator))
        return found

    def __str__(self) -> str:
        return f"GlobGroup({self._written})"

    __repr__ = __str__

    def matches(self, candidate: str) -> bool:
        """Whether a name belongs to the group.

        Args:
            candidate (str): the name

        Returns:
            whether a pattern of `include` matches it, and none of `exclude`
        """
        name = self.separator + candidate
        return any(e.fullmatch(name) for e in self.include) and not any(e.fullmatch(name) for e in self.exclude)
