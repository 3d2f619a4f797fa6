"""Functions that average the gradients of DistributedDataParallel."""

from __future__ import annotations

import enum
from typing import Any

from torch import _lazy


class DDPCommHookType(enum.Enum):
    """The hooks of this package, as `register_ddp_comm_hook` takes them.

    Those of PowerSGD make a state of the rank that they name; the batched ones compress a whole bucket as one matrix.

    Example:
        >>> from torch.distributed.algorithms.ddp_comm_hooks import DDPCommHookType
        >>> DDPCommHookType.BF16_COMPRESS.name
        'BF16_COMPRESS'
    """

    ALLREDUCE = "allreduce_hook"
    FP16_COMPRESS = "fp16_compress_hook"
    BF16_COMPRESS = "bf16_compress_hook"
    POWER_SGD = "powerSGD_hook"
    POWER_SGD_RANK2 = "powerSGD_hook, rank 2"
    BATCHED_POWER_SGD = "batched_powerSGD_hook"
    BATCHED_POWER_SGD_RANK2 = "batched_powerSGD_hook, rank 2"
    NOOP = "noop_hook"


def register_ddp_comm_hook(comm_hook_type: DDPCommHookType, model: Any, state: Any = None) -> None:
    """Makes DistributedDataParallel average gradients by a hook of this package.

    Args:
        comm_hook_type (DDPCommHookType): which
        model (DistributedDataParallel): the module
        state (ProcessGroup, optional): the group in which gradients are averaged; by default that of all processes

    Raises:
        TypeError: comm_hook_type is none of them
        RuntimeError: the module has a hook already

    Example:
        >>> from torch.distributed.algorithms.ddp_comm_hooks import register_ddp_comm_hook
        >>> register_ddp_comm_hook.__name__
        'register_ddp_comm_hook'
    """
    if not isinstance(comm_hook_type, DDPCommHookType):
        raise TypeError(f"register_ddp_comm_hook(): expected a DDPCommHookType, got {comm_hook_type!r}")
    name, _, rank = comm_hook_type.value.partition(", rank ")
    if "powerSGD" in name:
        from torch.distributed.algorithms.ddp_comm_hooks import powerSGD_hook

        state = powerSGD_hook.PowerSGDState(state, matrix_approximation_rank=int(rank or 1))
        hook = getattr(powerSGD_hook, name)
    elif name == "noop_hook":
        from torch.distributed.algorithms.ddp_comm_hooks.debugging_hooks import noop_hook as hook
    else:
        from torch.distributed.algorithms.ddp_comm_hooks import default_hooks

        hook = getattr(default_hooks, name)
    model.register_comm_hook(state, hook)


__getattr__, __dir__ = _lazy.lazy(__name__, ["debugging_hooks", "default_hooks", "powerSGD_hook", "post_localSGD_hook"])
