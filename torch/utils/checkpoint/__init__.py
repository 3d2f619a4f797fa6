"""Less memory for more computation: parts of a network whose activations are computed again in backward.

`_recompute` has the form that works by hooks on saved tensors (use_reentrant=False), `_reentrant` the older one, a
custom Function; `_selective` keeps the results of chosen operators."""

import contextlib
import warnings

import torch
from torch.utils.checkpoint._debug import set_checkpoint_debug_enabled
from torch.utils.checkpoint._recompute import CheckpointError, run_checkpointed, set_checkpoint_early_stop
from torch.utils.checkpoint._reentrant import CheckpointFunction, check_backward_validity, detach_variable
from torch.utils.checkpoint._rng import DefaultDeviceType, get_device_states, set_device_states
from torch.utils.checkpoint._selective import (
    SAC_IGNORED_OPS,
    CheckpointPolicy,
    SelectiveCheckpointContext,
    create_selective_checkpoint_contexts,
)
from torch.utils.checkpoint._sequential import checkpoint_sequential

__all__ = ["checkpoint", "checkpoint_sequential", "CheckpointError", "CheckpointFunction", "check_backward_validity",
           "detach_variable", "get_device_states", "set_device_states", "noop_context_fn", "set_checkpoint_early_stop",
           "DefaultDeviceType", "set_checkpoint_debug_enabled", "CheckpointPolicy", "SelectiveCheckpointContext",
           "create_selective_checkpoint_contexts", "SAC_IGNORED_OPS"]


def noop_context_fn():
    """The default of `context_fn`: two contexts that do nothing."""
    return contextlib.nullcontext(), contextlib.nullcontext()


def checkpoint(function, *args, use_reentrant=None, context_fn=noop_context_fn, determinism_check="default",
               debug=False, early_stop=True, **kwargs):
    """`function(*args, **kwargs)`, keeping its arguments and not what it computes on its way: backward runs it again.

    use_reentrant: False works by hooks on saved tensors, so that everything that requires grad gets its gradient; True
    is an older form, which sees only the tensors among `args`. Say which one; without it, True is taken with a warning.
    preserve_rng_state (True): the second run draws the random numbers of the first. For use_reentrant=False only:
    context_fn gives two contexts, for the first run and for the second; determinism_check: "default" compares shape,
    dtype and device of what the two runs save, "none" does not; debug: an error shows the operators of both runs;
    early_stop: the second run ends with the last tensor that is needed.

    >>> x = torch.ones(3, requires_grad=True)
    >>> checkpoint(lambda x: x.exp().sin(), x, use_reentrant=False).sum().backward()
    """
    if use_reentrant is None:
        warnings.warn("torch.utils.checkpoint: pass use_reentrant explicitly. use_reentrant=False is recommended; without "
                      "the argument, the older form use_reentrant=True is taken", UserWarning, stacklevel=2)
        use_reentrant = True
    preserve = kwargs.pop("preserve_rng_state", True)
    if not use_reentrant:
        return run_checkpointed(function, args, kwargs, preserve, context_fn, determinism_check, debug, early_stop)
    if kwargs:
        raise ValueError(f"Unexpected keyword arguments: {', '.join(kwargs)}. With use_reentrant=True, checkpoint() "
                         "passes positional arguments only")
    if context_fn is not noop_context_fn or debug is not False:
        raise ValueError("Passing `context_fn` or `debug` is only supported when use_reentrant=False.")
    return CheckpointFunction.apply(function, preserve, *args)
