"""Batch, layer, group, instance and local response normalisation."""

from __future__ import annotations

from torch._operators import NN as _nn
from torch._operators import VF as _VF
from torch.nn.functional._common import handle_torch_function, overridable
from torch.nn.functional._common import has_torch_function_variadic as _overridden

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from collections.abc import Sequence

    from torch import Tensor

__all__ = ["batch_norm", "instance_norm", "layer_norm", "rms_norm", "group_norm", "local_response_norm"]


def _verify_batch_size(size):
    """Refuses a single value per channel, which would be its own mean and have no variance."""
    count = size[0]
    for length in size[2:]:
        count *= length
    if count == 1:
        raise ValueError(f"Expected more than 1 value per channel when training, got input size {size}")


def batch_norm(
    input: Tensor, running_mean: Tensor | None, running_var: Tensor | None, weight: Tensor | None = None,
    bias: Tensor | None = None, training: bool = False, momentum: float = 0.1, eps: float = 1e-5,
) -> Tensor:  # fmt: skip
    """`(x - mean) / sqrt(var + eps) * weight + bias` for each channel, dimension 1 (Ioffe and Szegedy 2015).

    In training the statistics are the batch's, and the running ones move towards them by `momentum`.

    Args:
        input (Tensor): (N, C, ...)
        running_mean (Tensor or None): (C), changed in training; None is possible in training only
        running_var (Tensor or None): (C), changed in training; None is possible in training only
        weight (Tensor or None): factors, one for each channel; None: 1
        bias (Tensor or None): terms, one for each channel; None: 0
        training (bool, default False): use the statistics of the batch
        momentum (float, default 0.1): share of the new statistics in the running ones
        eps (float, default 1e-5): added to the variance

    Returns:
        a tensor of the shape of `input`

    Raises:
        ValueError: training with one value for each channel

    Example:
        >>> F.batch_norm(torch.tensor([[1.], [3.]]), None, None, training=True)
        tensor([[-1.0000],
                [ 1.0000]])
    """
    if _overridden(input, running_mean, running_var, weight, bias):
        return handle_torch_function(
            batch_norm,
            (input, running_mean, running_var, weight, bias),
            input,
            running_mean,
            running_var,
            weight=weight,
            bias=bias,
            training=training,
            momentum=momentum,
            eps=eps,
        )
    if training:
        _verify_batch_size(input.size())
    return _VF.batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps, True)


@overridable(5)
def instance_norm(
    input: Tensor, running_mean: Tensor | None = None, running_var: Tensor | None = None, weight: Tensor | None = None,
    bias: Tensor | None = None, use_input_stats: bool = True, momentum: float = 0.1, eps: float = 1e-5,
) -> Tensor:  # fmt: skip
    """batch_norm of each sample by itself (Ulyanov et al. 2016).

    Args:
        input (Tensor): (N, C, L...)
        running_mean (Tensor or None): (C); used where `use_input_stats` is False
        running_var (Tensor or None): (C); used where `use_input_stats` is False
        weight (Tensor or None): factors, one for each channel; None: 1
        bias (Tensor or None): terms, one for each channel; None: 0
        use_input_stats (bool, default True): use the statistics of the sample
        momentum (float, default 0.1): share of the new statistics in the running ones
        eps (float, default 1e-5): added to the variance

    Returns:
        a tensor of the shape of `input`

    Raises:
        ValueError: one value for each channel of a sample

    Example:
        >>> F.instance_norm(torch.tensor([[[1., 3.]]]))
        tensor([[[-1.0000,  1.0000]]])
    """
    if use_input_stats:
        count = 1
        for length in input.size()[2:]:
            count *= length
        if count == 1:
            raise ValueError(f"Expected more than 1 spatial element when training, got input size {input.size()}")
    return _VF.instance_norm(input, weight, bias, running_mean, running_var, use_input_stats, momentum, eps, True)


