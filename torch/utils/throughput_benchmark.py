"""Calls a module from several threads, and measures calls per second."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable
from typing import Any

__all__ = ["ExecutionStats", "ThroughputBenchmark", "format_time"]


def format_time(time_us: float | None = None, time_ms: float | None = None, time_s: float | None = None) -> str:
    """A time for readers; exactly one of the arguments is given.

    Args:
        time_us (float, optional): microseconds
        time_ms (float, optional): milliseconds
        time_s (float, optional): seconds

    Returns:
        the text

    Raises:
        AssertionError: none of them is given, or several

    Example:
        >>> from torch.utils.throughput_benchmark import format_time
        >>> format_time(time_us=1500), format_time(time_s=2)
        ('1.500ms', '2.000s')
    """
    given = [(value, scale) for value, scale in ((time_us, 1.0), (time_ms, 1e3), (time_s, 1e6)) if value is not None]
    if len(given) != 1:
        raise AssertionError(f"format_time: expected one of time_us, time_ms and time_s, got {len(given)}")
    micro = given[0][0] * given[0][1]
    for unit, size in (("s", 1e6), ("ms", 1e3)):
        if micro >= size:
            return f"{micro / size:.3f}{unit}"
    return f"{micro:.3f}us"


class ExecutionStats:
    """What a benchmark measured.

    Args:
        c_stats (tuple): milliseconds of a call on the average, calls, and seconds altogether
        benchmark_config (dict): how it was run

    Example:
        >>> from torch.utils.throughput_benchmark import ExecutionStats
        >>> stats = ExecutionStats((0.5, 100, 0.05), {"num_calling_threads": 1})
        >>> stats.latency_avg_ms, stats.num_iters, stats.iters_per_second, stats.total_time_seconds
        (0.5, 100, 2000.0, 0.05)
    """

    def __init__(self, c_stats: tuple[float, int, float], benchmark_config: dict[str, Any]) -> None:
        self._c_stats, self.benchmark_config = c_stats, benchmark_config

    @property
    def latency_avg_ms(self) -> float:
        """Milliseconds of a call, on the average."""
        return self._c_stats[0]

    @property
    def num_iters(self) -> int:
        """How many calls all threads made."""
        return self._c_stats[1]

    @property
    def iters_per_second(self) -> float:
        """Calls of all threads in a second."""
        return self.num_iters / self.total_time_seconds

    @property
    def total_time_seconds(self) -> float:
        """Seconds from the first call to the last."""
        return self._c_stats[2]

    def __str__(self) -> str:
        return (
            f"latency of a call: {format_time(time_ms=self.latency_avg_ms)}\n"
            f"calls: {self.num_iters}\n"
            f"calls per second, all threads: {self.iters_per_second:.2f}\n"
            f"time: {format_time(time_s=self.total_time_seconds)}"
        )


class ThroughputBenchmark:
    """Calls a module from several threads with inputs drawn from those that it was given.

    Args:
        module (Module or function): what is called

    Example:
        >>> from torch.utils.throughput_benchmark import ThroughputBenchmark
        >>> benchmark = ThroughputBenchmark(nn.ReLU())
        >>> benchmark.add_input(torch.ones(2))
        >>> benchmark.run_once(torch.tensor([-1.0]))
        tensor([0.])
        >>> benchmark.benchmark(num_calling_threads=2, num_warmup_iters=1, num_iters=10).num_iters
        10
    """

    def __init__(self, module: Callable[..., Any]) -> None:
        if not callable(module):
            raise TypeError(f"ThroughputBenchmark: expected a module or function, got {type(module).__name__}")
        self._module = module
        self._inputs: list[tuple[tuple[Any, ...], dict[str, Any]]] = []

    def add_input(self, *args: Any, **kwargs: Any) -> None:
        """Add an input that calls are made with.

        Args:
            *args (Any): the arguments
            **kwargs (Any): keyword arguments
        """
        self._inputs.append((args, kwargs))

    def run_once(self, *args: Any, **kwargs: Any) -> Any:
        """Call the module once.

        Args:
            *args (Any): the arguments
            **kwargs (Any): keyword arguments

        Returns:
            what it returns
        """
        return self._module(*args, **kwargs)

    def benchmark(
        self, num_calling_threads: int = 1, num_warmup_iters: int = 10, num_iters: int = 100, profiler_output_path: str = ""
    ) -> ExecutionStats:
        """Measure.

        Args:
            num_calling_threads (int, default 1): how many threads call it
            num_warmup_iters (int, default 10): calls of each thread that are not measured
            num_iters (int, default 100): calls of all threads together
            profiler_output_path (str, default ""): where to write a trace of the measured calls

        Returns:
            the figures

        Raises:
            RuntimeError: there is no input, or a number is not positive
        """
        if not self._inputs:
            raise RuntimeError("ThroughputBenchmark: add_input() must give an input before benchmark() is called")
        if num_calling_threads < 1 or num_iters < 1 or num_warmup_iters < 0:
            raise RuntimeError(
                "ThroughputBenchmark: expected at least one thread and one call, got "
                f"{num_calling_threads} threads, {num_iters} calls and {num_warmup_iters} calls to warm up"
            )
        seconds, calls = self._run(num_calling_threads, num_warmup_iters, num_iters, profiler_output_path)
        config = {"num_calling_threads": num_calling_threads, "num_warmup_iters": num_warmup_iters, "num_iters": num_iters,
                  "profiler_output_path": profiler_output_path}  # fmt: skip
        return ExecutionStats((seconds * 1e3 * num_calling_threads / calls, calls, seconds), config)

    def _run(self, num_threads: int, warmup: int, num_iters: int, trace: str) -> tuple[float, int]:
        import contextlib

        import torch

        remaining = iter(range(num_iters))  # taking the next number is one step of the interpreter
        barrier = threading.Barrier(num_threads + 1)
        problems: list[BaseException] = []

        def work() -> None:
            draw = random.Random(0)
            try:
                for _ in range(warmup):
                    self._call(draw)
            except BaseException as problem:
                problems.append(problem)
            barrier.wait()
            try:
                while not problems and next(remaining, None) is not None:
                    self._call(draw)
            except BaseException as problem:
                problems.append(problem)

        threads = [threading.Thread(target=work) for _ in range(num_threads)]
        for thread in threads:
            thread.start()
        profile = torch.autograd.profiler.profile() if trace else contextlib.nullcontext()
        with profile:
            barrier.wait()
            begin = time.perf_counter()
            for thread in threads:
                thread.join()
            seconds = time.perf_counter() - begin
        if problems:
            raise problems[0]
        if trace:
            profile.export_chrome_trace(trace)  # type: ignore[union-attr]
        return seconds, num_iters

    def _call(self, draw: random.Random) -> None:
        args, kwargs = draw.choice(self._inputs)
        self._module(*args, **kwargs)
