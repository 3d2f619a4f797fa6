"""A library that this build does not use."""

from __future__ import annotations

from torch import _lazy


def is_available() -> bool:
    """Whether there is an Apple GPU that this build can use.

    Returns:
        False

    Example:
        >>> torch.backends.mps.is_available()
        False
    """
    return False


is_built = is_available

_lazy.names_what_is_absent(__name__)
