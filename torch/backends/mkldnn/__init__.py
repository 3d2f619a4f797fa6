"""oneDNN, which does the convolutions."""

from __future__ import annotations

from torch import _C, _lazy


def is_available() -> bool:
    """Whether this library was built with oneDNN.

    Returns:
        whether it was

    Example:
        >>> torch.backends.mkldnn.is_available() in (True, False)
        True
    """
    return _C._has_mkldnn


_lazy.names_what_is_absent(__name__)
