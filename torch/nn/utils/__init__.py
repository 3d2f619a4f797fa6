"""Tools around parameters: clipping of gradients, flat vectors, padded sequences."""

from __future__ import annotations

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

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeVar

    from torch.nn import Module

    _M = TypeVar("_M", bound=Module)

__all__ = [
    "rnn", "clip_grad_norm", "clip_grad_norm_", "clip_grad_value_", "clip_grads_with_norm_", "get_total_norm",
    "parameters_to_vector", "vector_to_parameters", "skip_init",
]  # fmt: skip


def skip_init(module_cls: Callable[..., _M], *args: Any, **kwargs: Any) -> _M:
    """A module whose parameters are left as they lie in memory, for values that are loaded anyway.

    Args:
        module_cls (Callable[..., _M]): the class
        *args (Any): those of its constructor, and `device`
        **kwargs (Any): those of its constructor, and `device`

    Returns:
        the module

    Example:
        >>> nn.utils.skip_init(nn.Linear, 2, 3).weight.shape
        torch.Size([3, 2])
    """
    device = kwargs.pop("device", "cpu")
    return module_cls(*args, **kwargs, device="meta").to_empty(device=device)


_lazy.names_what_is_absent(__name__)
