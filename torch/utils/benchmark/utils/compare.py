"""Compare: a table of measurements."""

from __future__ import annotations

import enum
import math
from collections import defaultdict

from torch.utils.benchmark.utils import common

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["Colorize", "Compare"]

_BEST, _GOOD, _BAD, _VERY_BAD = "\033[92m\033[1m", "\033[34m\033[1m", "\033[2m\033[91m", "\033[31m\033[1m"
_PLAIN = "\033[0m\033[0m"


class Colorize(enum.Enum):
    """What a time is compared with to get its colour.

    Args:
        value (str): "none", "columnwise" or "rowwise"

    Example:
        >>> torch.utils.benchmark.Colorize("rowwise")
        <Colorize.ROWWISE: 'rowwise'>
    """

    NONE = "none"
    COLUMNWISE = "columnwise"
    ROWWISE = "rowwise"


def _colored(text, value, best):
    """Text in the colour that the ratio of a time to the best one has."""
    if value <= best * 1.01 or value <= best + 100e-9:
        return _BEST + text + _PLAIN
    if value <= best * 1.1:
        return _GOOD + text + _PLAIN
    if value >= best * 5:
        return _VERY_BAD + text + _PLAIN
    if value >= best * 2:
        return _BAD + text + _PLAIN
    return text


class _Table:
    """The measurements of one label: a row for each (threads, env, row name), a column for each description."""

    def __init__(self, results, colorize, trim, highlight):
        self.colorize, self.trim, self.highlight = colorize, trim, highlight
        self.title = results[0].label or ""
        self.unit, self.scale = common.select_unit(min(r.median for r in results))
        self.columns = common.ordered_unique(r.description for r in results)
        self.found = {(r.num_threads, r.env, r.as_row_name, r.description): r for r in results}
        rows = common.ordered_unique((r.num_threads, (r.env, r.as_row_name)) for r in results)
        self.rows = sorted(rows, key=lambda row: (row[0], row[1][0] is not None, row[1][0] or ""))

    def _row_names(self):
        """Names of rows. If there are several envs, each is shown in the first row of its group."""
        if len({env for _, (env, _) in self.rows}) == 1:
            return [f"      {name}" for _, (_, name) in self.rows]
        width = max(len(f"({env})") if env is not None else 2 for _, (env, _) in self.rows)
        texts, before = [], None
        for threads, (env, name) in self.rows:
            shown = f"({env})" if env is not None and before != (threads, env) else ""
            before = (threads, env)
            texts.append(f"  {shown.ljust(width)}  {name}")
        return texts

    def _cells(self, column):
        """The results of a column, None where there is none."""
        return [self.found.get((threads, *name, column)) for threads, name in self.rows]

    def _texts(self, results):
        """The entries of a column, with decimal points aligned."""
        known = [r for r in results if r]
        before = [math.ceil(math.log10(r.median / self.scale)) if r.median > 0 else 1 for r in known]
        after = 1
        if self.trim:
            after = max(min(r.significant_figures - digits for r, digits in zip(known, before)), 0)
        width = max(max(before), 1) + after + (1 if after else 0)
        marked = self.highlight and any(r.has_warnings for r in known)
        texts = []
        for r in results:
            if r is None:
                texts.append("")
                continue
            value = r.median / self.scale
            value = common.trim_sigfig(value, r.significant_figures) if self.trim else value
            warning = ""
            if marked:
                warning = f" (! {r.iqr / r.median * 100:.0f}%)" if r.has_warnings else " " * 7
            texts.append(f"{value:>{width}.{after}f}{warning}")
        return texts

    def _finished(self, texts, results, width):
        """Texts of a column at their width and in their colours."""
        texts = [text.center(width) for text in texts]
        if self.colorize == Colorize.NONE:
            return texts
        finished = []
        for text, r, row in zip(texts, results, self.rows):
            if r is not None:
                if self.colorize == Colorize.ROWWISE:
                    rivals = [self.found.get((row[0], *row[1], c)) for c in self.columns]
                else:
                    rivals = [m for m, other in zip(results, self.rows) if other[0] == row[0]]
                text = _colored(text, r.median, min(m.median for m in rivals if m))
            finished.append(text)
        return finished

    def render(self):
        """The lines of the table."""
        names = self._row_names()
        name_width = max(map(len, names))
        heads, columns = [], []
        for column in self.columns:
            results = self._cells(column)
            texts = self._texts(results)
            width = max(map(len, [column or "", *texts]))
            heads.append((column or "").center(width))
            columns.append(self._finished(texts, results, width))
        head = "  |  ".join([" " * name_width, *heads])
        total = len(head)
        lines = ["[" + f" {self.title} ".center(total - 2, "-") + "]", head]
        for k, (threads, _) in enumerate(self.rows):
            if k == 0 or self.rows[k - 1][0] != threads:
                lines.append(f"{threads} threads: ".ljust(total, "-"))
            lines.append("  |  ".join([names[k].ljust(name_width), *(column[k] for column in columns)]))
        lines += ["", f"Times are in {common.unit_to_english(self.unit)}s ({self.unit})."]
        if self.highlight and any(r.has_warnings for r in self.found.values()):
            lines.append("(! XX%) Measurement has high variance, where XX is the IQR / median * 100.")
        return [*lines, ""]


class Compare:
    """A table for each label of measurements: rows by sub-label and env, columns by description.

    Args:
        results (Iterable[Measurement]): the measurements

    Raises:
        ValueError: something else is among them

    Example:
        >>> from torch.utils.benchmark import Compare, Measurement, TaskSpec
        >>> task = TaskSpec("x + 1", "pass", label="adding", description="one")
        >>> "Times are in milliseconds (ms)." in str(Compare([Measurement(1, [0.002], task)]))
        True
    """

    def __init__(self, results: Iterable[common.Measurement]) -> None:
        self._results = []
        self.extend_results(results)
        self._trim = self._highlight = False
        self._colorize = Colorize.NONE

    def __str__(self):
        groups = defaultdict(list)
        for result in common.Measurement.merge(self._results):
            groups[result.label].append(result)
        return "\n".join(
            "\n".join(_Table(group, self._colorize, self._trim, self._highlight).render()) for group in groups.values()
        )

    def extend_results(self, results: Iterable[common.Measurement]) -> None:
        """Take in more measurements.

        Args:
            results (Iterable[Measurement]): the measurements
        """
        results = list(results)
        for result in results:
            if not isinstance(result, common.Measurement):
                raise ValueError(f"Expected an instance of `Measurement`, got {type(result)} instead.")
        self._results.extend(results)

    def trim_significant_figures(self) -> None:
        """Show only significant digits."""
        self._trim = True

    def colorize(self, rowwise: bool = False) -> None:
        """Colour times by their ratio to the best one.

        Args:
            rowwise (bool, default False): of the row; otherwise of the column
        """
        self._colorize = Colorize.ROWWISE if rowwise else Colorize.COLUMNWISE

    def highlight_warnings(self) -> None:
        """Mark times that are too far apart to be trusted."""
        self._highlight = True

    def print(self) -> None:
        """Print the tables."""
        print(str(self))
