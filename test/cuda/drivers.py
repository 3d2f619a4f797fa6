"""Drivers that are too old or missing, and devices that another process has: exceptions that say what to do."""

import os
import subprocess
import sys

import pytest
from gpus import emulated

pytestmark = emulated
PROGRAM = """
import torch
print(torch.cuda.is_available(), torch.cuda.device_count())
try:
    {code}
except RuntimeError as error:
    print(type(error).__name__, error)
"""


def output_of(code, **environment):
    command = [sys.executable, "-W", "ignore", "-c", PROGRAM.format(code=code)]
    done = subprocess.run(
        command, capture_output=True, text=True, env={**os.environ, "TORCH_CUDA_EMULATED_DEVICES": "2", **environment}
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


USES = (
    "torch.ones(1, device='cuda')",
    "torch.cuda.init()",
    "torch.ones(1).cuda()",
    "torch.cuda.Stream()",
    "torch.ones(1).pin_memory()",
)


@pytest.mark.parametrize("use", USES)
def test_an_old_driver(use):
    text = output_of(use, TORCH_CUDA_EMULATED_DRIVER="12040")
    assert text.startswith("False 0\n")
    assert "the NVIDIA driver serves CUDA up to 12.4" in text and "needs CUDA 13" in text
    assert "Install a newer driver, or build against a toolkit that it serves (CUDA_HOME)" in text


@pytest.mark.parametrize("use", USES)
def test_no_driver(use):
    text = output_of(use, TORCH_CUDA_EMULATED_DRIVER="0")
    assert text.startswith("False 0\n") and "this machine has no NVIDIA driver. Install one for CUDA 13 or newer" in text


def test_a_newer_driver_serves():
    assert output_of("torch.ones(1).cuda()", TORCH_CUDA_EMULATED_DRIVER="14000") == "True 2\n"


@pytest.mark.parametrize("use", [*USES[:1], *USES[2:4], "torch.cuda.set_device(1)", "torch.cuda.synchronize()"])
def test_a_gpu_in_use_by_another_process(use):
    text = output_of(use, TORCH_CUDA_EMULATED_BUSY="1")
    assert text.startswith("True 2\nAcceleratorError CUDA error: the device is busy")
    assert "Another process has the GPU for itself (nvidia-smi shows its processes and compute mode)" in text
    assert "Wait for it to end, or choose another GPU by CUDA_VISIBLE_DEVICES" in text


def test_reports_without_a_device():
    """collect_env names what there is, with a driver that is too old too."""
    code = "from torch.utils import collect_env; print(collect_env.get_pretty_env_info())"
    text = output_of(code, TORCH_CUDA_EMULATED_DRIVER="12040")
    assert "Is CUDA available: False" in text
    text = output_of(code)
    assert "Is CUDA available: True" in text and "GPU 0: Emulated device\nGPU 1: Emulated device" in text
    for line in ("CUDA used to build PyTorch", "CUDA runtime version", "GPU models and configuration", "Nvidia driver version"):
        assert f"{line}: " in text, text
