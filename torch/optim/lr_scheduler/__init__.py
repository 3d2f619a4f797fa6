"""Schedules of learning rates: `scheduler.step()` after every epoch, or batch, sets the groups' rates."""

from torch import _lazy
from torch.optim.lr_scheduler._base import EPOCH_DEPRECATION_WARNING, LRScheduler  # noqa: F401
from torch.optim.lr_scheduler.combined import ChainedScheduler, SequentialLR  # noqa: F401
from torch.optim.lr_scheduler.cosine import CosineAnnealingLR, CosineAnnealingWarmRestarts  # noqa: F401
from torch.optim.lr_scheduler.cycle import CyclicLR, OneCycleLR  # noqa: F401
from torch.optim.lr_scheduler.function import LambdaLR, MultiplicativeLR  # noqa: F401
from torch.optim.lr_scheduler.plateau import ReduceLROnPlateau  # noqa: F401
from torch.optim.lr_scheduler.simple import (  # noqa: F401
    ConstantLR,
    ExponentialLR,
    LinearLR,
    MultiStepLR,
    PolynomialLR,
    StepLR,
)
from torch.optim.optimizer import Optimizer  # noqa: F401

__all__ = [
    "LRScheduler", "EPOCH_DEPRECATION_WARNING", "ChainedScheduler", "SequentialLR", "CosineAnnealingLR",
    "CosineAnnealingWarmRestarts", "CyclicLR", "OneCycleLR", "LambdaLR", "MultiplicativeLR", "ReduceLROnPlateau",
    "ConstantLR", "ExponentialLR", "LinearLR", "MultiStepLR", "PolynomialLR", "StepLR",
]  # fmt: skip

_LRScheduler = LRScheduler
Any = object  # typing.get_type_hints() of classes needs it

for _kind in (
    LRScheduler,
    ChainedScheduler,
    SequentialLR,
    CosineAnnealingLR,
    CosineAnnealingWarmRestarts,
    CyclicLR,
    OneCycleLR,
    LambdaLR,
    MultiplicativeLR,
    ReduceLROnPlateau,
    ConstantLR,
    ExponentialLR,
    LinearLR,
    MultiStepLR,
    PolynomialLR,
    StepLR,
):
    _kind.__module__ = __name__  # the name by which pickles know it

_lazy.names_what_is_absent(__name__)
