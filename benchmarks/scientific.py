"""Times Fourier transforms and linear algebra beside PyTorch, NumPy and SciPy.

    python -m benchmarks.scientific --peer PYTHON    an environment with PyTorch, NumPy and SciPy

The libraries take turns on each case. The last column is the time of the fastest of the three others divided by ours.
"""

import argparse
import importlib
import json
import math
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve()
sys.path.insert(0, str(HERE.parent / "sweep"))

from timing import best_time, environment  # noqa: E402

OTHERS = ("torch", "numpy", "scipy")


def operands(shape, dtype, kind):
    import numpy as np

    x = np.random.default_rng(0).standard_normal(shape)
    if dtype.startswith("complex"):
        x = x + 1j * np.random.default_rng(1).standard_normal(shape)
    if kind == "positive":
        x = x @ x.swapaxes(-1, -2).conj() + shape[-1] * np.eye(shape[-1])
    elif kind == "regular":
        x = x + 4 * math.sqrt(shape[-1]) * np.eye(shape[-1])
    elif kind == "symmetric":
        x = x + x.swapaxes(-1, -2).conj()
    return x.astype(dtype)


# Functions of square matrices, and the kind of matrix.
SQUARE = {
    "inv": "regular",
    "det": "regular",
    "solve": "regular",
    "cholesky": "positive",
    "eigh": "symmetric",
    "qr": "",
    "svd": "",
    "eigvals": "",
}
BATCHED = ("inv", "det", "solve", "cholesky", "eigh")


def cases():
    """name -> (shape, dtype, kind of operand, name of the function)."""
    found = {}
    for dtype in ("float32", "float64"):
        wide = "complex64" if dtype == "float32" else "complex128"
        for shape in ((1024,), (256, 1024), (65536,), (10007,), (1 << 20,)):
            found[f"fft {wide} {shape}"] = (shape, wide, "", "fft.fft")
            found[f"rfft {dtype} {shape}"] = (shape, dtype, "", "fft.rfft")
        found[f"fft2 {wide} (512, 512)"] = ((512, 512), wide, "", "fft.fft2")
        for name, kind in SQUARE.items():
            for n in (16, 128, 512):
                found[f"{name} {dtype} {n}"] = ((n, n), dtype, kind, f"linalg.{name}")
        for name in BATCHED:
            found[f"{name} {dtype} 1000 x 8"] = ((1000, 8, 8), dtype, SQUARE[name], f"linalg.{name}")
    return found


def function_of(library, path, operand):
    """A call without arguments, or None where the library has no such function for this operand."""
    x, right = operand, operand[..., :1].copy()
    if library == "torch":
        import torch

        x, right = torch.from_numpy(x), torch.from_numpy(right)
    elif library == "scipy" and x.ndim > 2:
        return None
    part, name = path.split(".")
    found = getattr(importlib.import_module(f"{library}.{part}"), name, None)
    if found is None:
        return None
    return (lambda: found(x, right)) if name == "solve" else (lambda: found(x))


def work():
    """Answers (case, library) with a time, or null."""
    known, made = cases(), {}
    for line in sys.stdin:
        name, library = json.loads(line)
        shape, dtype, kind, path = known[name]
        if name not in made:
            made = {name: operands(shape, dtype, kind)}
        call = function_of(library, path, made[name])
        print(json.dumps(call and best_time(call, seconds=0.05)), flush=True)


def main():
    parse = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parse.add_argument("--peer", required=True)
    parse.add_argument("--case", default="", help="only cases whose name contains this")
    parse.add_argument("--rounds", type=int, default=2)
    args = parse.parse_args()
    workers = {}
    for side, python in (("ours", sys.executable), ("peer", args.peer)):
        command = [python, str(HERE), "--work"]
        workers[side] = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=HERE.parent, env=environment()
        )

    def ask(side, name, library):
        workers[side].stdin.write(json.dumps([name, library]) + "\n")
        workers[side].stdin.flush()
        return json.loads(workers[side].stdout.readline())

    print(f"{'':28}{'ours':>10}" + "".join(f"{o:>10}" for o in OTHERS) + "   fastest other / ours   (us)")
    ratios = []
    for name in (n for n in cases() if args.case in n):
        best = {}
        for _ in range(args.rounds):
            for side, library in (("ours", "torch"), *(("peer", o) for o in OTHERS)):
                seconds, key = ask(side, name, library), "ours" if side == "ours" else library
                if seconds:
                    best[key] = min(best.get(key, 1e9), seconds)
        others = {o: best[o] for o in OTHERS if o in best}
        fastest = min(others, key=others.get)
        ratios.append(others[fastest] / best["ours"])
        columns = "".join(f"{best[k] * 1e6:10.1f}" if k in best else f"{'-':>10}" for k in ("ours", *OTHERS))
        print(f"{name:28}{columns}{ratios[-1]:8.2f}  {fastest}")
    print(
        f"{len(ratios)} cases: mean {math.exp(sum(map(math.log, ratios)) / len(ratios)):.2f}, {sum(r < 1 for r in ratios)} slower"
    )
    for worker in workers.values():
        worker.stdin.close()
        worker.wait()


if __name__ == "__main__":
    work() if "--work" in sys.argv else main()
