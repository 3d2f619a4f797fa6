"""Finding the forward call whose backward fails or yields NaN."""

from __future__ import annotations

import warnings

import torch
from torch import _C


class detect_anomaly:
    """A block in which nodes remember where they were made, and a NaN in backward is an error.

    Args:
        check_nan (bool, default True): False: only remember

    Example:
        >>> x = torch.tensor(-1., requires_grad=True)
        >>> with torch.autograd.detect_anomaly():
        ...     x.sqrt().backward()
        Traceback (most recent call last):
        RuntimeError: a NaN
    """

    def __init__(self, check_nan: bool = True) -> None:
        self.check_nan = check_nan
        warnings.warn(
            "Anomaly Detection has been enabled. It makes every node remember its stack: use it to debug only.", stacklevel=2
        )

    def __enter__(self) -> None:
        self.before = _C.is_anomaly_enabled(), _C.is_anomaly_check_nan_enabled()
        _C.set_anomaly_enabled(True, self.check_nan)

    def __exit__(self, *problem: object) -> None:
        _C.set_anomaly_enabled(*self.before)


class set_detect_anomaly:
    """Switch anomaly detection at once; as a context manager, back again at its end.

    Args:
        mode (bool): on or off
        check_nan (bool, default True): whether a NaN in backward is an error

    Example:
        >>> with torch.autograd.set_detect_anomaly(True):
        ...     torch.is_anomaly_enabled()
        True
    """

    def __init__(self, mode: bool, check_nan: bool = True) -> None:
        self.before = _C.is_anomaly_enabled(), _C.is_anomaly_check_nan_enabled()
        _C.set_anomaly_enabled(mode, check_nan)

    def __enter__(self) -> None:
        pass

    def __exit__(self, *problem: object) -> None:
        _C.set_anomaly_enabled(*self.before)


_ = torch
