"""Optimizers: they change parameters by their gradients."""

import sys as _sys

from torch.optim.adam import Adam  # noqa: F401
from torch.optim.adamw import AdamW  # noqa: F401
from torch.optim.optimizer import Optimizer  # noqa: F401
from torch.optim.sgd import SGD  # noqa: F401

_FROM = {"Adadelta": "adadelta", "Adagrad": "adagrad", "Adamax": "adamax", "ASGD": "asgd", "LBFGS": "lbfgs",
         "NAdam": "nadam",
         "RAdam": "radam", "RMSprop": "rmsprop", "Rprop": "rprop"}


def __getattr__(name):
    if name in ("lr_scheduler", "swa_utils", *_FROM.values()):
        __import__("torch.optim." + name)
        return _sys.modules["torch.optim." + name]
    if name not in _FROM:
        raise AttributeError(f"module 'torch.optim' has no attribute '{name}'")
    where = "torch.optim." + _FROM[name]
    __import__(where)
    value = getattr(_sys.modules[where], name)
    globals()[name] = value
    return value
