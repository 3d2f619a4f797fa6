"""Measures the cost of profiling per operator: python -m benchmarks.profiler [--peer /path/to/python]

Times torch.add of two 1-element tensors without a profiler and with each kind of profile, in both interpreters in turn.
Prints the additional microseconds per operator while the profile runs ("on"), and including its end, which collects the
events ("all"). The budget for "on" is 1 microsecond. The exit status is 1 if it is missed.
"""

import argparse
import json
import math
import os
import subprocess
import sys
import time

BUDGET_US = 1.0
CALLS = 5000
KINDS = {
    "bare": {},
    "record_shapes": {"record_shapes": True},
    "with_flops": {"with_flops": True},
    "profile_memory": {"profile_memory": True},
    "with_modules": {"with_modules": True},
    "with_stack": {"with_stack": True},
    "shapes, memory, stack": {"record_shapes": True, "profile_memory": True, "with_stack": True},
}


def microseconds(options):
    """(on, all): microseconds of one call while a profile runs, and with the profile's end."""
    import contextlib

    import torch

    a, b, add = torch.ones(1), torch.ones(1), torch.add
    profile = contextlib.nullcontext if options is None else lambda: torch.profiler.profile(**options)
    before = time.perf_counter()
    with profile():
        start = time.perf_counter()
        for _ in range(CALLS):
            add(a, b)
        end = time.perf_counter()
    return (end - start) / CALLS * 1e6, (time.perf_counter() - before) / CALLS * 1e6


def worker():
    for line in sys.stdin:
        print(json.dumps(microseconds(json.loads(line))), flush=True)


class Interpreter:
    def __init__(self, python):
        self.process = subprocess.Popen(
            [python, os.path.abspath(__file__), "--worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=os.path.dirname(os.path.abspath(__file__)),
            env={**os.environ, "KINETO_LOG_LEVEL": "99"},
        )
        self.best = {}

    def time(self, kind, options):
        self.process.stdin.write(json.dumps(options) + "\n")
        self.process.stdin.flush()
        on, whole = json.loads(self.process.stdout.readline())
        best = self.best.get(kind, (math.inf, math.inf))
        self.best[kind] = min(best[0], on), min(best[1], whole)

    def more(self, kind):
        return tuple(t - self.best["off"][0] for t in self.best[kind])


def main():
    parse = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parse.add_argument("--peer", help="the Python of an environment with PyTorch")
    parse.add_argument("--rounds", type=int, default=7)
    parse.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    args = parse.parse_args()
    if args.worker:
        worker()
        return 0
    sides = {"ours": Interpreter(sys.executable)}
    if args.peer:
        sides["peer"] = Interpreter(args.peer)
    for _ in range(args.rounds):
        for kind, options in {"off": None, **KINDS}.items():
            for side in sides.values():
                side.time(kind, options)
    print(f"{'microseconds an operator':26}" + "".join(f"{s + ' on':>10}{s + ' all':>11}" for s in sides))
    print(f"{'without a profiler':26}" + "".join(f"{side.best['off'][0]:10.2f}{'':11}" for side in sides.values()))
    missed = 0
    for kind in KINDS:
        over = sides["ours"].more(kind)[0] > BUDGET_US
        missed += over
        figures = "".join("{:10.2f}{:11.2f}".format(*side.more(kind)) for side in sides.values())
        print(f"+ {kind:24}{figures}{'  over' if over else ''}")
    for side in sides.values():
        side.process.stdin.close()
        side.process.wait()
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
