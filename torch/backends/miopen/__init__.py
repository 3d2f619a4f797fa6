"""MIOpen, which this build does not use."""

from __future__ import annotations

from torch import _lazy

immediate = False


def is_available() -> bool:
    """Whether this build uses MIOpen.

    Returns:
        False

    Example:
        >>> torch.backends.miopen.is_available()
        False
    """
    return False


_lazy.names_what_is_absent(__name__)
