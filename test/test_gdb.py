"""gdb on the installed package: breakpoints, readable arguments, printers, commands. Runs gdb itself, in batch mode."""

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from surroundings import emulated_device, why_no_gdb, why_no_gdb_calls

PACKAGE = Path(importlib.util.find_spec("torch").origin).parent
SCRIPT = PACKAGE / "lib" / "libc10.so-gdb.py"

if why_no_gdb():
    pytest.skip(why_no_gdb(), allow_module_level=True)
# Types and arguments stand in .dwo files beside the objects: only a build in place has them.
in_place = pytest.mark.skipif(
    not any((PACKAGE.parent / "build" / "c10").rglob("*.dwo")), reason="this package has no .dwo files: it was not built in place"
)

PROGRAM = """
import torch
def inner(a, b):
    return torch.add(a, b, alpha=2)
def outer():
    x = torch.arange(6, dtype=torch.float32).reshape(2, 3)
    return inner(x, x.t().contiguous().t())
outer()
torch.nn.functional.conv2d(torch.ones(1, 8, 32, 32), torch.ones(8, 8, 3, 3))
"""


needs_calls = pytest.mark.skipif(bool(why_no_gdb_calls()), reason=why_no_gdb_calls())


def gdb(*commands, arguments=(), program=PROGRAM, trusted=True, timeout=120):
    """The output of gdb when it runs the program with these commands."""
    line = ["gdb", "-nx", "-batch", "-ex", "set debuginfod enabled off", "-ex", "set width 0"]
    if trusted:
        line += ["-iex", f"add-auto-load-safe-path {PACKAGE / 'lib'}"]
    for command in commands:
        line += ["-ex", command]
    line += ["--args", sys.executable, *(arguments or ("-c", program))]
    # The package under test, even where the program runs elsewhere.
    environment = dict(os.environ, PYTHONPATH=str(PACKAGE.parent))
    done = subprocess.run(line, capture_output=True, text=True, timeout=timeout, env=environment, cwd="/")
    return done.stdout + done.stderr


AT_ADD = ("set breakpoint pending on", "break at::native::add", "run")


@pytest.fixture(scope="module")
def at_add():
    """One session that stops in at::native::add and tries everything there."""
    if not SCRIPT.exists():
        pytest.skip("this package has no gdb script")
    marks = {
        "bt": "bt",
        "self": "print self",
        "other": "print other",
        "pointer": "print *self.impl_.p_",
        "storage": "print self.impl_.p_->storage_",
        "storage_impl": "print *self.impl_.p_->storage_.impl_.p_",
        "intrusive": "print self.impl_",
        "alpha": "print alpha",
        "keys": "print self.impl_.p_->keys_",
        "repr": "torch-tensor-repr self",
        "repr_other": "torch-tensor-repr other.impl_",
        "keyset": "torch-dispatch-keyset-repr self.impl_.p_->keys_",
        "keyset_bits": "torch-dispatch-keyset-repr 65537",
        "no_tensor": "torch-tensor-repr 1",
        "call": "call self.print()",
        "python": "torch-bt",
        "trace": "torch-dispatch-trace perhaps",
        "finish": "finish",
    }
    commands = list(AT_ADD)
    for name, command in marks.items():
        commands += [f"echo \\n=={name}\\n", command]
    text = gdb(*commands)
    parts = re.split(r"\n==(\w+)\n", text)
    found = dict(zip(parts[1::2], parts[2::2]))
    # Errors of commands go to standard error, which comes last.
    found["start"], found["errors"] = parts[0], text
    return found


@in_place
def test_pending_breakpoint_stops(at_add):
    assert "Breakpoint 1 (at::native::add) pending." in at_add["start"]
    assert re.search(r"Breakpoint 1.*, at::native::add \(self=float32\[2, 3\], other=float32\[2, 3\]", at_add["start"])


@in_place
def test_backtrace_has_file_and_line_in_every_frame_of_ours(at_add):
    frames = re.findall(r"^#\d+ .*", at_add["bt"], re.MULTILINE)
    ours = [f for f in frames if re.search(r"\b(at|c10|torch)::", f)]
    assert len(ours) >= 5
    for frame in ours:
        assert re.search(r" at \S+:\d+$", frame), frame
    assert "self=float32[2, 3]" in frames[0] and "alpha=2" in frames[0]


@in_place
def test_printers(at_add):
    assert "float32[2, 3]" in at_add["self"] and "strides" not in at_add["self"]
    assert "float32[2, 3] strides=[1, 2]" in at_add["other"]
    assert re.search(
        r"float32\[2, 3\] \{data = 0x[0-9a-f]+, storage_offset = 0, strides = \[3, 1\], keys = DispatchKeySet\(.*CPU\)",
        at_add["pointer"],
    )
    assert re.search(r"24 bytes at 0x[0-9a-f]+ on cpu, use_count = \d", at_add["storage"])
    assert re.search(r"24 bytes at 0x[0-9a-f]+ on cpu", at_add["storage_impl"])
    assert re.search(r"\(c10::TensorImpl\*\) 0x[0-9a-f]+, use_count = \d", at_add["intrusive"])
    assert re.search(r"= (\(.*\) @0x[0-9a-f]+: )?2$", at_add["alpha"].strip())
    assert "DispatchKeySet(" in at_add["keys"] and "CPU)" in at_add["keys"]


