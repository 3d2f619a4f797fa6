"""Initial values of parameters.

Every function fills its tensor in place, outside of autograd, and returns it.
"""

from __future__ import annotations

import math
import warnings

import torch
from torch import _C, _lazy

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeVar

    from torch import Tensor

    _F = TypeVar("_F", bound=Callable[..., Tensor])

__all__ = [
    "calculate_gain", "uniform_", "normal_", "constant_", "ones_", "zeros_", "trunc_normal_", "eye_", "dirac_",
    "xavier_uniform_", "xavier_normal_", "kaiming_uniform_", "kaiming_normal_", "orthogonal_", "sparse_", "uniform",
    "normal", "constant", "eye", "dirac", "xavier_uniform", "xavier_normal", "kaiming_uniform", "kaiming_normal",
    "orthogonal", "sparse",
]  # fmt: skip

_GAINS = {
    "linear": 1.0,
    "conv1d": 1.0,
    "conv2d": 1.0,
    "conv3d": 1.0,
    "conv_transpose1d": 1.0,
    "conv_transpose2d": 1.0,
    "conv_transpose3d": 1.0,
    "sigmoid": 1.0,
    "tanh": 5.0 / 3,
    "relu": math.sqrt(2.0),
    "selu": 3.0 / 4,
}


def calculate_gain(nonlinearity: str, param: float | None = None) -> float:
    """The factor of the weights' standard deviation that keeps the size of activations through a nonlinearity.

    1 for linear layers, convolutions and sigmoid, 5 / 3 for tanh, `sqrt(2)` for relu, `sqrt(2 / (1 + slope ** 2))` for
    leaky_relu, 3 / 4 for selu.

    Args:
        nonlinearity (str): the name of its function
        param (float or None): the slope of leaky_relu; None: 0.01

    Raises:
        ValueError: another name, or a slope that is no number

    Example:
        >>> nn.init.calculate_gain("tanh")
        1.6666666666666667
    """
    if nonlinearity == "leaky_relu":
        if param is None:
            slope = 0.01
        elif isinstance(param, (int, float)) and not isinstance(param, bool):
            slope = param
        else:
            raise ValueError(f"negative_slope {param} not a valid number")
        return math.sqrt(2.0 / (1 + slope**2))
    if nonlinearity not in _GAINS:
        raise ValueError(f"Unsupported nonlinearity {nonlinearity}")
    gain = _GAINS[nonlinearity]
    return int(gain) if gain == 1.0 else gain


def _filled(tensor: Tensor, fill: str, *args: Any, **kwargs: Any) -> Tensor:
    with torch.no_grad():
        getattr(tensor, fill)(*args, **kwargs)
    return tensor


def _hand_over(function: Callable[..., Tensor], tensor: Tensor, **kwargs: Any) -> Tensor:
    """The answer of the mode, or of the tensor's class, that has __torch_function__."""
    from torch.overrides import handle_torch_function

    return handle_torch_function(function, (tensor,), tensor=tensor, **kwargs)


def uniform_(tensor: Tensor, a: float = 0.0, b: float = 1.0, generator: torch.Generator | None = None) -> Tensor:
    """Fills with uniform numbers from [a, b).

    Args:
        tensor (Tensor): what is filled, in place and outside of autograd
        a (float, default 0.0): lower limit
        b (float, default 1.0): upper limit
        generator (torch.Generator or None): the source of random numbers; None: the global one

    Returns:
        `tensor`

    Example:
        >>> w = nn.init.uniform_(torch.empty(2, 3), -1, 1)
        >>> bool((w.abs() <= 1).all())
        True
    """
    if _C._has_torch_function_unary(tensor):
        return _hand_over(uniform_, tensor=tensor, a=a, b=b, generator=generator)
    return _filled(tensor, "uniform_", a, b, generator=generator)


def normal_(tensor: Tensor, mean: float = 0.0, std: float = 1.0, generator: torch.Generator | None = None) -> Tensor:
    """Fills with normal numbers.

    Args:
        tensor (Tensor): what is filled, in place and outside of autograd
        mean (float, default 0.0): their mean
        std (float, default 1.0): their standard deviation
        generator (torch.Generator or None): the source of random numbers; None: the global one

    Returns:
        `tensor`

    Example:
        >>> nn.init.normal_(torch.empty(2, 3), std=0.02).shape
        torch.Size([2, 3])
    """
    if _C._has_torch_function_unary(tensor):
        return _hand_over(normal_, tensor=tensor, mean=mean, std=std, generator=generator)
    return _filled(tensor, "normal_", mean, std, generator=generator)


