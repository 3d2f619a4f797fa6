"""Times the cases whose names have a word in them: one JSON object out. Runs under either interpreter."""

import json
import os
import sys
import time
import warnings

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from cases import cases  # noqa: E402

import torch  # noqa: E402


def best_time(f, seconds):
    """Seconds of one call: the least of several rounds of at least 4 ms."""
    f()
    start = time.perf_counter()
    f()
    calls = max(1, int(0.004 / max(time.perf_counter() - start, 1e-7)))
    best, rounds, end = float("inf"), 0, time.perf_counter() + seconds
    while rounds < 3 or time.perf_counter() < end:
        start = time.perf_counter()
        for _ in range(calls):
            f()
        best, rounds = min(best, (time.perf_counter() - start) / calls), rounds + 1
    return best


def main():
    ask = json.loads(sys.stdin.read())
    warnings.simplefilter("ignore")
    torch.set_num_threads(ask["threads"])
    times = {}
    for name, (make, dtype, backward) in cases().items():
        if ask["names"] is not None and name not in ask["names"]:
            continue
        if any(word not in name for word in ask["only"]):
            continue
        torch.manual_seed(0)
        try:
            times[name] = best_time(make(dtype, backward), ask["seconds"])
        except (RuntimeError, NotImplementedError) as e:
            times[name] = f"{type(e).__name__}: {e}"[:100]
    print(json.dumps(times))


if __name__ == "__main__":
    main()
