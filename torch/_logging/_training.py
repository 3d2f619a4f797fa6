"""Records of a training program in TORCH_TRACE: backward passes, optimizer steps, data loading, graphs, allocator peaks.

Spans and counters are `chromium_event` records, which tlparse collects into one timeline for Perfetto. Each is written when
it ends, so a killed run leaves its records. The graph of a backward pass is an artifact, written when its number of
nodes differs from the previous one's. A summary of the steps is an artifact written when the program ends.
"""

import atexit
import collections
import functools
import os
import threading
import time

from torch._logging import _trace

# A graph with more nodes is truncated, and the artifact says so.
MAX_NODES = 5000


def _event(name, phase, start, args, **more):
    if not _trace.trace_log.handlers:
        return
    event = {"name": name, "ph": phase, "ts": start * 1e6, "pid": os.getpid(), "tid": threading.get_native_id(),
             "cat": "training", "args": args, **more}  # fmt: skip
    _trace.trace_structured("chromium_event", payload_fn=lambda: event, expect_trace_id=False)


def _span(name, start, args):
    _event(name, "X", start, args, dur=(time.time() - start) * 1e6)


class _Run:
    """The state of the run so far."""

    def __init__(self):
        self.steps = self.backwards = 0
        self.nodes = -1
        self.loading = self.in_steps = 0.0
        self.began = None
        self.slowest = (0.0, 0)
        self.last_step = None

    def step_ended(self, start):
        now = time.time()
        self.in_steps += now - start
        if self.last_step is not None and now - self.last_step > self.slowest[0]:
            self.slowest = (now - self.last_step, self.steps)
        self.last_step = now
        self.steps += 1

    def summary(self):
        seconds = time.time() - self.began if self.began else 0.0
        return {
            "optimizer_steps": self.steps,
            "backward_passes": self.backwards,
            "seconds": seconds,
            "seconds_in_optimizer": self.in_steps,
            "seconds_waiting_for_data": self.loading,
            "slowest_step": {"seconds": self.slowest[0], "number": self.slowest[1]},
            **_memory(),
        }


_run = _Run()


def _memory():
    import torch

    stats = torch.cpu.memory_stats()
    return {name: stats[name] for name in ("allocated_bytes", "peak_allocated_bytes")}


def _write_graph(roots):
    """Write the nodes that a backward pass will run, as an artifact, if their number has changed."""
    numbers, lines, kinds = {}, [], collections.Counter()
    queue = collections.deque(fn for fn in (root.grad_fn for root in roots) if fn is not None)
    for fn in queue:
        numbers.setdefault(fn, len(numbers))
    while queue and len(lines) < MAX_NODES:
        fn = queue.popleft()
        kinds[fn.name()] += 1
        following = []
        for other, _ in fn.next_functions:
            if other is not None:
                if other not in numbers:
                    numbers[other] = len(numbers)
                    queue.append(other)
                following.append(f"#{numbers[other]}")
        lines.append(f"#{numbers[fn]} {fn.name()}" + (f" -> {', '.join(following)}" if following else ""))
    if len(lines) == _run.nodes:
        return
    _run.nodes = len(lines)
    kept = f"{len(lines)} nodes" + (", the rest left out" if queue else "")
    head = [kept, *(f"  {n} {kind}" for kind, n in kinds.most_common()), ""]
    text = "\n".join(head + lines)
    _trace.trace_structured_artifact(f"backward_graph_of_step_{_run.steps}", "string", lambda: text)


def _traced_backward(backward):
    @functools.wraps(backward)
    def traced(tensors, *args, **kwargs):
        if not _trace.trace_log.handlers:
            return backward(tensors, *args, **kwargs)
        import torch

        _write_graph([tensors] if isinstance(tensors, torch.Tensor) else list(tensors))
        start = time.time()
        _run.began = _run.began or start
        try:
            return backward(tensors, *args, **kwargs)
        finally:
            _span("backward", start, {"step": _run.steps, "nodes": _run.nodes})
            _run.backwards += 1

    return traced


def _traced_next(following):
    @functools.wraps(following)
    def traced(self):
        start = time.time()
        _run.began = _run.began or start
        try:
            return following(self)
        finally:
            _run.loading += time.time() - start
            _span("data loading", start, {"step": _run.steps})

    return traced


def _before_step(optimizer, args, kwargs):
    optimizer._trace_step_start = time.time()


def _after_step(optimizer, args, kwargs):
    start = optimizer.__dict__.pop("_trace_step_start", None)
    if start is None or not _trace.trace_log.handlers:
        return
    rates = [group["lr"] for group in optimizer.param_groups if "lr" in group]
    _span("optimizer step", start, {"step": _run.steps, "optimizer": type(optimizer).__name__, "lr": [float(r) for r in rates]})
    _event("memory of tensors", "C", time.time(), _memory())
    _run.step_ended(start)


def _write_summary():
    if _trace.trace_log.handlers and (_run.steps or _run.backwards):
        _trace.trace_structured_artifact("training_summary", "json", _run.summary)


@functools.cache
def install():
    """Observes backward passes, optimizers and data loaders of this process. Other processes pay nothing."""
    import torch
    from torch.autograd import _run as autograd
    from torch.optim import optimizer
    from torch.utils.data import _multi, dataloader

    autograd.backward = torch.autograd.backward = _traced_backward(autograd.backward)
    optimizer.register_optimizer_step_pre_hook(_before_step)
    optimizer.register_optimizer_step_post_hook(_after_step)
    for kind in (dataloader._SingleProcessIterator, _multi.MultiProcessIterator):
        kind.__next__ = kind.next = _traced_next(kind.__next__)
    atexit.register(_write_summary)
