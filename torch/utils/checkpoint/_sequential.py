"""Checkpoints along a chain of modules."""

from __future__ import annotations

import warnings

import torch

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from typing import Any


def _run(modules):
    def forward(x):
        for module in modules:
            x = module(x)
        return x

    return forward


def checkpoint_sequential(functions: Any, segments: int, input: Any, use_reentrant: bool | None = None, **kwargs: Any) -> Any:
    """A chain of modules applied in pieces, all but the last checkpointed.

    Args:
        functions (Sequential or list): the modules or functions
        segments (int): the number of pieces
        input (Tensor): of the first module
        use_reentrant (bool): as of `checkpoint`
        **kwargs (bool): preserve_rng_state, as of `checkpoint`

    Returns:
        what the last module returns

    Raises:
        ValueError: more segments than modules, or an unknown argument

    Example:
        >>> from torch.utils.checkpoint import checkpoint_sequential
        >>> chain = nn.Sequential(nn.Linear(2, 2), nn.ReLU(), nn.Linear(2, 1))
        >>> checkpoint_sequential(chain, 2, torch.ones(3, 2), use_reentrant=False).shape
        torch.Size([3, 1])
    """
    from torch.utils.checkpoint import checkpoint

    if use_reentrant is None:
        warnings.warn(
            "torch.utils.checkpoint.checkpoint_sequential: pass use_reentrant explicitly. use_reentrant=False is "
            "recommended; without the argument, the older form use_reentrant=True is taken",
            UserWarning,
            stacklevel=2,
        )
        use_reentrant = True
    preserve = kwargs.pop("preserve_rng_state", True)
    if kwargs:
        raise ValueError(f"Unexpected keyword arguments: {', '.join(kwargs)}")
    modules = list(functions.children()) if isinstance(functions, torch.nn.Sequential) else list(functions)
    if not 1 <= segments <= len(modules):
        raise ValueError(
            f"checkpoint_sequential: segments must be from 1 to the number of modules, {len(modules)}, got {segments}"
        )
    size = len(modules) // segments
    for start in range(0, size * (segments - 1), size):
        input = checkpoint(_run(modules[start : start + size]), input, use_reentrant=use_reentrant, preserve_rng_state=preserve)
    return _run(modules[size * (segments - 1) :])(input)
