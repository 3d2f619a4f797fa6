"""Settings for servers with Intel processors: the launcher is not part of this build."""

from __future__ import annotations

from torch import _lazy


def is_available() -> bool:
    """Whether this build uses the launcher.

    Returns:
        False

    Example:
        >>> torch.backends.xeon.is_available()
        False
    """
    return False


_lazy.names_what_is_absent(__name__)
