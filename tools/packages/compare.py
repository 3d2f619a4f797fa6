"""Runs programs with this library and with PyTorch, and prints a table: see tools/try_packages.sh.

python tools/packages/compare.py --folder tools/tutorials --peer PYTHON    programs of another folder
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
NUMBER = re.compile(r"[-+]?\d+\.?\d*(?:e[-+]?\d+)?")


def programs(folder: Path) -> list[str]:
    return sorted(path.stem for path in folder.glob("*.py") if path.stem not in ("run", "compare"))


def run(python: str, program: Path, site: Path | None, limit: float) -> tuple[str, float, str]:
    """(output, seconds, "" or what went wrong). Packages come from `site`, torch from `python`'s environment."""
    places = os.pathsep.join(map(str, site.glob("lib/python*/site-packages"))) if site else ""
    environment = {
        **os.environ,
        "PYTHONPATH": places,
        "HF_HUB_OFFLINE": "1",
        "TOKENIZERS_PARALLELISM": "false",
        "OMP_NUM_THREADS": "2",
    }
    begin = time.monotonic()
    command = [python, "-P", "-W", "ignore", str(HERE / "run.py"), str(program)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=limit, env=environment, cwd=site or program.parent)
    except subprocess.TimeoutExpired:
        return "", limit, f"no end after {limit:.0f} s"
    problem = done.stderr.strip().splitlines()[-1] if done.returncode and done.stderr.strip() else ""
    return done.stdout, time.monotonic() - begin, problem or (f"exit status {done.returncode}" if done.returncode else "")


def difference(ours: str, theirs: str) -> float:
    """The largest relative difference of the numbers in two outputs; infinity if the words differ."""
    if NUMBER.sub("#", ours) != NUMBER.sub("#", theirs):
        return float("inf")
    pairs = zip(map(float, NUMBER.findall(ours)), map(float, NUMBER.findall(theirs)))
    return max((abs(a - b) / max(abs(a), abs(b), 1e-3) for a, b in pairs), default=0.0)


def main() -> int:
    parse = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parse.add_argument("programs", nargs="*", metavar="PROGRAM", help="names of programs, without .py; by default all")
    parse.add_argument("--folder", type=Path, default=HERE, help="where the programs are")
    parse.add_argument("--site", type=lambda text: Path(text).resolve(), help="the environment with the packages that they need")
    parse.add_argument("--peer", help="the Python of an environment with PyTorch")
    parse.add_argument("--limit", type=float, default=600, help="seconds for each run")
    parse.add_argument("--tolerance", type=float, default=1e-3, help="relative difference of numbers that counts as equal")
    parse.add_argument("--record", type=Path, metavar="FILE", help="write what PyTorch printed to a file")
    args = parse.parse_args()
    folder = args.folder.resolve()
    unknown = set(args.programs) - set(programs(folder))
    if unknown:
        parse.error(f"unknown programs: {', '.join(sorted(unknown))}")
    print(f"{'program':<22}{'seconds':>9}{'PyTorch':>9}  result", flush=True)
    failed, printed = 0, {}
    for program in args.programs or programs(folder):
        ours, seconds, problem = run(sys.executable, folder / f"{program}.py", args.site, args.limit)
        result, peer_seconds = problem or "runs", ""
        if args.peer:
            theirs, other, peer_problem = run(args.peer, folder / f"{program}.py", args.site, args.limit)
            peer_seconds, printed[program] = f"{other:.1f}", theirs
            if peer_problem:
                result += f" (PyTorch: {peer_problem[:100]})"
            elif not problem:
                largest = difference(ours, theirs)
                result = f"equal, largest relative difference {largest:.1e}" if largest <= args.tolerance else "DIFFERS"
        failed += bool(problem) or "DIFFERS" in result
        print(f"{program:<22}{seconds:>9.1f}{peer_seconds:>9}  {result}", flush=True)
        if "DIFFERS" in result:
            print(f"--- here\n{ours}--- PyTorch\n{theirs}", flush=True)
    if args.record:
        args.record.write_text(json.dumps(printed, indent=1) + "\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
