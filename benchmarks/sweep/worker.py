"""Times cases on request: one JSON object a line in, one out. Runs under either interpreter."""

import json
import os
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from cases import Case, Table  # noqa: E402

import torch  # noqa: E402

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


def copy_bandwidth():
    """Bytes per second of a copy past the caches, reads and writes counted."""
    x, y = torch.zeros(1 << 24), torch.zeros(1 << 24)
    return 2 * x.numel() * 4 / best_time(lambda: y.copy_(x), 0.2)


def product_speed(dtype, threads):
    """Floating-point operations per second of a product of large matrices."""
    torch.set_num_threads(threads)
    n = 1536
    x, y = (torch.ones(n, n, dtype=getattr(torch, dtype)) for _ in range(2))
    return 2 * n**3 / best_time(lambda: torch.mm(x, y), 0.3)


def main():
    table, ready = None, (None, None, 0, 0)
    for line in sys.stdin:
        ask = json.loads(line)
        try:
            if ask["do"] == "list":
                table = Table(ask["families"])
                answer = [list(vars(c).values()) for c in table.cases(ask["sizes"], ask["dtypes"], ask["threads"], ask["count"])]
            elif ask["do"] == "bandwidth":
                answer = copy_bandwidth()
            elif ask["do"] == "peak":
                answer = product_speed(ask["dtype"], ask["threads"])
            else:
                if table is None:
                    table = Table(ask["families"])
                case = Case(*ask["case"])
                if torch.get_num_threads() != case.threads:
                    torch.set_num_threads(case.threads)
                if ready[0] != case:
                    ready = (case, *table.call(case))
                answer = [best_time(ready[1], ask["seconds"]), *ready[2:]]
        except Exception as e:
            answer = {"error": f"{type(e).__name__}: {e}"[:200]}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
