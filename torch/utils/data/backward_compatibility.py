"""For programs that once had to seed NumPy in the workers of a DataLoader, which seed themselves."""

from __future__ import annotations

import warnings

__all__ = ["worker_init_fn"]


def worker_init_fn(worker_id: int) -> None:
    """Nothing: workers of a DataLoader seed themselves.

    Args:
        worker_id (int): the number of the worker

    Example:
        >>> import warnings
        >>> from torch.utils.data.backward_compatibility import worker_init_fn
        >>> with warnings.catch_warnings():
        ...     warnings.simplefilter("ignore")
        ...     worker_init_fn(0)
    """
    warnings.warn("worker_init_fn does nothing: the workers of a DataLoader seed themselves", stacklevel=2)
