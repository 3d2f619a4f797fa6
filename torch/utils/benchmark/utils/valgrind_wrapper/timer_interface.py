"""Instruction counts: runs a statement in a separate process under valgrind's callgrind."""

from __future__ import annotations

import collections
import dataclasses
import os
import pickle
import re
import shutil
import subprocess
import sys
import tempfile
import types

import torch
from torch.utils.benchmark.utils import common

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

__all__ = ["FunctionCount", "FunctionCounts", "CallgrindStats", "CopyIfCallgrind"]

FunctionCount = collections.namedtuple("FunctionCount", ["count", "function"])
FunctionCount.__doc__ = """Instructions of one function.

Args:
    count (int): how many
    function (str): file and name

Example:
    >>> torch.utils.benchmark.FunctionCount(12, "file.c:work").count
    12
"""

_LINE_WIDTH = 80
# CPython's name lookups, whose cost depends on the addresses of strings.
_NOISY = (
    "dictobject.c:lookdict_unicode",
    "dictobject.c:unicodekeys_lookup_unicode",
    "dictobject.c:_Py_dict_lookup",
    "dictobject.c:dictresize",
    "dictobject.c:insertdict",
)


@dataclasses.dataclass(repr=False, eq=False, frozen=True)
class FunctionCounts:
    """Instructions by function, the most first; sums and differences are by function.

    Args:
        inclusive (bool): with those of the functions that are called
        truncate_rows (bool, default True): show only the first and last rows

    Example:
        >>> from torch.utils.benchmark import FunctionCount, FunctionCounts
        >>> counts = FunctionCounts((FunctionCount(12, "file.c:work"), FunctionCount(3, "file.c:rest")), inclusive=False)
        >>> counts.sum(), counts.filter(lambda name: "rest" in name).sum()
        (15, 3)
    """

    _data: tuple
    inclusive: bool
    truncate_rows: bool = True
    _linewidth: int | None = None

    def __iter__(self):
        yield from self._data

    def __len__(self):
        return len(self._data)

    def __getitem__(self, item):
        data = self._data[item]
        return data if isinstance(data, FunctionCount) else dataclasses.replace(self, _data=data)

    def _line(self, count, function, width):
        room = (self._linewidth or _LINE_WIDTH) - width - 4
        if len(function) > room:
            left = (room - 5) // 2
            function = function[:left] + " ... " + function[left + 5 - room :]
        return f"  {count:>{width}}  {function}"

    def __repr__(self):
        width = max((len(str(c.count)) for c in self._data), default=1)
        lines = [self._line(c.count, c.function, width) for c in self._data]
        if self.truncate_rows and len(lines) > 18:
            lines = [*lines[:9], "...".rjust(width + 2), *lines[-9:]]
        total = [] if self.inclusive else ["", f"Total: {self.sum()}"]
        return "\n".join([object.__repr__(self), *lines, *total])

    def _combined(self, other, sign):
        if self.inclusive != other.inclusive:
            raise AssertionError("Cannot merge inclusive and exclusive counts.")
        counts = collections.Counter()
        for c in self:
            counts[c.function] += c.count
        for c in other:
            counts[c.function] += sign * c.count
        return _sorted(counts, self.inclusive, self.truncate_rows, self._linewidth)

    def __add__(self, other):
        return self._combined(other, 1)

    def __sub__(self, other):
        return self._combined(other, -1)

    def transform(self, map_fn: Callable[[str], str]) -> FunctionCounts:
        """Rename functions; counts of those that get the same name are added up.

        Args:
            map_fn (function): old name -> new name
        """
        counts = collections.Counter()
        for c in self:
            counts[map_fn(c.function)] += c.count
        return _sorted(counts, self.inclusive, self.truncate_rows, self._linewidth)

    def filter(self, filter_fn: Callable[[str], bool]) -> FunctionCounts:
        """Only some of the functions.

        Args:
            filter_fn (function): name -> whether it stays
        """
        return dataclasses.replace(self, _data=tuple(c for c in self if filter_fn(c.function)))

    def sum(self) -> int:
        """All instructions together."""
        return sum(c.count for c in self)

    def denoise(self) -> FunctionCounts:
        """Without functions of the interpreter whose cost varies randomly."""
        return self.filter(lambda function: not any(noisy in function for noisy in _NOISY))


