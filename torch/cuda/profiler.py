"""Begin and end of what NVIDIA's profilers record of this process."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import torch
from torch._missing_device import MissingDevice

_device = MissingDevice(__name__, globals(), AssertionError, "Torch not compiled with CUDA enabled")
_device.refuses("init profile start stop")

if torch.cuda._BUILT:

    def start() -> None:
        """Begins recording."""
        torch.cuda.check_error(torch.cuda.cudart().cudaProfilerStart())

    def stop() -> None:
        """Ends recording."""
        torch.cuda.check_error(torch.cuda.cudart().cudaProfilerStop())

    @contextmanager
    def profile() -> Iterator[None]:
        """A block that is recorded."""
        start()
        try:
            yield
        finally:
            stop()
