"""Records the programs that the tests replay, with the peer's results (--record; test/test_fuzz_programs.py reads them)."""

from __future__ import annotations

import gzip
import json

from . import explained, generate, modules, rounding
from .compare import TOLERANCE, differences

OPERATORS, STACKS = 300, 40
TAME = 0.05  # fraction of the tolerance allowed while recording, because other processors round differently
MAX_NUMBERS = 600


def record(pair, path, first):
    """Programs on which both agree, from seed `first` on, with the peer's results."""
    kept = collect(pair, generate.generate, first, OPERATORS) + collect(pair, modules.generate, first, STACKS)
    text = json.dumps({"version": pair.theirs.version, "programs": kept}, separators=(",", ":"))
    with gzip.GzipFile(path, "wb", 9, mtime=0) as f:
        f.write(text.encode())
    print(f"{len(kept)} programs in {path}")
    return 0


def collect(pair, make, first, count):
    kept, seed = [], first
    while len(kept) < count:
        made = make(seed)
        seed += 1
        ours, theirs = pair.ask(made)
        if "crash" in theirs or len(rounding.flat(theirs)) > MAX_NUMBERS:
            continue
        if differences(made, ours, theirs, factor=TAME) or moves(pair, made, theirs):
            continue
        kept.append({"program": made.data(), "results": shorten(theirs)})
        for step in kept[-1]["results"]["steps"]:
            for fact in step if isinstance(step, list) else ():
                if isinstance(fact, dict):
                    fact.pop("numbers", None)  # they are those of the end, or have been changed since

    return kept


def moves(pair, made, theirs):
    """Whether a change in the last place affects the results. Then other machines need not reproduce them."""
    noisy = pair.theirs.ask(made, noise=0)
    return "crash" in noisy or any(not explained.reason(d) for d in differences(made, noisy, theirs))


def shorten(x, digits=10):
    """Results with fewer digits, and without numbers that are repeated at the end of the program."""
    if isinstance(x, dict):
        digits = 4 if x.get("dtype") in ("float16", "bfloat16") else 7 if TOLERANCE.get(x.get("dtype"), 0) > 1e-6 else digits
        return {k: shorten(v, digits) for k, v in x.items() if k != "text"}
    if isinstance(x, list):
        return [shorten(v, digits) for v in x]
    return float(f"{x:.{digits}g}") if isinstance(x, float) else x


def load(path):
    """[(program as data, the peer's results)]"""
    with gzip.open(path) as f:
        return [(p["program"], p["results"]) for p in json.load(f)["programs"]]
