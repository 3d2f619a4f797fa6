"""Branches and loops over values of tensors, run eagerly."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch


def cond(
    pred: Any, true_fn: Callable[..., Any], false_fn: Callable[..., Any], operands: Any = ()
) -> Any:  # fmt: skip
    """The result of one of two functions.

    Args:
        pred (bool or Tensor): which; a tensor has one element
        true_fn (function): for True
        false_fn (function): for False
        operands (tuple or list, default ()): what the function gets

    Returns:
        what it returns

    Raises:
        RuntimeError: an argument of another type

    Example:
        >>> torch.cond(torch.tensor(True), lambda x: x + 1, lambda x: x - 1, (torch.ones(1),))
        tensor([2.])
    """
    if not isinstance(pred, (bool, torch.Tensor)):
        raise RuntimeError(f"torch.cond: expected pred to be a bool or a Tensor, got {type(pred).__name__}")
    if isinstance(pred, torch.Tensor) and pred.numel() != 1:
        raise RuntimeError(f"torch.cond: expected pred to have one element, got shape {tuple(pred.shape)}")
    if not callable(true_fn) or not callable(false_fn):
        raise RuntimeError("torch.cond: expected true_fn and false_fn to be functions")
    if not isinstance(operands, (tuple, list)):
        raise RuntimeError(f"torch.cond: expected operands to be a tuple, got {type(operands).__name__}")
    return (true_fn if bool(pred) else false_fn)(*operands)


def while_loop(cond_fn: Callable[..., Any], body_fn: Callable[..., Any], carried_inputs: Any) -> Any:
    """Repeat a function while a condition of its results holds.

    Args:
        cond_fn (function): gets the current values; returns a bool, or a Tensor of one element
        body_fn (function): gets the current values; returns the next ones in a tuple
        carried_inputs (tuple): the first values

    Returns:
        the last values

    Raises:
        RuntimeError: an argument of another type, or a function that returns something else

    Example:
        >>> torch.while_loop(lambda x: x.sum() < 3, lambda x: (x + 1,), (torch.ones(1),))
        (tensor([3.]),)
    """
    if not callable(cond_fn) or not callable(body_fn):
        raise RuntimeError("torch.while_loop: expected cond_fn and body_fn to be functions")
    if not isinstance(carried_inputs, (tuple, list)):
        raise RuntimeError(f"torch.while_loop: expected carried_inputs to be a tuple, got {type(carried_inputs).__name__}")
    values = tuple(carried_inputs)
    while bool(cond_fn(*values)):
        result = body_fn(*values)
        result = tuple(result) if isinstance(result, (tuple, list)) else (result,)
        if len(result) != len(values):
            raise RuntimeError(f"torch.while_loop: body_fn got {len(values)} values, and returned {len(result)}")
        values = result
    return values


for _value in list(globals().values()):
    if getattr(_value, "__module__", "") == __name__:
        _value.__module__ = "torch"
