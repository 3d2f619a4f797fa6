"""Activations as modules."""

from __future__ import annotations

import torch
from torch.nn import functional as F
from torch.nn import init
from torch.nn.modules._shared import empty_parameter, show, with_inplace
from torch.nn.modules.module import Module

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from torch import Tensor
    from torch.nn.parameter import Parameter
    from torch.types import Device
else:  # typing.get_type_hints() of classes needs them
    from torch.nn.modules.linear import NonDynamicallyQuantizableLinear  # noqa: F401
    from torch.nn.parameter import Parameter


class _Inplace(Module):
    """An activation whose only setting is `inplace`."""

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace

    def extra_repr(self) -> str:
        return with_inplace(self)


class ReLU(_Inplace):
    """`max(x, 0)` of every element.

    Args:
        inplace (bool, default False): write the result into the input

    Shape:
        any, which stays

    Example:
        >>> nn.ReLU()(torch.tensor([-1., 0., 2.]))
        tensor([0., 0., 2.])
    """

    inplace: bool

    def forward(self, input: Tensor) -> Tensor:
        return F.relu(input, inplace=self.inplace)


class SiLU(_Inplace):
    """`x * sigmoid(x)` of every element, also called swish.

    Args:
        inplace (bool, default False): write the result into the input

    Shape:
        any, which stays

    Example:
        >>> nn.SiLU()(torch.tensor([-1., 0., 2.]))
        tensor([-0.2689,  0.0000,  1.7616])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.silu(input, inplace=self.inplace)


class SELU(_Inplace):
    """ELU with the scale and alpha that keep mean 0 and variance 1 from layer to layer (Klambauer et al. 2017).

    Args:
        inplace (bool, default False): write the result into the input

    Shape:
        any, which stays

    Example:
        >>> nn.SELU()(torch.tensor([-1., 1.]))
        tensor([-1.1113,  1.0507])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.selu(input, self.inplace)


class Mish(_Inplace):
    """`x * tanh(softplus(x))` (Misra 2019).

    Args:
        inplace (bool, default False): write the result into the input

    Shape:
        any, which stays

    Example:
        >>> nn.Mish()(torch.tensor([-1., 0., 2.]))
        tensor([-0.3034,  0.0000,  1.9440])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.mish(input, inplace=self.inplace)


class Hardsigmoid(_Inplace):
    """`relu6(x + 3) / 6`: a sigmoid made of straight lines.

    Args:
        inplace (bool, default False): write the result into the input

    Shape:
        any, which stays

    Example:
        >>> nn.Hardsigmoid()(torch.tensor([-4., 0., 4.]))
        tensor([0.0000, 0.5000, 1.0000])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.hardsigmoid(input, self.inplace)

    def extra_repr(self) -> str:
        return ""


class Hardswish(_Inplace):
    """`x * relu6(x + 3) / 6` (Howard et al. 2019).

    Args:
        inplace (bool, default False): write the result into the input

    Shape:
        any, which stays

    Example:
        >>> nn.Hardswish()(torch.tensor([-1., 1., 4.]))
        tensor([-0.3333,  0.6667,  4.0000])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.hardswish(input, self.inplace)

    def extra_repr(self) -> str:
        return ""


class Sigmoid(Module):
    """`1 / (1 + exp(-x))` of every element.

    Shape:
        any, which stays

    Example:
        >>> nn.Sigmoid()(torch.tensor([0., 1.]))
        tensor([0.5000, 0.7311])
    """

    def forward(self, input: Tensor) -> Tensor:
        return torch.sigmoid(input)


class Tanh(Module):
    """The hyperbolic tangent of every element.

    Shape:
        any, which stays

    Example:
        >>> nn.Tanh()(torch.tensor([0., 1.]))
        tensor([0.0000, 0.7616])
    """

    def forward(self, input: Tensor) -> Tensor:
        return torch.tanh(input)


class LogSigmoid(Module):
    """`log(1 / (1 + exp(-x)))` of every element, without overflow.

    Shape:
        any, which stays

    Example:
        >>> nn.LogSigmoid()(torch.tensor([-100., 0.]))
        tensor([-100.0000,   -0.6931])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.logsigmoid(input)


class Softsign(Module):
    """`x / (1 + abs(x))` of every element.

    Shape:
        any, which stays

    Example:
        >>> nn.Softsign()(torch.tensor([-1., 0., 3.]))
        tensor([-0.5000,  0.0000,  0.7500])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.softsign(input)


class Tanhshrink(Module):
    """`x - tanh(x)` of every element.

    Shape:
        any, which stays

    Example:
        >>> nn.Tanhshrink()(torch.tensor([0., 1.]))
        tensor([0.0000, 0.2384])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.tanhshrink(input)


class GELU(Module):
    """`x * Phi(x)`, Phi being the cumulative normal distribution (Hendrycks and Gimpel 2016).

    Args:
        approximate (str, default "none"): 'none': exactly, by erf; 'tanh': an approximation by tanh

    Shape:
        any, which stays

    Example:
        >>> nn.GELU()(torch.tensor([-1., 0., 2.]))
        tensor([-0.1587,  0.0000,  1.9545])
    """

    approximate: str

    def __init__(self, approximate: str = "none") -> None:
        super().__init__()
        self.approximate = approximate

    def forward(self, input: Tensor) -> Tensor:
        return F.gelu(input, approximate=self.approximate)

    def extra_repr(self) -> str:
        return f"approximate={self.approximate!r}"


