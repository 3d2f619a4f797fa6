"""Work on several processes or machines, which this version does not have.

`is_available()` is False, as in PyTorch builds without it, and every other name says so.
"""

from __future__ import annotations

from torch._lazy import names_what_is_absent

__all__ = ["is_available"]


def is_available() -> bool:
    """Whether the distributed package is there.

    Returns:
        False

    Example:
        >>> torch.distributed.is_available()
        False
    """
    return False


names_what_is_absent(__name__)
