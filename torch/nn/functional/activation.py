"""Activations, and the softmax family."""

import warnings

from torch import _C
from torch._operators import NN as _nn
from torch._operators import VF as _VF
from torch.nn.functional._common import handle_torch_function, overridable
from torch.nn.functional._common import has_torch_function_unary as _overridden

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


def relu(input, inplace=False):
    """max(x, 0)."""
    if _overridden(input):
        return handle_torch_function(relu, (input,), input, inplace=inplace)
    return _VF.relu_(input) if inplace else _VF.relu(input)


def silu(input, inplace=False):
    """x * sigmoid(x)."""
    if _overridden(input):
        return handle_torch_function(silu, (input,), input, inplace=inplace)
    return _nn.silu_(input) if inplace else _nn.silu(input)


@overridable(1)
def relu6(input, inplace=False):
    """min(max(x, 0), 6)."""
    return _nn.relu6_(input) if inplace else _nn.relu6(input)


@overridable(1)
def elu(input, alpha=1.0, inplace=False):
    """x where positive, else alpha * (exp(x) - 1)."""
    return _nn.elu_(input, alpha) if inplace else _nn.elu(input, alpha)


@overridable(1)
def selu(input, inplace=False):
    """elu with the scale and alpha that keep mean 0 and variance 1 (Klambauer et al. 2017)."""
    return _VF.selu_(input) if inplace else _VF.selu(input)


@overridable(1)
def celu(input, alpha=1.0, inplace=False):
    """max(x, 0) + min(alpha * (exp(x / alpha) - 1), 0)."""
    return _VF.celu_(input, alpha) if inplace else _VF.celu(input, alpha)


@overridable(1)
def leaky_relu(input, negative_slope=0.01, inplace=False):
    """x where positive, else negative_slope * x."""
    return _nn.leaky_relu_(input, negative_slope) if inplace else _nn.leaky_relu(input, negative_slope)


@overridable(1)
def rrelu(input, lower=1.0 / 8, upper=1.0 / 3, training=False, inplace=False):
    """leaky_relu with a slope drawn for each element while training, their mean otherwise."""
    return (_VF.rrelu_ if inplace else _VF.rrelu)(input, lower, upper, training)


@overridable(1)
def threshold(input, threshold, value, inplace=False):
    """x where above the threshold, else value."""
    return (_VF.threshold_ if inplace else _VF.threshold)(input, threshold, value)


@overridable(1)
def hardtanh(input, min_val=-1.0, max_val=1.0, inplace=False):
    """x limited to [min_val, max_val]."""
    if min_val > max_val:
        raise ValueError("min_val cannot be greater than max_val")
    return (_nn.hardtanh_ if inplace else _nn.hardtanh)(input, min_val, max_val)


@overridable(1)
def hardsigmoid(input, inplace=False):
    """relu6(x + 3) / 6."""
    return _nn.hardsigmoid_(input) if inplace else _nn.hardsigmoid(input)


@overridable(1)
def hardswish(input, inplace=False):
    """x * relu6(x + 3) / 6."""
    return _nn.hardswish_(input) if inplace else _nn.hardswish(input)


@overridable(1)
def mish(input, inplace=False):
    """x * tanh(softplus(x))."""
    return _nn.mish_(input) if inplace else _nn.mish(input)


@overridable(1)
def glu(input, dim=-1):
    """First half of `dim` times the sigmoid of the second."""
    if input.dim() == 0:
        raise RuntimeError("glu does not support scalars because halving size must be even")
    return _nn.glu(input, dim)


def tanh(input):
    return input.tanh()


def sigmoid(input):
    return input.sigmoid()


@overridable(1)
def tanhshrink(input):
    """x - tanh(x)."""
    return input - input.tanh()


@overridable(1)
def softsign(input):
    """x / (1 + abs(x))."""
    return input / (input.abs() + 1)


def _guess_dim(name, input, stacklevel):
    warnings.warn(f"Implicit dimension choice for {name} has been deprecated. Change the call to include "
                  "dim=X as an "
                  "argument.", stacklevel=stacklevel)
    return 0 if input.dim() in (0, 1, 3) else 1


def softmax(input, dim=None, _stacklevel=3, dtype=None):
    """exp(x) over its sum along `dim`."""
    if _overridden(input):
        return handle_torch_function(softmax, (input,), input, dim=dim, _stacklevel=_stacklevel, dtype=dtype)
    if dim is None:
        dim = _guess_dim("softmax", input, _stacklevel)
    return input.softmax(dim) if dtype is None else input.softmax(dim, dtype=dtype)


def log_softmax(input, dim=None, _stacklevel=3, dtype=None):
    """Logarithm of the softmax along `dim`."""
    if _overridden(input):
        return handle_torch_function(log_softmax, (input,), input, dim=dim, _stacklevel=_stacklevel,
                                     dtype=dtype)
    if dim is None:
        dim = _guess_dim("log_softmax", input, _stacklevel)
    return input.log_softmax(dim) if dtype is None else input.log_softmax(dim, dtype=dtype)


@overridable(1)
def softmin(input, dim=None, _stacklevel=3, dtype=None):
    """softmax(-x)."""
    if dim is None:
        dim = _guess_dim("softmin", input, _stacklevel + 1)
    return (-input).softmax(dim) if dtype is None else (-input).softmax(dim, dtype=dtype)


@overridable(1)
def gumbel_softmax(logits, tau=1, hard=False, eps=1e-10, dim=-1):
    """A sample of the relaxed categorical distribution (Jang et al. 2016); `hard` makes it one-hot, with
    soft gradients."""
    if eps != 1e-10:
        warnings.warn("`eps` parameter is deprecated and has no effect.", stacklevel=3)
    noise = -_VF.empty_like(logits, memory_format=_C.contiguous_format).exponential_().log()
    soft = ((logits + noise) / tau).softmax(dim)
    if not hard:
        return soft
    index = soft.max(dim, keepdim=True)[1]
    sharp = _VF.zeros_like(logits, memory_format=_C.contiguous_format).scatter_(dim, index, 1.0)
    return sharp - soft.detach() + soft