def constant_(tensor: Tensor, val: float) -> Tensor:
    """Fills with one number.

    Args:
        tensor (Tensor): what is filled, in place and outside of autograd
        val (float): the number

    Returns:
        `tensor`

    Example:
        >>> nn.init.constant_(torch.empty(3), 0.5)
        tensor([0.5000, 0.5000, 0.5000])
    """
    if _C._has_torch_function_unary(tensor):
        return _hand_over(constant_, tensor=tensor, val=val)
    return _filled(tensor, "fill_", val)


def ones_(tensor: Tensor) -> Tensor:
    """Fills with ones.

    Args:
        tensor (Tensor): what is filled, in place and outside of autograd

    Returns:
        `tensor`

    Example:
        >>> nn.init.ones_(torch.empty(3))
        tensor([1., 1., 1.])
    """
    return _filled(tensor, "fill_", 1.0)


def zeros_(tensor: Tensor) -> Tensor:
    """Fills with zeros.

    Args:
        tensor (Tensor): what is filled, in place and outside of autograd

    Returns:
        `tensor`

    Example:
        >>> nn.init.zeros_(torch.empty(3))
        tensor([0., 0., 0.])
    """
    return _filled(tensor, "zero_")


def trunc_normal_(
    tensor: Tensor,
    mean: float = 0.0,
    std: float = 1.0,
    a: float = -2.0,
    b: float = 2.0,
    generator: torch.Generator | None = None,
) -> Tensor:
    """Fills with normal numbers from [a, b]: those outside are drawn again.

    Where less than 0.3 of the distribution lies in [a, b], uniform numbers are drawn instead, and kept with
    probability in proportion to the density.

    Args:
        tensor (Tensor): what is filled, in place and outside of autograd
        mean (float, default 0.0): mean before cutting
        std (float, default 1.0): standard deviation before cutting
        a (float, default -2.0): lower limit
        b (float, default 2.0): upper limit
        generator (torch.Generator or None): the source of random numbers; None: the global one

    Returns:
        `tensor`

    Example:
        >>> w = nn.init.trunc_normal_(torch.empty(100))
        >>> bool((w.abs() <= 2).all())
        True
    """
    if mean < a - 2 * std or mean > b + 2 * std:
        warnings.warn(
            "mean is more than 2 std from [a, b] in nn.init.trunc_normal_. The distribution of values may be incorrect.",
            stacklevel=2,
        )
    inside = (math.erf((b - mean) / (std * math.sqrt(2.0))) - math.erf((a - mean) / (std * math.sqrt(2.0)))) / 2.0
    draw = _normal_inside if inside >= 0.3 else _uniform_accepted
    with torch.no_grad():
        values, good = draw(tensor, mean, std, a, b, generator)
        tensor.copy_(values)
        while not good.all():
            values, is_inside = draw(tensor, mean, std, a, b, generator)
            tensor.copy_(torch.where(good, tensor, values))
            good = good | is_inside
    return tensor


def _normal_inside(
    like: Tensor,
    mean: float,
    std: float,
    a: float,
    b: float,
    generator: torch.Generator | None,
) -> tuple[Tensor, Tensor]:
    """Normal numbers, and which of them are in [a, b]."""
    values = torch.empty_like(like).normal_(mean, std, generator=generator)
    return values, (values >= a) & (values <= b)


def _uniform_accepted(
    like: Tensor,
    mean: float,
    std: float,
    a: float,
    b: float,
    generator: torch.Generator | None,
) -> tuple[Tensor, Tensor]:
    """Uniform numbers in [a, b], and which of them rejection sampling accepts."""
    values = torch.empty_like(like).uniform_(a, b, generator=generator)
    chance = torch.empty_like(like).uniform_(0, 1, generator=generator)
    peak = min(max(mean, a), b) - mean
    return values, chance <= torch.exp(-((values - mean) ** 2 - peak**2) / (2 * std**2))


def eye_(tensor: Tensor) -> Tensor:
    """Fills a matrix with the identity: ones on the diagonal.

    Args:
        tensor (Tensor): two dimensions

    Returns:
        `tensor`

    Raises:
        ValueError: it has not 2 dimensions

    Example:
        >>> nn.init.eye_(torch.empty(2, 3))
        tensor([[1., 0., 0.],
                [0., 1., 0.]])
    """
    if tensor.ndimension() != 2:
        raise ValueError("Only tensors with 2 dimensions are supported")
    with torch.no_grad():
        rows, columns = tensor.shape
        torch.eye(rows, columns, out=tensor, requires_grad=tensor.requires_grad)
    return tensor


