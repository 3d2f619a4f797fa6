"""Runs cases on request: the part of compare.py that runs in each interpreter. Reads and writes one JSON object per line."""

import json
import os
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))


def time_calls(f, n):
    start = time.perf_counter()
    for _ in range(n):
        f()
    return (time.perf_counter() - start) / n


def main():
    from cases import groups

    import torch

    threads = os.environ.get("BENCH_THREADS", "2")
    if not threads.isdecimal() or int(threads) < 1:
        sys.exit(f"error: BENCH_THREADS={threads} is not a number of threads of at least 1")
    torch.set_num_threads(int(threads))
    table, ready = groups(), {}
    for line in sys.stdin:
        ask = json.loads(line)
        key = (ask["group"], ask["case"])
        try:
            if key not in ready:
                case = table[ask["group"]][ask["case"]]
                make = case.peer if ask["peer"] and case.peer else case.make
                f = make()
                f()
                once = time_calls(f, 2)
                ready[key] = f, max(1, min(20000, int(ask["slice"] / max(once, 1e-9))))
            f, n = ready[key]
            answer = {"seconds": time_calls(f, n)}
            if ask["last"]:
                del ready[key]
        except Exception as e:
            answer = {"error": f"{type(e).__name__}: {e}"}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
