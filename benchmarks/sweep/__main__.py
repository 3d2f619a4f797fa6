"""Times every operator of the test table against PyTorch, in all types, sizes and layouts.

    python -m benchmarks.sweep --peer PYTHON                   16 cases of each operator; at most half an hour on 2 cores
    python -m benchmarks.sweep --peer PYTHON --family pooling  one family
    python -m benchmarks.sweep --peer PYTHON --json new.json --before old.json --picture sweep.svg
    python -m benchmarks.sweep --peer PYTHON --slow-in old.json     only what was slower than PyTorch there
    python -m benchmarks.sweep --peer PYTHON --not-in old.json      only what that sweep had no time for

Both interpreters keep running and take turns on each case. Ratios are the peer's time divided by ours. Cases that are slower than
the peer are timed again at the end, longer and more often: of thousands of short timings some are wrong by chance.
"""

import argparse
import json
import math
import os
import random
import select
import subprocess
import sys
import time
from pathlib import Path

from benchmarks.sweep import report
from benchmarks.sweep.cases import DTYPES, SIZES, Case
from benchmarks.sweep.timing import environment

HERE = Path(__file__).resolve().parent


# A case that takes longer than this for one question is left out.
MAX_SECONDS = 6
# For the first question, which makes the samples of all operators.
MAX_SECONDS_OF_LIST = 120
# One that takes longer than this for one call is timed in one round.
SLOW_SECONDS = 0.1
# What was slower than the peer is timed again: in this share of all the time, with timings of so many seconds, in so many rounds.
AGAIN_SHARE, AGAIN_SECONDS, AGAIN_ROUNDS = 0.15, 0.05, 4
ENDED = "the interpreter ended, or took too long"


class Worker:
    """An interpreter that times cases. It is started again if a case ends it, or takes too long."""

    def __init__(self, python, families):
        self.command, self.families = [python, str(HERE / "worker.py")], families
        self.start()

    def start(self):
        self.process = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                        text=True, cwd=HERE, env=environment())  # fmt: skip

    def ask(self, max_seconds=MAX_SECONDS, **question):
        try:
            self.process.stdin.write(json.dumps({"families": self.families, **question}) + "\n")
            self.process.stdin.flush()
            if not select.select([self.process.stdout], [], [], max_seconds)[0]:
                self.process.kill()
            line = self.process.stdout.readline()
        except BrokenPipeError:
            line = ""
        if line:
            return json.loads(line)
        self.process.wait()
        self.start()
        return {"error": ENDED}

    def stop(self):
        self.process.stdin.close()
        self.process.wait()


def is_busy():
    """Whether other programs use the processors now: idle time over a fifth of a second."""

    def idle():
        fields = [int(n) for n in Path("/proc/stat").read_text().splitlines()[0].split()[1:]]
        return fields[3] + fields[4], sum(fields)

    (idle_0, all_0), _ = idle(), time.sleep(0.2)
    idle_1, all_1 = idle()
    return idle_1 - idle_0 < 0.8 * (all_1 - all_0)


def in_turns(cases):
    """Groups of cases of one operator and type: all operators with float32 or one type that they take, then with another one."""
    rng, types_of = random.Random(0), {}
    for case in cases:
        types_of.setdefault((case[0], case[1]), {}).setdefault(case[3], []).append(case)
    rounds = {}
    for types in types_of.values():
        order = rng.sample(sorted(types), len(types))
        order.sort(key=lambda dtype: dtype != "float32")
        for turn, dtype in enumerate(order):
            rounds.setdefault(turn, []).append(types[dtype])
    return [group for turn in sorted(rounds) for group in rng.sample(rounds[turn], len(rounds[turn]))]


def time_case(workers, case, seconds, rounds, slow_seconds=math.inf):
    """The best time of each side, in turns, and what the case moves; None and the reason where a side cannot run it."""
    best, moved = {}, {}
    for turn in range(rounds):
        if max(best.values(), default=0) > slow_seconds:
            break
        for side in ("ours", "peer") if turn % 2 == 0 else ("peer", "ours"):
            answer = workers[side].ask(do="time", case=case, seconds=seconds)
            if isinstance(answer, dict):
                best[side], moved[side] = None, answer["error"]
                return best, moved
            best[side] = min(best.get(side, 1e9), answer[0])
            moved[side] = answer[1:]
    return best, moved


def time_slow_cases_again(workers, rows, end):
    """Times those slower than the peer again, longer and more often; the new times take the place of the first ones.

    So the list of slow cases is reliable. A case that was fast by chance is not found. Returns how many were slower at first.
    """
    slow = sorted((row for row in rows.values() if row["ratio"] < report.MIN_RATIO), key=lambda row: row["ratio"])
    for row in slow:
        if time.monotonic() > end:
            break
        best, _ = time_case(workers, row["case"], AGAIN_SECONDS, AGAIN_ROUNDS)
        if len(best) == 2 and None not in best.values():
            row.update(first_ratio=row["ratio"], ours=best["ours"], peer=best["peer"], ratio=best["peer"] / best["ours"])
    return len(slow)