@in_place
def test_repr_commands(at_add):
    values = "[[0, 1, 2],\n [3, 4, 5]]"
    assert values in at_add["repr"] and values in at_add["repr_other"]
    assert "CPU)" in at_add["keyset"]
    assert at_add["keyset_bits"].strip() == "DispatchKeySet(CPU)"
    assert "is no tensor" in at_add["errors"]
    assert "torch-dispatch-trace on, or torch-dispatch-trace off" in at_add["errors"]


@in_place
def test_call_print(at_add):
    assert "[[0, 1, 2],\n [3, 4, 5]]" in at_add["call"]
    assert "float32[2, 3] on cpu" in at_add["call"]


@needs_calls
@in_place
def test_torch_bt_interleaves_python_frames(at_add):
    lines = [line for line in at_add["python"].splitlines() if line.startswith("#")]
    assert lines[0].startswith("#0") and "at::native::add (self=float32[2, 3]" in lines[0]
    python = [re.sub(r" \(\).*", "", line) for line in lines if line.startswith("#py")]
    assert python[:3] == ["#py inner", "#py outer", "#py <module>"]
    assert "<string>:4" in at_add["python"]
    first = next(k for k, line in enumerate(lines) if line.startswith("#py"))
    assert "add_Tensor::call" in "".join(lines[:first])
    assert not any("PyEval" in line or "cfunction_" in line for line in lines)


@in_place
def test_finish_shows_the_result(at_add):
    assert re.search(r"Value returned is \$\d+ = float32\[2, 3\]", at_add["finish"]), at_add["finish"]


@needs_calls
@in_place
def test_loop_boundaries_in_torch_bt():
    """C++ that calls Python that calls C++: each Python frame is listed where it runs."""
    program = """
import torch
class Twice(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2
    @staticmethod
    def backward(ctx, g):
        return torch.add(g, g)
def start():
    x = torch.ones(3, requires_grad=True)
    Twice.apply(x).sum().backward()
start()
"""
    text = gdb(*AT_ADD, "torch-bt", program=program)
    lines = [line for line in text.splitlines() if line.startswith("#")]
    python = [k for k, line in enumerate(lines) if line.startswith("#py")]
    names = [lines[k].split()[1] for k in python]
    assert names[0] == "backward" and "start" in names
    inside, outside = python[0], python[names.index("start")]
    assert any("torch::autograd::" in line for line in lines[inside:outside]), text


@in_place
def test_break_in_a_library_that_loads_on_first_use():
    text = gdb("set breakpoint pending on", "break at::native::mkldnn::convolution", "run", "bt 5")
    assert re.search(r"Breakpoint 1.*, .*at::native::mkldnn::convolution ", text), text[-2000:]
    assert re.search(r"at::native::convolution_cpu \(.*\n#.*convolution\w* \(.*float32\[1, 8, 32, 32\]", text), text[-2000:]


LISTS = ("set breakpoint pending on", "break at::native::convolution_cpu", "run", "up 0")


@in_place
def test_lists_and_optional():
    text = gdb(*LISTS, "print padding", "torch-int-array-ref-repr padding", "print bias", "print groups")
    values = re.findall(r"^\$\d+ = (.*)$", text, re.MULTILINE)
    assert values[0].endswith("[0, 0]")
    assert "\n[0, 0]\n" in text
    assert values[1].endswith(("None", "undefined tensor"))
    assert values[2] == "1"


@needs_calls
@in_place
def test_small_floats():
    text = gdb(*AT_ADD, "set $memory = (unsigned short*)malloc(8)", "set $memory[0] = 0x3e00", "print *(c10::Half*)$memory",
               "set $memory[0] = 0x4049", "print *(c10::BFloat16*)$memory")  # fmt: skip
    values = re.findall(r"^\$\d+ = (.*)$", text, re.MULTILINE)
    assert values == ["1.5", "3.14062"]


@in_place
def test_ivalue():
    """A boxed call hands its arguments over as IValues."""
    program = """
import torch
lib = torch.library.Library("gdbtest", "DEF")
lib.define("f(Tensor x, int n, float d, bool b, str s, int[] l) -> Tensor")
lib.impl("f", lambda x, n, d, b, s, l: x.clone(), "CPU")
torch.ops.gdbtest.f(torch.ones(4), 7, 0.5, True, "text", [1, 2])
"""
    text = gdb("set breakpoint pending on", "break torch::from_ivalue", "run", *["print v", "continue"] * 6, program=program)
    values = re.findall(r"^\$\d+ = (?:\(.*?\) @0x[0-9a-f]+: )?(.*)$", text, re.MULTILINE)
    assert values == ["Tensor float32[4]", "Int 7", "Double 0.5", "Bool True", 'String "text"', values[-1]], text[-3000:]
    assert values[-1].startswith("IntList") and "1, 2" in values[-1]


