"""Times cases on a busy machine against their quiet time, here and under PyTorch.

    python -m benchmarks.busy --peer /path/to/python [--seconds 2] [--rounds 3]

The load is one process per core that only counts. Times are means, because on a busy machine the usual case matters, not the
best one. A process with one thread gets two thirds of a core at best, half where the scheduler leaves it on its core: the cases
of ONE_THREAD are therefore compared with a loop of Python alone, timed in turns with them. The exit status is 1 if a budget is
missed.
"""

import argparse
import contextlib
import os
import statistics
import subprocess
import sys

from benchmarks.compare import Worker, budgets, readable

SHARE = "a loop of Python"
ONE_THREAD = ("three small operators",)


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


def time_both(side, case, rounds, seconds, last):
    """Mean seconds of a call, and of the loop of Python; short turns, so that both meet the same scheduler."""
    count, turns = 10 * rounds, []
    for k in range(count):
        turns.append([time_case(side, name, 1, seconds / 10, last and k == count - 1) for name in (case, SHARE)])
    wrong = next((t for turn in turns for t in turn if isinstance(t, str)), None)
    return wrong or tuple(statistics.mean(times) for times in zip(*turns))


def times(before, after):
    """Ratio of the busy to the quiet time, of one thread's share where both are known."""
    return after / before if not isinstance(before, tuple) else after[0] / before[0] / (after[1] / before[1])


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
        measure = time_both if case in ONE_THREAD else time_case
        quiet = [measure(side, case, args.rounds, args.seconds, False) for side in sides]
        with load(args.processes):
            busy = [measure(side, case, args.rounds, args.seconds, True) for side in sides]
        row, over = "", False
        for k, (before, after) in enumerate(zip(quiet, busy)):
            if isinstance(before, str) or isinstance(after, str):
                row += f"  {(before if isinstance(before, str) else after)[:37]:37}"
                over |= k == 0
            else:
                ratio = times(before, after)
                first = [t[0] if isinstance(t, tuple) else t for t in (before, after)]
                row += f"{readable(first[0]):>13}{readable(first[1]):>13}{ratio:13.2f}"
                over |= k == 0 and budget is not None and ratio > budget
        missed += over
        print(f"  {case:28}{row}{'' if budget is None else f'{budget:8.2f}'}{'  over' if over else ''}", flush=True)
    for side in sides:
        side.stop()
    print(f"\n{missed} over budget" if missed else "\nall within budget")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
