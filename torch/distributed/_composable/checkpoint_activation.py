"""`checkpoint`: a module computes its forward again in backward, without a module around it."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

from torch import nn
from torch.distributed._composable.contract import contract
from torch.distributed._composable_state import _State
from torch.utils.checkpoint import noop_context_fn
from torch.utils.checkpoint._recompute import first_run

__all__ = ["checkpoint"]


class _CheckpointState(_State):
    """Whether the next forward is a first run, and the blocks of the first runs under way."""

    def __init__(self) -> None:
        self.enabled = True
        self.runs: list[Any] = []

    @contextlib.contextmanager
    def disabled(self) -> Iterator[None]:
        before, self.enabled = self.enabled, False
        try:
            yield
        finally:
            self.enabled = before


@contract(_CheckpointState)
def checkpoint(
    module: nn.Module, *, use_reentrant: bool = False, preserve_rng_state: bool = True,
    context_fn: Callable[[], tuple[Any, Any]] | None = None, determinism_check: str = "default", debug: bool = False,
    early_stop: bool = True,
) -> nn.Module:  # fmt: skip
    """Makes a module keep its inputs only, and compute its forward again in backward.

    Args:
        module (Module): the module, which stays what it is
        use_reentrant (bool, default False): must be False
        preserve_rng_state (bool, default True): draw the same random numbers again
        context_fn (Callable, optional): gives two blocks, for the first run and for the second
        determinism_check (str, default "default"): "none" does not compare what the two runs save
        debug (bool, default False): record the operators of both runs for the error
        early_stop (bool, default True): end the second run as soon as it has computed what backward needs

    Returns:
        the module

    Raises:
        NotImplementedError: use_reentrant is True
        AssertionError: it was applied to the module before

    Example:
        >>> from torch.distributed._composable import checkpoint
        >>> model = checkpoint(torch.nn.Linear(2, 1))
        >>> model(torch.ones(3, 2)).sum().backward()
        >>> model.weight.grad
        tensor([[3., 3.]])
    """
    if use_reentrant:
        raise NotImplementedError("checkpoint(): use_reentrant=True is not supported; see torch.utils.checkpoint")

    # A copy of the module has the hooks too: they work on the module that they get.
    def before(module: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        state = checkpoint.state(module)

        def again(*args: Any, **kwargs: Any) -> None:
            with state.disabled():
                module(*args, **kwargs)

        if state.enabled:
            run = first_run(
                again, args, kwargs, preserve_rng_state, context_fn or noop_context_fn, determinism_check, debug, early_stop
            )
            run.__enter__()
            state.runs.append(run)

    def after(module: nn.Module, inputs: Any, output: Any) -> None:
        state = checkpoint.state(module)
        if state.enabled and state.runs:
            state.runs.pop().__exit__(None, None, None)

    module.register_forward_pre_hook(before, with_kwargs=True)
    # First of all hooks, and after an error too: what other hooks compute is not computed again.
    module.register_forward_hook(after, prepend=True, always_call=True)
    return module
