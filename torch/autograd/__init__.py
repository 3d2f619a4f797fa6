"""Automatic differentiation."""

import sys as _sys

from torch.autograd.grad_mode import (  # noqa: F401
    enable_grad,
    inference_mode,
    no_grad,
    set_grad_enabled,
    set_multithreading_enabled,
)

_FROM = {
    "backward": "_run", "grad": "_run", "Function": "function", "gradcheck": "gradcheck",
    "gradgradcheck": "gradcheck",
    "DeviceType": "profiler_util", "ProfilerActivity": "profiler",
    "Variable": "variable", "detect_anomaly": "anomaly_mode", "set_detect_anomaly": "anomaly_mode",
}


def __getattr__(name):
    if name in ("function", "functional", "graph", "anomaly_mode", "variable", "gradcheck_impl", "profiler", "profiler_util"):
        __import__("torch.autograd." + name)
        return _sys.modules["torch.autograd." + name]
    if name not in _FROM:
        raise AttributeError(f"module 'torch.autograd' has no attribute '{name}'")
    where = "torch.autograd." + _FROM[name]
    __import__(where)
    value = getattr(_sys.modules[where], name)
    globals()[name] = value
    return value