class ELU(Module):
    """`x` where it is positive, `alpha * (exp(x) - 1)` elsewhere (Clevert et al. 2015).

    Args:
        alpha (float, default 1.0): minus the limit for large negative elements
        inplace (bool, default False): write the result into the input

    Shape:
        any, which stays

    Example:
        >>> nn.ELU()(torch.tensor([-1., 2.]))
        tensor([-0.6321,  2.0000])
    """

    def __init__(self, alpha: float = 1.0, inplace: bool = False) -> None:
        super().__init__()
        self.alpha, self.inplace = alpha, inplace

    def forward(self, input: Tensor) -> Tensor:
        return F.elu(input, self.alpha, self.inplace)

    def extra_repr(self) -> str:
        return with_inplace(self, show(self, "alpha"))


class CELU(ELU):
    """`max(x, 0) + min(alpha * (exp(x / alpha) - 1), 0)` (Barron 2017).

    Args:
        alpha (float, default 1.0): minus the limit for large negative elements
        inplace (bool, default False): write the result into the input

    Shape:
        any, which stays

    Example:
        >>> nn.CELU(alpha=2.0)(torch.tensor([-1., 2.]))
        tensor([-0.7869,  2.0000])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.celu(input, self.alpha, self.inplace)


class LeakyReLU(Module):
    """`x` where it is positive, `negative_slope * x` elsewhere.

    Args:
        negative_slope (float, default 0.01): the factor of negative elements
        inplace (bool, default False): write the result into the input

    Shape:
        any, which stays

    Example:
        >>> nn.LeakyReLU(0.1)(torch.tensor([-1., 2.]))
        tensor([-0.1000,  2.0000])
    """

    def __init__(self, negative_slope: float = 0.01, inplace: bool = False) -> None:
        super().__init__()
        self.negative_slope, self.inplace = negative_slope, inplace

    def forward(self, input: Tensor) -> Tensor:
        return F.leaky_relu(input, self.negative_slope, self.inplace)

    def extra_repr(self) -> str:
        return with_inplace(self, show(self, "negative_slope"))


class RReLU(Module):
    """LeakyReLU whose slope is drawn for each element in training, and is the mean otherwise (Xu et al. 2015).

    Args:
        lower (float, default 1.0 / 8): the smallest slope
        upper (float, default 1.0 / 3): the largest slope
        inplace (bool, default False): write the result into the input

    Shape:
        any, which stays

    Example:
        >>> nn.RReLU(0.1, 0.3).eval()(torch.tensor([-1., 2.]))
        tensor([-0.2000,  2.0000])
    """

    def __init__(self, lower: float = 1.0 / 8, upper: float = 1.0 / 3, inplace: bool = False) -> None:
        super().__init__()
        self.lower, self.upper, self.inplace = lower, upper, inplace

    def forward(self, input: Tensor) -> Tensor:
        return F.rrelu(input, self.lower, self.upper, self.training, self.inplace)

    def extra_repr(self) -> str:
        return with_inplace(self, show(self, "lower", "upper"))


class PReLU(Module):
    """LeakyReLU whose slope is trained (He et al. 2015).

    Args:
        num_parameters (int, default 1): 1, or the number of channels, for a slope each
        init (float, default 0.25): the slope at the start
        device (device or None): where the parameters are made; None: the default device
        dtype (dtype or None): their type; None: the default dtype

    Shape:
        (N, C, ...), which stays; any with one slope

    Attributes:
        weight: the slopes, (num_parameters)

    Example:
        >>> nn.PReLU(init=0.5)(torch.tensor([-1., 2.]))
        tensor([-0.5000,  2.0000], grad_fn=<PreluKernelBackward0>)
    """

    weight: Parameter

    def __init__(
        self,
        num_parameters: int = 1,
        init: float = 0.25,
        device: Device = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        self.num_parameters, self.init = num_parameters, init
        self.weight = empty_parameter(num_parameters, device, dtype)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Sets the slopes to what they were at the start.

        Example:
            >>> nn.PReLU().reset_parameters()
        """
        init.constant_(self.weight, self.init)

    def forward(self, input: Tensor) -> Tensor:
        return F.prelu(input, self.weight)

    def extra_repr(self) -> str:
        return show(self, "num_parameters")


class Threshold(Module):
    """`x` where it is above `threshold`, `value` elsewhere.

    Args:
        threshold (float): elements up to it are replaced
        value (float): what they become
        inplace (bool, default False): write the result into the input

    Shape:
        any, which stays

    Example:
        >>> nn.Threshold(2, 9)(torch.tensor([1., 2., 3.]))
        tensor([9., 9., 3.])
    """

    def __init__(self, threshold: float, value: float, inplace: bool = False) -> None:
        super().__init__()
        self.threshold, self.value, self.inplace = threshold, value, inplace

    def forward(self, input: Tensor) -> Tensor:
        return F.threshold(input, self.threshold, self.value, self.inplace)

    def extra_repr(self) -> str:
        return with_inplace(self, show(self, "threshold", "value"))


