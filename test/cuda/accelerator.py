"""torch.accelerator, torch.get_device_module and torch.Stream answer for the device that is there."""

import gc

import pytest
from gpus import LAST, two_devices

import torch


def test_the_accelerator():
    assert torch.accelerator.is_available() and torch.accelerator.device_count() == torch.cuda.device_count()
    assert torch.accelerator.current_accelerator() == torch.device("cuda") == torch._C._get_accelerator()
    assert torch.get_device_module() is torch.cuda and torch.get_device_module("cpu") is torch.cpu


@two_devices
def test_devices():
    assert torch.accelerator.current_device_index() == 0
    for index in (1, "cuda:1", torch.device("cuda", 1)):
        torch.accelerator.set_device_index(index)
        assert torch.cuda.current_device() == torch.accelerator.current_device_index() == 1
        torch.accelerator.set_device_index(0)
    torch.accelerator.set_device_index(-1)
    with torch.accelerator.device_index(1):
        assert torch.cuda.current_device() == 1
    with torch.accelerator.device_index(None):
        assert torch.cuda.current_device() == 0
    torch.accelerator.synchronize()
    torch.accelerator.synchronize("cuda:1")
    with pytest.raises(RuntimeError, match="Accelerator expected"):
        torch.accelerator.synchronize("cpu")
    with pytest.raises(ValueError, match="doesn't match the current accelerator cuda"):
        torch.accelerator.synchronize("xpu")
    with pytest.raises(RuntimeError, match="cuda:7: there is no device of that number; this process sees"):
        torch.accelerator.synchronize(7)
    with pytest.raises(ValueError, match="expected a number"):
        torch.accelerator.set_device_index("cuda")
    assert torch.float16 in torch.accelerator.get_device_capability()["supported_dtypes"]


def test_streams():
    assert torch.Stream().device.type == torch.Event().device.type == "cuda"
    side = torch.Stream(priority=-1)
    torch.accelerator.set_stream(side)
    assert torch.accelerator.current_stream() == side == torch.cuda.current_stream()
    torch.accelerator.set_stream(torch.cuda.default_stream())
    assert torch.accelerator.current_stream(LAST).device == LAST


def test_memory():
    gc.collect()
    before = torch.accelerator.memory_allocated()
    x = torch.ones(1000, device="cuda")
    assert torch.accelerator.memory_allocated(0) == torch.cuda.memory_allocated() > before
    assert torch.accelerator.max_memory_allocated("cuda") == torch.cuda.max_memory_allocated()
    assert torch.accelerator.memory_reserved() == torch.cuda.memory_reserved() <= torch.accelerator.max_memory_reserved()
    assert torch.accelerator.memory_stats() == torch.cuda.memory_stats()
    assert torch.accelerator.get_memory_info()[1] == torch.cuda.get_device_properties(0).total_memory
    del x
    torch.accelerator.reset_peak_memory_stats()
    torch.accelerator.reset_accumulated_memory_stats(LAST)
    assert torch.accelerator.max_memory_allocated() == before
    torch.accelerator.empty_cache()
    torch.accelerator.empty_host_cache()


def test_graph():
    x = torch.zeros(4, device="cuda")
    stream, graph = torch.Stream(), torch.accelerator.Graph()
    torch.accelerator.synchronize()
    with stream, graph:
        x += 1
    assert x.sum() == 0
    graph.replay()
    graph.replay()
    assert x.tolist() == [2] * 4 and torch.accelerator.Graph(pool=graph.pool()).graph_pool == graph.pool()
    with pytest.raises(ValueError, match="capture_error_mode"):
        torch.accelerator.Graph(capture_error_mode="none")
