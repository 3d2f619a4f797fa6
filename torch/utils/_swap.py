"""Two tensors exchange everything that they are."""

from __future__ import annotations

import weakref

import torch


def swap_tensors(t1: torch.Tensor, t2: torch.Tensor) -> None:
    """Let two tensors exchange data, gradient, attributes and class; every reference to one then sees the other.

    Args:
        t1 (Tensor): one
        t2 (Tensor): the other

    Raises:
        RuntimeError: one of them has weak references, or is part of a graph

    Example:
        >>> a, b = torch.zeros(1), torch.ones(2)
        >>> torch.utils.swap_tensors(a, b)
        >>> a, b
        (tensor([1., 1.]), tensor([0.]))
    """
    for tensor in (t1, t2):
        if weakref.getweakrefs(tensor):
            raise RuntimeError("swap_tensors: a tensor with weak references cannot be swapped")
        if tensor.grad_fn is not None:
            raise RuntimeError("swap_tensors: a tensor that was computed with a graph cannot be swapped")
    flags = t1.requires_grad, t2.requires_grad
    gradients = t1.grad, t2.grad
    t1.grad = t2.grad = None
    held = t1.detach().as_subclass(torch.Tensor)
    attributes = t1.__dict__.copy(), t2.__dict__.copy()
    t1.data, t2.data = t2.detach().as_subclass(torch.Tensor), held
    if type(t1) is not type(t2):
        t1.__class__, t2.__class__ = type(t2), type(t1)
    for tensor, own in ((t1, attributes[1]), (t2, attributes[0])):
        tensor.__dict__.clear()
        tensor.__dict__.update(own)
    t1.requires_grad_(flags[1])
    t2.requires_grad_(flags[0])
    t1.grad, t2.grad = gradients[1], gradients[0]
