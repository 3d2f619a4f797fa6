"""emit_nvtx: operators as ranges of NVIDIA's profilers."""

from __future__ import annotations

from torch import _C, cuda

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from typing import Literal


class emit_nvtx:
    """Shows operators in NVIDIA's profilers: each one that runs in the `with` block is a range of NVTX.

    The range is named as the operator. `seq = N` follows if autograd may record it; the backward node has the same number.
    Nodes of backward passes and record_function are ranges too. Without a profiler that listens, it does nothing but cost time.

    Args:
        enabled (bool, default True): False makes the block do nothing
        record_shapes (bool, default False): the sizes of the arguments follow: `sizes = [[2, 3], []]`

    Raises:
        AssertionError: when it is entered, in a build without CUDA
        RuntimeError: when it is entered, in a build without NVTX, or a second time

    Example:
        >>> with torch.autograd.profiler.emit_nvtx(enabled=False):
        ...     x = torch.ones(2)
    """

    def __init__(self, enabled: bool = True, record_shapes: bool = False) -> None:
        self.enabled, self.record_shapes = enabled, record_shapes
        self.entered = False

    def __enter__(self) -> emit_nvtx:
        if not self.enabled:
            return self
        if self.entered:
            raise RuntimeError("NVTX annotation context manager is not reentrant")
        if not cuda._BUILT:
            raise AssertionError("Torch not compiled with CUDA enabled: emit_nvtx has no NVTX to talk to")
        from torch.cuda._runtime import initialize

        extension = initialize()
        if not hasattr(extension, "nvtx_marks_operators"):
            raise RuntimeError("emit_nvtx: this build of torch has no NVTX; building with nvidia-nvtx installed adds it")
        self.entered = True
        cuda.synchronize()
        extension.nvtx_marks_operators()
        self._session = _C._profiler_start(bool(self.record_shapes), False, False, False, False, False, False, True)
        return self

    def __exit__(self, *exc: object) -> Literal[False]:
        if self.enabled:
            try:
                cuda.synchronize()
            finally:  # a kernel may have failed
                _C._profiler_stop(self._session)
        return False
