"""Times layers, losses and optimizers in the shapes of real networks against PyTorch.

    python -m benchmarks.layers --peer PYTHON                          about 5 minutes for each number of threads
    python -m benchmarks.layers --peer PYTHON --only GELU --only bfloat16   names with these words in them
    python -m benchmarks.layers --peer PYTHON --json new.json          keeps the times
    python -m benchmarks.layers --peer PYTHON --slow-in new.json       only what was slower than PyTorch there

The interpreters take turns; each case counts by its best time. Ratios are the peer's time divided by ours.
"""

import argparse
import json
import math
import os
import subprocess
import sys
from pathlib import Path

from benchmarks.sweep.timing import environment

HERE = Path(__file__).resolve().parent


def times_of(python, ask):
    run = subprocess.run(
        [python, str(HERE / "worker.py")], input=json.dumps(ask), capture_output=True, text=True, cwd=HERE, env=environment()
    )
    if run.returncode:
        raise SystemExit(f"{python} failed:\n{run.stderr[-2000:]}")
    return json.loads(run.stdout)


def main():
    parse = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parse.add_argument("--peer", required=True, help="the Python of an environment with PyTorch")
    parse.add_argument("--only", action="append", default=[], help="a word that the names must have")
    parse.add_argument("--threads", type=int, nargs="+", default=sorted({1, os.cpu_count()}))
    parse.add_argument("--seconds", type=float, default=0.1, help="of one case in one round")
    parse.add_argument("--rounds", type=int, default=2)
    parse.add_argument("--below", type=float, default=1.0, help="print cases with a smaller ratio")
    parse.add_argument("--json", type=Path, help="write the times to this file")
    parse.add_argument("--slow-in", type=Path, help="only the cases that are slower than the peer's in this file")
    args = parse.parse_args()
    rows = {}
    for threads in args.threads:
        names = None
        if args.slow_in:
            before = json.loads(args.slow_in.read_text())
            names = [row["name"] for row in before.values() if row["threads"] == threads and row["ratio"] < 1]
        ask = {"only": args.only, "threads": threads, "seconds": args.seconds, "names": names}
        best = {"ours": {}, "peer": {}}
        for turn in range(args.rounds):
            for side in ("ours", "peer") if turn % 2 == 0 else ("peer", "ours"):
                for name, seconds in times_of(sys.executable if side == "ours" else args.peer, ask).items():
                    known = best[side].get(name, math.inf)
                    best[side][name] = seconds if isinstance(seconds, str) or isinstance(known, str) else min(seconds, known)
        for name, ours in best["ours"].items():
            peer = best["peer"][name]
            if isinstance(ours, str):
                print(f"not run here: {name}, {threads} threads: {ours}")
            elif not isinstance(peer, str):
                key = f"{name}, {threads} thread{'s' if threads > 1 else ''}"
                rows[key] = {"name": name, "threads": threads, "ours": ours, "peer": peer, "ratio": peer / ours}
    if not rows:
        raise SystemExit("no case has these words")
    for threads in args.threads:
        ratios = [row["ratio"] for row in rows.values() if row["threads"] == threads]
        if ratios:
            mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
            slower = sum(r < 0.95 for r in ratios)
            print(f"{threads} thread{'s' if threads > 1 else ''}: {len(ratios)} cases, mean {mean:.2f}, {slower} below 0.95")
    for key, row in sorted(rows.items(), key=lambda item: item[1]["ratio"]):
        if row["ratio"] < args.below:
            print(f"{row['ratio']:7.2f} {row['ours'] * 1e6:12.1f} us, peer {row['peer'] * 1e6:12.1f} us  {key}")
    if args.json:
        args.json.write_text(json.dumps(rows, indent=1))


if __name__ == "__main__":
    main()
