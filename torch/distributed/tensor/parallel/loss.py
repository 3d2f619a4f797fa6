"""loss_parallel: cross entropy of scores whose classes are spread over processes."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator


@contextlib.contextmanager
def loss_parallel() -> Iterator[None]:
    """A block in which cross entropy of scores that are cut along the classes does not gather them.

    DTensors of this library do that in any case. In the block the classes of samples may be a plain tensor, which counts as a
    whole copy. Call backward inside of it too, for programs that also run under PyTorch.

    Example:
        >>> with torch.distributed.tensor.parallel.loss_parallel():
        ...     pass
    """
    from torch.distributed.tensor._dispatch import state

    before = state.loss_parallel
    state.loss_parallel = True
    try:
        yield
    finally:
        state.loss_parallel = before