def _sorted(counts, inclusive, truncate_rows=True, linewidth=None):
    rows = sorted((FunctionCount(n, f) for f, n in counts.items() if n), key=lambda c: (-c.count, c.function))
    return FunctionCounts(tuple(rows), inclusive, truncate_rows, linewidth)


@dataclasses.dataclass(repr=False, eq=False, frozen=True)
class CallgrindStats:
    """Instruction counts of a statement; those of the empty loop stand beside.

    Args:
        task_spec (TaskSpec): the statement
        number_per_run (int): how often it ran
        built_with_debug_symbols (bool): whether functions have their lines
        baseline_inclusive_stats (FunctionCounts): of the empty loop, with what functions call
        baseline_exclusive_stats (FunctionCounts): of the empty loop
        stmt_inclusive_stats (FunctionCounts): of the statement, with what functions call
        stmt_exclusive_stats (FunctionCounts): of the statement
        stmt_callgrind_out (str or None): the file, if it was kept

    Example:
        >>> from torch.utils.benchmark import CallgrindStats, FunctionCount, FunctionCounts, TaskSpec
        >>> none = FunctionCounts((), False)
        >>> some = FunctionCounts((FunctionCount(12, "file.c:work"),), False)
        >>> CallgrindStats(TaskSpec("pass", "pass"), 1, True, none, none, some, some, None).counts()
        12
    """

    task_spec: common.TaskSpec
    number_per_run: int  # how often the statement ran under valgrind
    built_with_debug_symbols: bool  # whether functions have their lines
    baseline_inclusive_stats: FunctionCounts  # of the empty loop: with what a function calls ...
    baseline_exclusive_stats: FunctionCounts  # ... and without
    stmt_inclusive_stats: FunctionCounts  # of the statement
    stmt_exclusive_stats: FunctionCounts
    stmt_callgrind_out: str | None

    def __repr__(self):
        baseline = self.baseline_exclusive_stats
        threads = self.task_spec.num_threads
        lines = [
            object.__repr__(self),
            self.task_spec.summarize(),
            f"  {'':<22}{'All':>6}{'Noisy symbols removed':>31}",
            f"    Instructions: {self.counts():>12}{self.counts(denoise=True):>27}",
            f"    Baseline:     {baseline.sum():>12}{baseline.denoise().sum():>27}",
            f"{self.number_per_run} runs per measurement, {threads} thread{'s' if threads > 1 else ''}",
        ]
        if not self.built_with_debug_symbols:
            lines += ["Warning: the debug symbols of torch were not read.", "         Functions have no files here."]
        return "\n".join(lines)

    def stats(self, inclusive: bool = False) -> FunctionCounts:
        """Counts of functions, the baseline subtracted.

        Args:
            inclusive (bool, default False): with those of the functions that are called
        """
        if inclusive:
            return self.stmt_inclusive_stats - self.baseline_inclusive_stats
        return self.stmt_exclusive_stats - self.baseline_exclusive_stats

    def counts(self, *, denoise: bool = False) -> int:
        """All instructions together, the baseline subtracted.

        Args:
            denoise (bool, default False): without functions that take more or less by chance
        """
        stats = self.stats()
        return (stats.denoise() if denoise else stats).sum()

    def delta(self, other: CallgrindStats, inclusive: bool = False) -> FunctionCounts:
        """Which functions take more here than in another one.

        Args:
            other (CallgrindStats): the other one
            inclusive (bool, default False): with those of the functions that are called
        """
        return self.stats(inclusive) - other.stats(inclusive)

    def as_standardized(self) -> CallgrindStats:
        """File names without folders, which differ between builds."""

        def strip(stats):
            return stats.transform(lambda f: re.sub(r"^\S*/(?=[^/\s:]+:)", "", re.sub(r" \[.*\]$", "", f)))

        names = ("baseline_inclusive_stats", "baseline_exclusive_stats", "stmt_inclusive_stats", "stmt_exclusive_stats")
        return dataclasses.replace(self, **{name: strip(getattr(self, name)) for name in names})