def layer_norm(
    input: Tensor, normalized_shape: Sequence[int], weight: Tensor | None = None, bias: Tensor | None = None,
    eps: float = 1e-5,
) -> Tensor:  # fmt: skip
    """`(x - mean) / sqrt(var + eps) * weight + bias` over the last dimensions (Ba et al. 2016).

    Args:
        input (Tensor): (*, *normalized_shape)
        normalized_shape (Sequence[int]): sizes of the last dimensions
        weight (Tensor or None): factors, of `normalized_shape`; None: 1
        bias (Tensor or None): terms, of `normalized_shape`; None: 0
        eps (float, default 1e-5): added to the variance

    Returns:
        a tensor of the shape of `input`

    Raises:
        RuntimeError: the last dimensions have other sizes

    Example:
        >>> F.layer_norm(torch.tensor([[1., 3.]]), [2])
        tensor([[-1.0000,  1.0000]])
    """
    if _overridden(input, weight, bias):
        return handle_torch_function(
            layer_norm, (input, weight, bias), input, normalized_shape, weight=weight, bias=bias, eps=eps
        )
    return _VF.layer_norm(input, normalized_shape, weight, bias, eps, True)


def rms_norm(input: Tensor, normalized_shape: Sequence[int], weight: Tensor | None = None, eps: float | None = None) -> Tensor:
    """`x / sqrt(mean(x ** 2) + eps) * weight` over the last dimensions (Zhang and Sennrich 2019).

    Args:
        input (Tensor): (*, *normalized_shape)
        normalized_shape (Sequence[int]): sizes of the last dimensions
        weight (Tensor or None): factors, of `normalized_shape`; None: 1
        eps (float or None): added to the mean square; None: the machine epsilon of the type

    Returns:
        a tensor of the shape of `input`

    Raises:
        RuntimeError: the last dimensions have other sizes

    Example:
        >>> F.rms_norm(torch.tensor([[3., 4.]]), [2])
        tensor([[0.8485, 1.1314]])
    """
    if _overridden(input, weight):
        return handle_torch_function(rms_norm, (input, weight), input, normalized_shape, weight=weight, eps=eps)
    return _VF.rms_norm(input, normalized_shape, weight, eps)


@overridable(1)
def group_norm(
    input: Tensor, num_groups: int, weight: Tensor | None = None, bias: Tensor | None = None, eps: float = 1e-5,
) -> Tensor:  # fmt: skip
    """Normalises over groups of neighbouring channels and all positions of a sample (Wu and He 2018).

    Args:
        input (Tensor): (N, C, ...)
        num_groups (int): groups; they divide C
        weight (Tensor or None): factors, one for each channel; None: 1
        bias (Tensor or None): terms, one for each channel; None: 0
        eps (float, default 1e-5): added to the variance

    Returns:
        a tensor of the shape of `input`

    Raises:
        RuntimeError: fewer than 2 dimensions, or C is no multiple of `num_groups`
        ValueError: one value for each group

    Example:
        >>> F.group_norm(torch.tensor([[1., 3., 0., 8.]]), 2)
        tensor([[-1.0000,  1.0000, -1.0000,  1.0000]])
    """
    if input.dim() < 2:
        raise RuntimeError(f"Expected at least 2 dimensions for input tensor but received {input.dim()}")
    size = input.size()
    _verify_batch_size([size[0] * size[1] // num_groups, num_groups, *size[2:]])
    return _VF.group_norm(input, num_groups, weight, bias, eps, True)


@overridable(1)
def local_response_norm(input: Tensor, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0) -> Tensor:
    """`x / (k + alpha * m) ** beta`, m being the mean of squares over neighbouring channels (Krizhevsky et al. 2012).

    Args:
        input (Tensor): (N, C, L...)
        size (int): number of channels in the mean
        alpha (float, default 1e-4): factor of the mean
        beta (float, default 0.75): exponent
        k (float, default 1.0): what is added

    Returns:
        a tensor of the shape of `input`

    Raises:
        ValueError: fewer than 3 dimensions

    Example:
        >>> F.local_response_norm(torch.ones(1, 2, 2), size=2, alpha=1.0)
        tensor([[[0.7378, 0.7378],
                 [0.5946, 0.5946]]])
    """
    if input.dim() < 3:
        raise ValueError(f"Expected 3D or higher dimensionality input (got {input.dim()} dimensions)")
    if input.numel() == 0:
        return input
    square = (input * input).unsqueeze(1)
    before, after = size // 2, (size - 1) // 2
    if input.dim() == 3:
        square = _nn.avg_pool2d(_nn.pad(square, (0, 0, before, after)), (size, 1), stride=1).squeeze(1)
    else:
        shape = input.size()
        square = square.view(shape[0], 1, shape[1], shape[2], -1)
        square = _nn.avg_pool3d(_nn.pad(square, (0, 0, 0, 0, before, after)), (size, 1, 1), stride=1).squeeze(1)
        square = square.view(shape)
    return input / (square * alpha + k) ** beta
