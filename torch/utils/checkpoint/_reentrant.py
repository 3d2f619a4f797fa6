"""The older form, use_reentrant=True: a custom Function whose backward runs the function and a backward pass of its own."""

from __future__ import annotations

import warnings

import torch
from torch import _C
from torch.utils.checkpoint._rng import KeptStates

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from typing import Any


def detach_variable(inputs: tuple[Any, ...]) -> tuple[Any, ...]:
    """The tensors of a tuple without their history, which require grad as before.

    Args:
        inputs (tuple): tensors, and other items, which stay as they are

    Returns:
        the tuple

    Raises:
        RuntimeError: it is no tuple

    Example:
        >>> x = torch.ones(2, requires_grad=True) * 2
        >>> torch.utils.checkpoint.detach_variable((x, 3))
        (tensor([2., 2.], requires_grad=True), 3)
    """
    if not isinstance(inputs, tuple):
        raise RuntimeError(f"Only tuple of tensors is supported. Got Unsupported input type: {type(inputs).__name__}")
    return tuple(item.detach().requires_grad_(item.requires_grad) if isinstance(item, torch.Tensor) else item for item in inputs)


def check_backward_validity(inputs: Any) -> None:
    """Warn if no tensor requires grad: then the older form gives no gradient to anything.

    Args:
        inputs (Iterable): tensors and other items

    Example:
        >>> torch.utils.checkpoint.check_backward_validity([torch.ones(2, requires_grad=True)])
    """
    if not any(item.requires_grad for item in inputs if isinstance(item, torch.Tensor)):
        warnings.warn(
            "None of the inputs have requires_grad=True. Gradients will be None. With use_reentrant=False, parameters get theirs",
            UserWarning,
            stacklevel=4,
        )


class CheckpointFunction(torch.autograd.Function):
    """The function of the older form, whose backward runs the given one again.

    Example:
        >>> x = torch.ones(2, requires_grad=True)
        >>> torch.utils.checkpoint.CheckpointFunction.apply(torch.exp, True, x).sum().backward()
        >>> x.grad
        tensor([2.7183, 2.7183])
    """

    @staticmethod
    def forward(ctx: Any, run_function: Any, preserve_rng_state: bool, *args: Any) -> Any:
        """Runs the function without recording it."""
        check_backward_validity(args)
        ctx.function = run_function
        ctx.random = KeptStates(preserve_rng_state, args)
        ctx.places = [k for k, arg in enumerate(args) if isinstance(arg, torch.Tensor)]
        ctx.others = [None if isinstance(arg, torch.Tensor) else arg for arg in args]
        ctx.save_for_backward(*[args[k] for k in ctx.places])
        with torch.no_grad():
            return run_function(*args)

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        """Runs the function again, and its backward.

        Args:
            ctx (FunctionCtx): what forward kept
            *grads (Tensor): the gradients of the outputs
        """
        if not _C._is_checkpoint_valid():
            raise RuntimeError(
                "When use_reentrant=True, torch.utils.checkpoint is incompatible with .grad() or passing an "
                "`inputs` parameter to .backward(): its backward pass runs to all leaves. Pass "
                "use_reentrant=False to checkpoint()"
            )
        args = list(ctx.others)
        for k, tensor in zip(ctx.places, ctx.saved_tensors):
            args[k] = tensor
        args = detach_variable(tuple(args))
        with ctx.random.restored(), torch.enable_grad():
            outputs = ctx.function(*args)
        outputs = (outputs,) if isinstance(outputs, torch.Tensor) else outputs
        pairs = [(y, g) for y, g in zip(outputs, grads) if isinstance(y, torch.Tensor) and y.requires_grad]
        if not pairs:
            raise RuntimeError("none of output has requires_grad=True, this checkpoint() is not necessary")
        torch.autograd.backward([y for y, _ in pairs], [g for _, g in pairs])
        return (None, None, *[arg.grad if isinstance(arg, torch.Tensor) else None for arg in args])
