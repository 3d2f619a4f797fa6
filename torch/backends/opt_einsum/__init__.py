"""Orders of contraction; einsum goes from left to right here."""

from __future__ import annotations

enabled, strategy = False, None


def is_available() -> bool:
    """Whether the package that finds the best order is used.

    Returns:
        False

    Example:
        >>> torch.backends.opt_einsum.is_available()
        False
    """
    return False


def get_opt_einsum() -> None:
    """The package that finds the best order.

    Returns:
        None: it is not used

    Example:
        >>> torch.backends.opt_einsum.get_opt_einsum() is None
        True
    """
