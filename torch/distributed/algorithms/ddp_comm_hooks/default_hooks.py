"""Averages as they are, or with half of the bytes.

Each function is for `DistributedDataParallel.register_comm_hook`, with a process group, or None for all processes, as its state.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch.futures import Future

Hook = Callable[[Any, Any], Future]


def _average(group: Any, tensor: torch.Tensor) -> Future:
    import torch.distributed as dist

    group = group if group is not None else dist.group.WORLD
    tensor.div_(group.size())
    return dist.all_reduce(tensor, group=group, async_op=True).get_future().then(lambda done: done.value()[0])


def allreduce_hook(process_group: Any, bucket: Any) -> Future:
    """Averages a bucket.

    Args:
        process_group (ProcessGroup, optional): the ranks
        bucket (GradBucket): the gradients

    Returns:
        a future of the averages
    """
    return _average(process_group, bucket.buffer())


def _compressed(dtype: torch.dtype, process_group: Any, bucket: Any) -> Future:
    buffer = bucket.buffer()
    return _average(process_group, buffer.to(dtype)).then(lambda done: buffer.copy_(done.value()))


def fp16_compress_hook(process_group: Any, bucket: Any) -> Future:
    """Averages a bucket as float16, with half of the bytes and about three digits.

    Args:
        process_group (ProcessGroup, optional): the ranks
        bucket (GradBucket): the gradients

    Returns:
        a future of the averages
    """
    return _compressed(torch.float16, process_group, bucket)


def bf16_compress_hook(process_group: Any, bucket: Any) -> Future:
    """Averages a bucket as bfloat16, with half of the bytes and about two digits.

    Args:
        process_group (ProcessGroup, optional): the ranks
        bucket (GradBucket): the gradients

    Returns:
        a future of the averages
    """
    return _compressed(torch.bfloat16, process_group, bucket)


def _wrapper(dtype: torch.dtype, hook: Hook) -> Hook:
    def compressed(state: Any, bucket: Any) -> Future:
        buffer = bucket.buffer()
        bucket.set_buffer(buffer.to(dtype))
        return hook(state, bucket).then(lambda done: buffer.copy_(done.value()))

    return compressed


def fp16_compress_wrapper(hook: Hook) -> Hook:
    """Another hook that gets the bucket as float16.

    Args:
        hook (Callable): the other hook

    Returns:
        a hook
    """
    return _wrapper(torch.float16, hook)


def bf16_compress_wrapper(hook: Hook) -> Hook:
    """Another hook that gets the bucket as bfloat16.

    Args:
        hook (Callable): the other hook

    Returns:
        a hook
    """
    return _wrapper(torch.bfloat16, hook)
