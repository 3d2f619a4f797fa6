"""Checkpoints along a chain of modules."""

import warnings

import torch


def _run(modules):
    def forward(x):
        for module in modules:
            x = module(x)
        return x

    return forward


def checkpoint_sequential(functions, segments, input, use_reentrant=None, **kwargs):
    """The chain of modules (or functions) applied to `input`, in `segments` pieces, all but the last checkpointed.

    use_reentrant and preserve_rng_state are those of `checkpoint`."""
    from torch.utils.checkpoint import checkpoint

    if use_reentrant is None:
        warnings.warn("torch.utils.checkpoint.checkpoint_sequential: pass use_reentrant explicitly. use_reentrant=False is "
                      "recommended; without the argument, the older form use_reentrant=True is taken", UserWarning,
                      stacklevel=2)
        use_reentrant = True
    preserve = kwargs.pop("preserve_rng_state", True)
    if kwargs:
        raise ValueError(f"Unexpected keyword arguments: {', '.join(kwargs)}")
    modules = list(functions.children()) if isinstance(functions, torch.nn.Sequential) else list(functions)
    if not 1 <= segments <= len(modules):
        raise ValueError(f"checkpoint_sequential: segments must be from 1 to the number of modules, {len(modules)}, "
                         f"got {segments}")
    size = len(modules) // segments
    for start in range(0, size * (segments - 1), size):
        input = checkpoint(_run(modules[start:start + size]), input, use_reentrant=use_reentrant,
                           preserve_rng_state=preserve)
    return _run(modules[size * (segments - 1):])(input)
