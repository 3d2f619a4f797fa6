"""Automatic differentiation."""

from torch._lazy import lazy as _lazy
from torch.autograd.grad_mode import (  # noqa: F401
    enable_grad,
    inference_mode,
    no_grad,
    set_grad_enabled,
    set_multithreading_enabled,
)

_FROM = {
    "backward": "_run",
    "grad": "_run",
    "Function": "function",
    "NestedIOFunction": "function",
    "gradcheck": "gradcheck",
    "gradgradcheck": "gradcheck",
    "DeviceType": "profiler_util",
    "ProfilerActivity": "profiler",
    "Variable": "variable",
    "enforce_grad_layout_policy": "_layout_policy",
    "detect_anomaly": "anomaly_mode",
    "set_detect_anomaly": "anomaly_mode",
}

__getattr__, __dir__ = _lazy(
    __name__,
    ("forward_ad", "function", "functional", "graph", "anomaly_mode", "variable", "profiler", "profiler_legacy", "profiler_util"),
    {name: f"torch.autograd.{where}" for name, where in _FROM.items()},
)
