"""Timer: measures a statement."""

from __future__ import annotations

import enum
import textwrap
import timeit

import torch
from torch.utils.benchmark.utils import common

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

__all__ = ["Timer", "timer", "Language"]

if torch.cuda.is_available():

    def timer():
        """Seconds, after the device has finished its work."""
        torch.cuda.synchronize()
        return timeit.default_timer()

else:
    timer = timeit.default_timer


class Language(enum.Enum):
    """What a statement is written in.

    Args:
        value (int): the number of a language

    Example:
        >>> torch.utils.benchmark.Language(0)
        <Language.PYTHON: 0>
    """

    PYTHON = 0
    CPP = 1


def _language(language):
    if language in (Language.PYTHON, "py", "python"):
        return Language.PYTHON
    if language in (Language.CPP, "cpp", "c++"):
        raise NotImplementedError("Timer: statements in C++ are not supported, Python ones only")
    raise ValueError(f"Timer: unknown language {language!r}, known is python")


def _clean(text):
    """The text without its common indentation and without surrounding empty lines."""
    lines = textwrap.dedent(text).splitlines()
    while lines and not lines[0].strip():
        del lines[0]
    while lines and not lines[-1].strip():
        del lines[-1]
    return textwrap.dedent("\n".join(line.rstrip() for line in lines))


class Timer:
    """Measures how long a statement of Python takes.

    Statements run once before they are measured, so that what is made on first use does not count.

    Args:
        stmt (str, default "pass"): the code
        setup (str, default "pass"): code that runs before
        global_setup (str, default ""): of C++, refused
        timer (function): gives seconds
        globals (dict, optional): the names that both see; torch is one of them
        label (str, optional): the table where Compare puts it
        sub_label (str, optional): the row
        description (str, optional): the column
        env (str, optional): which build or machine
        num_threads (int, default 1): of operators while it runs
        language (Language, default PYTHON): of the code

    Raises:
        ValueError: the statement is no text, or an unknown language
        NotImplementedError: a statement in C++

    Example:
        >>> timer = torch.utils.benchmark.Timer("x + 1", globals={"x": torch.ones(2)})
        >>> timer.timeit(10).number_per_run
        10
    """

    _timer_cls = timeit.Timer

    def __init__(
        self, stmt: str = "pass", setup: str = "pass", global_setup: str = "", timer: Callable[[], float] = timer,
        globals: dict[str, Any] | None = None, label: str | None = None, sub_label: str | None = None,
        description: str | None = None, env: str | None = None, num_threads: int = 1, language: Any = Language.PYTHON,
    ) -> None:  # fmt: skip
        if not isinstance(stmt, str):
            raise ValueError("Currently only a `str` stmt is supported.")
        self._language = _language(language)
        if global_setup:
            raise ValueError(f"global_setup is C++ only, got `{global_setup}`. Move it to `setup`.")
        self._globals = dict(globals or {})
        self._globals.setdefault("torch", torch)
        stmt, setup = _clean(stmt), _clean(setup)
        self._timer = self._timer_cls(stmt=stmt, setup=setup, timer=timer, globals=self._globals)
        self._task_spec = common.TaskSpec(
            stmt=stmt, setup=setup, global_setup="", label=label, sub_label=sub_label, description=description, env=env,
            num_threads=num_threads,
        )  # fmt: skip

    def _timeit(self, number):
        # A coarse clock may show no time for short runs, but nothing takes no time.
        return max(self._timer.timeit(number), 1e-9)

    def _measurement(self, number, times):
        return common.Measurement(number_per_run=number, raw_times=times, task_spec=self._task_spec)

    def timeit(self, number: int = 1000000) -> common.Measurement:
        """Time a number of runs as one, after a hundredth as many that do not count.

        Args:
            number (int, default 1000000): how many
        """
        with common.set_torch_threads(self._task_spec.num_threads):
            self._timeit(max(number // 100, 2))
            return self._measurement(number, [self._timeit(number)])

    def repeat(self, repeat: int = -1, number: int = -1) -> Any:
        """Not there; blocked_autorange repeats.

        Args:
            repeat (int, default -1): how often
            number (int, default -1): how many runs each

        Raises:
            NotImplementedError: always
        """
        raise NotImplementedError("See `Timer.blocked_autorange.`")

    def autorange(self, callback: Any = None) -> Any:
        """Not there; blocked_autorange finds out how many runs a measurement takes.

        Args:
            callback (function, optional): hears of each measurement

        Raises:
            NotImplementedError: always
        """
        raise NotImplementedError("See `Timer.blocked_autorange.`")

    def _blocks(self, number, stop, min_run_time, max_run_time, callback):
        """Times of blocks of `number` runs: for min_run_time seconds, and until stop(times) or max_run_time."""
        times, total = [], 0.0
        with common.set_torch_threads(self._task_spec.num_threads):
            while total < min_run_time or (total < max_run_time and not stop(times)):
                spent = self._timeit(number)
                times.append(spent)
                total += spent
                if callback:
                    callback(number, spent)
        return times

    def _block_size(self, min_run_time):
        """A number of runs that makes the overhead of loop and clock negligible, but lets many blocks fit into the time."""
        with common.set_torch_threads(self._task_spec.num_threads):
            overhead = sorted(self._timeit(0) for _ in range(5))[2]
            number = 1
            while True:
                spent = self._timeit(number)
                if spent > min_run_time or (overhead / spent <= 1e-4 and spent >= min_run_time / 1000):
                    return number
                number *= 10

    def blocked_autorange(
        self,
        callback: Callable[[int, float], object] | None = None,
        min_run_time: float = 0.2,
    ) -> common.Measurement:
        """Measure in blocks of as many runs as it takes for the clock not to count.

        Args:
            callback (function, optional): gets the number of runs and the seconds of each block
            min_run_time (float, default 0.2): seconds at least
        """
        number = self._block_size(min_run_time)
        return self._measurement(number, self._blocks(number, lambda _: True, min_run_time, min_run_time, callback))

    def adaptive_autorange(
        self, threshold: float = 0.1, *, min_run_time: float = 0.01, max_run_time: float = 10.0,
        callback: Callable[[int, float], object] | None = None,
    ) -> common.Measurement:  # fmt: skip
        """Measure in blocks until the times agree.

        Args:
            threshold (float, default 0.1): the part of the median that the interquartile range must be below
            min_run_time (float, default 0.01): seconds at least
            max_run_time (float, default 10.0): seconds at most
            callback (function, optional): gets the number of runs and the seconds of each block
        """
        number = self._block_size(min_run_time)

        def certain(times):
            return len(times) > 3 and self._measurement(number, times).meets_confidence(threshold)

        return self._measurement(number, self._blocks(number, certain, min_run_time, max_run_time, callback))

    def collect_callgrind(
        self, number: int = 100, *, repeats: int | None = None, collect_baseline: bool = True, retain_out_file: bool = False,
    ) -> Any:  # fmt: skip
        """Count the instructions of runs, in a process of its own under valgrind.

        Names in `globals` come over by value: numbers, texts, tensors, modules, and what CopyIfCallgrind holds.

        Args:
            number (int, default 100): how many runs
            repeats (int, optional): how often, for a list of CallgrindStats
            collect_baseline (bool, default True): count what the loop alone takes, to be subtracted
            retain_out_file (bool, default False): keep the file for tools that show it

        Raises:
            OSError: there is no valgrind, or it failed
        """
        from torch.utils.benchmark.utils.valgrind_wrapper import timer_interface

        results = timer_interface.collect(self._task_spec, self._globals, number, repeats or 1, collect_baseline, retain_out_file)
        return results if repeats is not None else results[0]
