"""Starts the tests of CUDA kernels on the emulated device, in processes that have it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from surroundings import ROOT, emulated_device

import torch

LIBRARY = os.path.join(os.path.dirname(torch.__file__), "lib", "libtorch_cuda_emulated.so")
pytestmark = pytest.mark.skipif(not os.path.exists(LIBRARY), reason="built without the emulated CUDA device (USE_CUDA=emulated)")

# Operators whose table passes; a new kernel adds its operators. Not among the tests here: gradcheck, which takes an hour
# (test_ops_devices.py compares derivatives with the CPU's instead), and wrong arguments that kernels find: they end the device.
OPERATORS = Path(__file__).parent / "cuda" / "operators.txt"
PARTS = 12  # of the list, each in a process of its own


def run(*arguments, **variables):
    environment = {**os.environ, **emulated_device(), "TEST_DEVICES": "cuda", **variables}
    command = [sys.executable, "-m", "pytest", "-q", "-W", "ignore", "-p", "no:cacheprovider", "-p", "no:xdist", *arguments]
    done = subprocess.run(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert done.returncode == 0, done.stdout


FILES = sorted(path.name for path in OPERATORS.parent.glob("*.py"))


@pytest.mark.parametrize("file", FILES)
def test_file(file):
    run(f"test/cuda/{file}")


def test_order_of_threads():
    files = ("deterministic", "linalg", "sorting")
    run(*(f"test/cuda/{name}.py" for name in files), TORCH_CUDA_EMULATED_SHUFFLE="1")


def test_expandable_segments():
    files = ("devices", "memory", "graphs", "ipc", "peers", "products")
    run(*(f"test/cuda/{name}.py" for name in files), PYTORCH_CUDA_ALLOC_CONF="expandable_segments:True")


@pytest.mark.parametrize("part", range(PARTS))
def test_operators(part, tmp_path):
    names = OPERATORS.read_text().split()
    assert names == sorted(set(names)), "test/cuda/operators.txt is in order, with each name once"
    (tmp_path / "names").write_text("\n".join(names[part::PARTS]))
    files = ("test/test_ops.py", "test/test_ops_devices.py")
    run(*files, "-k", "cuda and not gradients and not errors", TEST_OPERATORS=str(tmp_path / "names"))


def test_what_the_list_leaves_out():
    """docs/cuda.md says why each of them is not listed."""
    from ops import all_ops

    page = (ROOT / "docs" / "cuda.md").read_text()
    missing = {op.name for op in all_ops()} - set(OPERATORS.read_text().split())
    assert len(missing) == 6 and all(f"`{name}`" in page for name in missing), missing
