"""Activations, and the softmax family."""

from __future__ import annotations

import warnings

from torch import _C
from torch._operators import NN as _nn
from torch._operators import VF as _VF
from torch.nn.functional._common import handle_torch_function, overridable
from torch.nn.functional._common import has_torch_function_unary as _overridden

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from collections.abc import Callable

    import torch
    from torch import Tensor
    from torch._C._nn import elu_ as elu_
    from torch._C._nn import gelu as gelu
    from torch._C._nn import hardtanh_ as hardtanh_
    from torch._C._nn import leaky_relu_ as leaky_relu_
    from torch._C._nn import log_sigmoid as logsigmoid
    from torch._C._nn import softplus as softplus
    from torch._C._nn import softshrink as softshrink
    from torch._C._VariableFunctions import celu_ as celu_
    from torch._C._VariableFunctions import hardshrink as hardshrink
    from torch._C._VariableFunctions import prelu as prelu
    from torch._C._VariableFunctions import relu_ as relu_
    from torch._C._VariableFunctions import selu_ as selu_
    from torch._C._VariableFunctions import threshold_ as threshold_

    rrelu_: Callable[..., Tensor]
else:
    gelu, logsigmoid, softplus, softshrink = _nn.gelu, _nn.log_sigmoid, _nn.softplus, _nn.softshrink
    hardshrink, prelu = _VF.hardshrink, _VF.prelu
    relu_, selu_, celu_, rrelu_, threshold_ = _VF.relu_, _VF.selu_, _VF.celu_, _VF.rrelu_, _VF.threshold_
    elu_, hardtanh_, leaky_relu_ = _nn.elu_, _nn.hardtanh_, _nn.leaky_relu_

__all__ = [
    "gelu", "logsigmoid", "softplus", "softshrink", "hardshrink", "prelu", "relu_", "selu_",
    "celu_", "rrelu_", "threshold_", "elu_", "hardtanh_", "leaky_relu_", "relu", "relu6", "elu",
    "selu", "celu", "leaky_relu", "rrelu", "threshold", "hardtanh", "hardsigmoid", "hardswish",
    "silu", "mish", "glu", "tanh", "sigmoid", "tanhshrink", "softsign", "softmax", "log_softmax",
    "softmin", "gumbel_softmax",
]  # fmt: skip


def relu(input: Tensor, inplace: bool = False) -> Tensor:
    """`max(x, 0)` of every element.

    Args:
        input (Tensor): any shape
        inplace (bool, default False): write the result into the input

    Returns:
        a tensor of the shape and type of `input`

    Example:
        >>> F.relu(torch.tensor([-1., 0., 2.]))
        tensor([0., 0., 2.])
    """
    if _overridden(input):
        return handle_torch_function(relu, (input,), input, inplace=inplace)
    return _VF.relu_(input) if inplace else _VF.relu(input)


def silu(input: Tensor, inplace: bool = False) -> Tensor:
    """`x * sigmoid(x)` of every element, also called swish.

    Args:
        input (Tensor): any shape
        inplace (bool, default False): write the result into the input

    Returns:
        a tensor of the shape and type of `input`

    Example:
        >>> F.silu(torch.tensor([-1., 0., 2.]))
        tensor([-0.2689,  0.0000,  1.7616])
    """
    if _overridden(input):
        return handle_torch_function(silu, (input,), input, inplace=inplace)
    return _nn.silu_(input) if inplace else _nn.silu(input)


@overridable(1)
def relu6(input: Tensor, inplace: bool = False) -> Tensor:
    """`min(max(x, 0), 6)` of every element.

    Args:
        input (Tensor): any shape
        inplace (bool, default False): write the result into the input

    Returns:
        a tensor of the shape and type of `input`

    Example:
        >>> F.relu6(torch.tensor([-1., 2., 8.]))
        tensor([0., 2., 6.])
    """
    return _nn.relu6_(input) if inplace else _nn.relu6(input)