def main():
    parse = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parse.add_argument("--peer", required=True, help="the Python of an environment with PyTorch, NumPy and SciPy")
    parse.add_argument("--family", action="append", default=[], help="only these families")
    parse.add_argument("--op", help="only operators whose name contains this")
    parse.add_argument("--size", action="append", choices=SIZES, help="only these sizes")
    parse.add_argument("--dtype", action="append", choices=DTYPES, help="only these types")
    parse.add_argument("--threads", type=int, nargs="+", default=sorted({1, os.cpu_count()}), help="numbers of threads")
    parse.add_argument(
        "--minutes", type=float, default=30, help="stop after this time; each operator has had its turn by then, with some types"
    )
    parse.add_argument("--cases", type=int, default=16, help="how many cases of an operator")
    parse.add_argument("--all", action="store_true", help="all cases of each operator; takes hours")
    parse.add_argument("--seconds", type=float, default=0.006, help="of one timing")
    parse.add_argument("--rounds", type=int, default=2)
    parse.add_argument("--worst", type=int, default=30, help="how many of the slowest cases to print")
    parse.add_argument("--json", type=Path, help="write the times to this file")
    parse.add_argument("--before", type=Path, help="compare with the times in this file")
    parse.add_argument("--slow-in", type=Path, help="only the cases that are slower than the peer's in this file")
    parse.add_argument("--not-in", type=Path, help="only the cases that are not in this file")
    parse.add_argument("--picture", type=Path, help="draw the ratios as SVG")
    args = parse.parse_args()
    workers = {"ours": Worker(sys.executable, args.family), "peer": Worker(args.peer, args.family)}
    cases = workers["ours"].ask(do="list", sizes=args.size or list(SIZES), dtypes=args.dtype or DTYPES, threads=args.threads,
                                count=None if args.all else args.cases, max_seconds=MAX_SECONDS_OF_LIST)  # fmt: skip
    if isinstance(cases, dict):
        raise SystemExit(cases["error"])
    cases = [c for c in cases if not args.op or args.op in c[1]]
    if args.slow_in:
        cases = [row["case"] for row in json.loads(args.slow_in.read_text()).values() if row["ratio"] < 1]
        cases = [c for c in cases if (not args.family or c[0] in args.family) and (not args.op or args.op in c[1])]
    if args.not_in:
        known = {tuple(row["case"]) for row in json.loads(args.not_in.read_text()).values()}
        cases = [c for c in cases if tuple(c) not in known]
    if not cases:
        parse.error("no case has this family and name")
    cases = [case for group in in_turns(cases) for case in group]
    failed = {side: w.ask(do="failed", max_seconds=MAX_SECONDS_OF_LIST) for side, w in workers.items()}
    bandwidth = workers["ours"].ask(do="bandwidth")
    # What a product of large matrices reaches, in the faster library.
    peaks = {
        f"{dtype} {n}": max(w.ask(do="peak", dtype=dtype, threads=n, max_seconds=60) for w in workers.values())
        for dtype in ("float32", "float64")
        for n in args.threads
    }
    rows, left_out, different, busy, checks = {}, {"ours": 0, "peer": 0}, 0, 0, 0
    hopeless = set()  # operators and sizes whose samples take too long to make
    end = time.monotonic() + 60 * args.minutes * (1 - AGAIN_SHARE)
    for k, case in enumerate(cases):
        if time.monotonic() > end:
            print(f"the time is up after {k} of {len(cases)} cases; operators take turns, with a type each")
            break
        if (case[1], case[4]) in hopeless:
            left_out["ours"] += 1
            continue
        if k % 100 == 0:
            busy, checks = busy + is_busy(), checks + 1
        best, moved = time_case(workers, case, args.seconds, args.rounds, SLOW_SECONDS)
        for side in best:
            left_out[side] += best[side] is None
        if None in best.values():
            if ENDED in moved.values():
                hopeless.add((case[1], case[4]))
            continue
        # A library that refuses one larger sample is given another one.
        if moved["ours"] != moved["peer"]:
            different += 1
        else:
            rows[Case(*case).name] = {
                "case": case,
                "ours": best["ours"],
                "peer": best["peer"],
                "ratio": best["peer"] / best["ours"],
                "bytes": moved["ours"][0],
                "operations": moved["ours"][1],
            }
    first_slower = time_slow_cases_again(workers, rows, time.monotonic() + 60 * AGAIN_SHARE * args.minutes)
    for worker in workers.values():
        worker.stop()
    if not rows:
        raise SystemExit("no case ran on both sides")
    report.print_report(rows, bandwidth, args.worst, peaks, first_slower)
    here, there = left_out["ours"], left_out["peer"]
    print(f"\nnot run: {here} cases here, {there} by the peer (no larger sample, or it lacks the operator or the type)")
    for side, families in failed.items():
        for family, reason in families:
            print(f"not compared: the family {family}, whose table the interpreter of {side} cannot read ({reason})")
    if different:
        print(f"not compared: {different} cases, of which the libraries run different samples")
    if busy * 5 > checks:
        print(f"the machine was busy in {busy} of {checks} checks: do not believe these figures")
    if args.before:
        report.print_changes(rows, json.loads(args.before.read_text()), args.worst)
    if args.json:
        args.json.write_text(json.dumps(rows, indent=1))
    if args.picture:
        report.write_picture(rows, args.picture)
    return 0


if __name__ == "__main__":
    sys.exit(main())
