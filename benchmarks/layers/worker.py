"""Times the cases whose names have a word in them: one JSON object out. Runs under either interpreter."""

import json
import os
import sys
import warnings

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "sweep")]

import cases  # noqa: E402
import integers  # noqa: E402
from timing import best_time  # noqa: E402

import torch  # noqa: E402


def main():
    ask = json.loads(sys.stdin.read())
    warnings.simplefilter("ignore")
    torch.set_num_threads(ask["threads"])
    times = {}
    for name, (make, dtype, backward) in {**cases.cases(), **integers.cases()}.items():
        if ask["names"] is not None and name not in ask["names"]:
            continue
        if any(word not in name for word in ask["only"]):
            continue
        torch.manual_seed(0)
        try:
            run = make(dtype, backward)
            run()
            times[name] = best_time(run, ask["seconds"])
        except (RuntimeError, NotImplementedError) as e:
            times[name] = f"{type(e).__name__}: {e}"[:100]
    print(json.dumps(times))


if __name__ == "__main__":
    main()