@in_place
@pytest.mark.parametrize("switches, seen", [(["on"], True), (["on", "off"], False)])
def test_dispatch_trace_switch(switches, seen):
    text = gdb(*AT_ADD, *[f"torch-dispatch-trace {s}" for s in switches], "delete", "continue")
    assert ("[call] op=[aten::conv2d]" in text) == seen, text


@needs_calls
@in_place
def test_modes():
    program = """
import os, torch
from torch.utils._python_dispatch import TorchDispatchMode
class Outer(TorchDispatchMode):
    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        return func(*args, **(kwargs or {}))
class Inner(Outer):
    pass
def f(x):
    os.getppid()
    return x + 1
with torch.autocast("cpu"), Outer(), Inner(), torch.no_grad():
    torch.vmap(f, randomness="same")(torch.ones(5, 2))
"""
    text = gdb("set breakpoint pending on", "break getppid", "run", "torch-modes", program=program)
    expected = [
        "autocast to BFloat16", "vmap level 1: a batch of 5, randomness=same", "dispatch mode Inner", "dispatch mode Outer",
        "grad mode is off", "keys added to every call: .*Python",
    ]  # fmt: skip
    assert re.search("\n".join(expected), text), text


def test_forbidden_auto_load_says_what_to_do():
    text = gdb(*AT_ADD, trusted=False)
    assert "add-auto-load-safe-path" in text and "libc10.so-gdb.py" in text


@in_place
def test_attach():
    program = "import torch, time; x = torch.ones(2); print('ready', flush=True); time.sleep(60); torch.add(x, x)"
    environment = dict(os.environ, PYTHONPATH=str(PACKAGE.parent))
    process = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True, env=environment, cwd="/")
    try:
        assert process.stdout.readline().strip() == "ready"
        done = subprocess.run(
            ["gdb", "-nx", "-batch", "-p", str(process.pid), "-ex", "break at::native::add", "-ex", "info breakpoints"],
            capture_output=True, text=True, timeout=60, cwd="/",
        )  # fmt: skip
    finally:
        process.kill()
        process.wait()
    if "ptrace" in done.stderr:
        pytest.skip("this machine does not let gdb attach")
    assert re.search(r"in at::native::add\(at::Tensor const&.* at \S+:\d+", done.stdout), done.stdout + done.stderr


def test_scripts_do_not_need_torch():
    """gdb's Python may differ from ours, and it loads the scripts without their package."""
    look = "python import sys; print([name in sys.modules for name in ('torch_gdb', 'torch', 'numpy')])"
    text = gdb("set breakpoint pending on", "break at::native::add", "run", look)
    assert "[True, False, False]" in text


@in_place
@pytest.mark.parametrize("name", ["tanh", "add.Tensor", "sum.dim_IntList", "linear"])
def test_breakpoints_that_explain_suggests_are_found(name):
    import torch.utils.explain

    lines = [b for o in torch.utils.explain("aten::" + name).operators for b in o.breakpoints]
    assert lines
    at_exit = ("catch syscall exit_group", "run", "info breakpoints")
    text = gdb("set breakpoint pending on", *lines, *at_exit, program="import torch")
    listed = text[text.index("Num ") :]
    assert "<PENDING>" not in listed and "catchpoint" in listed, text


KERNEL = """
import torch
x = torch.arange(9.0).view(3, 3).cuda()
print(torch.trace(x).item())
"""
DIAGONAL = PACKAGE.parent / "aten" / "src" / "ATen" / "native" / "diagonal" / "cuda" / "diagonal.cu"


@in_place
@pytest.mark.skipif(not (PACKAGE / "lib" / "libtorch_cuda_emulated.so").exists(), reason="built without the emulated CUDA device")
@pytest.mark.parametrize("by", ["name", "line"])
def test_threads_of_a_kernel(by):
    """On the emulated device: the breakpoint stops in the thread that it names, and again in the next one."""
    line = 1 + next(k for k, text in enumerate(DIAGONAL.read_text().splitlines()) if "k < n; k += blockDim.y) sum" in text)
    place = "trace_kernel" if by == "name" else f"diagonal.cu:{line}"
    sanitizers = [f"set environment {name} {value}" for name, value in emulated_device().items()]
    look = ["print threadIdx", "print threadIdx.y", "print blockIdx.x", "print blockDim", "print gridDim.x"]
    again = ["delete", f"break {place} if threadIdx.y == 9", "continue", "print threadIdx.y"]
    start = [*sanitizers, "set breakpoint pending on", "print threadIdx", f"break {place} if threadIdx.y == 2", "run"]
    text = gdb(*start, *look, "next", "print threadIdx.y", *again, arguments=("-W", "ignore", "-c", KERNEL))
    assert re.findall(r"^\$\d+ = (.*)$", text, re.MULTILINE) == [
        "{x = 0, y = 2, z = 0}", "2", "0", "{x = 1, y = 256, z = 1}", "1", "2", "9",
    ], text  # fmt: skip
    assert "trace_kernel<float, float, double>" in text
    assert 'No symbol "threadIdx"' in text  # before the device is used, the name is the program's
