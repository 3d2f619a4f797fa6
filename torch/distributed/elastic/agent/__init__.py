"""Agents: one per machine, which starts the workers there and watches them."""

from torch import _lazy

__getattr__, __dir__ = _lazy.lazy(__name__, ["server"])
