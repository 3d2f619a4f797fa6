"""No argument that Python can pass ends the process: every operator of the registry, a bounded number of calls each.

hostile.py makes the calls in a process of its own; where that process dies, the call it died in is reported and the
rest goes on. More calls, by hand: python test/hostile.py --calls 500 --seed 1
"""

import os
import re
import subprocess
import sys

import pytest

WORKER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "hostile.py")
REPORT = re.compile(".*(?:ERROR: AddressSanitizer|runtime error).*")
SANITIZED = "libasan" in os.environ.get("LD_PRELOAD", "")


@pytest.mark.parametrize("seed", [0, 1])
def test_no_operator_ends_the_process(tmp_path, seed):
    note = tmp_path / "note"
    note.write_text("")
    fatal, after = [], ""
    for _ in range(100 if SANITIZED else 20):
        command = [
            sys.executable,
            WORKER,
            "--seed",
            str(seed),
            "--calls",
            "5",
            "--patience",
            "60",
            "--after",
            after,
            "--note",
            str(note),
        ]
        environment = dict(os.environ)
        if SANITIZED:  # its shadow needs address space: the allocator keeps to the limit
            command += ["--memory", "0"]
            environment["ASAN_OPTIONS"] = f"{environment.get('ASAN_OPTIONS', '')}:max_allocation_size_mb=3072"
        done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, env=environment)
        if done.returncode == 0:
            break
        after, _, call = note.read_text().partition("\n")
        # Its operator new ends the process, where any other one throws.
        if SANITIZED and "SUMMARY: AddressSanitizer: out-of-memory" in done.stderr and "operator new" in done.stderr:
            continue
        fatal.append(f"status {done.returncode}: {call} {REPORT.findall(done.stderr)} {done.stderr[-500:]}")
        if not after:
            break
    assert not fatal, "\n".join(fatal)
    assert int(done.stdout.split()[2]) > 500  # of the calls, those that were fine
