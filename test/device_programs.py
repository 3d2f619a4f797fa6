"""Programs in a process of their own, whose device memory no other test has used."""

import os
import subprocess
import sys

HEAD = """
import torch
MIB = 1 << 20
def make(mib):
    return torch.empty(int(mib * MIB), dtype=torch.uint8, device="cuda")
def reserved():
    return torch.cuda.memory_reserved() / MIB
def limit(mib):
    torch.cuda.set_per_process_memory_fraction(mib * MIB / torch.cuda.get_device_properties(0).total_memory)
def is_refused(mib):
    try:
        make(mib)
    except torch.OutOfMemoryError:
        return True
    return False
"""


def in_new_process(code, **environment):
    command = [sys.executable, "-W", "ignore", "-c", HEAD + code]
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **environment})
    assert done.returncode == 0, done.stdout + done.stderr
