"""A third-party backend as a package: `import open_device` gives torch the device "npu"."""

import os
import types

import torch
from torch.utils import cpp_extension

_HERE = os.path.dirname(os.path.abspath(__file__))
_SOURCES = [os.path.join(_HERE, name) for name in ("memory.cpp", "guard.cpp", "generator.cpp", "kernels.cpp", "module.cpp")]

# Before the library is loaded, because its messages contain the name.
torch.utils.rename_privateuse1_backend("npu")
_C = cpp_extension.load("open_device_C", _SOURCES, build_directory=os.environ.get("OPEN_DEVICE_BUILD"))

npu = types.ModuleType("torch.npu", "The device's functions.")
npu.is_available = lambda: True
npu.device_count = lambda: torch._C._accelerator_device_count("npu")
npu.current_device = lambda: torch._C._accelerator_current_device("npu")
npu.set_device = lambda d: torch._C._accelerator_set_device(torch.device("npu", d) if isinstance(d, int) else d)
npu.current_stream = lambda device=None: torch._C._accelerator_current_stream(device or "npu")
npu.synchronize = lambda device=None: torch._C._accelerator_synchronize(device or "npu")
npu.memory_allocated = _C.memory_allocated
npu.manual_seed_all = _C.manual_seed_all

torch._register_device_module("npu", npu)
torch.utils.generate_methods_for_privateuse1_backend(for_storage=True)
