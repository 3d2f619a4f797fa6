"""DEBUG=1, REL_WITH_DEB_INFO=1 and USE_CUSTOM_DEBINFO: their effect on the build. Configures its own trees."""

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
FILE = "aten/src/ATen/native/matmul/linear.cpp"
OTHER = "aten/src/ATen/native/fill/fill.cpp"

# What setup.py would ask CMake for with this environment.
DEFINITIONS = """
import sys
sys.path.insert(0, sys.argv[1])
from tools.setup_helpers.options import plan
for name, value in plan(True).definitions.items():
    print(f"-D{name}={value}")
"""


def tool(name):
    beside = Path(sys.executable).parent / name
    return str(beside) if beside.exists() else shutil.which(name)


if not (ROOT / "setup.py").exists() or not all(map(tool, ("cmake", "ninja", "c++"))):
    pytest.skip("needs a clone, CMake, ninja and a C++ compiler", allow_module_level=True)


def configured(folder, **settings):
    """A fresh build tree, configured as setup.py would with these environment variables."""
    environment = {k: v for k, v in os.environ.items() if k not in ("DEBUG", "REL_WITH_DEB_INFO", "USE_CUSTOM_DEBINFO", "CFLAGS")}
    environment.update(settings)
    done = subprocess.run(
        [sys.executable, "-c", DEFINITIONS, str(ROOT)], env=environment, capture_output=True, text=True, check=True
    )
    definitions = [line for line in done.stdout.splitlines() if not line.startswith(("-DTORCH_OUTPUT_DIR", "-DBUILD_TEST"))]
    command = [
        tool("cmake"),
        "-G",
        "Ninja",
        "-S",
        str(ROOT),
        "-B",
        str(folder / "build"),
        f"-DCMAKE_MAKE_PROGRAM={tool('ninja')}",
    ]
    command += [*definitions, f"-DTORCH_OUTPUT_DIR={folder / 'torch'}", "-DBUILD_TEST=OFF"]
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder / "build", done.stdout


def ninja(build, *arguments):
    done = subprocess.run([tool("ninja"), "-C", str(build), *arguments], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def object_of(file):
    return f"aten/CMakeFiles/torch_cpu.dir/{file.removeprefix('aten/')}.o"


def flags(build, file):
    """The compiler's arguments for a file."""
    last = [line for line in ninja(build, "-t", "commands", object_of(file)).splitlines() if line.endswith(file)][-1]
    return shlex.split(last)


def last_of(arguments, prefix):
    return [a for a in arguments if a.startswith(prefix)][-1]


@pytest.mark.parametrize(
    "variable, level, checks", [("DEBUG", "-O0", True), ("REL_WITH_DEB_INFO", "-O2", False)], ids=["debug", "with debug info"]
)
def test_kinds_of_build(tmp_path, variable, level, checks):
    build, output = configured(tmp_path, **{variable: "1"})
    used = flags(build, FILE)
    assert last_of(used, "-O") == level and "-g" in used and "-g1" not in used
    assert ("-DNDEBUG" not in used) == checks
    assert ("(Debug)" if checks else "(RelWithDebInfo)") in output


def test_one_file_without_optimization(tmp_path):
    build, output = configured(tmp_path, USE_CUSTOM_DEBINFO=FILE)
    assert f"Building {FILE} with -O0 -g" in output
    used, others = flags(build, FILE), flags(build, OTHER)
    assert last_of(used, "-O") == "-O0" and used.index("-UNDEBUG") > used.index("-DNDEBUG")
    assert last_of(others, "-O") == "-O2" and "-UNDEBUG" not in others
    # The real compile of that file, and what the compiler wrote down about it.
    ninja(build, object_of(FILE))
    made = build / object_of(FILE)
    described = made.with_suffix(".dwo") if made.with_suffix(".dwo").exists() else made
    if shutil.which("readelf"):
        sections = ("-p", ".debug_str.dwo") if described != made else ("-p", ".debug_str")
        text = subprocess.run(["readelf", "-z", *sections, str(described)], capture_output=True, text=True).stdout
        producer = next(line for line in text.splitlines() if "GNU C++" in line)
        assert " -O0" in producer.rsplit("-O2", 1)[-1], producer
        info = subprocess.run(["readelf", "--debug-dump=info", str(described)], capture_output=True, text=True).stdout
        assert "DW_TAG_variable" in info and "DW_TAG_formal_parameter" in info


def test_a_file_that_does_not_exist_is_refused(tmp_path):
    with pytest.raises(AssertionError, match=r"NoSuchFile.cpp, which is not\s+a file"):
        configured(tmp_path, USE_CUSTOM_DEBINFO="aten/src/ATen/native/NoSuchFile.cpp")
