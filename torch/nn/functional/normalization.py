"""Batch, layer, group, instance and local response normalisation."""

from torch._operators import NN as _nn
from torch._operators import VF as _VF
from torch.nn.functional._common import handle_torch_function, overridable
from torch.nn.functional._common import has_torch_function_variadic as _overridden

__all__ = ["batch_norm", "instance_norm", "layer_norm", "rms_norm", "group_norm", "local_response_norm"]


def _verify_batch_size(size):
    """Statistics of a single value per channel would be its own mean and no variance."""
    count = size[0]
    for length in size[2:]:
        count *= length
    if count == 1:
        raise ValueError(f"Expected more than 1 value per channel when training, got input size {size}")


def batch_norm(input, running_mean, running_var, weight=None, bias=None, training=False, momentum=0.1,
               eps=1e-5):
    """(x - mean) / sqrt(var + eps) * weight + bias by channel, dimension 1.

    While training the statistics are the batch's, and the running ones move by `momentum`."""
    if _overridden(input, running_mean, running_var, weight, bias):
        return handle_torch_function(batch_norm, (input, running_mean, running_var, weight, bias), input,
                                     running_mean,
                                     running_var, weight=weight, bias=bias, training=training,
                                     momentum=momentum, eps=eps)
    if training:
        _verify_batch_size(input.size())
    return _VF.batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps, True)


@overridable(5)
def instance_norm(input, running_mean=None, running_var=None, weight=None, bias=None, use_input_stats=True,
                  momentum=0.1, eps=1e-5):
    """batch_norm of each sample by itself."""
    if use_input_stats:
        count = 1
        for length in input.size()[2:]:
            count *= length
        if count == 1:
            raise ValueError(f"Expected more than 1 spatial element when training, got input size "
                             f"{input.size()}")
    return _VF.instance_norm(input, weight, bias, running_mean, running_var, use_input_stats, momentum, eps,
                             True)


def layer_norm(input, normalized_shape, weight=None, bias=None, eps=1e-5):
    """Normalise over the last dimensions, which are of `normalized_shape`."""
    if _overridden(input, weight, bias):
        return handle_torch_function(layer_norm, (input, weight, bias), input, normalized_shape,
                                     weight=weight, bias=bias,
                                     eps=eps)
    return _VF.layer_norm(input, normalized_shape, weight, bias, eps, True)


def rms_norm(input, normalized_shape, weight=None, eps=None):
    """x over the root of its mean square over the last dimensions (Zhang and Sennrich 2019)."""
    if _overridden(input, weight):
        return handle_torch_function(rms_norm, (input, weight), input, normalized_shape, weight=weight,
                                     eps=eps)
    return _VF.rms_norm(input, normalized_shape, weight, eps)


@overridable(1)
def group_norm(input, num_groups, weight=None, bias=None, eps=1e-5):
    """Normalise over groups of channels and all positions."""
    if input.dim() < 2:
        raise RuntimeError(f"Expected at least 2 dimensions for input tensor but received {input.dim()}")
    size = input.size()
    _verify_batch_size([size[0] * size[1] // num_groups, num_groups, *size[2:]])
    return _VF.group_norm(input, num_groups, weight, bias, eps, True)


@overridable(1)
def local_response_norm(input, size, alpha=1e-4, beta=0.75, k=1.0):
    """x / (k + alpha * mean of squares over `size` neighbouring channels) ** beta."""
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
        square = _nn.avg_pool3d(_nn.pad(square, (0, 0, 0, 0, before, after)), (size, 1, 1),
                                stride=1).squeeze(1)
        square = square.view(shape)
    return input / (square * alpha + k) ** beta