@overridable(1)
def elu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """`x` where it is positive, `alpha * (exp(x) - 1)` elsewhere (Clevert et al. 2015).

    Args:
        input (Tensor): any shape
        alpha (float, default 1.0): minus the limit for large negative elements
        inplace (bool, default False): write the result into the input

    Returns:
        a tensor of the shape and type of `input`

    Example:
        >>> F.elu(torch.tensor([-1., 2.]))
        tensor([-0.6321,  2.0000])
    """
    return _nn.elu_(input, alpha) if inplace else _nn.elu(input, alpha)


@overridable(1)
def selu(input: Tensor, inplace: bool = False) -> Tensor:
    """elu with the scale and `alpha` that keep mean 0 and variance 1 from layer to layer (Klambauer et al. 2017).

    Args:
        input (Tensor): any shape
        inplace (bool, default False): write the result into the input

    Returns:
        a tensor of the shape and type of `input`

    Example:
        >>> F.selu(torch.tensor([-1., 1.]))
        tensor([-1.1113,  1.0507])
    """
    return _VF.selu_(input) if inplace else _VF.selu(input)


@overridable(1)
def celu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """`max(x, 0) + min(alpha * (exp(x / alpha) - 1), 0)`: elu with a continuous slope (Barron 2017).

    Args:
        input (Tensor): any shape
        alpha (float, default 1.0): minus the limit for large negative elements
        inplace (bool, default False): write the result into the input

    Returns:
        a tensor of the shape and type of `input`

    Raises:
        RuntimeError: `alpha` is 0

    Example:
        >>> F.celu(torch.tensor([-1., 2.]), alpha=2.0)
        tensor([-0.7869,  2.0000])
    """
    return _VF.celu_(input, alpha) if inplace else _VF.celu(input, alpha)


@overridable(1)
def leaky_relu(input: Tensor, negative_slope: float = 0.01, inplace: bool = False) -> Tensor:
    """`x` where it is positive, `negative_slope * x` elsewhere.

    Args:
        input (Tensor): any shape
        negative_slope (float, default 0.01): the factor of negative elements
        inplace (bool, default False): write the result into the input

    Returns:
        a tensor of the shape and type of `input`

    Example:
        >>> F.leaky_relu(torch.tensor([-1., 2.]), 0.1)
        tensor([-0.1000,  2.0000])
    """
    return _nn.leaky_relu_(input, negative_slope) if inplace else _nn.leaky_relu(input, negative_slope)


@overridable(1)
def rrelu(
    input: Tensor,
    lower: float = 1.0 / 8,
    upper: float = 1.0 / 3,
    training: bool = False,
    inplace: bool = False,
) -> Tensor:
    """leaky_relu whose slope is drawn for each element in training, uniformly from [lower, upper) (Xu et al. 2015).

    Without `training` the slope is their mean.

    Args:
        input (Tensor): any shape
        lower (float, default 1.0 / 8): the smallest slope
        upper (float, default 1.0 / 3): the largest slope
        training (bool, default False): whether to draw the slopes
        inplace (bool, default False): write the result into the input

    Returns:
        a tensor of the shape and type of `input`

    Example:
        >>> F.rrelu(torch.tensor([-1., 2.]), 0.1, 0.3)
        tensor([-0.2000,  2.0000])
    """
    return (_VF.rrelu_ if inplace else _VF.rrelu)(input, lower, upper, training)


@overridable(1)
def threshold(input: Tensor, threshold: float, value: float, inplace: bool = False) -> Tensor:
    """`x` where it is above `threshold`, `value` elsewhere.

    Args:
        input (Tensor): any shape
        threshold (float): elements up to it are replaced
        value (float): what they become
        inplace (bool, default False): write the result into the input

    Returns:
        a tensor of the shape and type of `input`

    Example:
        >>> F.threshold(torch.tensor([1., 2., 3.]), 2, 9)
        tensor([9., 9., 3.])
    """
    return (_VF.threshold_ if inplace else _VF.threshold)(input, threshold, value)


@overridable(1)
def hardtanh(input: Tensor, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False) -> Tensor:
    """Every element limited to [min_val, max_val].

    Args:
        input (Tensor): any shape
        min_val (float, default -1.0): lower limit
        max_val (float, default 1.0): upper limit
        inplace (bool, default False): write the result into the input

    Returns:
        a tensor of the shape and type of `input`

    Raises:
        ValueError: `min_val` is above `max_val`

    Example:
        >>> F.hardtanh(torch.tensor([-2., 0.5, 2.]))
        tensor([-1.0000,  0.5000,  1.0000])
    """
    if min_val > max_val:
        raise ValueError("min_val cannot be greater than max_val")
    return (_nn.hardtanh_ if inplace else _nn.hardtanh)(input, min_val, max_val)


