"""ZeroRedundancyOptimizer: each process keeps the optimizer's state of some of the parameters, and sends them after the step."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import torch
import torch.distributed as dist
from torch.distributed.algorithms.join import Joinable, JoinHook

__all__ = ["ZeroRedundancyOptimizer"]


class _Hook(JoinHook):
    """What a process that has no batches left does: the step, with the gradients that it has."""

    def __init__(self, zero: ZeroRedundancyOptimizer) -> None:
        self.zero = zero

    def main_hook(self) -> None:
        self.zero.step()


class ZeroRedundancyOptimizer(torch.optim.Optimizer, Joinable):
    """An optimizer whose state is spread over processes, which all have the same parameters and gradients.

    Args:
        params (iterable): the parameters, as of other optimizers
        optimizer_class (type): of the optimizers inside
        process_group (ProcessGroup, optional): the processes; all by default
        parameters_as_bucket_view (bool, default False): of no effect; parameters are sent in one message per process
        overlap_with_ddp (bool, default False): not supported
        **defaults (Any): settings of the optimizers

    Raises:
        NotImplementedError: overlap_with_ddp
        TypeError: params are no parameters

    Example:
        >>> torch.distributed.init_process_group("gloo", store=torch.distributed.HashStore(), rank=0, world_size=1)
        >>> model = torch.nn.Linear(2, 1)
        >>> optimizer = torch.distributed.optim.ZeroRedundancyOptimizer(model.parameters(), torch.optim.Adam, lr=0.1)
        >>> model(torch.ones(1, 2)).sum().backward()
        >>> optimizer.step()
        >>> torch.distributed.destroy_process_group()
    """

    def __init__(
        self, params: Any, optimizer_class: type[torch.optim.Optimizer], process_group: Any = None,
        parameters_as_bucket_view: bool = False, overlap_with_ddp: bool = False, **defaults: Any,
    ) -> None:  # fmt: skip
        if overlap_with_ddp:
            raise NotImplementedError("ZeroRedundancyOptimizer: this version has no overlap_with_ddp")
        self.process_group = process_group if process_group is not None else dist.group.WORLD
        self.rank, self.world_size = dist.get_rank(self.process_group), dist.get_world_size(self.process_group)
        self._optim_constructor, self._optim_defaults = optimizer_class, defaults
        self._all_state_dicts: list[Any] = []
        self.optim: Any = None
        torch.optim.Optimizer.__init__(self, params, defaults)
        self._join_config: Any = None
        Joinable.__init__(self)
        self._build()

    def _build(self) -> None:
        """Gives each process about as many elements, and makes the optimizer of this one's."""
        sizes = [0] * self.world_size
        self._owner: dict[torch.Tensor, int] = {}
        for group in self.param_groups:
            for p in sorted(group["params"], key=lambda p: p.numel(), reverse=True):
                owner = sizes.index(min(sizes))
                sizes[owner] += p.numel()
                self._owner[p] = owner
        groups = [{**group, "params": [p for p in group["params"] if self._owner[p] == self.rank]} for group in self.param_groups]
        self.optim = _make(self._optim_constructor, groups, self._optim_defaults)
        for own, inner in zip(self.param_groups, self.optim.param_groups):
            for key, value in inner.items():
                if key != "params":
                    own.setdefault(key, value)
        self.state = self.optim.state

    def add_param_group(self, param_group: dict[str, Any]) -> None:
        """Adds parameters, and spreads all anew.

        Args:
            param_group (dict): the parameters with their settings
        """
        super().add_param_group(param_group)
        if self.optim is not None:
            before = self.optim.state
            self._build()
            for p in before:
                if self._owner[p] == self.rank:
                    self.optim.state[p] = before[p]

    def _copy_settings(self) -> None:
        """Settings that a scheduler has changed go to the optimizer inside."""
        for own, inner in zip(self.param_groups, self.optim.param_groups):
            for key in own:
                if key != "params":
                    inner[key] = own[key]

    @torch.no_grad()
    def _send(self) -> None:
        """Gives all processes the parameters of each, in one message per dtype."""
        for owner in range(self.world_size):
            by_dtype: dict[torch.dtype, list[torch.Tensor]] = {}
            for group in self.param_groups:
                for p in group["params"]:
                    if self._owner[p] == owner:
                        by_dtype.setdefault(p.dtype, []).append(p)
            for params in by_dtype.values():
                joined = torch.cat([p.reshape(-1) for p in params])
                dist.broadcast(joined, group=self.process_group, group_src=owner)
                if owner != self.rank:
                    for p, part in zip(params, joined.split([p.numel() for p in params])):
                        p.copy_(part.view_as(p))

    def step(self, closure: Callable[[], Any] | None = None, **kwargs: Any) -> Any:
        """Makes the step of this process's parameters, and exchanges all.

        Args:
            closure (Callable, optional): computes the loss
            **kwargs (Any): for the step of the optimizer

        Returns:
            the loss of the closure
        """
        from torch.distributed.algorithms.join import Join

        Join.notify_join_context(self)
        self._copy_settings()
        loss = self.optim.step(closure=closure, **kwargs) if closure is not None else self.optim.step(**kwargs)
        self._send()
        return loss

    def join_hook(self, **kwargs: Any) -> JoinHook:
        """What the optimizer does on processes that have no batches left.

        Args:
            **kwargs (Any): of no effect

        Returns:
            a hook
        """
        return _Hook(self)

    @property
    def join_device(self) -> torch.device:
        """The device of the first parameter."""
        return self.param_groups[0]["params"][0].device

    @property
    def join_process_group(self) -> Any:
        """The processes."""
        return self.process_group

    # --- states ---

    def _numbers(self) -> dict[torch.Tensor, int]:
        return {p: k for k, p in enumerate(p for group in self.param_groups for p in group["params"])}

    def consolidate_state_dict(self, to: int = 0) -> None:
        """Gathers the state of all processes on one, before `state_dict`.

        Args:
            to (int, default 0): the rank, counted within the group
        """
        numbers = self._numbers()
        own = {numbers[p]: state for p, state in self.optim.state.items()}
        found: list[Any] = [None] * self.world_size
        dist.gather_object(own, found if self.rank == to else None, group=self.process_group, group_dst=to)
        self._all_state_dicts = found if self.rank == to else []

    def state_dict(self) -> dict[str, Any]:
        """The state of all parameters, on the process that `consolidate_state_dict` named.

        Returns:
            a dict as of other optimizers

        Raises:
            RuntimeError: the state was not gathered here
        """
        if not self._all_state_dicts:
            raise RuntimeError(
                f"ZeroRedundancyOptimizer: rank {self.rank} has no whole state; call consolidate_state_dict(to=...)"
            )
        numbers = self._numbers()
        self._copy_settings()
        state = {k: copy.deepcopy(v) for part in self._all_state_dicts for k, v in part.items()}
        groups = [
            {**{k: v for k, v in group.items() if k != "params"}, "params": [numbers[p] for p in group["params"]]}
            for group in self.param_groups
        ]
        return {"state": dict(sorted(state.items())), "param_groups": groups}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Takes the parts of a whole state that are this process's.

        Args:
            state_dict (dict): the state, on every process
        """
        params = list(self._numbers())
        for group, saved in zip(self.param_groups, state_dict["param_groups"]):
            group.update({key: value for key, value in saved.items() if key != "params"})
        self._copy_settings()
        own = {p: k for k, p in enumerate(q for g in self.optim.param_groups for q in g["params"])}
        state = {own[params[k]]: copy.deepcopy(v) for k, v in state_dict["state"].items() if self._owner[params[k]] == self.rank}
        inner = self.optim.state_dict()
        self.optim.load_state_dict({"state": state, "param_groups": inner["param_groups"]})
        self.state = self.optim.state


def _make(cls: type[torch.optim.Optimizer], groups: list[dict[str, Any]], defaults: dict[str, Any]) -> Any:
    # An optimizer may refuse a group without parameters; a tensor of no elements stands in for them.
    filled = [group if group["params"] else {**group, "params": [torch.nn.Parameter(torch.empty(0))]} for group in groups]
    made = cls(filled, **defaults)
    for group, given in zip(made.param_groups, groups):
        group["params"] = list(given["params"])
    return made
