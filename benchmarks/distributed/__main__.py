"""Times collectives of Gloo between processes of this machine, here and under PyTorch, in turns.

    python -m benchmarks.distributed --peer /path/to/python [--processes 2 4] [--largest 268435456] [--seconds 0.3]

Prints seconds, their ratio, and the bytes per second that a rank sends; and for DistributedDataParallel how much a step costs
over the longer one of computing and communicating. Processes have one thread each. The exit status is 1 if a case is slower than
PyTorch by more than a tenth.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile

from benchmarks.compare import readable

HERE = os.path.dirname(os.path.abspath(__file__))
CASES = ("all_reduce", "all_gather", "broadcast")
# What a rank sends and receives at least, as a share of the result.
TRAFFIC = {"all_reduce": lambda p: 2 * (p - 1) / p, "all_gather": lambda p: (p - 1) / p, "broadcast": lambda p: 1.0}


class Job:
    """The ranks of one library."""

    def __init__(self, python, size):
        self.folder = tempfile.TemporaryDirectory()
        environment = {**os.environ, "OMP_NUM_THREADS": "1"}
        self.ranks = [
            subprocess.Popen(
                [python, os.path.join(HERE, "worker.py"), str(rank), str(size), self.folder.name], stdin=subprocess.PIPE,
                stdout=subprocess.PIPE, text=True, env=environment, cwd=self.folder.name,
            )
            for rank in range(size)
        ]  # fmt: skip

    def ask(self, **question):
        self.ranks[0].stdin.write(json.dumps(question) + "\n")
        self.ranks[0].stdin.flush()
        line = self.ranks[0].stdout.readline()
        if not line:
            raise SystemExit("a rank died")
        return json.loads(line)

    def stop(self):
        for process in self.ranks:
            process.stdin.close()
        for process in self.ranks:
            process.wait()
        self.folder.cleanup()


def sizes(largest):
    """4 bytes, and on in steps of 16."""
    size = 4
    while size <= largest:
        yield size
        size *= 16
    if size // 16 != largest:
        yield largest


def best_of(jobs, rounds, **question):
    """The best answer of each job, which are asked in turns."""
    best = [None] * len(jobs)
    for k in range(rounds):
        for at in range(len(jobs)) if k % 2 == 0 else reversed(range(len(jobs))):
            answer = jobs[at].ask(**question)
            best[at] = answer if best[at] is None else {key: min(value, best[at][key]) for key, value in answer.items()}
    return best


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--peer", help="a Python with PyTorch")
    parser.add_argument("--processes", type=int, nargs="+", default=[2, 4])
    parser.add_argument("--largest", type=int, default=256 * 2**20, help="bytes")
    parser.add_argument("--seconds", type=float, default=0.3, help="for each case and round")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--no-ddp", action="store_true")
    args = parser.parse_args()
    slower = 0
    for count in args.processes:
        jobs = [Job(sys.executable, count), *([Job(args.peer, count)] if args.peer else [])]
        print(f"{count} processes")
        for case in CASES:
            for size in sizes(args.largest):
                found = [a["seconds"] for a in best_of(jobs, args.rounds, case=case, bytes=size, seconds=args.seconds)]
                speed = TRAFFIC[case](count) * size / found[0] / 1e9
                line = f"  {case:10} {size:10} B  {readable(found[0])}  {speed:6.2f} GB/s"
                if args.peer:
                    ratio = found[0] / found[1]
                    slower += ratio > 1.1
                    line += f"   PyTorch {readable(found[1])}  ratio {ratio:5.2f}{'  slower' if ratio > 1.1 else ''}"
                print(line, flush=True)
        if not args.no_ddp and count == args.processes[0]:
            for name, a in zip(("here", "PyTorch"), best_of(jobs, 1, case="ddp", seconds=3 * args.seconds)):
                longer = max(a["compute"], a["communicate"])
                print(
                    f"  DistributedDataParallel {name}: computing {readable(a['compute'])}, communicating "
                    f"{readable(a['communicate'])}, both {readable(a['both'])}: {100 * (a['both'] / longer - 1):.0f} % over "
                    "the longer one", flush=True,
                )  # fmt: skip
        for job in jobs:
            job.stop()
    sys.exit(1 if slower else 0)


if __name__ == "__main__":
    main()
