"""The profiler by the name that it had before `torch.profiler`."""

from __future__ import annotations

import warnings
from typing import Any

from torch.autograd import profiler as _current

__all__ = ["profile"]


class profile(_current.profile):
    """A profile of the operators that run in a `with` block; `torch.autograd.profiler.profile` is the same without a warning.

    Args:
        enabled (bool, default True): False: the block is not profiled
        use_cuda (bool, default False): of no effect without CUDA
        record_shapes (bool, default False): note the shapes of arguments
        with_flops (bool, default False): estimate the number of operations
        profile_memory (bool, default False): note what is allocated and freed
        with_stack (bool, default False): note where operators are called
        with_modules (bool, default False): of no effect

    Example:
        >>> from torch.autograd.profiler_legacy import profile
        >>> with profile() as record:
        ...     x = torch.ones(2).sin()
        >>> any(row.key == "aten::sin" for row in record.key_averages())
        True
    """

    def __init__(
        self, enabled: bool = True, *, use_cuda: bool = False, record_shapes: bool = False, with_flops: bool = False,
        profile_memory: bool = False, with_stack: bool = False, with_modules: bool = False,
    ) -> None:  # fmt: skip
        options: dict[str, Any] = dict(record_shapes=record_shapes, with_flops=with_flops, profile_memory=profile_memory,
                                       with_stack=with_stack, with_modules=with_modules)  # fmt: skip
        if use_cuda:
            warnings.warn("profile: this build has no CUDA; only the CPU is profiled", stacklevel=2)
        super().__init__(enabled, **options)
        self.use_cuda = use_cuda
