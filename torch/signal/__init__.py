"""Signal processing: window functions in `torch.signal.windows`."""

from torch._lazy import lazy

__all__ = ["windows"]

__getattr__, __dir__ = lazy(__name__, submodules=("windows",))
