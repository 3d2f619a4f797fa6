"""Transforms of values: differentiable functions with inverses and Jacobian determinants."""

from typing import Any  # noqa: F401  (typing.get_type_hints() of the classes needs it)

from torch.distributions.transforms._base import Transform, _InverseTransform
from torch.distributions.transforms._compound import (
    CatTransform,
    ComposeTransform,
    IndependentTransform,
    ReshapeTransform,
    StackTransform,
    identity_transform,
)
from torch.distributions.transforms._elementwise import (
    AbsTransform,
    AffineTransform,
    CumulativeDistributionTransform,
    ExpTransform,
    PowerTransform,
    SigmoidTransform,
    SoftplusTransform,
    TanhTransform,
    _clipped_sigmoid,
)
from torch.distributions.transforms._vector import (
    CorrCholeskyTransform,
    LowerCholeskyTransform,
    PositiveDefiniteTransform,
    SoftmaxTransform,
    StickBreakingTransform,
)

__all__ = ["AbsTransform", "AffineTransform", "CatTransform", "ComposeTransform", "CorrCholeskyTransform",
           "CumulativeDistributionTransform", "ExpTransform", "IndependentTransform", "LowerCholeskyTransform",
           "PositiveDefiniteTransform", "PowerTransform", "ReshapeTransform", "SigmoidTransform", "SoftmaxTransform",
           "SoftplusTransform", "StackTransform", "StickBreakingTransform", "TanhTransform", "Transform",
           "identity_transform"]  # fmt: skip

for _name in (*__all__, "_InverseTransform"):  # pickles name this module, as PyTorch's do
    if isinstance(globals()[_name], type):
        globals()[_name].__module__ = __name__
