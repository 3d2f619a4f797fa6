"""Optimizers: they change parameters by their gradients."""

from torch._lazy import lazy as _lazy
from torch.optim.adam import Adam  # noqa: F401
from torch.optim.adamw import AdamW  # noqa: F401
from torch.optim.optimizer import Optimizer  # noqa: F401
from torch.optim.sgd import SGD  # noqa: F401

_FROM = {
    "Adadelta": "adadelta", "Adagrad": "adagrad", "Adamax": "adamax", "ASGD": "asgd", "LBFGS": "lbfgs", "NAdam": "nadam",
    "RAdam": "radam", "RMSprop": "rmsprop", "Rprop": "rprop",
}  # fmt: skip

__getattr__, __dir__ = _lazy(
    __name__, ("lr_scheduler", *_FROM.values()), {name: f"torch.optim.{where}" for name, where in _FROM.items()}
)