@overridable(1)
def hardsigmoid(input: Tensor, inplace: bool = False) -> Tensor:
    """`relu6(x + 3) / 6`: a sigmoid made of straight lines.

    Args:
        input (Tensor): any shape
        inplace (bool, default False): write the result into the input

    Returns:
        a tensor of the shape and type of `input`

    Example:
        >>> F.hardsigmoid(torch.tensor([-4., 0., 4.]))
        tensor([0.0000, 0.5000, 1.0000])
    """
    return _nn.hardsigmoid_(input) if inplace else _nn.hardsigmoid(input)


@overridable(1)
def hardswish(input: Tensor, inplace: bool = False) -> Tensor:
    """`x * relu6(x + 3) / 6` (Howard et al. 2019).

    Args:
        input (Tensor): any shape
        inplace (bool, default False): write the result into the input

    Returns:
        a tensor of the shape and type of `input`

    Example:
        >>> F.hardswish(torch.tensor([-1., 1., 4.]))
        tensor([-0.3333,  0.6667,  4.0000])
    """
    return _nn.hardswish_(input) if inplace else _nn.hardswish(input)


@overridable(1)
def mish(input: Tensor, inplace: bool = False) -> Tensor:
    """`x * tanh(softplus(x))` (Misra 2019).

    Args:
        input (Tensor): any shape
        inplace (bool, default False): write the result into the input

    Returns:
        a tensor of the shape and type of `input`

    Example:
        >>> F.mish(torch.tensor([-1., 0., 2.]))
        tensor([-0.3034,  0.0000,  1.9440])
    """
    return _nn.mish_(input) if inplace else _nn.mish(input)


@overridable(1)
def glu(input: Tensor, dim: int = -1) -> Tensor:
    """Gated linear unit: the first half of a dimension times the sigmoid of the second (Dauphin et al. 2016).

    Args:
        input (Tensor): at least one dimension, of even size along `dim`
        dim (int, default -1): the dimension to halve

    Returns:
        a tensor of half the size along `dim`

    Raises:
        RuntimeError: the size along `dim` is odd, or there are no dimensions

    Example:
        >>> F.glu(torch.tensor([1., 2., 0., 0.]))
        tensor([0.5000, 1.0000])
    """
    if input.dim() == 0:
        raise RuntimeError("glu does not support scalars because halving size must be even")
    return _nn.glu(input, dim)


def tanh(input: Tensor) -> Tensor:
    """The hyperbolic tangent of every element. `torch.tanh` is the same.

    Args:
        input (Tensor): any shape

    Returns:
        a tensor of the shape of `input`

    Example:
        >>> F.tanh(torch.tensor([0., 1.]))
        tensor([0.0000, 0.7616])
    """
    return input.tanh()


def sigmoid(input: Tensor) -> Tensor:
    """`1 / (1 + exp(-x))` of every element. `torch.sigmoid` is the same.

    Args:
        input (Tensor): any shape

    Returns:
        a tensor of the shape of `input`

    Example:
        >>> F.sigmoid(torch.tensor([0., 1.]))
        tensor([0.5000, 0.7311])
    """
    return input.sigmoid()


@overridable(1)
def tanhshrink(input: Tensor) -> Tensor:
    """`x - tanh(x)` of every element.

    Args:
        input (Tensor): any shape

    Returns:
        a tensor of the shape of `input`

    Example:
        >>> F.tanhshrink(torch.tensor([0., 1.]))
        tensor([0.0000, 0.2384])
    """
    return input - input.tanh()


@overridable(1)
def softsign(input: Tensor) -> Tensor:
    """`x / (1 + abs(x))` of every element.

    Args:
        input (Tensor): any shape

    Returns:
        a tensor of the shape of `input`

    Example:
        >>> F.softsign(torch.tensor([-1., 0., 3.]))
        tensor([-0.5000,  0.0000,  0.7500])
    """
    return input / (input.abs() + 1)


