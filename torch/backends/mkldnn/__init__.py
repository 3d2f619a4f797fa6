"""oneDNN, which does the convolutions."""

from torch import _C


def is_available():
    """Whether this library was built with oneDNN."""
    return _C._has_mkldnn
