"""Copies between two devices, and their access to each other's memory."""

import ctypes
import os
import subprocess
import sys

import pytest
from gpus import IS_EMULATED, emulated, two_devices

import torch

pytestmark = two_devices
INVALID_DEVICE = 101


def in_new_process(code, **environment):
    command = [sys.executable, "-W", "ignore", "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **environment})
    assert done.returncode == 0, done.stdout + done.stderr


# What the runtime says when a program enables access of the current device itself.
ENABLE = """
import ctypes, torch
runtime = ctypes.CDLL(torch.__path__[0] + "/lib/libc10_cuda_emulated.so")
def enable(device, peer):
    with torch.cuda.device(device):
        return runtime.cudaDeviceEnablePeerAccess(peer, 0)
"""


def test_who_reads_whose_memory():
    assert torch.cuda.can_device_access_peer(0, 1) is torch.cuda.can_device_access_peer("cuda:1", "cuda:0")
    assert torch.cuda.can_device_access_peer(0, 1) or not IS_EMULATED
    assert torch.cuda.can_device_access_peer(0, 0) is False
    with pytest.raises(AssertionError, match="peer_device: there is no cuda:7; this process sees"):
        torch.cuda.can_device_access_peer(0, 7)
    with pytest.raises(AssertionError, match="device: there is no cuda:-1"):
        torch.cuda.can_device_access_peer(-1, 0)


@emulated
def test_the_first_copy_enables_access():
    in_new_process(
        ENABLE
        + """
x = torch.arange(1000.0, device="cuda:0")
y = x.to("cuda:1")
assert enable(0, 1) == 704  # it was enabled already
assert enable(1, 0) == 0  # no copy of that direction yet
assert torch.equal(y.to("cuda:0").cpu(), torch.arange(1000.0))  # somebody else enabled it: no error
y.to("cuda:0")
assert torch.cuda.cudart().cudaMemGetInfo(0)
"""
    )


@emulated
def test_devices_without_a_connection():
    in_new_process(
        ENABLE
        + """
assert not torch.cuda.can_device_access_peer(0, 1)
x = torch.arange(1000.0, device="cuda:0")
assert torch.equal((x + 1).to("cuda:1").cpu(), torch.arange(1000.0) + 1)
assert enable(0, 1) == 217
""",
        TORCH_CUDA_EMULATED_PEERS="0",
    )


@emulated
def test_a_copy_waits_for_the_work_of_its_source():
    x = torch.zeros(1000, device="cuda:0")
    torch.cuda.synchronize(0)
    x.add_(1)  # queued, not run
    y = x.to("cuda:1")
    x.add_(1)  # behind the copy
    torch.cuda.synchronize(1)
    assert y.cpu().unique().tolist() == [1] and x.cpu().unique().tolist() == [2]


def test_a_copy_waits_for_the_work_of_its_target():
    source, target = torch.ones(1000, device="cuda:0"), torch.zeros(1000, device="cuda:1")
    torch.cuda.synchronize(0)
    torch.cuda.synchronize(1)
    before = target + 5  # queued, not run: it reads what the copy overwrites
    target.copy_(source)
    after = target + 5
    torch.cuda.synchronize(0)
    torch.cuda.synchronize(1)
    assert before.cpu().unique().tolist() == [5] and after.cpu().unique().tolist() == [6]


def test_a_copy_is_in_the_order_of_current_streams():
    first, second = torch.cuda.Stream(0), torch.cuda.Stream(1)
    x, y = torch.zeros(1000, device="cuda:0"), torch.zeros(1000, device="cuda:1")
    torch.cuda.synchronize(0)
    torch.cuda.synchronize(1)
    with torch.cuda.stream(first), torch.cuda.stream(second):
        x.add_(3)
        y.copy_(x, non_blocking=True)
        z = y * 2
    second.synchronize()
    assert y.cpu().unique().tolist() == [3] and z.cpu().unique().tolist() == [6]


def test_the_target_is_kept_until_the_copy_is_done():
    x, y = torch.ones(1 << 20, device="cuda:0"), torch.zeros(1 << 20, device="cuda:1")
    torch.cuda.synchronize(0)
    torch.cuda.synchronize(1)
    address = y.data_ptr()
    side = torch.cuda.Stream(0)
    with torch.cuda.stream(side):
        y.copy_(x)  # on a stream of the source's device
    del y
    assert torch.empty(1 << 20, device="cuda:1").data_ptr() != address


@pytest.mark.parametrize("dtype", [torch.float16, torch.float64, torch.int32])
def test_layouts_and_types_change_between_devices(dtype):
    x = torch.arange(24, device="cuda:0", dtype=dtype).reshape(2, 3, 4)
    y = torch.zeros(4, 3, 2, device="cuda:1")
    y.copy_(x.transpose(0, 2))
    assert torch.equal(y.cpu(), x.cpu().transpose(0, 2).float())
    assert torch.equal(x[:, 1].to("cuda:1").cpu(), x[:, 1].cpu())


def test_gradients_cross_devices():
    x = torch.arange(3.0, device="cuda:0", requires_grad=True)
    (x.to("cuda:1") * 2).sum().backward()
    assert x.grad.device == x.device and x.grad.tolist() == [2, 2, 2]


@emulated
def test_wrong_devices_of_a_copy():
    runtime = ctypes.CDLL(os.path.join(os.path.dirname(torch.__file__), "lib", "libc10_cuda_emulated.so"))
    x, y = torch.ones(4, device="cuda:0"), torch.ones(4, device="cuda:1")
    copy = runtime.cudaMemcpyPeerAsync
    copy.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p, ctypes.c_int, ctypes.c_size_t, ctypes.c_void_p]
    assert copy(y.data_ptr(), 1, x.data_ptr(), 5, 16, None) == INVALID_DEVICE
    assert copy(y.data_ptr(), 0, x.data_ptr(), 0, 16, None) == 1
    runtime.cudaGetLastError()
    assert y.tolist() == [1, 1, 1, 1]
