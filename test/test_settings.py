"""A misspelt setting is warned about or refused, with the valid ones.

Scripts print their usage and refuse what they do not know.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import torch
from torch import _environment

ROOT = Path(__file__).resolve().parents[1]
HERE = {k: v for k, v in os.environ.items() if not k.startswith(("TORCH_", "ATEN_")) and k not in ("RANK", "WORLD_SIZE")}
USE = "import torch; (torch.ones(1 << 16) + 1).sum()"
LOAD = "import io, torch; b = io.BytesIO(); torch.save(torch.ones(1), b); b.seek(0); torch.load(b)"
TRACE = "import torch; from torch._logging import trace_structured; trace_structured('artifact', payload_fn=lambda: '')"
YES_OR_NO = "1, on, yes, true, 0, off, no, false"


def stderr_of(program, **variables):
    done = subprocess.run([sys.executable, "-c", program], env={**HERE, **variables}, capture_output=True, text=True, cwd=ROOT)
    return done.stderr + done.stdout, done.returncode


# The message of each variable for an invalid value.
CHECKED = {
    "TORCH_SHOW_DISPATCH_TRACE": ("onn", USE, YES_OR_NO),
    "TORCH_DISPATCH_TRACE_DETAILS": ("kernal", USE, "kernel, args, time, all"),
    "TORCH_SHOW_CPP_STACKTRACES": ("onn", USE, YES_OR_NO),
    "TORCH_CRASH_REPORT": ("foo", USE, "arguments, " + YES_OR_NO),
    "TORCH_LOGS": ("dispach", USE, "dispatch"),
    "TORCH_LOGS_FORMAT": ("%(mesage)s", USE, "format of Python's logging"),
    "TORCH_CPP_LOG_LEVEL": ("WARN", USE, "INFO, WARNING, ERROR, FATAL"),
    "ATEN_CPU_CAPABILITY": ("avx3", USE, "default, avx2, avx512"),
    "OMP_NUM_THREADS": ("two", USE, "positive number"),
    "TORCH_CPU_ALLOCATOR": ("maloc", USE, "caching, malloc"),
    "TORCH_CPU_ALLOCATOR_MAX_CACHED": ("many", USE, "number of bytes"),
    "TORCH_CPU_ALLOCATOR_MAX_IDLE": ("long", USE, "number of seconds"),
    "TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD": ("onn", LOAD, "on, yes, true"),
    "RANK": ("first", TRACE, "a number of at least 0"),
    "WORLD_SIZE": ("two", TRACE, "a number of at least 0"),
    "TORCH_CUDA_EMULATED": ("onn", "import torch; torch.cuda.is_available()", YES_OR_NO),
    "TORCH_DISTRIBUTED_DEBUG": ("LOUD", "import torch; torch.distributed.get_debug_level()", "OFF, INFO or DETAIL"),
}
# Names of files and folders: any value is valid.
PATHS = {
    "GITHUB_TOKEN",
    "TORCH_LOGS_OUT",
    "TORCH_TRACE",
    "TORCH_DTRACE",
    "TORCH_EXTENSIONS_DIR",
    "CUDA_HOME",
    "CUDA_PATH",
    "CUDNN_HOME",
    "CUDNN_PATH",
    "GLOO_SOCKET_IFNAME",
    "PYTORCH_KERNEL_CACHE_PATH",
}
# Read by NVIDIA's driver, or where there are devices: test/cuda/settings.py checks those.
OF_CUDA = {
    "CUBLASLT_WORKSPACE_SIZE",
    "CUBLAS_WORKSPACE_CONFIG",
    "CUDA_LAUNCH_BLOCKING",
    "CUDA_VISIBLE_DEVICES",
    "PYTORCH_CUDA_ALLOC_CONF",
    "PYTORCH_ALLOC_CONF",
    "PYTORCH_NO_CUDA_MEMORY_CACHING",
    "USE_PYTORCH_KERNEL_CACHE",
    "TORCH_CUDA_EMULATED_CUDNN",
    "TORCH_CUDA_EMULATED_BUSY",
    "TORCH_CUDA_EMULATED_DEVICES",
    "TORCH_CUDA_EMULATED_DRIVER",
    "TORCH_CUDA_EMULATED_MEMORY",
    "TORCH_CUDA_EMULATED_PEERS",
    "TORCH_CUDA_EMULATED_VMM",
    "TORCH_NCCL_BLOCKING_WAIT",
    "TORCH_CUDA_EMULATED_SHUFFLE",
}


@pytest.mark.parametrize("name", CHECKED)
def test_value_that_means_nothing(name, tmp_path):
    value, program, expected = CHECKED[name]
    more = {"TORCH_LOGS": "all"} if name == "TORCH_LOGS_FORMAT" else {}
    if program is TRACE:
        more = {"RANK": "0", "WORLD_SIZE": "1", "TORCH_TRACE": str(tmp_path)}
    text, _ = stderr_of(program, **{**more, name: value})
    lines = [line for line in text.splitlines() if value in line]
    assert lines and expected in text, text
    assert "Traceback" not in text or name == "TORCH_LOGS"  # refused by an exception, as in PyTorch


def test_all_variables_of_the_documentation_are_checked():
    rows = re.findall(r"^\| (.*?) \| run \|", (ROOT / "docs/environment.md").read_text(), re.M)
    names = {name.partition("=")[0] for row in rows for name in re.findall(r"`([A-Z_]+[^`]*)`", row)}
    assert names - PATHS - OF_CUDA <= CHECKED.keys(), "say what is valid, and add the variable to CHECKED"


def test_valid_settings_say_nothing():
    for variables in (
        {"TORCH_CRASH_REPORT": "arguments"},
        {"TORCH_CRASH_REPORT": "0"},
        {"TORCH_SHOW_CPP_STACKTRACES": "yes"},
        {"ATEN_CPU_CAPABILITY": "avx512"},
        {"TORCH_CPU_ALLOCATOR": "malloc"},
        {"TORCH_DISPATCH_TRACE_DETAILS": "args,time"},
        {"TORCH_SHOW_DISPATCH_TRACE": "off"},
        {"TORCH_LOGS_FORMAT": "short"},
        {"OMP_NUM_THREADS": "2"},
        {"TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD": "0", "TORCH_CRASH_REPORT": ""},
    ):
        assert stderr_of(LOAD, **variables) == ("", 0)


def test_capability_that_the_build_lacks():
    """A build for this machine only has one set of kernels."""
    text = stderr_of("import torch; print(torch.backends.cpu.get_cpu_capability())", ATEN_CPU_CAPABILITY="default")[0]
    assert text == "DEFAULT\n" or "ATEN_CPU_CAPABILITY=default: this build has kernels for nothing below AVX" in text


def test_log_file_that_cannot_be_written():
    text, status = stderr_of(USE, TORCH_LOGS="all", TORCH_LOGS_OUT="/nosuch/file")
    assert status != 0 and "TORCH_LOGS_OUT names it" in text and "'/nosuch/file'" in text


def test_python_reads_flags_and_numbers(monkeypatch):
    for text, expected in (("1", True), ("Yes", True), ("off", False), ("", None)):
        monkeypatch.setenv("TORCH_TEST_FLAG", text)
        assert _environment.flag("TORCH_TEST_FLAG", None) is expected
    monkeypatch.setenv("TORCH_TEST_FLAG", "12")
    assert _environment.number("TORCH_TEST_FLAG", 1) == 12
    with pytest.warns(UserWarning, match="TORCH_TEST_FLAG=12 is ignored: expected 1, on"):
        assert _environment.flag("TORCH_TEST_FLAG", True) is True


# --- building ---------------------------------------------------------------------------------------------------


def prerequisites():
    sys.path.insert(0, str(ROOT))
    try:
        from tools.setup_helpers import prerequisites as found
    finally:
        sys.path.pop(0)
    return found


def test_other_machines_are_refused_in_a_sentence():
    found = prerequisites()
    assert found.problem("x86_64", "Linux") == ""
    assert "64-bit x86 machines with Linux only, and this is aarch64 with Linux" in found.problem("aarch64", "Linux")
    assert "this is x86_64 with Windows" in found.problem("x86_64", "Windows")


def test_cmake_refuses_other_machines(tmp_path):
    """For users who call CMake directly."""
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.25)\nproject(check LANGUAGES NONE)\nset(CMAKE_SYSTEM_PROCESSOR aarch64)\n"
        "set(CMAKE_SYSTEM_NAME Linux)\nset(CMAKE_SIZEOF_VOID_P 8)\n"
        + re.search(r"^if\(NOT CMAKE_SYSTEM_NAME.*?(?=^# Find)", (ROOT / "CMakeLists.txt").read_text(), re.M | re.S)[0]
    )
    cmake = Path(sys.executable).parent / "cmake"
    if not cmake.exists():
        pytest.skip("no cmake beside this Python")
    done = subprocess.run([cmake, "-S", tmp_path, "-B", tmp_path / "build"], capture_output=True, text=True)
    assert done.returncode != 0 and "64-bit x86 machines only; this is aarch64" in " ".join(done.stderr.split())


def test_python_outside_of_the_environment_is_told_what_to_do(tmp_path):
    """A Python without packages, as in a new user's shell."""
    bare = subprocess.run([sys.executable, "-m", "venv", "--without-pip", tmp_path / "bare"], capture_output=True)
    if bare.returncode:
        pytest.skip("no virtual environments here")
    python = tmp_path / "bare" / "bin" / "python"
    for environment, expected in ((tmp_path / "none", "bash tools/quickstart.sh"), (tmp_path / "bare", ". ")):
        done = subprocess.run(
            [python, "setup.py", "build_ext", "--inplace"],
            cwd=ROOT,
            capture_output=True,
            text=True,
            env={**HERE, "TORCH_VENV": str(environment)},
        )
        assert done.returncode == 1 and "Traceback" not in done.stderr
        assert re.match(r"error: \S*python\S* cannot build torch: setuptools is not there; pyyaml is not there\. ", done.stderr)
        assert environment.name == "bare" or expected in done.stderr


