"""Timer: measures a statement."""

import enum
import textwrap
import timeit

import torch
from torch.utils.benchmark.utils import common

__all__ = ["Timer", "timer", "Language"]

if torch.cuda.is_available():

    def timer():
        """Seconds, once the device has done what it was given."""
        torch.cuda.synchronize()
        return timeit.default_timer()

else:
    timer = timeit.default_timer


class Language(enum.Enum):
    """What a statement is written in."""

    PYTHON = 0
    CPP = 1


def _language(language):
    if language in (Language.PYTHON, "py", "python"):
        return Language.PYTHON
    if language in (Language.CPP, "cpp", "c++"):
        raise NotImplementedError("Timer: statements in C++ are not supported, Python ones only")
    raise ValueError(f"Timer: unknown language {language!r}, known is python")


def _clean(text):
    """Without the indentation that it has in the source it stands in, and without empty lines around."""
    lines = textwrap.dedent(text).splitlines()
    while lines and not lines[0].strip():
        del lines[0]
    while lines and not lines[-1].strip():
        del lines[-1]
    return textwrap.dedent("\n".join(line.rstrip() for line in lines))


class Timer:
    """Measures how long a statement of Python takes.

    stmt: the code; setup: code that runs before; globals: the names that both see, torch is one of them; timer: a
    function that gives seconds; label, sub_label, description, env: the table, row, column and variant where
    Compare puts it; num_threads: of the operators while it runs. Statements run once before they are measured, so
    that what is made on first use does not count."""

    _timer_cls = timeit.Timer

    def __init__(
        self,
        stmt="pass",
        setup="pass",
        global_setup="",
        timer=timer,
        globals=None,
        label=None,
        sub_label=None,
        description=None,
        env=None,
        num_threads=1,
        language=Language.PYTHON,
    ):
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
            stmt=stmt,
            setup=setup,
            global_setup="",
            label=label,
            sub_label=sub_label,
            description=description,
            env=env,
            num_threads=num_threads,
        )

    def _timeit(self, number):
        # A clock may stand still for short times; nothing takes no time.
        return max(self._timer.timeit(number), 1e-9)

    def _measurement(self, number, times):
        return common.Measurement(number_per_run=number, raw_times=times, task_spec=self._task_spec)

    def timeit(self, number=1000000):
        """Time `number` runs as one, after a hundredth as many that do not count. Gives a Measurement."""
        with common.set_torch_threads(self._task_spec.num_threads):
            self._timeit(max(number // 100, 2))
            return self._measurement(number, [self._timeit(number)])

    def repeat(self, repeat=-1, number=-1):
        """Not there; blocked_autorange repeats."""
        raise NotImplementedError("See `Timer.blocked_autorange.`")

    def autorange(self, callback=None):
        """Not there; blocked_autorange finds out how many runs a measurement takes."""
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
        """So many runs that the loop around them and the clock do not count, but many blocks fit into the time."""
        with common.set_torch_threads(self._task_spec.num_threads):
            overhead = sorted(self._timeit(0) for _ in range(5))[2]
            number = 1
            while True:
                spent = self._timeit(number)
                if spent > min_run_time or (overhead / spent <= 1e-4 and spent >= min_run_time / 1000):
                    return number
                number *= 10

    def blocked_autorange(self, callback=None, min_run_time=0.2):
        """Measure for at least `min_run_time` seconds, in blocks of as many runs as it takes for the clock not to
        count. callback(number, seconds) hears of each block. Gives a Measurement with a time for each block."""
        number = self._block_size(min_run_time)
        return self._measurement(number, self._blocks(number, lambda _: True, min_run_time, min_run_time, callback))

    def adaptive_autorange(self, threshold=0.1, *, min_run_time=0.01, max_run_time=10.0, callback=None):
        """Measure until the interquartile range is below `threshold` of the median, for min_run_time to
        max_run_time seconds. Gives a Measurement as blocked_autorange does."""
        number = self._block_size(min_run_time)

        def certain(times):
            return len(times) > 3 and self._measurement(number, times).meets_confidence(threshold)

        return self._measurement(number, self._blocks(number, certain, min_run_time, max_run_time, callback))

    def collect_callgrind(self, number=100, *, repeats=None, collect_baseline=True, retain_out_file=False):
        """Count the instructions of `number` runs, in a process of its own under valgrind. Gives CallgrindStats, or
        with `repeats` a list of them.

        Names in `globals` come over by value: numbers, texts, tensors, modules, and what CopyIfCallgrind holds.
        collect_baseline: count what the loop alone takes, to be subtracted; retain_out_file: keep the file for
        tools that show it. OSError: there is no valgrind, or it failed."""
        from torch.utils.benchmark.utils.valgrind_wrapper import timer_interface

        results = timer_interface.collect(self._task_spec, self._globals, number, repeats or 1, collect_baseline, retain_out_file)
        return results if repeats is not None else results[0]