def dirac_(tensor: Tensor, groups: int = 1) -> Tensor:
    """Fills the weight of a convolution so that it passes its input on, channel by channel.

    Args:
        tensor (Tensor): (out_channels, in_channels / groups, *kernel), 3 to 5 dimensions
        groups (int, default 1): the groups of the convolution

    Returns:
        `tensor`

    Raises:
        ValueError: another number of dimensions, or `groups` does not divide out_channels

    Example:
        >>> nn.init.dirac_(torch.empty(2, 2, 3))[0]
        tensor([[0., 1., 0.],
                [0., 0., 0.]])
    """
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


def _calculate_fan_in_and_fan_out(tensor: Tensor) -> tuple[int, int]:
    """Inputs and outputs of one unit, for a weight (out, in, *kernel)."""
    if tensor.dim() < 2:
        raise ValueError("Fan in and fan out can not be computed for tensor with fewer than 2 dimensions")
    field = math.prod(tensor.shape[2:])
    return tensor.size(1) * field, tensor.size(0) * field


def _calculate_correct_fan(tensor: Tensor, mode: str) -> int:
    mode = mode.lower()
    if mode not in ("fan_in", "fan_out"):
        raise ValueError(f"Mode {mode} not supported, please use one of ['fan_in', 'fan_out']")
    return _calculate_fan_in_and_fan_out(tensor)[mode == "fan_out"]


def xavier_uniform_(tensor: Tensor, gain: float = 1.0, generator: torch.Generator | None = None) -> Tensor:
    """Fills with uniform numbers from `+-gain * sqrt(6 / (fan_in + fan_out))` (Glorot and Bengio 2010).

    Args:
        tensor (Tensor): (out, in, *kernel)
        gain (float, default 1.0): a factor of the standard deviation; see `calculate_gain`
        generator (torch.Generator or None): the source of random numbers; None: the global one

    Returns:
        `tensor`

    Raises:
        ValueError: fewer than 2 dimensions

    Example:
        >>> w = nn.init.xavier_uniform_(torch.empty(2, 4))
        >>> bool((w.abs() <= 1).all())
        True
    """
    std = gain * math.sqrt(2.0 / float(sum(_calculate_fan_in_and_fan_out(tensor))))
    bound = math.sqrt(3.0) * std
    return uniform_(tensor, -bound, bound, generator)


def xavier_normal_(tensor: Tensor, gain: float = 1.0, generator: torch.Generator | None = None) -> Tensor:
    """Fills with normal numbers of standard deviation `gain * sqrt(2 / (fan_in + fan_out))` (Glorot and Bengio 2010).

    Args:
        tensor (Tensor): (out, in, *kernel)
        gain (float, default 1.0): a factor of the standard deviation; see `calculate_gain`
        generator (torch.Generator or None): the source of random numbers; None: the global one

    Returns:
        `tensor`

    Raises:
        ValueError: fewer than 2 dimensions

    Example:
        >>> nn.init.xavier_normal_(torch.empty(2, 4)).shape
        torch.Size([2, 4])
    """
    std = gain * math.sqrt(2.0 / float(sum(_calculate_fan_in_and_fan_out(tensor))))
    return normal_(tensor, 0.0, std, generator)


def _kaiming_std(tensor: Tensor, a: float, mode: str, nonlinearity: str) -> float:
    fan = _calculate_correct_fan(tensor, mode)
    return calculate_gain(nonlinearity, a) / math.sqrt(fan)


def _nothing_to_fill(tensor: Tensor) -> bool:
    if 0 in tensor.shape:
        warnings.warn("Initializing zero-element tensors is a no-op", stacklevel=3)
        return True
    return False


def kaiming_uniform_(
    tensor: Tensor,
    a: float = 0,
    mode: str = "fan_in",
    nonlinearity: str = "leaky_relu",
    generator: torch.Generator | None = None,
) -> Tensor:
    """Fills with uniform numbers from `+-gain * sqrt(3 / fan)` (He et al. 2015); the gain is that of `nonlinearity`.

    Args:
        tensor (Tensor): (out, in, *kernel)
        a (float, default 0): the slope of leaky_relu
        mode (str, default "fan_in"): 'fan_in' keeps the variance forwards, 'fan_out' backwards
        nonlinearity (str, default "leaky_relu"): name of the function that follows
        generator (torch.Generator or None): the source of random numbers; None: the global one

    Returns:
        `tensor`

    Raises:
        ValueError: fewer than 2 dimensions, or an unknown mode or nonlinearity

    Example:
        >>> w = nn.init.kaiming_uniform_(torch.empty(2, 6), nonlinearity="relu")
        >>> bool((w.abs() <= 1).all())
        True
    """
    if _C._has_torch_function_unary(tensor):
        return _hand_over(
            kaiming_uniform_, tensor=tensor, a=a, mode=mode, nonlinearity=nonlinearity, generator=generator
        )  # fmt: skip
    if _nothing_to_fill(tensor):
        return tensor
    bound = math.sqrt(3.0) * _kaiming_std(tensor, a, mode, nonlinearity)
    return uniform_(tensor, -bound, bound, generator)


