"""Modules that compute their forward again in backward, or keep what they need for it on the CPU."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from enum import Enum, auto
from functools import partial
from typing import Any

import torch
from torch import nn
from torch.autograd.graph import save_on_cpu
from torch.utils.checkpoint import checkpoint

_CHECKPOINT_WRAPPED_MODULE = "_checkpoint_wrapped_module"
_CHECKPOINT_PREFIX = _CHECKPOINT_WRAPPED_MODULE + "."


class CheckpointImpl(Enum):
    """How forward is computed again; see `torch.utils.checkpoint.checkpoint`."""

    REENTRANT = auto()
    NO_REENTRANT = auto()


class ActivationWrapper(nn.Module, ABC):
    """A module around another one, whose parameters have the names that they have there.

    Args:
        mod (Module): the module
    """

    def __init__(self, mod: nn.Module) -> None:
        super().__init__()
        self._checkpoint_wrapped_module = mod
        self.register_state_dict_post_hook(_without_prefix)
        self.register_load_state_dict_pre_hook(_with_prefix)

    @abstractmethod
    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """The forward of the module.

        Args:
            *args (Any): for the module
            **kwargs (Any): for the module
        """

    def __getattr__(self, name: str) -> Any:
        try:
            return super().__getattr__(name)
        except AttributeError:
            if name == _CHECKPOINT_WRAPPED_MODULE:
                raise
            return getattr(self._checkpoint_wrapped_module, name)

    def __getitem__(self, key: Any) -> Any:
        return self._checkpoint_wrapped_module[key]  # type: ignore[index]

    def named_parameters(self, *args: Any, **kwargs: Any) -> Iterator[tuple[str, nn.Parameter]]:
        """The parameters with their names in the module that is wrapped.

        Args:
            *args (Any): as of Module
            **kwargs (Any): as of Module

        Returns:
            an iterator over (name, parameter)
        """
        for name, param in super().named_parameters(*args, **kwargs):
            yield name.replace(_CHECKPOINT_PREFIX, ""), param


def _without_prefix(module: nn.Module, state_dict: dict[str, Any], prefix: str, local_metadata: Any) -> None:
    for key in [k for k in state_dict if k.startswith(prefix + _CHECKPOINT_PREFIX)]:
        state_dict[prefix + key[len(prefix + _CHECKPOINT_PREFIX) :]] = state_dict.pop(key)


def _with_prefix(module: nn.Module, state_dict: dict[str, Any], prefix: str, *args: Any) -> None:
    for key in [k for k in state_dict if k.startswith(prefix) and not k.startswith(prefix + _CHECKPOINT_PREFIX)]:
        state_dict[prefix + _CHECKPOINT_PREFIX + key[len(prefix) :]] = state_dict.pop(key)


class OffloadWrapper(ActivationWrapper):
    """A module that keeps what it needs for backward on the CPU.

    Args:
        mod (Module): the module
    """

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """The forward of the module.

        Args:
            *args (Any): for the module
            **kwargs (Any): for the module

        Returns:
            what the module gives
        """
        with save_on_cpu(pin_memory=torch.cuda.is_available()):
            return self._checkpoint_wrapped_module(*args, **kwargs)


class CheckpointWrapper(ActivationWrapper):
    """A module whose forward is computed again in backward.

    Args:
        mod (Module): the module
        checkpoint_impl (CheckpointImpl, default NO_REENTRANT): how
        checkpoint_fn (Callable, optional): takes the module and its arguments; `torch.utils.checkpoint.checkpoint` by default
        **checkpoint_fn_kwargs (Any): for the function
    """

    def __init__(
        self, mod: nn.Module, checkpoint_impl: CheckpointImpl = CheckpointImpl.NO_REENTRANT,
        checkpoint_fn: Callable[..., Any] | None = None, **checkpoint_fn_kwargs: Any,
    ) -> None:  # fmt: skip
        super().__init__(mod)
        self.checkpoint_impl = checkpoint_impl
        if checkpoint_fn is None:
            checkpoint_fn = partial(checkpoint, use_reentrant=checkpoint_impl is CheckpointImpl.REENTRANT)
        self.checkpoint_fn = partial(checkpoint_fn, **checkpoint_fn_kwargs)

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """The forward of the module.

        Args:
            *args (Any): for the module
            **kwargs (Any): for the module

        Returns:
            what the module gives
        """
        if self.checkpoint_impl is not CheckpointImpl.REENTRANT or not kwargs:
            return self.checkpoint_fn(self._checkpoint_wrapped_module, *args, **kwargs)
        # This kind takes no keywords.
        names, count = list(kwargs), len(args)

        def call(*values: Any) -> Any:
            return self._checkpoint_wrapped_module(*values[:count], **dict(zip(names, values[count:])))

        return self.checkpoint_fn(call, *args, *kwargs.values())


def offload_wrapper(module: nn.Module) -> nn.Module:
    """Wraps a module so that what it needs for backward is kept on the CPU.

    Args:
        module (Module): the module

    Returns:
        an OffloadWrapper
    """
    return OffloadWrapper(module)


def checkpoint_wrapper(
    module: nn.Module, checkpoint_impl: CheckpointImpl = CheckpointImpl.NO_REENTRANT,
    checkpoint_fn: Callable[..., Any] | None = None, **checkpoint_fn_kwargs: Any,
) -> nn.Module:  # fmt: skip
    """Wraps a module so that its forward is computed again in backward.

    Args:
        module (Module): the module
        checkpoint_impl (CheckpointImpl, default NO_REENTRANT): how
        checkpoint_fn (Callable, optional): takes the module and its arguments; `torch.utils.checkpoint.checkpoint` by default
        **checkpoint_fn_kwargs (Any): for the function

    Returns:
        a CheckpointWrapper
    """
    return CheckpointWrapper(module, checkpoint_impl, checkpoint_fn, **checkpoint_fn_kwargs)


def apply_activation_checkpointing(
    model: nn.Module, checkpoint_wrapper_fn: Callable[[nn.Module], nn.Module] = checkpoint_wrapper,
    check_fn: Callable[[nn.Module], bool] = lambda _: True, auto_wrap_policy: Any = None,
) -> None:  # fmt: skip
    """Wraps modules inside of a module, in place, those further inside first.

    Args:
        model (Module): the module, which is not wrapped itself
        checkpoint_wrapper_fn (Callable, default checkpoint_wrapper): takes a module, and returns it wrapped
        check_fn (Callable, optional): whether a module is wrapped; all are by default
        auto_wrap_policy (Callable, optional): chooses modules instead of `check_fn`, as for FullyShardedDataParallel
    """
    from torch.distributed.fsdp.wrap import _auto_wrap, lambda_auto_wrap_policy

    policy = partial(lambda_auto_wrap_policy, lambda_fn=check_fn) if auto_wrap_policy is None else auto_wrap_policy
    _auto_wrap(model, policy, set(), {}, checkpoint_wrapper_fn)
