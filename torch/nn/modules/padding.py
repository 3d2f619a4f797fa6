"""Padding as modules, by mode and number of dimensions."""

from torch.nn import functional as F
from torch.nn.modules._shared import repeat
from torch.nn.modules.module import Module


class _PadNd(Module):
    def __init__(self, padding):
        super().__init__()
        self.padding = repeat(padding, 2 * self._dims)

    def forward(self, input):
        if self._check and input.dim() not in (self._dims + 1, self._dims + 2):
            raise ValueError(f"expected {self._dims + 1}D or {self._dims + 2}D input (got {input.dim()}D "
                             "input)")
        return F.pad(input, self.padding, self._mode)

    def extra_repr(self):
        return f"{self.padding}"


class _ConstantPadNd(_PadNd):
    _mode, _check = "constant", False

    def __init__(self, padding, value):
        super().__init__(padding)
        self.value = value

    def forward(self, input):
        return F.pad(input, self.padding, "constant", self.value)

    def extra_repr(self):
        return f"padding={self.padding}, value={self.value}"


class _ZeroPadNd(_ConstantPadNd):
    def __init__(self, padding):
        super().__init__(padding, 0.0)

    def extra_repr(self):
        return f"{self.padding}"


def _family(name, base, mode):
    kinds = []
    for dims in (1, 2, 3):
        full = f"{name}Pad{dims}d"
        text = f"{name} padding of the last {dims} dimensions: a number, or pairs, the last dimension first."
        space = {"_dims": dims, "_mode": mode, "_check": mode == "circular", "__module__": __name__,
                 "__doc__": text}
        kinds.append(type(full, (base,), space))
    return kinds


ConstantPad1d, ConstantPad2d, ConstantPad3d = _family("Constant", _ConstantPadNd, "constant")
ZeroPad1d, ZeroPad2d, ZeroPad3d = _family("Zero", _ZeroPadNd, "constant")
ReflectionPad1d, ReflectionPad2d, ReflectionPad3d = _family("Reflection", _PadNd, "reflect")
ReplicationPad1d, ReplicationPad2d, ReplicationPad3d = _family("Replication", _PadNd, "replicate")
CircularPad1d, CircularPad2d, CircularPad3d = _family("Circular", _PadNd, "circular")

__all__ = [
    "ConstantPad1d", "ConstantPad2d", "ConstantPad3d", "ZeroPad1d", "ZeroPad2d", "ZeroPad3d",
    "ReflectionPad1d", "ReflectionPad2d", "ReflectionPad3d", "ReplicationPad1d", "ReplicationPad2d",
    "ReplicationPad3d", "CircularPad1d", "CircularPad2d", "CircularPad3d",
]  # fmt: skip
