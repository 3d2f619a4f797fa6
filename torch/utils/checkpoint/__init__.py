"""Less memory for more computation: parts of a network whose activations are computed again in backward.

`_recompute` has the form that works by hooks on saved tensors (use_reentrant=False), `_reentrant` the older one, a
custom Function; `_selective` keeps the results of chosen operators."""

from __future__ import annotations

import contextlib
import warnings

import torch
from torch.utils.checkpoint._debug import set_checkpoint_debug_enabled
from torch.utils.checkpoint._recompute import CheckpointError, GraphExecGroup, run_checkpointed, set_checkpoint_early_stop
from torch.utils.checkpoint._reentrant import CheckpointFunction, check_backward_validity, detach_variable
from torch.utils.checkpoint._rng import DefaultDeviceType, get_device_states, set_device_states
from torch.utils.checkpoint._selective import (
    SAC_IGNORED_OPS,
    CheckpointPolicy,
    SelectiveCheckpointContext,
    create_selective_checkpoint_contexts,
)
from torch.utils.checkpoint._sequential import checkpoint_sequential

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

__all__ = [
    "checkpoint", "checkpoint_sequential", "CheckpointError", "CheckpointFunction", "check_backward_validity",
    "detach_variable", "get_device_states", "set_device_states", "noop_context_fn", "set_checkpoint_early_stop",
    "DefaultDeviceType", "set_checkpoint_debug_enabled", "CheckpointPolicy", "SelectiveCheckpointContext",
    "create_selective_checkpoint_contexts", "SAC_IGNORED_OPS", "GraphExecGroup",
]  # fmt: skip


def noop_context_fn() -> tuple[Any, Any]:
    """The default of `context_fn`: two contexts that do nothing.

    Returns:
        the contexts, for the first run and for the second

    Example:
        >>> first, second = torch.utils.checkpoint.noop_context_fn()
        >>> with first:
        ...     pass
    """
    return contextlib.nullcontext(), contextlib.nullcontext()


def checkpoint(
    function: Callable[..., Any], *args: Any, use_reentrant: bool | None = None,
    context_fn: Callable[[], Any] = noop_context_fn, determinism_check: str = "default", debug: bool = False,
    early_stop: bool = True, **kwargs: Any,
) -> Any:  # fmt: skip
    """Call a function, keeping its arguments and not what it computes on its way: backward runs it again.

    Args:
        function (function or Module): what is called
        *args (Any): its arguments
        use_reentrant (bool): False works by hooks on saved tensors, so that everything that requires grad gets its gradient; True
            is an older form, which sees only the tensors among `args`. Without it, True is taken with a warning
        context_fn (function): gives two contexts, for the first run and for the second; only for use_reentrant=False
        determinism_check (str, default "default"): compare shape, dtype and device of what the two runs save; "none" does not
        debug (bool, default False): an error shows the operators of both runs; only for use_reentrant=False
        early_stop (bool, default True): the second run ends with the last tensor that is needed
        **kwargs (Any): keyword arguments of the function, for use_reentrant=False; preserve_rng_state (bool, default True) is
            taken out of them: the second run draws the random numbers of the first

    Returns:
        what the function returns

    Raises:
        ValueError: an option that does not go with use_reentrant=True
        CheckpointError: in backward, where the second run saves other tensors than the first

    Example:
        >>> from torch.utils.checkpoint import checkpoint
        >>> x = torch.zeros(2, requires_grad=True)
        >>> checkpoint(lambda x: x.exp().sin(), x, use_reentrant=False).sum().backward()
        >>> x.grad
        tensor([0.5403, 0.5403])
    """
    if use_reentrant is None:
        warnings.warn(
            "torch.utils.checkpoint: pass use_reentrant explicitly. use_reentrant=False is recommended; without "
            "the argument, the older form use_reentrant=True is taken",
            UserWarning,
            stacklevel=2,
        )
        use_reentrant = True
    preserve = kwargs.pop("preserve_rng_state", True)
    if not use_reentrant:
        return run_checkpointed(function, args, kwargs, preserve, context_fn, determinism_check, debug, early_stop)
    if kwargs:
        raise ValueError(
            f"Unexpected keyword arguments: {', '.join(kwargs)}. With use_reentrant=True, checkpoint() "
            "passes positional arguments only"
        )
    if context_fn is not noop_context_fn or debug is not False:
        raise ValueError("Passing `context_fn` or `debug` is only supported when use_reentrant=False.")
    return CheckpointFunction.apply(function, preserve, *args)
