"""The numbers of reductions, under the names that packages import."""

from __future__ import annotations

import sys

from torch.nn.functional._common import legacy_reduction, reduction_code

_Reduction = sys.modules[__name__]  # the name that torch.nn.functional has for it


def get_enum(reduction: str) -> int:
    """0 for 'none', 1 for 'mean', 2 for 'sum'."""
    return 1 if reduction == "elementwise_mean" else reduction_code(reduction)


def legacy_get_string(size_average: bool | None, reduce: bool | None, emit_warning: bool = True) -> str:
    """The name of a reduction in its form before version 0.4."""
    if emit_warning:
        return legacy_reduction(size_average, reduce)
    average, reduced = size_average is not False, reduce is not False
    return "none" if not reduced else "mean" if average else "sum"


def legacy_get_enum(size_average: bool | None, reduce: bool | None, emit_warning: bool = True) -> int:
    """The number of a reduction in its form before version 0.4."""
    return get_enum(legacy_get_string(size_average, reduce, emit_warning))
