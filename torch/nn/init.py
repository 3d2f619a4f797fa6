"""Initial values of parameters. Every function fills its tensor in place, outside of autograd, and returns
it."""

import math
import warnings

import torch
from torch import _lazy

_GAINS = {"linear": 1.0, "conv1d": 1.0, "conv2d": 1.0, "conv3d": 1.0, "conv_transpose1d": 1.0,
          "conv_transpose2d": 1.0,
          "conv_transpose3d": 1.0, "sigmoid": 1.0, "tanh": 5.0 / 3, "relu": math.sqrt(2.0), "selu": 3.0 / 4}


def calculate_gain(nonlinearity, param=None):
    """Factor that keeps the variance through a nonlinearity; `param` is the slope of leaky_relu."""
    if nonlinearity == "leaky_relu":
        if param is None:
            slope = 0.01
        elif isinstance(param, (int, float)) and not isinstance(param, bool):
            slope = param
        else:
            raise ValueError(f"negative_slope {param} not a valid number")
        return math.sqrt(2.0 / (1 + slope ** 2))
    if nonlinearity not in _GAINS:
        raise ValueError(f"Unsupported nonlinearity {nonlinearity}")
    gain = _GAINS[nonlinearity]
    return int(gain) if gain == 1.0 else gain


def _filled(tensor, fill, *args, **kwargs):
    with torch.no_grad():
        getattr(tensor, fill)(*args, **kwargs)
    return tensor


def uniform_(tensor, a=0.0, b=1.0, generator=None):
    """Uniform in [a, b)."""
    return _filled(tensor, "uniform_", a, b, generator=generator)


def normal_(tensor, mean=0.0, std=1.0, generator=None):
    """Normal with the given mean and standard deviation."""
    return _filled(tensor, "normal_", mean, std, generator=generator)


def constant_(tensor, val):
    return _filled(tensor, "fill_", val)


def ones_(tensor):
    return _filled(tensor, "fill_", 1.0)


def zeros_(tensor):
    return _filled(tensor, "zero_")


def trunc_normal_(tensor, mean=0.0, std=1.0, a=-2.0, b=2.0, generator=None):
    """Normal, cut to [a, b]: elements outside are drawn again.

    Where the normal distribution has less than 0.3 of its mass in [a, b], uniform numbers are drawn instead,
    and kept with probability in proportion to its density."""
    if mean < a - 2 * std or mean > b + 2 * std:
        warnings.warn("mean is more than 2 std from [a, b] in nn.init.trunc_normal_. The distribution of "
                      "values may be "
                      "incorrect.", stacklevel=2)
    inside = (
        math.erf((b - mean) / (std * math.sqrt(2.0))) - math.erf((a - mean) / (std * math.sqrt(2.0)))
    ) / 2.0
    draw = _normal_inside if inside >= 0.3 else _uniform_kept
    with torch.no_grad():
        values, good = draw(tensor, mean, std, a, b, generator)
        tensor.copy_(values)
        while not good.all():
            values, fresh = draw(tensor, mean, std, a, b, generator)
            tensor.copy_(torch.where(good, tensor, values))
            good = good | fresh
    return tensor


def _normal_inside(like, mean, std, a, b, generator):
    """Normal numbers, and which of them are in [a, b]."""
    values = torch.empty_like(like).normal_(mean, std, generator=generator)
    return values, (values >= a) & (values <= b)


def _uniform_kept(like, mean, std, a, b, generator):
    """Uniform numbers in [a, b], and which of them the density keeps."""
    values = torch.empty_like(like).uniform_(a, b, generator=generator)
    chance = torch.empty_like(like).uniform_(0, 1, generator=generator)
    peak = min(max(mean, a), b) - mean
    return values, chance <= torch.exp(-((values - mean) ** 2 - peak ** 2) / (2 * std ** 2))


def eye_(tensor):
    """The identity matrix."""
    if tensor.ndimension() != 2:
        raise ValueError("Only tensors with 2 dimensions are supported")
    with torch.no_grad():
        torch.eye(*tensor.shape, out=tensor, requires_grad=tensor.requires_grad)
    return tensor


