"""A library that this build does not use."""

from torch import _lazy


def is_available():
    return False


is_built = is_available

_lazy.names_what_is_absent(__name__)
