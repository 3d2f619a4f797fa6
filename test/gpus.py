"""Marks of tests in test/cuda that not every machine can pass: tools/try_gpu.sh runs them on a GPU, of which there may be one."""

import pytest

import torch

IS_EMULATED = torch.cuda.get_device_name() == "Emulated device"
emulated = pytest.mark.skipif(not IS_EMULATED, reason="tests the emulated device")
two_devices = pytest.mark.skipif(torch.cuda.device_count() < 2, reason="needs two devices")
LAST = torch.device("cuda", torch.cuda.device_count() - 1)  # not the current one, if there are several