def dirac_(tensor, groups=1):
    """The kernel of a convolution that passes its input on, channel by channel."""
    dims = tensor.ndimension()
    if dims not in (3, 4, 5):
        raise ValueError("Only tensors with 3, 4, or 5 dimensions are supported")
    if tensor.size(0) % groups:
        raise ValueError("dim 0 must be divisible by groups")
    outputs = tensor.size(0) // groups
    centre = [length // 2 for length in tensor.shape[2:]]
    with torch.no_grad():
        tensor.zero_()
        for group in range(groups):
            for channel in range(min(outputs, tensor.size(1))):
                tensor[(group * outputs + channel, channel, *centre)] = 1
    return tensor


def _calculate_fan_in_and_fan_out(tensor):
    """Inputs and outputs of one unit, for a weight (out, in, *kernel)."""
    if tensor.dim() < 2:
        raise ValueError("Fan in and fan out can not be computed for tensor with fewer than 2 dimensions")
    field = math.prod(tensor.shape[2:])
    return tensor.size(1) * field, tensor.size(0) * field


def _calculate_correct_fan(tensor, mode):
    mode = mode.lower()
    if mode not in ("fan_in", "fan_out"):
        raise ValueError(f"Mode {mode} not supported, please use one of ['fan_in', 'fan_out']")
    return _calculate_fan_in_and_fan_out(tensor)[mode == "fan_out"]


def xavier_uniform_(tensor, gain=1.0, generator=None):
    """Uniform in +-gain * sqrt(6 / (fan_in + fan_out)) (Glorot and Bengio 2010)."""
    std = gain * math.sqrt(2.0 / float(sum(_calculate_fan_in_and_fan_out(tensor))))
    bound = math.sqrt(3.0) * std
    return uniform_(tensor, -bound, bound, generator)


def xavier_normal_(tensor, gain=1.0, generator=None):
    """Normal of standard deviation gain * sqrt(2 / (fan_in + fan_out))."""
    std = gain * math.sqrt(2.0 / float(sum(_calculate_fan_in_and_fan_out(tensor))))
    return normal_(tensor, 0.0, std, generator)


def _kaiming_std(tensor, a, mode, nonlinearity):
    fan = _calculate_correct_fan(tensor, mode)
    return calculate_gain(nonlinearity, a) / math.sqrt(fan)


def _nothing_to_fill(tensor):
    if 0 in tensor.shape:
        warnings.warn("Initializing zero-element tensors is a no-op", stacklevel=3)
        return True
    return False


def kaiming_uniform_(tensor, a=0, mode="fan_in", nonlinearity="leaky_relu", generator=None):
    """Uniform in +-gain * sqrt(3 / fan) (He et al. 2015)."""
    if _nothing_to_fill(tensor):
        return tensor
    bound = math.sqrt(3.0) * _kaiming_std(tensor, a, mode, nonlinearity)
    return uniform_(tensor, -bound, bound, generator)


def kaiming_normal_(tensor, a=0, mode="fan_in", nonlinearity="leaky_relu", generator=None):
    """Normal of standard deviation gain / sqrt(fan)."""
    if _nothing_to_fill(tensor):
        return tensor
    return normal_(tensor, 0, _kaiming_std(tensor, a, mode, nonlinearity), generator)


def orthogonal_(tensor, gain=1, generator=None):
    """Rows, or columns, orthogonal and of length `gain` (Saxe et al. 2013)."""
    if tensor.ndimension() < 2:
        raise ValueError("Only tensors with 2 or more dimensions are supported")
    if tensor.numel() == 0:
        return tensor
    rows = tensor.size(0)
    columns = tensor.numel() // rows
    drawn = tensor.new_empty((rows, columns)).normal_(0, 1, generator=generator)
    if rows < columns:
        drawn.t_()
    q, r = torch.linalg.qr(drawn)
    q *= torch.diag(r, 0).sign()  # makes the decomposition unique, so the draw is uniform
    if rows < columns:
        q.t_()
    with torch.no_grad():
        tensor.view_as(q).copy_(q)
        tensor.mul_(gain)
    return tensor


def sparse_(tensor, sparsity, std=0.01, generator=None):
    """Normal, with the share `sparsity` of every column zero."""
    if tensor.ndimension() != 2:
        raise ValueError("Only tensors with 2 dimensions are supported")
    rows, columns = tensor.shape
    zeros = int(math.ceil(sparsity * rows))
    with torch.no_grad():
        tensor.normal_(0, std, generator=generator)
        for column in range(columns):
            tensor[torch.randperm(rows)[:zeros], column] = 0
    return tensor


def _old_name(new):
    def old(*args, **kwargs):
        warnings.warn(f"`nn.init.{new.__name__[:-1]}` is now deprecated in favor of "
                      f"`nn.init.{new.__name__}`.", FutureWarning,
                      stacklevel=2)
        return new(*args, **kwargs)

    old.__name__ = new.__name__[:-1]
    old.__doc__ = f"The old name of {new.__name__}."
    return old


uniform, normal, constant, eye, dirac = map(_old_name, (uniform_, normal_, constant_, eye_, dirac_))
xavier_uniform, xavier_normal = map(_old_name, (xavier_uniform_, xavier_normal_))
kaiming_uniform, kaiming_normal = map(_old_name, (kaiming_uniform_, kaiming_normal_))
orthogonal, sparse = map(_old_name, (orthogonal_, sparse_))

_lazy.names_what_is_absent(__name__)
