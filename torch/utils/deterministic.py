"""Settings of deterministic mode."""

import sys as _sys
import types as _types

from torch import _C


class _Module(_types.ModuleType):
    """Names of this module that are settings."""

    @property
    def fill_uninitialized_memory(self) -> bool:
        """Whether new memory has values while `torch.use_deterministic_algorithms(True)` holds: NaN in floating-point and complex
        tensors, the largest number in those of integers, True in those of bools.

        It is that of `torch.empty`, `empty_like`, `empty_strided`, `empty_permuted`, `Tensor.new_empty`, `new_empty_strided` and
        what `resize_` adds: a program that reads it by mistake does the same each time. True unless it is set.
        """
        return _C._get_deterministic_fill_uninitialized_memory()

    @fill_uninitialized_memory.setter
    def fill_uninitialized_memory(self, fills: bool) -> None:
        _C._set_deterministic_fill_uninitialized_memory(fills)


_sys.modules[__name__].__class__ = _Module