def test_build_names_what_it_lacks():
    found = prerequisites()
    assert found.missing() == [] and found.problem() == ""
    assert found.missing({"setuptools": 9999}) and "9999 or newer is needed" in found.missing({"setuptools": 9999})[0]
    assert found.missing({"nosuch-package": 0}) == ["nosuch-package is not there"]


# --- tools/ -----------------------------------------------------------------------------------------------------

SCRIPTS = sorted(path.name for path in (ROOT / "tools").glob("*.sh"))
PROGRAMS = sorted(path.name for path in (ROOT / "tools").glob("*.py") if path.name != "__init__.py")


@pytest.mark.parametrize("name", SCRIPTS + PROGRAMS)
@pytest.mark.parametrize("option", ["--help", "-h"])
def test_help(name, option):
    runner = ["bash"] if name.endswith(".sh") else [sys.executable]
    done = subprocess.run([*runner, f"tools/{name}", option], cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0 and done.stderr == "" and name.partition(".")[0] in done.stdout
    assert "Building" not in done.stdout and "Installing" not in done.stdout


@pytest.mark.parametrize("name", SCRIPTS + [name for name in PROGRAMS if name != "throwaway.py"])
def test_unknown_option(name):
    if name in ("run_asan.sh", "run_tests.sh") and not (ROOT / ".venv/.requirements").exists():
        pytest.skip("would set an environment up")
    runner = ["bash"] if name.endswith(".sh") else [sys.executable]
    done = subprocess.run([*runner, f"tools/{name}", "--nosuch-option"], cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert done.returncode != 0 and "--nosuch-option" in done.stderr and "Building" not in done.stdout


def test_throwaway_refuses_an_unknown_option():
    command = [sys.executable, "tools/throwaway.py", "--nosuch-option", "true"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 2 and "--nosuch-option" in done.stderr


# --- README -----------------------------------------------------------------------------------------------------


def test_readme_and_quickstart_say_how_to_go_on():
    readme, quickstart = (ROOT / "README.md").read_text(), (ROOT / "tools/quickstart.sh").read_text()
    assert readme.index("tools/quickstart.sh") < readme.index("bin/activate") < readme.index("setup.py build_ext")
    assert quickstart.index('examples/digits.py "$@"') < quickstart.index("bin/activate") < quickstart.index("my_script.py")


def test_what_readme_lists_as_missing_is_missing_and_complete():
    """README lists each absent module, or a package that contains it, and no module that exists."""
    from torch import _absent, _absent_names

    readme = (ROOT / "README.md").read_text().partition("## What is there")[2]
    private = [name for name in _absent_names.MODULES.split() if "._" in name and "_pytree" not in name]
    listed_together = (
        "torch.backends.",
        "torch.cuda.",
        "torch.jit.",
        "torch.distributed.",
        "torch.mps",
        "torch.xpu",
        "torch.mtia",
        "torch.ao",
        "torch.quantization",
        "torch.nn.quantized",
        "torch.nn.qat",
        "torch.nn.intrinsic",
        "torch.nn.quantizable",
        "torch.utils.",
    )
    for name in set(_absent_names.MODULES.split()) - set(private):
        if name.count(".") == 1 and not name.startswith(listed_together):
            assert name.partition(".")[2] in readme or name in _MINOR, name
    for name in ("ctc_loss", "embedding_bag", "multi_margin_loss", "multilabel_margin_loss", "pdist", "rrelu"):
        assert (name in readme) == _absent.is_absent("torch.nn.functional", name), name


_MINOR = {"torch.classes", "torch.contrib", "torch.futures", "torch.monitor", "torch.nativert", "torch.numa", "torch.quasirandom"}
assert torch