class CopyIfCallgrind:
    """A value for `globals` that may be pickled over into the process that counts.

    Args:
        value (Any): the value
        setup (str, optional): code that has to run there before it can be read, such as imports of its class

    Raises:
        ValueError: it cannot be pickled

    Example:
        >>> torch.utils.benchmark.CopyIfCallgrind([1, 2]).value
        [1, 2]
    """

    def __init__(self, value: Any, *, setup: str | None = None) -> None:
        if not isinstance(value, (bytes, bytearray, complex, float, int, str, *_BY_TORCH)) and setup is None:
            try:
                pickle.dumps(value)
            except Exception as problem:
                raise ValueError(f"CopyIfCallgrind: {type(value)} cannot be pickled: {problem}") from None
        self.value, self.setup = value, setup


_BY_TORCH = (torch.Tensor, torch.nn.Module)


def _carried(globals_):
    """(name, kind, value, setup) of each global, so that the other process can make it."""
    for name, value in globals_.items():
        if name == "__builtins__":
            continue
        setup = None
        wrapped = isinstance(value, CopyIfCallgrind)
        if wrapped:
            value, setup = value.value, value.setup
        if isinstance(value, types.ModuleType):
            yield name, "module", value.__name__, setup
        elif wrapped or value is None or isinstance(value, (bytes, bytearray, complex, float, int, str, *_BY_TORCH)):
            yield name, "torch", value, setup
        else:
            raise ValueError(
                f"`globals` has {name!r} of {type(value)}, which collect_callgrind does not copy by itself. "
                "Wrap it in CopyIfCallgrind."
            )


# Valgrind does not support instructions beyond AVX2.
_KNOWN_TO_VALGRIND = {
    "ATEN_CPU_CAPABILITY": "avx2",
    "ONEDNN_MAX_CPU_ISA": "AVX2",
    "OPENBLAS_CORETYPE": "Haswell",
}
_LOGGING_VARIABLES = ("TORCH_LOGS", "TORCH_TRACE", "TORCH_DTRACE")

_RUNNER = """
import importlib
import sys
import textwrap

import torch

folder, number, threads = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
stmt, setup, carried = torch.load(folder + "/task.pt", weights_only=False)
space = {}
for name, kind, place, prepare in carried:
    if prepare:
        exec(prepare, space)
    space[name] = importlib.import_module(place) if kind == "module" else torch.load(place, weights_only=False)
torch.set_num_threads(threads)
source = "def make():\\n" + textwrap.indent(setup, "    ") + "\\n    def counted():\\n        for _ in range(repetitions):\\n"
source += textwrap.indent(stmt, "            ") + "\\n    return counted\\n"
space["repetitions"] = max(number // 100, 2)
exec(compile(source, "<counted>", "exec"), space)
counted = space["make"]()
counted()
space["repetitions"] = number
torch._C._run_counted(counted)
"""


def _write_task(folder, task, globals_, stmt, setup):
    rows = []
    for k, (name, kind, value, prepare) in enumerate(_carried(globals_)):
        if kind == "torch":
            place = os.path.join(folder, f"global_{k}.pt")
            torch.save(value, place)
            value = place
        rows.append((name, kind, value, prepare))
    torch.save((stmt, setup, rows), os.path.join(folder, "task.pt"))
    with open(os.path.join(folder, "run.py"), "w") as file:
        file.write(_RUNNER)


def _without_debug_info(folder):
    """A copy of this package for a valgrind that cannot read the debug information in its libraries.

    Python files are links, libraries are copies whose debug sections go by names that nobody looks for. Names of functions
    stay.
    """
    package, copy = os.path.dirname(torch.__file__), os.path.join(folder, "package", "torch")
    os.makedirs(os.path.join(copy, "lib"))
    for inside in ("", "lib"):
        for entry in os.scandir(os.path.join(package, inside)):
            target = os.path.join(copy, inside, entry.name)
            if entry.name.endswith(".so"):
                with open(entry.path, "rb") as library, open(target, "wb") as file:
                    file.write(library.read().replace(b"\0.debug_", b"\0.unread"))
            elif not os.path.exists(target):
                os.symlink(entry.path, target)
    return os.path.dirname(copy)


