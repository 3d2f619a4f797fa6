"""A library that this build does not use."""

from __future__ import annotations

from torch import _lazy


def is_available() -> bool:
    """Whether this library was built with MKL.

    Returns:
        False

    Example:
        >>> torch.backends.mkl.is_available()
        False
    """
    return False


is_built = is_available

VERBOSE_OFF, VERBOSE_ON = 0, 1


class verbose:
    """A block in which MKL would print its calls; it is not there, so that only the level 0 changes nothing.

    Args:
        enable (int): VERBOSE_OFF or VERBOSE_ON

    Raises:
        RuntimeError: VERBOSE_ON, when the block begins

    Example:
        >>> with torch.backends.mkl.verbose(torch.backends.mkl.VERBOSE_OFF):
        ...     torch.ones(1)
        tensor([1.])
    """

    def __init__(self, enable: int) -> None:
        self.enable = enable

    def __enter__(self) -> verbose:
        if self.enable != VERBOSE_OFF:
            raise RuntimeError("torch.backends.mkl.verbose: this build of torch does not use MKL")
        return self

    def __exit__(self, *problem: object) -> None:
        pass


_lazy.names_what_is_absent(__name__)
