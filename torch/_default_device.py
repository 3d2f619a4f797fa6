"""The device of tensors that are created without one."""

import threading

import torch
from torch.overrides import TorchFunctionMode

_local = threading.local()


def _constructors():
    names = ("empty empty_strided empty_quantized ones arange bartlett_window blackman_window eye "
             "fft.fftfreq fft.rfftfreq full fill "
             "hamming_window hann_window kaiser_window linspace logspace rand randn randint randperm range "
             "sparse_coo_tensor "
             "sparse_compressed_tensor sparse_csr_tensor tril_indices triu_indices zeros asarray tensor "
             "as_tensor scalar_tensor").split()
    return {getattr(torch, name) for name in names if hasattr(torch, name)}


class DeviceContext(TorchFunctionMode):
    """Gives `device` to every function that creates a tensor and was not given one."""

    def __init__(self, device):
        self.device = torch.device(device)
        self.constructors = _constructors()

    def __torch_function__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        if func in self.constructors and kwargs.get("device") is None:
            kwargs = {**kwargs, "device": self.device}
        return func(*args, **kwargs)


def set_default_device(device):
    """Create tensors on `device` from now on; None: on the CPU, as at the start."""
    active = getattr(_local, "context", None)
    if active is not None:
        active.__exit__(None, None, None)
        _local.context = None
    if device is not None:
        _local.context = DeviceContext(device)
        _local.context.__enter__()


def get_default_device():
    active = getattr(_local, "context", None)
    return torch.device("cpu") if active is None else active.device