def _guess_dim(name: str, input: Tensor, stacklevel: int) -> int:
    warnings.warn(
        f"Implicit dimension choice for {name} has been deprecated. Change the call to include dim=X as an argument.",
        stacklevel=stacklevel,
    )
    return 0 if input.dim() in (0, 1, 3) else 1


def softmax(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: torch.dtype | None = None) -> Tensor:
    """`exp(x)` divided by its sum along `dim`: positive numbers that sum to 1.

    Args:
        input (Tensor): any shape
        dim (int or None): the dimension along which the results sum to 1; leaving it out is deprecated
        dtype (dtype or None): convert to it first; None: keep the type

    Returns:
        a tensor of the shape of `input`

    Example:
        >>> F.softmax(torch.tensor([0., 1., 2.]), dim=0)
        tensor([0.0900, 0.2447, 0.6652])
    """
    if _overridden(input):
        return handle_torch_function(softmax, (input,), input, dim=dim, _stacklevel=_stacklevel, dtype=dtype)
    if dim is None:
        dim = _guess_dim("softmax", input, _stacklevel)
    return input.softmax(dim) if dtype is None else input.softmax(dim, dtype=dtype)


def log_softmax(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: torch.dtype | None = None) -> Tensor:
    """The logarithm of the softmax along `dim`, without overflow or loss of accuracy.

    Args:
        input (Tensor): any shape
        dim (int or None): the dimension to normalise; leaving it out is deprecated
        dtype (dtype or None): convert to it first; None: keep the type

    Returns:
        a tensor of the shape of `input`, with no element above 0

    Example:
        >>> F.log_softmax(torch.tensor([0., 1., 2.]), dim=0)
        tensor([-2.4076, -1.4076, -0.4076])
    """
    if _overridden(input):
        return handle_torch_function(log_softmax, (input,), input, dim=dim, _stacklevel=_stacklevel, dtype=dtype)
    if dim is None:
        dim = _guess_dim("log_softmax", input, _stacklevel)
    return input.log_softmax(dim) if dtype is None else input.log_softmax(dim, dtype=dtype)


@overridable(1)
def softmin(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: torch.dtype | None = None) -> Tensor:
    """softmax of `-x`: the smallest elements get the largest shares.

    Args:
        input (Tensor): any shape
        dim (int or None): the dimension along which the results sum to 1; leaving it out is deprecated
        dtype (dtype or None): convert to it first; None: keep the type

    Returns:
        a tensor of the shape of `input`

    Example:
        >>> F.softmin(torch.tensor([0., 1., 2.]), dim=0)
        tensor([0.6652, 0.2447, 0.0900])
    """
    if dim is None:
        dim = _guess_dim("softmin", input, _stacklevel + 1)
    return (-input).softmax(dim) if dtype is None else (-input).softmax(dim, dtype=dtype)


@overridable(1)
def gumbel_softmax(logits: Tensor, tau: float = 1, hard: bool = False, eps: float = 1e-10, dim: int = -1) -> Tensor:
    """A sample of the relaxed categorical distribution (Jang et al. 2016).

    Args:
        logits (Tensor): log-probabilities along `dim`, which need not be normalised
        tau (float, default 1): temperature, above 0: the smaller, the nearer to one-hot
        hard (bool, default False): return one-hot samples, with the gradients of the soft ones
        eps (float, default 1e-10): deprecated, without effect
        dim (int, default -1): the dimension of the categories

    Returns:
        a tensor of the shape of `logits`, which sums to 1 along `dim`

    Example:
        >>> F.gumbel_softmax(torch.zeros(2, 3), hard=True).sum(dim=-1)
        tensor([1., 1.])
    """
    if eps != 1e-10:
        warnings.warn("`eps` parameter is deprecated and has no effect.", stacklevel=3)
    noise = -_VF.empty_like(logits, memory_format=_C.contiguous_format).exponential_().log()
    soft = ((logits + noise) / tau).softmax(dim)
    if not hard:
        return soft
    index = soft.max(dim, keepdim=True)[1]
    sharp = _VF.zeros_like(logits, memory_format=_C.contiguous_format).scatter_(dim, index, 1.0)
    return sharp - soft.detach() + soft
