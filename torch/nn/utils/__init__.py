"""Tools around parameters: clipping of gradients, flat vectors, padded sequences."""

from torch import _lazy
from torch.nn.utils import rnn  # noqa: F401
from torch.nn.utils.clip_grad import (  # noqa: F401
    clip_grad_norm,
    clip_grad_norm_,
    clip_grad_value_,
    clip_grads_with_norm_,
    get_total_norm,
)
from torch.nn.utils.convert_parameters import parameters_to_vector, vector_to_parameters  # noqa: F401


def skip_init(module_cls, *args, **kwargs):
    """A module whose parameters are left as they lie in memory."""
    device = kwargs.pop("device", "cpu")
    return module_cls(*args, **kwargs, device="meta").to_empty(device=device)

_lazy.names_what_is_absent(__name__)
