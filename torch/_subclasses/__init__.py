"""Fake tensors, which know their shapes only. Tensors on the meta device do the same here; there are no others."""

from torch import _lazy

__getattr__, __dir__ = _lazy.lazy(__name__, ("fake_tensor",))
