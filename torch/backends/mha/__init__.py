"""Whether attention layers take their fast path for inference."""

from __future__ import annotations

_is_fastpath_enabled = True


def get_fastpath_enabled() -> bool:
    """Whether nn.TransformerEncoder and nn.MultiheadAttention may take a faster path.

    Returns:
        the setting; there is one path, and its results are the same

    Example:
        >>> torch.backends.mha.get_fastpath_enabled()
        True
    """
    return _is_fastpath_enabled


def set_fastpath_enabled(value: bool) -> None:
    """Set it; results are the same.

    Args:
        value (bool): the setting

    Example:
        >>> torch.backends.mha.set_fastpath_enabled(True)
    """
    global _is_fastpath_enabled
    _is_fastpath_enabled = bool(value)
