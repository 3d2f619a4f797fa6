"""oneDNN, which does the convolutions."""

from torch import _C, _lazy


def is_available():
    """Whether this library was built with oneDNN."""
    return _C._has_mkldnn

_lazy.names_what_is_absent(__name__)