def _valgrind(folder, number, threads, out):
    """Run the task of a folder; whether valgrind could read the debug information."""
    command = [
        "valgrind",
        "--tool=callgrind",
        f"--callgrind-out-file={out}",
        "--collect-atstart=no",
        "--toggle-collect=torch_counted_region",
        sys.executable,
        os.path.join(folder, "run.py"),
        folder,
        str(number),
        str(threads),
    ]
    environment = {name: value for name, value in os.environ.items() if name not in _LOGGING_VARIABLES}
    environment.update(PYTHONHASHSEED="0", TORCH_CRASH_REPORT="0")
    for name, value in _KNOWN_TO_VALGRIND.items():
        environment.setdefault(name, value)
    package = os.path.join(folder, "package")
    has_debug_info = not os.path.exists(package)
    for place in (package if not has_debug_info else os.path.dirname(os.path.dirname(torch.__file__)), None):
        place = place or _without_debug_info(folder)
        environment["PYTHONPATH"] = os.pathsep.join(p for p in [place, os.environ.get("PYTHONPATH")] if p)
        run = subprocess.run(command, env=environment, capture_output=True, text=True)
        if not has_debug_info or "debuginfo reader" not in run.stderr:
            break
        has_debug_info = False
    if "Unrecognised instruction" in run.stderr:
        capabilities = next((line for line in torch.__config__.show().splitlines() if "capabilities" in line), "").strip(" -")
        raise OSError(
            f"Failed to collect callgrind profile: this valgrind lacks an instruction of the statement. The build has kernels "
            f"for {capabilities}; one with kernels for AVX2 too can be counted.\n{run.stderr}"
        )
    if run.returncode or not os.path.exists(out):
        raise OSError(f"Failed to collect callgrind profile:\n{run.stdout}{run.stderr}")
    return has_debug_info


def _annotated(out, inclusive):
    """The table of callgrind_annotate as FunctionCounts."""
    command = [
        "callgrind_annotate",
        f"--inclusive={'yes' if inclusive else 'no'}",
        "--threshold=100",
        "--auto=no",
        "--show-percs=no",
        out,
    ]
    run = subprocess.run(command, capture_output=True, text=True)
    if run.returncode:
        raise OSError(f"callgrind_annotate failed:\n{run.stdout}{run.stderr}")
    counts = collections.Counter()
    inside = False
    for line in run.stdout.splitlines():
        if re.match(r"\s*Ir\s+.*file:function", line):
            inside = True
        elif inside and (row := re.match(r"\s*([\d,]+)\s+(\S.*)$", line)):
            counts[row[2].removeprefix("* ").rstrip()] += int(row[1].replace(",", ""))
        elif inside and counts and not line.strip():
            break
    return _sorted(counts, inclusive)


def collect(task, globals_, number, repeats, collect_baseline, retain_out_file):
    """CallgrindStats of a task, `repeats` times."""
    for tool in ("valgrind", "callgrind_annotate"):
        if shutil.which(tool) is None:
            raise OSError(f"collect_callgrind needs {tool}, which is not installed here (it comes with valgrind)")
    empty = FunctionCounts((), True), FunctionCounts((), False)
    with tempfile.TemporaryDirectory(prefix="callgrind_") as folder:

        def count(stmt, setup, name):
            out = os.path.join(folder, name)
            _write_task(folder, task, globals_, stmt, setup)
            has_debug_info = _valgrind(folder, number, task.num_threads, out)
            copy, package = os.path.join(folder, "package", "torch"), os.path.dirname(torch.__file__)
            tables = [_annotated(out, inclusive).transform(lambda f: f.replace(copy, package)) for inclusive in (True, False)]
            return *tables, out, has_debug_info

        baseline = count("pass", "pass", "baseline.out")[:2] if collect_baseline else empty
        results = []
        for k in range(repeats):
            inclusive, exclusive, out, has_debug_info = count(task.stmt, task.setup, f"stmt_{k}.out")
            text = None
            if retain_out_file:
                with open(out) as file:
                    text = file.read()
            results.append(CallgrindStats(task, number, has_debug_info, *baseline, inclusive, exclusive, text))
        return results
