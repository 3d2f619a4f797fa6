"""Modules that keep less for backward."""

from torch import _lazy

__getattr__, __dir__ = _lazy.lazy(__name__, ["checkpoint_wrapper"])
