"""Optimizers that change the parameters of a bucket as soon as its gradients are averaged, while backward goes on."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from typing import Any

import torch
from torch.distributed.algorithms.ddp_comm_hooks.default_hooks import allreduce_hook
from torch.optim import LBFGS, Optimizer

_registered_overlapped_optims: dict[type, type] = {}


def register_overlapped(optim_cls: type) -> Callable[[type], type]:
    """Makes a decorator: the class overlaps the steps of such optimizers.

    Args:
        optim_cls (type): the optimizer's class

    Returns:
        the decorator

    Raises:
        ValueError: by the decorator, if there is such a class already
    """

    def register(target: type) -> type:
        if optim_cls in _registered_overlapped_optims:
            raise ValueError(
                f"register_overlapped(): {optim_cls.__name__} has {_registered_overlapped_optims[optim_cls].__name__} already"
            )
        _registered_overlapped_optims[optim_cls] = target
        return target

    return register


class OverlappedOptimizer(ABC):
    """An optimizer whose steps overlap with backward.

    Args:
        optim_cls (type): the optimizer's class
    """

    def __init__(self, optim_cls: type) -> None:
        self.optim_cls = optim_cls

    @abstractmethod
    def register_ddp(self, ddp: Any) -> None:
        """Makes steps in backward of a module.

        Args:
            ddp (DistributedDataParallel): the module
        """

    @abstractmethod
    def register_fsdp(self, fsdp: Any) -> None:
        """Makes steps in backward of a module.

        Args:
            fsdp (FullyShardedDataParallel): the module
        """


@register_overlapped(Optimizer)
class _OverlappedStandardOptimizer(OverlappedOptimizer):
    """An optimizer that works on each parameter by itself.

    Args:
        optim_cls (type): its class
        params (iterable of Parameter): the parameters that it changes
        *optim_args (Any): for the class
        **optim_kwargs (Any): for the class
    """

    def __init__(self, optim_cls: type, params: Iterable[torch.Tensor], *optim_args: Any, **optim_kwargs: Any) -> None:
        super().__init__(optim_cls)
        self._optimizers = {p: optim_cls([p], *optim_args, **optim_kwargs) for p in params}

    def register_ddp(self, ddp: Any) -> None:
        """Makes a step for the parameters of each bucket, when their gradients are averaged. There are no others.

        Args:
            ddp (DistributedDataParallel): the module
        """

        def hook(group: Any, bucket: Any) -> Any:
            def step(averaged: Any) -> torch.Tensor:
                for p, gradient in zip(bucket.parameters(), bucket.gradients()):
                    if p in self._optimizers:
                        self._step(p, gradient)
                return averaged.value()  # type: ignore[no-any-return]

            return allreduce_hook(group, bucket).then(step)

        ddp.register_comm_hook(ddp.process_group, hook)

    def _step(self, p: torch.Tensor, gradient: torch.Tensor) -> None:
        before, p.grad = p.grad, gradient
        try:
            self._optimizers[p].step()
        finally:
            p.grad = before

    def register_fsdp(self, fsdp: Any) -> None:
        """Not supported.

        Args:
            fsdp (FullyShardedDataParallel): any

        Raises:
            NotImplementedError: always
        """
        raise NotImplementedError("register_fsdp(): steps that overlap with backward are for DistributedDataParallel")


def _as_overlapped_optim(optim_cls: type, params: Iterable[torch.Tensor], *args: Any, **kwargs: Any) -> OverlappedOptimizer:
    """An optimizer whose steps overlap with backward.

    Args:
        optim_cls (type): its class
        params (iterable of Parameter): the parameters
        *args (Any): for the class
        **kwargs (Any): for the class

    Returns:
        the optimizer, for `register_ddp`

    Raises:
        ValueError: it is no class of optimizers, or one that needs all gradients at once
    """
    for cls in optim_cls.__mro__ if isinstance(optim_cls, type) else ():
        if cls in _registered_overlapped_optims and not issubclass(optim_cls, LBFGS):
            return _registered_overlapped_optims[cls](optim_cls, params, *args, **kwargs)  # type: ignore[no-any-return]
    given = getattr(optim_cls, "__name__", optim_cls)
    raise ValueError(f"_as_overlapped_optim(): expected a class of optimizers that change each parameter by itself, got {given}")
