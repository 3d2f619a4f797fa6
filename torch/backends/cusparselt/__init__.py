"""cuSPARSELt, which this build does not use."""

from __future__ import annotations

from torch import _lazy


def is_available() -> bool:
    """Whether this build uses cuSPARSELt.

    Returns:
        False

    Example:
        >>> torch.backends.cusparselt.is_available()
        False
    """
    return False


_lazy.names_what_is_absent(__name__)
