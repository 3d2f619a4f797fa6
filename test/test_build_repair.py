"""A build that was killed, or ran out of disk, leaves a tree that the next build repairs.

Each scenario breaks a build in a throwaway copy of the clone, then continues from the remaining state.
"""

import contextlib
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from surroundings import ROOT, run_in_throwaway_copy

from tools.setup_helpers.cmake import find_tool

BUILD = ROOT / "build"
YAML = ROOT / "aten/src/ATen/native/unary/native_functions.yaml"
PROGRAM = "import torch; x = torch.ones(2, requires_grad=True); (x * 3).sum().backward(); assert x.grad.tolist() == [3, 3]"


# --- run inside of the copy -------------------------------------------------------------------------------------


def ninja():
    return [find_tool("ninja", "ninja"), "-C", str(BUILD), "-j2"]


def environment(**more):
    return dict(os.environ, PYTHONPATH=str(ROOT), **more)


def start(command):
    # Without ccache, which would make compiles too short to be broken off.
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    return subprocess.Popen(command, env=environment(CCACHE_DISABLE="1"), start_new_session=True, cwd=ROOT, **quiet)


def session(process):
    """(pid, what it runs) of each process of the build. ninja gives every command a process group of its own."""
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if os.getsid(int(folder.name)) == process.pid:
                words = (folder / "cmdline").read_bytes().decode(errors="replace").split("\0")
                yield int(folder.name), " ".join(os.path.basename(w) for w in words[:4])
        except OSError:
            pass


def kill(process):
    """Kills the whole build at once, like a crash of the machine."""
    for pid, _ in session(process):
        with contextlib.suppress(ProcessLookupError):  # ended by itself
            os.kill(pid, signal.SIGKILL)
    process.wait()


def wait_for(process, name):
    """Until the build runs this program; whether it was seen before the build ended."""
    end = time.monotonic() + 60
    while not any(name in command.split() for _, command in session(process)):
        if process.poll() is not None or time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True


def touch(pattern, count=100):
    for path in sorted(ROOT.glob(pattern))[:count]:
        path.touch()


def repair():
    done = subprocess.run(ninja(), env=environment(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert done.returncode == 0 and "no work to do" not in done.stdout, done.stdout
    again = subprocess.run(ninja(), env=environment(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert "no work to do" in again.stdout, again.stdout
    subprocess.run([sys.executable, "-c", PROGRAM], env=environment(), check=True)


def killed_compiling():
    # The assembler and objcopy write the objects: killed there, they leave half of one. They may be too quick to be seen.
    for program, delay in (("cc1plus", 1), ("as", 0), ("objcopy", 0), ("as", 0.05), ("cc1plus", 0.2)):
        touch("aten/src/ATen/native/r*/*.cpp")
        process = start(ninja())
        seen = wait_for(process, program)
        time.sleep(delay)
        kill(process)
    assert seen
    repair()


def killed_linking():
    for delay in (0, 0.1):
        touch("aten/src/ATen/native/matmul/linear.cpp")
        process = start(ninja())
        assert wait_for(process, "collect2")
        time.sleep(delay)
        kill(process)
    repair()


def killed_generating():
    before = YAML.read_text()
    for delay in (0.1, 0.4, 0.8):
        YAML.write_text(before + "\n- func: half_of(Tensor self) -> Tensor\n  variants: function, method\n")
        process = start(ninja())
        assert wait_for(process, "run_torchgen.py")
        time.sleep(delay)
        kill(process)
        YAML.write_text(before)
    repair()
    assert not list((BUILD / "generated").rglob("*half_of*"))


def killed_configuring():
    shutil.rmtree(BUILD)
    command = [sys.executable, "setup.py", "build_ext", "--inplace", "--cmake-only"]
    for delay in (0.4, 0.8, 1.2, 2.5):
        process = start(command)
        time.sleep(delay)
        kill(process)
    done = subprocess.run(command, env=environment(), cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert done.returncode == 0, done.stdout
    built = subprocess.run([*ninja(), "c10"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert built.returncode == 0, built.stdout


def out_of_disk():
    touch("aten/src/ATen/native/matmul/linear.cpp")
    touch("c10/util/*.cpp", 3)
    done = subprocess.run(ninja(), env=environment(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert done.returncode != 0 and re.search("No space left on device|Disk full", done.stdout), done.stdout
    subprocess.run(["mount", "-o", "remount,size=4g", os.environ["TORCH_THROWAWAY"]], check=True)
    repair()


def out_of_disk_generating():
    before = YAML.read_text()
    YAML.write_text(before + "\n- func: half_of(Tensor self) -> Tensor\n  variants: function, method\n")
    done = subprocess.run(ninja(), env=environment(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert done.returncode != 0 and re.search("No space left on device|Disk full", done.stdout), done.stdout
    subprocess.run(["mount", "-o", "remount,size=4g", os.environ["TORCH_THROWAWAY"]], check=True)
    YAML.write_text(before)
    repair()


# --- the tests --------------------------------------------------------------------------------------------------

SCENARIOS = {
    killed_compiling: "4g",
    killed_linking: "4g",
    killed_generating: "4g",
    killed_configuring: "4g",
    out_of_disk: "12m",
    out_of_disk_generating: "256k",
}


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda f: f.__name__)
def test_the_next_build_repairs(scenario):
    run_in_throwaway_copy([sys.executable, __file__, scenario.__name__], SCENARIOS[scenario])


if __name__ == "__main__":
    if "TORCH_THROWAWAY" not in os.environ:
        sys.exit("this breaks the build on purpose: run it by tools/throwaway.py")
    globals()[sys.argv[1]]()
