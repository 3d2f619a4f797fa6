"""A backend from outside the tree (test/cpp_extensions/open_device) is built against the package and used as a device."""

import os
import shutil
import subprocess
import sys

import pytest

from torch.utils import cpp_extension

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "cpp_extensions")


@pytest.mark.skipif(shutil.which(cpp_extension.get_cxx_compiler()) is None, reason="no C++ compiler")
def test_open_device(tmp_path):
    """In a separate process, which can have one such backend. Outside kernels, the CPU cannot access its memory."""
    environment = dict(os.environ, OPEN_DEVICE_BUILD=str(tmp_path), PYTHONPATH=FOLDER)
    checks = os.path.join(FOLDER, "open_device", "check_open_device.py")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", checks]
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=FOLDER)
    assert done.returncode == 0, done.stdout[-6000:]
