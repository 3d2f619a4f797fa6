"""Values of environment variables that mean nothing are refused or warned about."""

import os
import subprocess
import sys

import pytest
from gpus import emulated

USE = """
import os, torch
if "TORCH_CUDA_EMULATED_VMM" in os.environ:
    torch.cuda.memory._set_allocator_settings("expandable_segments:True")
x = torch.ones(1, 1, 3, device='cuda')
torch.nn.functional.conv1d(x, x).cpu()
x.to(f'cuda:{torch.cuda.device_count() - 1}')
torch.addmm(x[0, 0], x[0].t(), x[0]).cpu()
torch.backends.cuda.cublas_workspace_size()
"""
INVALID = {
    "CUBLASLT_WORKSPACE_SIZE": ("4MB", "it is not a whole number of KiB"),
    "CUBLAS_WORKSPACE_CONFIG": ("4096", "it is not :SIZE:COUNT"),
    "PYTORCH_CUDA_ALLOC_CONF": ("max_split_size_mb:many", "max_split_size_mb"),
    "PYTORCH_ALLOC_CONF": ("no_such_option:1", "no_such_option"),
    "PYTORCH_NO_CUDA_MEMORY_CACHING": ("onn", "1, on, yes, true, 0, off, no, false"),
    "TORCH_CUDA_EMULATED_CUDNN": ("onn", "1, on, yes, true, 0, off, no, false"),
    "TORCH_CUDA_EMULATED_BUSY": ("no", "it is not a whole number"),
    "TORCH_CUDA_EMULATED_DRIVER": ("12.4", "it is not a whole number"),
    "TORCH_CUDA_EMULATED_DEVICES": ("two", "it is not a whole number"),
    "TORCH_CUDA_EMULATED_MEMORY": ("4GB", "it is not a whole number"),
    "TORCH_CUDA_EMULATED_PEERS": ("no", "it is not a whole number"),
    "TORCH_CUDA_EMULATED_VMM": ("no", "it is not a whole number"),
    "TORCH_CUDA_EMULATED_SHUFFLE": ("yes", "it is not a whole number"),
}


OF_THE_EMULATED = [name for name in INVALID if "EMULATED" in name]
NAMES = [pytest.param(name, marks=emulated) if name in OF_THE_EMULATED else name for name in INVALID]


@pytest.mark.parametrize("name", NAMES)
def test_value_that_means_nothing(name):
    value, expected = INVALID[name]
    command = [sys.executable, "-W", "ignore", "-c", USE]
    done = subprocess.run(command, env={**os.environ, name: value}, capture_output=True, text=True)
    assert expected in done.stdout + done.stderr
