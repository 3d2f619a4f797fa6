"""What a test needs from the machine and the clone."""

import os
import shutil
import subprocess
import sys
import time
from functools import lru_cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))  # for tools, which a package that was installed does not have


@lru_cache
def why_no_gdb():
    """The reason why gdb cannot be used; empty if it can. Containers may forbid ptrace."""
    if not shutil.which("gdb"):
        return "gdb is not installed"
    probe = subprocess.run(["gdb", "-nx", "-batch", "-ex", "run", "--args", "/bin/true"], capture_output=True, text=True)
    return "" if "exited normally" in probe.stdout else "gdb cannot run programs on this machine"


@lru_cache
def why_no_gdb_calls():
    """The reason why gdb cannot call functions of a program; empty if it can. Old ones fail to restore the registers after it."""
    call = ["-ex", "set breakpoint pending on", "-ex", "break getppid", "-ex", "run", "-ex", "call ((int (*)()) getpid)()"]
    program = [sys.executable, "-c", "import os; os.getppid()"]
    probe = subprocess.run(["gdb", "-nx", "-batch", *call, "--args", *program], capture_output=True, text=True)
    return "gdb cannot restore this processor's registers after a call" if "extended state" in probe.stderr else ""


def tensor_files():
    """Files of tensors in shared memory, of this process and of any other one."""
    return {name for name in os.listdir("/dev/shm") if name.startswith("torch_")}


def tensor_files_left_since(before, seconds=20):
    """Those that are still there after a while: of tests that run at the same time they soon go."""
    deadline = time.monotonic() + seconds
    while (left := tensor_files() - before) and time.monotonic() < deadline:
        time.sleep(0.1)
    return left


def run_in_throwaway_copy(command, size="4g"):
    """Runs the command in a throwaway copy of the clone, build included, and fails with its output if it fails."""
    if not (ROOT / "build" / "build.ninja").exists():
        pytest.skip("there is no build in this clone to go on from")
    from tools import throwaway

    if throwaway.why_not():
        pytest.skip(throwaway.why_not())
    done = throwaway.run(command, size, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert done.returncode == 0, done.stdout


@lru_cache
def emulated_device():
    """The environment variables of a process that uses the emulated CUDA device. Its sanitizers have to be loaded first."""
    library = ROOT / "torch" / "lib" / "libc10_cuda_emulated.so"
    if not library.exists() or b"__asan_init" not in library.read_bytes():
        return {"TORCH_CUDA_EMULATED": "1"}
    names = ("libasan.so", "libubsan.so", "libstdc++.so.6")
    found = [subprocess.run(["g++", f"-print-file-name={name}"], capture_output=True, text=True, check=True) for name in names]
    return {
        "TORCH_CUDA_EMULATED": "1",
        "LD_PRELOAD": ":".join(done.stdout.strip() for done in found),
        # An interpreter keeps much until it ends, and programs are asked for more memory than there is.
        "ASAN_OPTIONS": "detect_leaks=0:allocator_may_return_null=1",
        "UBSAN_OPTIONS": "print_stacktrace=1",
    }
