"""oneDNN, which does the convolutions."""

from torch import _C


def is_available():
    return bool(getattr(_C, "has_mkldnn", True))