def kaiming_normal_(
    tensor: Tensor,
    a: float = 0,
    mode: str = "fan_in",
    nonlinearity: str = "leaky_relu",
    generator: torch.Generator | None = None,
) -> Tensor:
    """Fills with normal numbers of standard deviation `gain / sqrt(fan)` (He et al. 2015).

    Args:
        tensor (Tensor): (out, in, *kernel)
        a (float, default 0): the slope of leaky_relu
        mode (str, default "fan_in"): 'fan_in' keeps the variance forwards, 'fan_out' backwards
        nonlinearity (str, default "leaky_relu"): name of the function that follows
        generator (torch.Generator or None): the source of random numbers; None: the global one

    Returns:
        `tensor`

    Raises:
        ValueError: fewer than 2 dimensions, or an unknown mode or nonlinearity

    Example:
        >>> nn.init.kaiming_normal_(torch.empty(2, 6), nonlinearity="relu").shape
        torch.Size([2, 6])
    """
    if _nothing_to_fill(tensor):
        return tensor
    return normal_(tensor, 0, _kaiming_std(tensor, a, mode, nonlinearity), generator)


def orthogonal_(tensor: Tensor, gain: float = 1, generator: torch.Generator | None = None) -> Tensor:
    """Fills with a random matrix whose rows or columns, whichever are fewer, are orthogonal (Saxe et al. 2013).

    Args:
        tensor (Tensor): two dimensions or more; the later ones count as columns
        gain (float, default 1): length of the rows or columns
        generator (torch.Generator or None): the source of random numbers; None: the global one

    Returns:
        `tensor`

    Raises:
        ValueError: fewer than 2 dimensions
        AttributeError: always otherwise, since this version lacks `torch.linalg.qr`

    Example:
        >>> nn.init.orthogonal_(torch.empty(5))
        Traceback (most recent call last):
            ...
        ValueError: Only tensors with 2 or more dimensions are supported
    """
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


def sparse_(tensor: Tensor, sparsity: float, std: float = 0.01, generator: torch.Generator | None = None) -> Tensor:
    """Fills a matrix with normal numbers, the same share of every column being zero (Martens 2010).

    Args:
        tensor (Tensor): two dimensions
        sparsity (float): the share that is zero, rounded up
        std (float, default 0.01): standard deviation of the rest
        generator (torch.Generator or None): the source of random numbers; None: the global one

    Returns:
        `tensor`

    Raises:
        ValueError: it has not 2 dimensions

    Example:
        >>> nn.init.sparse_(torch.empty(4, 2), 0.5).count_nonzero(dim=0)
        tensor([2, 2])
    """
    if tensor.ndimension() != 2:
        raise ValueError("Only tensors with 2 dimensions are supported")
    rows, columns = tensor.shape
    zeros = int(math.ceil(sparsity * rows))
    with torch.no_grad():
        tensor.normal_(0, std, generator=generator)
        for column in range(columns):
            tensor[torch.randperm(rows)[:zeros], column] = 0
    return tensor


# The names by which packages import these; the functions above run without recording gradients, too.
_no_grad_uniform_, _no_grad_normal_, _no_grad_trunc_normal_ = uniform_, normal_, trunc_normal_
_no_grad_fill_, _no_grad_zero_ = constant_, zeros_


def _old_name(new: _F) -> _F:
    def old(*args: Any, **kwargs: Any) -> Tensor:
        warnings.warn(
            f"`nn.init.{new.__name__[:-1]}` is now deprecated in favor of `nn.init.{new.__name__}`.", FutureWarning, stacklevel=2
        )
        return new(*args, **kwargs)

    old.__name__ = old.__qualname__ = new.__name__[:-1]
    old.__doc__ = f"""The old name of `{new.__name__}`; it warns.

    Args:
        *args, **kwargs: those of `{new.__name__}`

    Returns:
        the tensor

    Example:
        >>> nn.init.{old.__name__} is not nn.init.{new.__name__}
        True
    """
    return old


uniform = _old_name(uniform_)
normal = _old_name(normal_)
constant = _old_name(constant_)
eye = _old_name(eye_)
dirac = _old_name(dirac_)
xavier_uniform = _old_name(xavier_uniform_)
xavier_normal = _old_name(xavier_normal_)
kaiming_uniform = _old_name(kaiming_uniform_)
kaiming_normal = _old_name(kaiming_normal_)
orthogonal = _old_name(orthogonal_)
sparse = _old_name(sparse_)

_lazy.names_what_is_absent(__name__)
