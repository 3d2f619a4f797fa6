"""The report on standard error after a fatal signal, and the exit status of the process."""

import os
import re
import signal
import subprocess
import sys

import pytest

CRASH = "import ctypes; ctypes.string_at(0)"
# A tensor with invalid memory.
IN_KERNEL = """
import ctypes, numpy, torch
memory = (ctypes.c_float * 20).from_address(8)
y = torch.from_numpy(numpy.ctypeslib.as_array(memory).reshape(4, 5))
torch.add(torch.ones(4, 5), y)
"""

# A Python kernel that crashes, called boxed.
IN_PYTHON_KERNEL = """
import torch
lib = torch.library.Library("crashtest", "DEF")
lib.define("boom(Tensor x, int n) -> Tensor")
def kernel(x, n):
    import ctypes
    ctypes.string_at(0)
lib.impl("boom", kernel, "CPU")
torch.ops.crashtest.boom(torch.ones(3, 2), 5)
"""


def run(program, *flags, **environment):
    settings = {
        k: v for k, v in os.environ.items() if k not in ("TORCH_CRASH_REPORT", "TORCH_SHOW_CPP_STACKTRACES", "PYTHONFAULTHANDLER")
    }
    settings.update(environment)
    return subprocess.run([sys.executable, *flags, "-c", program], capture_output=True, text=True, env=settings, timeout=120)


def test_report_of_a_segmentation_fault():
    done = run(f"import torch\ndef broken():\n    {CRASH}\ndef caller():\n    broken()\ncaller()")
    assert done.returncode == -signal.SIGSEGV
    assert "torch: fatal signal SIGSEGV at address 0x0" in done.stderr
    frames = re.findall(r'  File "(.*)", line (\d+), in (\S+)', done.stderr)
    assert ("<string>", "3", "broken") in frames and ("<string>", "5", "caller") in frames
    assert frames.index(("<string>", "3", "broken")) < frames.index(("<string>", "5", "caller"))
    assert "C++ stack, innermost call first:" in done.stderr


@pytest.mark.parametrize("name", ["SIGSEGV", "SIGBUS", "SIGILL", "SIGFPE", "SIGABRT"])
def test_a_signal_that_is_sent_ends_the_process(name):
    done = run(f"import os, signal, torch; os.kill(os.getpid(), signal.{name})")
    assert done.returncode == -getattr(signal, name)
    assert done.stderr.count(f"torch: fatal signal {name}") == 1


def test_abort():
    done = run("import os, torch; os.abort()")
    assert done.returncode == -signal.SIGABRT
    assert done.stderr.count("torch: fatal signal SIGABRT") == 1
    assert re.search(r"#\d+ \w*abort", done.stderr)


@pytest.mark.parametrize("settings", [{"TORCH_CRASH_REPORT": "arguments"}, {"TORCH_SHOW_CPP_STACKTRACES": "1"}])
def test_operators_with_arguments(settings):
    pytest.importorskip("numpy")
    done = run(IN_KERNEL, **settings)
    assert done.returncode == -signal.SIGSEGV
    assert "Running operator: aten::add.Tensor(float32[4, 5], float32[4, 5], 1), key CPU" in done.stderr, done.stderr


def test_python_kernel():
    done = run(IN_PYTHON_KERNEL, TORCH_CRASH_REPORT="arguments")
    assert "Running operator: crashtest::boom(...), key CPU" in done.stderr, done.stderr
    assert "in kernel" in done.stderr


def test_operator_is_known_from_the_stack():
    pytest.importorskip("numpy")
    done = run(IN_KERNEL)
    assert done.returncode == -signal.SIGSEGV
    assert "Running operator, by the C++ stack: aten::add.Tensor" in done.stderr, done.stderr
    # A kernel of ours, with its place in the sources.
    assert re.search(r"#\d+ .*add.* at aten/src/ATen/\S+:\d+", done.stderr), done.stderr


def test_off():
    done = run(f"import torch; {CRASH}", TORCH_CRASH_REPORT="0")
    assert done.returncode == -signal.SIGSEGV and done.stderr == ""


@pytest.mark.parametrize(
    "order", ["import faulthandler; faulthandler.enable(); import torch", "import torch, faulthandler; faulthandler.enable()"]
)
def test_beside_faulthandler(order):
    done = run(f"{order}; {CRASH}")
    assert done.returncode == -signal.SIGSEGV
    assert done.stderr.count("torch: fatal signal SIGSEGV") == 1
    assert done.stderr.count("Fatal Python error: Segmentation fault") == 1


def test_a_handler_of_the_programs_own_is_left_alone():
    program = (
        "import ctypes, os, signal\n"
        "libc = ctypes.CDLL(None)\n"
        "libc.signal.argtypes = [ctypes.c_int, ctypes.c_void_p]\n"
        "libc.signal(signal.SIGSEGV, ctypes.cast(libc._exit, ctypes.c_void_p))\n"
        "import torch\n"
        "os.kill(os.getpid(), signal.SIGSEGV)\n"
    )
    done = run(program)
    assert done.returncode == signal.SIGSEGV and done.stderr == ""  # _exit(11)


def test_stack_overflow():
    program = "import faulthandler, torch\ndef deeper():\n    faulthandler._stack_overflow()\ndeeper()"
    done = run(program)
    assert done.returncode == -signal.SIGSEGV
    assert "torch: fatal signal SIGSEGV" in done.stderr and "in deeper" in done.stderr


def test_in_a_thread():
    done = run(f"import threading, torch\ndef worker():\n    {CRASH}\nt = threading.Thread(target=worker); t.start(); t.join()")
    assert done.returncode == -signal.SIGSEGV
    assert "in worker" in done.stderr and done.stderr.count("torch: fatal signal") == 1


def test_exceptions_carry_the_cpp_stack_when_asked():
    program = "import torch\ntry: torch.ones(2) + torch.ones(3)\nexcept RuntimeError as e: print(e)"
    plain, full = run(program).stdout, run(program, TORCH_SHOW_CPP_STACKTRACES="1").stdout
    assert "C++ stack" not in plain
    assert "C++ stack, innermost call first:" in full
    assert re.search(r"#\d+ at::\S*.* at aten/src/ATen/\S+\.\w+:\d+", full), full
