"""Hooks that sum gradients, for `FullyShardedDataParallel.register_comm_hook`."""

from __future__ import annotations

from torch.distributed.algorithms._comm_hooks import default_hooks

LOW_PRECISION_HOOKS = [default_hooks.fp16_compress_hook, default_hooks.bf16_compress_hook]
