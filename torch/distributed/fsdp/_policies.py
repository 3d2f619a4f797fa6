"""Settings of fully_shard."""

from __future__ import annotations

from dataclasses import dataclass

import torch


@dataclass(frozen=True)
class MixedPrecisionPolicy:
    """In which dtypes a module computes and communicates; its parameters keep theirs between steps.

    Args:
        param_dtype (dtype, optional): of the gathered parameters; as they are by default
        reduce_dtype (dtype, optional): in which gradients are summed; that of the gradients by default
        output_dtype (dtype, optional): of the results of forward
        cast_forward_inputs (bool, default True): whether the arguments of forward get param_dtype

    Example:
        >>> torch.distributed.fsdp.MixedPrecisionPolicy(param_dtype=torch.bfloat16).param_dtype
        torch.bfloat16
    """

    param_dtype: torch.dtype | None = None
    reduce_dtype: torch.dtype | None = None
    output_dtype: torch.dtype | None = None
    cast_forward_inputs: bool = True


@dataclass
class OffloadPolicy:
    """Parameters stay where they are.

    Example:
        >>> torch.distributed.fsdp.OffloadPolicy()
        OffloadPolicy()
    """


@dataclass
class CPUOffloadPolicy(OffloadPolicy):
    """Parameters are kept on the CPU between steps, where this library computes in any case.

    Args:
        pin_memory (bool, default True): of no effect on the CPU

    Example:
        >>> torch.distributed.fsdp.CPUOffloadPolicy().pin_memory
        True
    """

    pin_memory: bool = True


@dataclass(frozen=True)
class DataParallelMeshDims:
    """Which dimensions of a mesh cut parameters, and which hold copies.

    Args:
        shard (str or tuple of str, optional): names of those that cut
        replicate (str or tuple of str, optional): names of those that hold copies

    Example:
        >>> torch.distributed.fsdp.DataParallelMeshDims(shard="dp").shard_names
        ('dp',)
    """

    shard: str | tuple[str, ...] | None = None
    replicate: str | tuple[str, ...] | None = None

    @property
    def shard_names(self) -> tuple[str, ...]:
        """The names of the dimensions that cut."""
        return _names(self.shard)

    @property
    def replicate_names(self) -> tuple[str, ...]:
        """The names of the dimensions that hold copies."""
        return _names(self.replicate)


def _names(value: str | tuple[str, ...] | None) -> tuple[str, ...]:
    return () if value is None else (value,) if isinstance(value, str) else value
