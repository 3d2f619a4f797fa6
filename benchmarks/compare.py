"""Times this library against another: python -m benchmarks.compare --peer /path/to/python

Both interpreters keep running and alternate on each case, so that other load on the machine affects both. Prints a
table with both times, their ratio and the budget, and for each group the geometric mean and the worst case. The exit
status is 1 if a budget is missed.
"""

import argparse
import json
import math
import os
import subprocess
import sys

# Budgets for the geometric means of groups; the cases have their own.
MEANS = {"memory": 0.5, "training": 1 / 1.3}
# Groups in which this library also runs the other side, in a different form.
ALONE = {"fresh"}
# Groups that run only when they are named.
ON_REQUEST = {"usual"}
# Groups that another program times.
ELSEWHERE = {"busy": "python -m benchmarks.busy"}
HERE = os.path.dirname(os.path.abspath(__file__))


class Worker:
    def __init__(self, python, is_peer):
        self.is_peer = is_peer
        self.process = subprocess.Popen(
            [python, os.path.join(HERE, "worker.py")], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=HERE
        )

    def time(self, group, case, seconds, last):
        ask = {"group": group, "case": case, "peer": self.is_peer, "slice": seconds, "last": last}
        try:
            self.process.stdin.write(json.dumps(ask) + "\n")
            self.process.stdin.flush()
            line = self.process.stdout.readline()
        except BrokenPipeError:
            line = ""
        return json.loads(line) if line else {"error": "the interpreter died"}

    def stop(self):
        self.process.stdin.close()
        self.process.wait()


def readable(seconds):
    for unit, scale in (("s", 1), ("ms", 1e3), ("us", 1e6)):
        if seconds * scale >= 1:
            return f"{seconds * scale:8.2f} {unit}"
    return f"{seconds * 1e9:8.0f} ns"


def run_group(name, cases, ours, peer, rounds, seconds):
    """(case, our seconds, peer's seconds, budget, error) for each case: the best of the rounds."""
    rows = []
    for case, budget in cases.items():
        best = {}
        error = None
        for k in range(rounds):
            for worker in (ours, peer) if k % 2 == 0 else (peer, ours):
                answer = worker.time(name, case, seconds, k == rounds - 1)
                if "error" in answer:
                    error = ("ours: " if worker is ours else "peer: ") + answer["error"]
                else:
                    best[worker] = min(best.get(worker, math.inf), answer["seconds"])
            if error:
                break
        rows.append((case, best.get(ours), best.get(peer), budget, error))
    return rows


def budgets():
    """Group -> {case: budget}, without importing torch here."""
    text = f"import sys, json; sys.path.insert(0, {HERE!r}); from cases import groups; "
    text += "print(json.dumps({g: {n: c.budget for n, c in cs.items()} for g, cs in groups().items()}))"
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, cwd=HERE)
    if done.returncode:
        raise SystemExit(done.stderr)
    return json.loads(done.stdout)


def main():
    parse = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parse.add_argument("--peer", required=True, help="the Python of an environment with PyTorch")
    parse.add_argument(
        "--group",
        action="append",
        help="calls, memory, fresh, compute, training, transforms, layers; usual runs only if it is named",
    )
    parse.add_argument("--case", help="only cases whose name contains this")
    parse.add_argument("--rounds", type=int, default=7)
    parse.add_argument("--seconds", type=float, default=0.05, help="of one timing")
    parse.add_argument("--json", help="write the figures to this file")
    args = parse.parse_args()
    table = {group: cases for group, cases in budgets().items() if group not in ELSEWHERE}
    for group in args.group or ():
        if group in ELSEWHERE:
            parse.error(f"the group {group} is timed by {ELSEWHERE[group]}")
        if group not in table:
            parse.error(f"no group {group!r}; there are: {', '.join(table)}")
    requested = args.group or [group for group in table if group not in ON_REQUEST]
    table = {group: cases for group, cases in table.items() if group in requested}
    if args.case:
        names = [case for cases in table.values() for case in cases]
        table = {group: {n: b for n, b in cases.items() if args.case in n} for group, cases in table.items()}
        if not any(table.values()):
            parse.error(f"no case contains {args.case!r}; there are: {', '.join(names)}")
    ours, peer, other_way = Worker(sys.executable, False), Worker(args.peer, True), Worker(sys.executable, True)
    missed, record = 0, {}
    for group, cases in table.items():
        if not cases:
            continue
        rows = run_group(group, cases, ours, other_way if group in ALONE else peer, args.rounds, args.seconds)
        against = "out=" if group in ALONE else "peer"
        print(f"\n{group:42}{'ours':>12}{against:>12}{'ratio':>8}{'budget':>8}")
        ratios = []
        for case, mine, theirs, budget, error in rows:
            if error:
                print(f"  {case:40}{error[:60]}")
                missed += 1
                continue
            ratio = mine / theirs
            ratios.append((ratio, case))
            over = ratio > budget * 1.02
            missed += over
            record[f"{group}/{case}"] = {"ours": mine, "peer": theirs, "ratio": ratio, "budget": budget}
            print(f"  {case:40}{readable(mine):>12}{readable(theirs):>12}{ratio:8.2f}{budget:8.2f}{'  over' if over else ''}")
        if ratios:
            mean = math.exp(sum(math.log(r) for r, _ in ratios) / len(ratios))
            worst = max(ratios)
            over = mean > MEANS.get(group, math.inf)
            missed += over
            budget_text = f" (budget {MEANS[group]:.2f}{', over' if over else ''})" if group in MEANS else ""
            print(f"  geometric mean {mean:.2f} of the other's time{budget_text}; worst {worst[0]:.2f} ({worst[1]})")
    for worker in (ours, peer, other_way):
        worker.stop()
    if args.json:
        with open(args.json, "w") as f:
            json.dump(record, f, indent=1)
    print(f"\n{missed} over budget" if missed else "\nall within budget")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
