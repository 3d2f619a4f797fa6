"""Questions about a recorder of operator calls: none is at work."""

from __future__ import annotations


def get_proxy_mode() -> None:
    """The recorder at work: there is none.

    Example:
        >>> from torch.fx.experimental.proxy_tensor import get_proxy_mode
        >>> get_proxy_mode() is None
        True
    """
