"""Finding the forward call whose backward fails or yields NaN."""

import warnings

import torch
from torch import _C


class detect_anomaly:
    """Inside, nodes remember where they were made, and a NaN in backward is an error (unless check_nan is
    False)."""

    def __init__(self, check_nan=True):
        self.check_nan = check_nan
        warnings.warn("Anomaly Detection has been enabled. It makes every node remember its stack: use it to debug only.",
                      stacklevel=2)

    def __enter__(self):
        self.before = _C.is_anomaly_enabled(), _C.is_anomaly_check_nan_enabled()
        _C.set_anomaly_enabled(True, self.check_nan)

    def __exit__(self, *problem):
        _C.set_anomaly_enabled(*self.before)


class set_detect_anomaly:
    """Switch anomaly detection at once; as a context manager, back again at its end."""

    def __init__(self, mode, check_nan=True):
        self.before = _C.is_anomaly_enabled(), _C.is_anomaly_check_nan_enabled()
        _C.set_anomaly_enabled(mode, check_nan)

    def __enter__(self):
        pass

    def __exit__(self, *problem):
        _C.set_anomaly_enabled(*self.before)


_ = torch
