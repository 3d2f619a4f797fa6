"""GradScaler for parameters that are cut over processes: a gradient that is not finite in one process counts in all."""

from __future__ import annotations

from typing import Any

import torch
import torch.distributed as dist
from torch.amp.grad_scaler import GradScaler
from torch.optim import Optimizer

__all__ = ["ShardedGradScaler"]


class ShardedGradScaler(GradScaler):
    """Scales losses as `torch.amp.GradScaler` does. All processes skip a step, or none does.

    Args:
        device (str, default "cuda"): as of GradScaler
        init_scale (float, default 65536.0): the first factor
        backoff_factor (float, default 0.5): multiplies it after a step that was not finite
        growth_factor (float, default 2.0): multiplies it after `growth_interval` finite steps in a row
        growth_interval (int, default 2000): how many finite steps make it grow
        enabled (bool, default True): False: do nothing
        process_group (ProcessGroup, optional): the processes; all by default

    Example:
        >>> from torch.distributed.fsdp.sharded_grad_scaler import ShardedGradScaler
        >>> ShardedGradScaler("cpu", init_scale=8.0).get_scale()
        8.0
    """

    def __init__(
        self, device: str = "cuda", init_scale: float = 2.0**16, backoff_factor: float = 0.5, growth_factor: float = 2.0,
        growth_interval: int = 2000, enabled: bool = True, process_group: Any = None,
    ) -> None:  # fmt: skip
        super().__init__(device, init_scale, growth_factor, backoff_factor, growth_interval, enabled)
        self.process_group = process_group

    def _part(self, gradient: torch.Tensor) -> torch.Tensor:
        return getattr(gradient, "_local_tensor", gradient)

    def _unscale_grads_(
        self, optimizer: Optimizer, inverse: torch.Tensor, allow_fp16: bool
    ) -> dict[torch.device, torch.Tensor]:  # fmt: skip
        """Whether a gradient of any process is not finite; empty where none has gradients."""
        found = super()._unscale_grads_(optimizer, inverse, True)
        device = torch.device("cuda", torch.cuda.current_device()) if self._device == "cuda" else torch.device(self._device)
        highest = self._sum_on(device, list(found.values())) if found else torch.full((), -1.0, device=device)
        dist.all_reduce(highest, dist.ReduceOp.MAX, self.process_group)
        return {device: highest} if found or highest.item() >= 0 else {}
