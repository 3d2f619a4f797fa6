"""Shared by all tests: makes the table of operators importable, and provides its devices."""

import os
import sys

import pytest

sys.path.insert(0, os.path.dirname(__file__))  # `import ops`
# An emulated CUDA device is for the tests that ask for it: test_cuda_emulated.py starts them.
os.environ.setdefault("TORCH_CUDA_EMULATED", "1" if "cuda" in os.environ.get("TEST_DEVICES", "").split(",") else "0")


def pytest_generate_tests(metafunc):
    """A test with an argument `device` runs for each device whose tensors have values."""
    if "device" in metafunc.fixturenames:
        from ops.shared.devices import COMPUTING

        metafunc.parametrize("device", COMPUTING, indirect=True)


@pytest.fixture
def device(request):
    """Its name; new tensors are made there."""
    if request.param == "cpu":
        yield "cpu"
    else:
        import torch

        with torch.device(request.param):
            yield request.param
