"""Times cases on a busy machine against their quiet time, here and under PyTorch.

    python -m benchmarks.busy --peer /path/to/python [--seconds 2] [--rounds 3]

The load is one process per core that only counts. Times are means, because on a busy machine the usual case matters, not the best
one. The exit status is 1 if a budget is missed.
"""

import argparse
import contextlib
import os
import statistics
import subprocess
import sys

from benchmarks.compare import Worker, budgets, readable


@contextlib.contextmanager
def load(processes):
    """Runs this many busy processes."""
    running = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(processes)]
    try:
        yield
    finally:
        for process in running:
            process.kill()
            process.wait()


def time_case(worker, case, rounds, seconds, last):
    """Mean seconds of a call, or the error."""
    answers = [worker.time("busy", case, seconds, last and k == rounds - 1) for k in range(rounds)]
    for answer in answers:
        if "error" in answer:
            return answer["error"]
    return statistics.mean(answer["seconds"] for answer in answers)


def main():
    parse = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parse.add_argument("--peer", help="the Python of an environment with PyTorch")
    parse.add_argument("--case", help="only cases whose name contains this")
    parse.add_argument("--processes", type=int, default=os.cpu_count(), help="busy ones (default: one per core)")
    parse.add_argument("--rounds", type=int, default=3)
    parse.add_argument("--seconds", type=float, default=1.0, help="of one timing")
    args = parse.parse_args()
    sides = [Worker(sys.executable, False)] + ([Worker(args.peer, True)] if args.peer else [])
    cases = {name: budget for name, budget in budgets()["busy"].items() if not args.case or args.case in name}
    if not cases:
        raise SystemExit(f"no case contains {args.case!r}; there are: {', '.join(budgets()['busy'])}")
    title = "".join(f"{f'{side} {what}':>13}" for side in ("ours", "peer")[: len(sides)] for what in ("quiet", "busy", "times"))
    print(f"{'busy: ' + str(args.processes) + ' processes':30}{title}{'budget':>8}")
    missed = 0
    for case, budget in cases.items():
        quiet = [time_case(side, case, args.rounds, args.seconds, False) for side in sides]
        with load(args.processes):
            busy = [time_case(side, case, args.rounds, args.seconds, True) for side in sides]
        row, over = "", False
        for k, (before, after) in enumerate(zip(quiet, busy)):
            if isinstance(before, str) or isinstance(after, str):
                row += f"  {(before if isinstance(before, str) else after)[:37]:37}"
                over |= k == 0
            else:
                row += f"{readable(before):>13}{readable(after):>13}{after / before:13.2f}"
                over |= k == 0 and after / before > budget
        missed += over
        print(f"  {case:28}{row}{budget:8.2f}{'  over' if over else ''}", flush=True)
    for side in sides:
        side.stop()
    print(f"\n{missed} over budget" if missed else "\nall within budget")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
