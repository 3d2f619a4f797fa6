"""NNPACK, which this build does not use."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Iterator

from torch import _lazy


def is_available() -> bool:
    """Whether this build uses NNPACK.

    Returns:
        False

    Example:
        >>> torch.backends.nnpack.is_available()
        False
    """
    return False


def set_flags(_enabled: bool) -> tuple[bool]:
    """Switch NNPACK, which is not used: only off is accepted without a warning.

    Returns:
        (False,)

    Example:
        >>> torch.backends.nnpack.set_flags(False)
        (False,)
    """
    if _enabled:
        warnings.warn("torch.backends.nnpack: this build does not use NNPACK", stacklevel=2)
    return (False,)


@contextlib.contextmanager
def flags(enabled: bool = False) -> Iterator[None]:
    """A block with NNPACK on or off, which changes nothing.

    Args:
        enabled (bool, default False): whether it is on

    Example:
        >>> with torch.backends.nnpack.flags():
        ...     torch.ones(1)
        tensor([1.])
    """
    set_flags(enabled)
    yield


_lazy.names_what_is_absent(__name__)
