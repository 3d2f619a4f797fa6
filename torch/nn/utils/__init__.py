"""Tools around parameters: clipping of gradients, flat vectors, padded sequences."""

from __future__ import annotations

from torch._lazy import lazy as _lazy
from torch.nn.utils import rnn  # noqa: F401
from torch.nn.utils.clip_grad import (  # noqa: F401
    clip_grad_norm,
    clip_grad_norm_,
    clip_grad_value_,
    clip_grads_with_norm_,
    get_total_norm,
)
from torch.nn.utils.convert_parameters import parameters_to_vector, vector_to_parameters  # noqa: F401

# The functions hide the modules of the same names, as long as these are imported before them.
from torch.nn.utils.spectral_norm import remove_spectral_norm, spectral_norm  # noqa: F401
from torch.nn.utils.weight_norm import remove_weight_norm, weight_norm  # noqa: F401

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from torch.nn.utils import fusion, init, memory_format, parametrizations, parametrize, prune, stateless  # noqa: F401
    from torch.nn.utils.fusion import fuse_conv_bn_eval as fuse_conv_bn_eval
    from torch.nn.utils.fusion import fuse_conv_bn_weights as fuse_conv_bn_weights
    from torch.nn.utils.fusion import fuse_linear_bn_eval as fuse_linear_bn_eval
    from torch.nn.utils.fusion import fuse_linear_bn_weights as fuse_linear_bn_weights
    from torch.nn.utils.init import skip_init as skip_init
    from torch.nn.utils.memory_format import convert_conv2d_weight_memory_format as convert_conv2d_weight_memory_format
    from torch.nn.utils.memory_format import convert_conv3d_weight_memory_format as convert_conv3d_weight_memory_format

_FROM = {
    "skip_init": "init", "convert_conv2d_weight_memory_format": "memory_format", "fuse_conv_bn_eval": "fusion",
    "convert_conv3d_weight_memory_format": "memory_format", "fuse_conv_bn_weights": "fusion", "fuse_linear_bn_eval": "fusion",
    "fuse_linear_bn_weights": "fusion",
}  # fmt: skip

__all__ = [
    "rnn", "parametrizations", "parametrize", "stateless", "clip_grad_norm", "clip_grad_norm_", "clip_grad_value_",
    "clip_grads_with_norm_", "get_total_norm", "parameters_to_vector", "vector_to_parameters", "remove_spectral_norm",
    "remove_weight_norm", "spectral_norm", "weight_norm", "skip_init", "convert_conv2d_weight_memory_format",
    "convert_conv3d_weight_memory_format", "fuse_conv_bn_eval", "fuse_conv_bn_weights", "fuse_linear_bn_eval",
    "fuse_linear_bn_weights",
]  # fmt: skip

if not TYPE_CHECKING:  # type checkers see the imports above
    __getattr__, __dir__ = _lazy(
        __name__,
        ("fusion", "init", "memory_format", "parametrizations", "parametrize", "prune", "stateless"),
        {name: f"torch.nn.utils.{where}" for name, where in _FROM.items()},
    )
