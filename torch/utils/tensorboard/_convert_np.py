"""Values of a log as NumPy arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

import torch

__all__ = ["make_np"]


def make_np(x: Any) -> np.ndarray:
    """A tensor, an array or one number as an array; bfloat16 becomes float32, which NumPy has.

    Args:
        x (Tensor, ndarray or number): the value

    Raises:
        NotImplementedError: it is something else

    Example:
        >>> from torch.utils.tensorboard._convert_np import make_np
        >>> make_np(torch.ones(2, requires_grad=True))
        array([1., 1.], dtype=float32)
    """
    if isinstance(x, np.ndarray):
        return x
    if np.isscalar(x):
        return np.array([x])
    if isinstance(x, torch.Tensor):
        x = x.detach().resolve_conj().resolve_neg().cpu()
        return (x.float() if x.dtype is torch.bfloat16 else x).numpy()
    raise NotImplementedError(f"make_np: expected a torch.Tensor, a numpy.ndarray or a number, got {type(x).__name__}")
