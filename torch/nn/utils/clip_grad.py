"""Limits on the size of gradients."""

from __future__ import annotations

import math
import warnings

import torch

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from collections.abc import Iterable

    from torch import Tensor

__all__ = ["get_total_norm", "clip_grads_with_norm_", "clip_grad_norm_", "clip_grad_norm", "clip_grad_value_"]


def _gradients(parameters: Tensor | Iterable[Tensor]) -> list[Tensor]:
    parameters = [parameters] if isinstance(parameters, torch.Tensor) else parameters
    return [parameter.grad for parameter in parameters if parameter.grad is not None]


@torch.no_grad()
def get_total_norm(
    tensors: Tensor | Iterable[Tensor],
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
    foreach: bool | None = None,
) -> Tensor:
    """The norm of all elements of the tensors together.

    Args:
        tensors (Tensor or Iterable[Tensor]): one or more
        norm_type (float, default 2.0): order of the norm; inf is the largest element
        error_if_nonfinite (bool, default False): raise where the norm is infinite or NaN
        foreach (bool or None): None: all in one call; False: one tensor at a time

    Returns:
        the norm, one number

    Raises:
        RuntimeError: it is not finite, and `error_if_nonfinite` is set

    Example:
        >>> nn.utils.get_total_norm([torch.tensor([3.]), torch.tensor([4.])])
        tensor(5.)
    """
    tensors = [tensors] if isinstance(tensors, torch.Tensor) else list(tensors)
    norm_type = float(norm_type)
    if not tensors:
        return torch.tensor(0.0)
    norms = (
        [torch.linalg.vector_norm(tensor, norm_type) for tensor in tensors]
        if foreach is False
        else list(torch._foreach_norm(tensors, norm_type))
    )
    total = torch.linalg.vector_norm(torch.stack(norms), norm_type)
    if error_if_nonfinite and not math.isfinite(total.item()):
        raise RuntimeError(
            f"The total norm of order {norm_type} for gradients from `parameters` is non-finite, so it cannot be "
            "clipped. To disable this error and scale the gradients by the non-finite norm anyway, set "
            "`error_if_nonfinite=False`"
        )
    return total


def _scale(gradients: list[Tensor], max_norm: float, total: Tensor, foreach: bool | None) -> None:
    # always multiply, to avoid waiting for the value of the norm
    factor = (float(max_norm) / (total + 1e-6)).clamp(max=1.0)
    if not gradients:
        return
    if foreach is False:
        for gradient in gradients:
            gradient.mul_(factor)
    else:
        torch._foreach_mul_(gradients, factor)


@torch.no_grad()
def clip_grads_with_norm_(
    parameters: Tensor | Iterable[Tensor],
    max_norm: float,
    total_norm: Tensor,
    foreach: bool | None = None,
) -> None:
    """Scales gradients in place by `max_norm / total_norm` where that is below 1.

    Args:
        parameters (Tensor or Iterable[Tensor]): one or more; those without a gradient are left out
        max_norm (float): the limit
        total_norm (Tensor): their norm, as `get_total_norm` gives it
        foreach (bool or None): None: all in one call; False: one tensor at a time

    Example:
        >>> p = nn.Parameter(torch.zeros(2))
        >>> p.grad = torch.tensor([3., 4.])
        >>> nn.utils.clip_grads_with_norm_([p], 1.0, torch.tensor(5.0))
        >>> p.grad
        tensor([0.6000, 0.8000])
    """
    _scale(_gradients(parameters), max_norm, total_norm, foreach)


@torch.no_grad()
def clip_grad_norm_(
    parameters: Tensor | Iterable[Tensor],
    max_norm: float,
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
    foreach: bool | None = None,
) -> Tensor:
    """Scales all gradients together, in place, so that their joint norm is at most `max_norm`.

    Args:
        parameters (Tensor or Iterable[Tensor]): one or more; those without a gradient are left out
        max_norm (float): the limit
        norm_type (float, default 2.0): order of the norm; inf is the largest element
        error_if_nonfinite (bool, default False): raise where the norm is infinite or NaN
        foreach (bool or None): None: all in one call; False: one tensor at a time

    Returns:
        the norm before

    Raises:
        RuntimeError: it is not finite, and `error_if_nonfinite` is set

    Example:
        >>> p = nn.Parameter(torch.zeros(2))
        >>> p.grad = torch.tensor([3., 4.])
        >>> nn.utils.clip_grad_norm_([p], 1.0)
        tensor(5.)
        >>> p.grad
        tensor([0.6000, 0.8000])
    """
    gradients = _gradients(parameters)
    total = get_total_norm(gradients, norm_type, error_if_nonfinite, foreach)
    _scale(gradients, max_norm, total, foreach)
    return total


def clip_grad_norm(
    parameters: Tensor | Iterable[Tensor],
    max_norm: float,
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
    foreach: bool | None = None,
) -> Tensor:
    """The old name of `clip_grad_norm_`; it warns.

    Args:
        parameters (Tensor or Iterable[Tensor]): one or more; those without a gradient are left out
        max_norm (float): the limit
        norm_type (float, default 2.0): order of the norm; inf is the largest element
        error_if_nonfinite (bool, default False): raise where the norm is infinite or NaN
        foreach (bool or None): None: all in one call; False: one tensor at a time

    Returns:
        the norm before

    Example:
        >>> p = nn.Parameter(torch.zeros(2))
        >>> p.grad = torch.tensor([3., 4.])
        >>> nn.utils.clip_grad_norm(p, 10.0)
        tensor(5.)
    """
    warnings.warn(
        "torch.nn.utils.clip_grad_norm is now deprecated in favor of torch.nn.utils.clip_grad_norm_.", FutureWarning, stacklevel=2
    )
    return clip_grad_norm_(parameters, max_norm, norm_type, error_if_nonfinite, foreach)


@torch.no_grad()
def clip_grad_value_(parameters: Tensor | Iterable[Tensor], clip_value: float, foreach: bool | None = None) -> None:
    """Limits every element of every gradient to [-clip_value, clip_value], in place.

    Args:
        parameters (Tensor or Iterable[Tensor]): one or more; those without a gradient are left out
        clip_value (float): the limit
        foreach (bool or None): None: all in one call; False: one tensor at a time

    Example:
        >>> p = nn.Parameter(torch.zeros(2))
        >>> p.grad = torch.tensor([3., -0.5])
        >>> nn.utils.clip_grad_value_(p, 1.0)
        >>> p.grad
        tensor([ 1.0000, -0.5000])
    """
    limit, gradients = float(clip_value), _gradients(parameters)
    if gradients and foreach is not False and all(gradient.is_cuda for gradient in gradients):
        torch._foreach_clamp_min_(gradients, -limit)
        torch._foreach_clamp_max_(gradients, limit)
        return
    for gradient in gradients:
        gradient.clamp_(min=-limit, max=limit)
