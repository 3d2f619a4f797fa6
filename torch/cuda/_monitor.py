"""What NVIDIA's management library says about GPUs: load, temperature, power, processes."""

from __future__ import annotations

from typing import Any

from torch.cuda._devices import get_device_properties
from torch.cuda._runtime import extension


def _handle(device: Any) -> tuple[Any, Any]:
    """The library and its object for a GPU, found by the GPU's bus."""
    if extension().is_emulated:
        raise RuntimeError("torch.cuda: the emulated device has neither load nor temperature")
    try:
        import pynvml
    except ModuleNotFoundError:
        raise ModuleNotFoundError("torch.cuda: this figure comes from pynvml: pip install nvidia-ml-py") from None
    pynvml.nvmlInit()
    p = get_device_properties(device)
    bus = f"{p.pci_domain_id:08x}:{p.pci_bus_id:02x}:{p.pci_device_id:02x}.0"
    return pynvml, pynvml.nvmlDeviceGetHandleByPciBusId(bus.encode())


def utilization(device: Any = None) -> int:
    """The share of the last second in which a kernel ran, in percent."""
    library, handle = _handle(device)
    return library.nvmlDeviceGetUtilizationRates(handle).gpu


def memory_usage(device: Any = None) -> int:
    """The share of the last second in which memory was read or written, in percent."""
    library, handle = _handle(device)
    return library.nvmlDeviceGetUtilizationRates(handle).memory


def device_memory_used(device: Any = None) -> int:
    """Bytes of memory that all processes use."""
    library, handle = _handle(device)
    return library.nvmlDeviceGetMemoryInfo(handle).used


def temperature(device: Any = None) -> int:
    """The temperature in degrees Celsius."""
    library, handle = _handle(device)
    return library.nvmlDeviceGetTemperature(handle, 0)


def power_draw(device: Any = None) -> int:
    """The power in milliwatts."""
    library, handle = _handle(device)
    return library.nvmlDeviceGetPowerUsage(handle)


def clock_rate(device: Any = None) -> int:
    """The clock of the multiprocessors in megahertz."""
    library, handle = _handle(device)
    return library.nvmlDeviceGetClockInfo(handle, 1)


def list_gpu_processes(device: Any = None) -> str:
    """The processes that use a GPU, with their memory, one per line."""
    library, handle = _handle(device)
    lines = [
        f"process {p.pid:>10d} uses {(p.usedGpuMemory or 0) / 2**20:12.3f} MB GPU memory"
        for p in library.nvmlDeviceGetComputeRunningProcesses(handle)
    ]
    return "\n".join(lines or ["no processes are running"])
