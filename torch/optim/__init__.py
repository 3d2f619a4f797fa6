"""Optimizers: they change parameters by their gradients."""

from __future__ import annotations

from torch._lazy import complete_dict as _complete_dict
from torch._lazy import lazy as _lazy
from torch.optim.adam import Adam as Adam
from torch.optim.adamw import AdamW as AdamW
from torch.optim.optimizer import Optimizer as Optimizer
from torch.optim.sgd import SGD as SGD

_FROM = {
    "Adadelta": "adadelta", "Adagrad": "adagrad", "Adamax": "adamax", "ASGD": "asgd", "LBFGS": "lbfgs", "NAdam": "nadam",
    "RAdam": "radam", "RMSprop": "rmsprop", "Rprop": "rprop", "Muon": "_muon", "Adafactor": "_adafactor",
    "swap_in_optimizer_params_and_state": "_swap",
}  # fmt: skip

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from torch.optim import adadelta as adadelta
    from torch.optim import adagrad as adagrad
    from torch.optim import adamax as adamax
    from torch.optim import asgd as asgd
    from torch.optim import lbfgs as lbfgs
    from torch.optim import lr_scheduler as lr_scheduler
    from torch.optim import nadam as nadam
    from torch.optim import radam as radam
    from torch.optim import rmsprop as rmsprop
    from torch.optim import rprop as rprop
    from torch.optim import swa_utils as swa_utils
    from torch.optim._adafactor import Adafactor as Adafactor
    from torch.optim._muon import Muon as Muon
    from torch.optim._swap import swap_in_optimizer_params_and_state as swap_in_optimizer_params_and_state
    from torch.optim.adadelta import Adadelta as Adadelta
    from torch.optim.adagrad import Adagrad as Adagrad
    from torch.optim.adamax import Adamax as Adamax
    from torch.optim.asgd import ASGD as ASGD
    from torch.optim.lbfgs import LBFGS as LBFGS
    from torch.optim.nadam import NAdam as NAdam
    from torch.optim.radam import RAdam as RAdam
    from torch.optim.rmsprop import RMSprop as RMSprop
    from torch.optim.rprop import Rprop as Rprop
else:
    __getattr__, __dir__ = _lazy(
        __name__, ("lr_scheduler", "swa_utils", *_FROM.values()), {name: f"torch.optim.{where}" for name, where in _FROM.items()}
    )
    _complete_dict(__name__, _FROM)
