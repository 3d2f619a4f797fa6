"""Reserved device memory with segments of cudaMalloc and with expandable ones: `python -m benchmarks.fragmentation`.

Three programs ask for memory as training does: tensors of a step that grows each time (a cache of keys, longer texts), steps of
sizes by chance, and steps of which every tenth is evaluated between two others. Each runs in two new processes, on a GPU or on
the emulated device; the figures are bytes, which do not depend on the device's speed."""

import os
import random
import subprocess
import sys

SETTINGS = {"cudaMalloc": "", "expandable": "expandable_segments:True"}
MIB = 1 << 20


def growing(make):
    """A list that is copied to a longer one in each step, with temporary memory beside it."""
    held = make(4 * MIB)
    for step in range(1, 30):
        longer = make((4 + 3 * step) * MIB)
        temporary = [make((1 + step) * MIB // 2) for _ in range(4)]
        held = longer  # noqa: F841  what was held before is free now
        del longer, temporary


def by_chance(make):
    """Layers of a network whose batches have different lengths."""
    draw = random.Random(0)
    for _ in range(60):
        length = draw.randint(64, 1024)
        kept = []
        for _ in range(12):
            kept.append(make(length * 16 * 1024))
            make(length * 64 * 1024)
        while kept:
            kept.pop()
            make(length * 40 * 1024)


def with_evaluation(make):
    """Optimizer states that stay, and batches of another size now and then."""
    states = []
    for step in range(40):
        size = 48 * MIB if step % 10 == 9 else 20 * MIB + 64 * 1024 * step
        kept = [make(size) for _ in range(8)]
        if step < 20:
            states.append(make(5 * MIB))
        del kept


PROGRAMS = {f.__name__: f for f in (growing, by_chance, with_evaluation)}


def measure(name):
    """Prints the peaks of one program: bytes of tensors, and bytes that were reserved for them."""
    import torch

    PROGRAMS[name](lambda size: torch.empty(size, dtype=torch.uint8, device="cuda"))
    print(torch.cuda.max_memory_allocated(), torch.cuda.max_memory_reserved(), torch.cuda.memory_stats()["num_alloc_retries"])


def main():
    """Runs all programs with both settings and prints a table."""
    print(f"{'program':18}{'segments':14}{'tensors, MiB':>14}{'reserved, MiB':>15}{'unused':>8}{'retries':>9}")
    for name in PROGRAMS:
        for kind, text in SETTINGS.items():
            command = [sys.executable, "-W", "ignore", "-m", "benchmarks.fragmentation", name]
            environment = {**os.environ, "PYTORCH_CUDA_ALLOC_CONF": text}
            done = subprocess.run(command, env=environment, capture_output=True, text=True)
            if done.returncode != 0:
                lines = done.stderr.strip().splitlines()
                print(f"{name:18}{kind:14}{lines[-1] if lines else 'failed'}")
                continue
            tensors, reserved, retries = map(int, done.stdout.split())
            print(f"{name:18}{kind:14}{tensors / MIB:14.0f}{reserved / MIB:15.0f}{1 - tensors / reserved:8.0%}{retries:9}")


if __name__ == "__main__":
    measure(sys.argv[1]) if len(sys.argv) > 1 else main()
