"""Limits on the size of gradients."""

import math
import warnings

import torch


def _gradients(parameters):
    parameters = [parameters] if isinstance(parameters, torch.Tensor) else parameters
    return [parameter.grad for parameter in parameters if parameter.grad is not None]


@torch.no_grad()
def get_total_norm(tensors, norm_type=2.0, error_if_nonfinite=False, foreach=None):
    """Norm of the norms of the tensors: the norm of all their elements together."""
    tensors = [tensors] if isinstance(tensors, torch.Tensor) else list(tensors)
    norm_type = float(norm_type)
    if not tensors:
        return torch.tensor(0.0)
    norms = [torch.linalg.vector_norm(tensor, norm_type) for tensor in tensors] if foreach is False else list(
        torch._foreach_norm(tensors, norm_type))
    total = torch.linalg.vector_norm(torch.stack(norms), norm_type)
    if error_if_nonfinite and not math.isfinite(total.item()):
        raise RuntimeError(f"The total norm of order {norm_type} for gradients from `parameters` is "
                           "non-finite, so it cannot "
                           "be clipped. To disable this error and scale the gradients by the non-finite "
                           "norm anyway, set "
                           "`error_if_nonfinite=False`")
    return total


def _scale(gradients, max_norm, total, foreach):
    # always multiply: no wait for the value of the norm
    factor = (float(max_norm) / (total + 1e-6)).clamp(max=1.0)
    if not gradients:
        return
    if foreach is False:
        for gradient in gradients:
            gradient.mul_(factor)
    else:
        torch._foreach_mul_(gradients, factor)


@torch.no_grad()
def clip_grads_with_norm_(parameters, max_norm, total_norm, foreach=None):
    """Scale gradients by max_norm / total_norm where that is below 1."""
    _scale(_gradients(parameters), max_norm, total_norm, foreach)


@torch.no_grad()
def clip_grad_norm_(parameters, max_norm, norm_type=2.0, error_if_nonfinite=False, foreach=None):
    """Scale all gradients together so that their joint norm is at most `max_norm`; returns the norm
    before."""
    gradients = _gradients(parameters)
    total = get_total_norm(gradients, norm_type, error_if_nonfinite, foreach)
    _scale(gradients, max_norm, total, foreach)
    return total


def clip_grad_norm(parameters, max_norm, norm_type=2.0, error_if_nonfinite=False, foreach=None):
    """The old name of clip_grad_norm_."""
    warnings.warn("torch.nn.utils.clip_grad_norm is now deprecated in favor of "
                  "torch.nn.utils.clip_grad_norm_.",
                  FutureWarning, stacklevel=2)
    return clip_grad_norm_(parameters, max_norm, norm_type, error_if_nonfinite, foreach)


@torch.no_grad()
def clip_grad_value_(parameters, clip_value, foreach=None):
    """Limit every element of every gradient to [-clip_value, clip_value]."""
    for gradient in _gradients(parameters):
        gradient.clamp_(min=-float(clip_value), max=float(clip_value))
