"""Join: training where some processes have more batches than others.

A process that has run out of batches keeps the others company: for each of their steps it takes part in the collectives that
the step makes, by the hooks of the objects that make them, until the last process has finished.
"""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from typing import Any, NamedTuple

import torch
import torch.distributed as dist

__all__ = ["Join", "JoinHook", "Joinable"]

# A process that waits for this many steps of others probably has too few batches by mistake.
_MANY_STEPS = 1000


class JoinHook:
    """What an object does on a process that has run out of batches.

    Example:
        >>> torch.distributed.algorithms.join.JoinHook().main_hook()
    """

    def main_hook(self) -> None:
        """Takes part in the collectives of one step of the other processes.

        Example:
            >>> torch.distributed.algorithms.join.JoinHook().main_hook()
        """

    def post_hook(self, is_last_joiner: bool) -> None:
        """Ends the work when all processes have finished.

        Args:
            is_last_joiner: whether this process was among the last ones to finish

        Example:
            >>> torch.distributed.algorithms.join.JoinHook().post_hook(True)
        """


class _Settings(NamedTuple):
    enabled: bool
    raises_early: bool
    is_first: bool


class Joinable(ABC):
    """An object whose steps make collectives, such as a module or an optimizer over several processes.

    A class derived from it calls its `__init__`, and `Join.notify_join_context(self)` before the collectives of each step.

    Example:
        >>> issubclass(torch.distributed.algorithms.join.Joinable, object)
        True
    """

    @abstractmethod
    def __init__(self) -> None:
        super().__init__()
        self._join_config = _Settings(False, False, False)

    @abstractmethod
    def join_hook(self, **kwargs: Any) -> JoinHook:
        """Returns what the object does on processes that have finished.

        Args:
            kwargs: what was given to `Join`

        Example:
            >>> callable(torch.distributed.algorithms.join.Joinable.join_hook)
            True
        """

    @property
    @abstractmethod
    def join_device(self) -> torch.device:
        """The device of the collectives that count the processes."""

    @property
    @abstractmethod
    def join_process_group(self) -> Any:
        """The group of processes."""


class Join:
    """A block of training steps that processes leave at different times.

    Each process that leaves it repeats the collectives of the others' steps, by the hooks of `joinables`.

    Args:
        joinables: the objects that take part, with one device and one group; the first one counts the processes
        enable: False makes the block do nothing
        throw_on_early_termination: when a process runs out of batches, all raise a RuntimeError instead of going on
        kwargs: for the `join_hook` of each object

    Raises:
        ValueError: no objects, or objects of different groups or devices
        RuntimeError: with throw_on_early_termination, when the first process runs out

    Example:
        >>> torch.distributed.algorithms.join.Join([])
        Traceback (most recent call last):
        ...
        ValueError: Join: expected at least one object in joinables
    """

    def __init__(self, joinables: Any, enable: bool = True, throw_on_early_termination: bool = False, **kwargs: Any) -> None:
        self._joinables = list(joinables)
        if not self._joinables:
            raise ValueError("Join: expected at least one object in joinables")
        for joinable in self._joinables:
            if not isinstance(joinable, Joinable):
                raise TypeError(f"Join: expected objects derived from Joinable, got {type(joinable).__name__}")
        devices = {joinable.join_device for joinable in self._joinables}
        groups = {id(joinable.join_process_group) for joinable in self._joinables}
        if len(devices) > 1 or len(groups) > 1:
            raise ValueError(
                f"Join: expected joinables of one device and one process group, got {len(devices)} and {len(groups)}"
            )
        self._device, self._group = devices.pop(), self._joinables[0].join_process_group
        self._enable, self._raises_early = enable, throw_on_early_termination
        self._hooks = [joinable.join_hook(**kwargs) for joinable in self._joinables]
        for k, joinable in enumerate(self._joinables):
            joinable._join_config = _Settings(enable, throw_on_early_termination, k == 0)

    def __enter__(self) -> None:
        pass

    def __exit__(self, type: Any, value: Any, traceback: Any) -> None:
        if not self._enable or type:
            return  # an error goes on
        steps, is_last = 0, True
        while self._count_others():
            if self._raises_early:
                self._sum(torch.ones)
                raise RuntimeError(f"Join: rank {dist.get_rank(self._group)} ran out of batches before the others")
            is_last = False
            if steps == _MANY_STEPS:
                warnings.warn(
                    f"Join: rank {dist.get_rank(self._group)} has waited for {steps} steps of other processes; "
                    "it may have far fewer batches by mistake",
                    stacklevel=2,
                )
            for hook in self._hooks:
                hook.main_hook()
            steps += 1
        for hook in self._hooks:
            hook.post_hook(is_last)

    def _sum(self, make: Any) -> float:
        """The sum over all processes of a tensor with one element."""
        x = make(1, device=self._device)
        dist.all_reduce(x, group=self._group)
        return x.item()

    def _count_others(self) -> float:
        """How many processes are at a step."""
        return self._sum(torch.zeros)

    @staticmethod
    def notify_join_context(joinable: Joinable) -> Any:
        """Tells the processes that have finished that this one makes another step.

        Args:
            joinable: the object whose step it is; only the first one of a block tells them

        Returns:
            the work of the collective that tells them, or None outside of a block

        Raises:
            RuntimeError: a process has run out of batches, and the block raises then
        """
        settings = getattr(joinable, "_join_config", None)
        if settings is None:
            raise TypeError(f"Join: {type(joinable).__name__} has to call Joinable.__init__")
        if not (settings.enabled and settings.is_first):
            return None
        group, device = joinable.join_process_group, joinable.join_device
        work = dist.all_reduce(torch.ones(1, device=device), group=group, async_op=True)
        if settings.raises_early:
            stopped = torch.zeros(1, device=device)
            dist.all_reduce(stopped, group=group)
            if stopped.item():
                raise RuntimeError("Join: a process ran out of batches before the others")
        return work