class Hardtanh(Module):
    """Every element limited to [min_val, max_val].

    Args:
        min_val (float, default -1.0): lower limit
        max_val (float, default 1.0): upper limit
        inplace (bool, default False): write the result into the input
        min_value (float or None): old names of the two, which warn
        max_value (float or None): old names of the two, which warn

    Shape:
        any, which stays

    Raises:
        AssertionError: the upper limit is not above the lower

    Example:
        >>> nn.Hardtanh()(torch.tensor([-2., 0.5, 2.]))
        tensor([-1.0000,  0.5000,  1.0000])
    """

    def __init__(
        self,
        min_val: float = -1.0,
        max_val: float = 1.0,
        inplace: bool = False,
        min_value: float | None = None,
        max_value: float | None = None,
    ) -> None:
        super().__init__()
        import warnings

        for old, name in ((min_value, "min_val"), (max_value, "max_val")):
            if old is not None:
                warnings.warn(f"keyword argument `{name}ue` is deprecated and rename to `{name}`", FutureWarning, 2)
        self.min_val = min_val if min_value is None else min_value
        self.max_val = max_val if max_value is None else max_value
        self.inplace = inplace
        assert self.max_val > self.min_val

    def forward(self, input: Tensor) -> Tensor:
        return F.hardtanh(input, self.min_val, self.max_val, self.inplace)

    def extra_repr(self) -> str:
        return with_inplace(self, show(self, "min_val", "max_val"))


class ReLU6(Hardtanh):
    """`min(max(x, 0), 6)` of every element.

    Args:
        inplace (bool, default False): write the result into the input

    Shape:
        any, which stays

    Example:
        >>> nn.ReLU6()(torch.tensor([-1., 2., 8.]))
        tensor([0., 2., 6.])
    """

    def __init__(self, inplace: bool = False) -> None:
        super().__init__(0.0, 6.0, inplace)

    def extra_repr(self) -> str:
        return with_inplace(self)


class Hardshrink(Module):
    """0 where an element lies within `lambd` of 0, `x` elsewhere.

    Args:
        lambd (float, default 0.5): half the width of the range that becomes 0

    Shape:
        any, which stays

    Example:
        >>> nn.Hardshrink()(torch.tensor([-1., 0.3, 2.]))
        tensor([-1.,  0.,  2.])
    """

    def __init__(self, lambd: float = 0.5) -> None:
        super().__init__()
        self.lambd = lambd

    def forward(self, input: Tensor) -> Tensor:
        return F.hardshrink(input, self.lambd)

    def extra_repr(self) -> str:
        return f"{self.lambd}"


class Softshrink(Hardshrink):
    """Moves every element towards 0 by `lambd`; 0 where it lies within `lambd` of it.

    Args:
        lambd (float, default 0.5): half the width of the range that becomes 0

    Shape:
        any, which stays

    Example:
        >>> nn.Softshrink()(torch.tensor([-1., 0.3, 2.]))
        tensor([-0.5000,  0.0000,  1.5000])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.softshrink(input, self.lambd)


class Softplus(Module):
    """`log(1 + exp(beta * x)) / beta`, a smooth ReLU.

    Args:
        beta (float, default 1.0): how sharp the bend is
        threshold (float, default 20.0): where `beta * x` is above it, the result is `x`

    Shape:
        any, which stays

    Example:
        >>> nn.Softplus()(torch.tensor([-1., 0., 30.]))
        tensor([ 0.3133,  0.6931, 30.0000])
    """

    def __init__(self, beta: float = 1.0, threshold: float = 20.0) -> None:
        super().__init__()
        self.beta, self.threshold = beta, threshold

    def forward(self, input: Tensor) -> Tensor:
        return F.softplus(input, self.beta, self.threshold)

    def extra_repr(self) -> str:
        return show(self, "beta", "threshold")


class GLU(Module):
    """Gated linear unit: the first half of a dimension times the sigmoid of the second (Dauphin et al. 2016).

    Args:
        dim (int, default -1): the dimension to halve

    Shape:
        any, of even size along `dim`, to half of that

    Example:
        >>> nn.GLU()(torch.tensor([1., 2., 0., 0.]))
        tensor([0.5000, 1.0000])
    """

    def __init__(self, dim: int = -1) -> None:
        super().__init__()
        self.dim = dim

    def forward(self, input: Tensor) -> Tensor:
        return F.glu(input, self.dim)

    def extra_repr(self) -> str:
        return show(self, "dim")


__all__ = [
    "ReLU", "SiLU", "SELU", "Mish", "Hardsigmoid", "Hardswish", "Sigmoid", "Tanh", "LogSigmoid", "Softsign",
    "Tanhshrink", "GELU", "ELU", "CELU", "LeakyReLU", "RReLU", "PReLU", "Threshold", "Hardtanh", "ReLU6",
    "Hardshrink", "Softshrink", "Softplus", "GLU",
]  # fmt: skip
