"""Runs random programs under this library and PyTorch, and sorts the differences.

    python tools/fuzz_against_peer.py --peer /path/to/python [--programs 20000] [--first SEED] [--modules]
    python tools/fuzz_against_peer.py --peer /path/to/python --seed 4711          shows one program and its differences
    python tools/fuzz_against_peer.py --peer /path/to/python --record FILE        writes the fixed set that the tests replay

The peer is an interpreter of a virtual environment that has torch==2.13.0. A program has 5 to 20 operators of any type,
with views, views of views, in-place changes and broadcasting, then a backward pass and a second one through its gradients.
The classes of differences are values, gradients, dtype, shape, error (its type), crash, strides, is-view, memory (which tensors
share it) and requires-grad. Each cause is shown once, as the smallest program that has it. Differences that
tools/fuzz/explained.py explains are counted but not shown. The exit status is 1 if any others remain.
"""

import argparse
import os
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from tools.fuzz import explained, generate, modules, pair, program, record, report, rounding  # noqa: E402
from tools.fuzz.minimise import minimise  # noqa: E402


def main():
    parse = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parse.add_argument("--peer", help="a Python that has the library to compare with")
    parse.add_argument("--programs", type=int, default=1000, help="how many (1000)")
    parse.add_argument("--first", type=int, default=0, help="seed of the first program (0)")
    parse.add_argument("--seed", type=int, help="this program only")
    parse.add_argument("--modules", action="store_true", help="training of random nn.Module stacks in place of operators")
    parse.add_argument("--record", metavar="FILE", help="write programs that agree, with the peer's results")
    parse.add_argument("--keep", metavar="FOLDER", help="write the smallest program of each finding there")
    parse.add_argument("--class", dest="kind", help="look for differences of this class only")
    parse.add_argument("--explained", action="store_true", help="show the explained differences too")
    args = parse.parse_args()
    if not args.peer:
        parse.error("--peer is needed: a Python that has the library to compare with")
    make = modules.generate if args.modules else generate.generate
    both = pair.Pair(sys.executable, args.peer)
    try:
        if args.record:
            return record.record(both, args.record, args.first)
        if args.seed is not None:
            return show(both, make(args.seed))
        return search(both, make, args)
    finally:
        both.close()


def show(both, made):
    """Shows one program with all of its differences."""
    print(program.text(made, last_prints=False))
    found = rounding.left(both, made, *both.ask(made))
    for d in found:
        why = explained.reason(d)
        print(f"# step {d.step} {d.kind} [{d.op}] {d.message}" + (f" (explained: {why})" if why else ""))
    return 1 if any(not explained.reason(d) for d in found) else 0


def search(both, make, args):
    notes = report.Report(args.keep)
    start = time.time()
    for seed in range(args.first, args.first + args.programs):
        made = make(seed)
        ours, theirs = both.ask(made)
        notes.count(made, theirs)
        found = rounding.left(both, made, ours, theirs)
        for d in found + rounding.refusals(both, made, found):
            if args.kind and d.kind != args.kind:
                continue
            # Only the smallest program tells which operators a gradient depends on.
            why = explained.reason(d) if d.step >= 0 else None
            if why and not args.explained:
                notes.explain(why)
            elif notes.new(d):
                small, d = minimise(both, made, d)
                why = explained.reason(d)
                if why and not args.explained:
                    notes.explain(why)
                else:
                    notes.finding(small, d)
    return notes.end(time.time() - start)


if __name__ == "__main__":
    sys.exit(main())
