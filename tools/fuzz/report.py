"""The report of a run: the smallest program for each cause, then counts by class and by operator."""

from __future__ import annotations

import collections
import os

from .compare import CLASSES
from .program import text

ENOUGH = 3


def several(d):
    """Whether differences of this signature may have many causes: all of training is one step."""
    return d.op == "train"


class Report:
    def __init__(self, folder=None):
        self.folder = folder
        self.programs = self.steps = self.refused = 0
        self.seen = collections.Counter()
        self.small = set()
        self.kinds = collections.Counter()
        self.ops = collections.defaultdict(collections.Counter)
        self.reasons = collections.Counter()
        if folder:
            os.makedirs(folder, exist_ok=True)

    def count(self, program, theirs):
        self.programs += 1
        for s in theirs.get("steps", ()):
            self.steps += isinstance(s, list)
            self.refused += isinstance(s, dict)

    def explain(self, why):
        self.reasons[why] += 1

    def new(self, d):
        """Whether this cause needs more examples. Gradients name all operators, so all of them are examined."""
        self.seen[d.signature] += 1
        return self.seen[d.signature] <= ENOUGH or several(d)

    def finding(self, program, d):
        self.kinds[d.kind] += 1
        self.ops[d.kind][d.op] += 1
        if d.signature in self.small and not several(d):
            return
        self.small.add(d.signature)
        shown = f"# {d.kind} [{d.op}] (seed {program.seed}; ours / the peer's)\n# {d.message}\n{text(program, d.step >= 0)}"
        if self.folder:
            name = f"{d.kind}_{d.op.split(' ')[-1]}_{program.seed}.py".replace("/", "_")
            with open(os.path.join(self.folder, name), "w") as f:
                f.write(shown)
        print(shown, flush=True)

    def end(self, seconds):
        print(f"{self.programs} programs, {self.steps} steps, {self.refused} more refused by the peer, {seconds:.0f} s")
        for why, n in self.reasons.most_common():
            print(f"  explained, {n} times: {why}")
        for kind in CLASSES:
            for op, n in self.ops[kind].most_common():
                print(f"  {kind} [{op}]: {n}")
        more = sum(max(n - ENOUGH, 0) for s, n in self.seen.items() if s[1] != "train")
        if more:
            print(f"  {more} more have the signature of others and were not looked at")
        print("nothing unexplained" if not self.kinds else f"{sum(self.kinds.values())} unexplained: {dict(self.kinds)}")
        return 1 if self.kinds else 0
