"""The devices that the tests of the table run on.

TEST_DEVICES=cpu,meta,npu=package selects them; a package is imported first, because it defines its device.
"""

import importlib
import os

import torch
from torch.overrides import TorchFunctionMode

DEVICES = []
for words in os.environ.get("TEST_DEVICES", "cpu,meta").split(","):
    name, _, package = words.strip().partition("=")
    if package:
        importlib.import_module(package)
    DEVICES.append(name)

COMPUTING = [name for name in DEVICES if name != "meta"]  # their tensors have values


class MovedTo(TorchFunctionMode):
    """Inside a `with` block, tensors from other devices are moved to this one before an operator receives them."""

    def __init__(self, device):
        super().__init__()
        self.device, self.known = torch.device(device), {}

    def move(self, x):
        if isinstance(x, torch.Tensor) and x.device.type != self.device.type:
            if id(x) not in self.known:
                with torch._C.DisableTorchFunction():
                    self.known[id(x)] = x, x.to(self.device)
            return self.known[id(x)][1]
        if isinstance(x, dict):
            return {k: self.move(v) for k, v in x.items()}
        return type(x)(map(self.move, x)) if type(x) in (list, tuple) else x

    def __torch_function__(self, function, types, args=(), kwargs=None):
        return function(*self.move(args), **self.move(kwargs or {}))
