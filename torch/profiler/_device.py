"""The part of a profile that GPUs have: records of their work. `_device_events.py` makes events of them."""

from __future__ import annotations

import warnings

from torch import _C


def _cuda():
    from torch.cuda._runtime import extension

    return extension()


def is_supported():
    """Whether there is a GPU to profile.

    The emulated device counts once it is in use: to load it, a process may need the runtimes of sanitizers.
    """
    name = _C._cuda_extension()
    if not name:
        return False
    from torch.cuda import _runtime, is_available

    return ("emulated" not in name or _runtime._module is not None) and is_available()


class DeviceRecording:
    """Records of the work of GPUs, from now until stop()."""

    def __init__(self, memory):
        self._memory = memory
        self.is_paused = False
        try:
            _cuda().start_activities()
            self.is_running = True
        except RuntimeError as error:
            self.is_running = False
            warnings.warn(f"profiler: the work of GPUs is not recorded: {error}", stacklevel=7)
        if memory:
            _cuda().listen_to_memory(True)

    def toggle(self, on):
        """Pauses or resumes."""
        if self.is_running and on == self.is_paused:
            (_cuda().resume_activities if on else _cuda().pause_activities)()
            self.is_paused = not on

    def wait(self):
        """Waits for the work of all GPUs."""
        if self.is_running:
            _cuda().wait_for_devices()

    def stop(self, start_ns, end_ns):
        """The records between two times, as rows of `_device_events.Record`."""
        if self._memory:
            _cuda().listen_to_memory(False)
        if not self.is_running:
            return []
        self.toggle(True)  # others may go on
        rows, dropped = _cuda().stop_activities(start_ns, end_ns)
        if dropped:
            warnings.warn(f"profiler: CUPTI had no memory for {dropped} records of the work of GPUs", stacklevel=5)
        return rows


def gpu_properties(device):
    """A dictionary of what CUDA says about a GPU."""
    return _cuda().properties(device)


def device_properties():
    """What a trace says about the GPUs that there are."""
    names = {
        "name": "name",
        "totalGlobalMem": "total_memory",
        "computeMajor": "major",
        "computeMinor": "minor",
        "maxThreadsPerBlock": "max_threads_per_block",
        "maxThreadsPerMultiprocessor": "max_threads_per_multi_processor",
        "regsPerMultiprocessor": "regs_per_multiprocessor",
        "warpSize": "warp_size",
        "sharedMemPerBlock": "shared_memory_per_block",
        "sharedMemPerMultiprocessor": "shared_memory_per_multiprocessor",
        "numSms": "multi_processor_count",
        "sharedMemPerBlockOptin": "shared_memory_per_block_optin",
    }
    found = []
    for device in range(_cuda().device_count()):
        properties = gpu_properties(device)
        found.append({"id": device, **{ours: properties[theirs] for ours, theirs in names.items()}})
    return found
