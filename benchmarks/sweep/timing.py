"""How long a call takes."""

import os
import time

# A call that takes longer is timed once.
MAX_SECONDS = 0.1


def best_time(run, seconds):
    """Seconds per call, the least of several slices."""
    start = time.perf_counter()
    run()
    once = time.perf_counter() - start
    if once > MAX_SECONDS:
        return once
    slices = 4 if once < seconds / 4 else 1
    calls = max(1, int(seconds / slices / max(once, 1e-7)))
    found = once
    for _ in range(slices):
        start = time.perf_counter()
        for _ in range(calls):
            run()
        found = min(found, (time.perf_counter() - start) / calls)
    return found


def environment():
    """The variables of a worker: without those that bind OpenBLAS to the kernels of another processor, which few programs set."""
    return {name: value for name, value in os.environ.items() if name not in ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE")}
