"""Settings of FullyShardedDataParallel."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch


def _batch_norms() -> tuple[type, ...]:
    from torch.nn.modules.batchnorm import _BatchNorm

    return (_BatchNorm,)


class BackwardPrefetch(enum.Enum):
    """When parameters are fetched in backward.

    Example:
        >>> torch.distributed.fsdp.BackwardPrefetch.BACKWARD_PRE.value
        1
    """

    BACKWARD_PRE = 1
    BACKWARD_POST = 2


class OptimStateKeyType(enum.Enum):
    """By what the state of an optimizer is named.

    Example:
        >>> torch.distributed.fsdp.OptimStateKeyType.PARAM_NAME.value
        1
    """

    PARAM_NAME = 1
    PARAM_ID = 2


class ShardingStrategy(enum.Enum):
    """What is cut: parameters also between forward and backward, or not; nothing; parts within a host, copies over hosts.

    Example:
        >>> torch.distributed.fsdp.ShardingStrategy.FULL_SHARD.value
        1
    """

    FULL_SHARD = 1
    SHARD_GRAD_OP = 2
    NO_SHARD = 3
    HYBRID_SHARD = 4
    _HYBRID_SHARD_ZERO2 = 5


class StateDictType(enum.Enum):
    """What a state dictionary has: whole tensors, flat parts, or DTensors.

    Example:
        >>> torch.distributed.fsdp.StateDictType.FULL_STATE_DICT.value
        1
    """

    FULL_STATE_DICT = 1
    LOCAL_STATE_DICT = 2
    SHARDED_STATE_DICT = 3


@dataclass(frozen=True)
class MixedPrecision:
    """In which dtypes a module computes and communicates.

    Args:
        param_dtype (dtype, optional): of the gathered parameters
        reduce_dtype (dtype, optional): in which gradients are summed
        buffer_dtype (dtype, optional): of buffers
        keep_low_precision_grads (bool, default False): leave gradients in the dtype of computing
        cast_forward_inputs (bool, default False): whether arguments of inner modules get param_dtype
        cast_root_forward_inputs (bool, default True): whether arguments of the root get param_dtype

    Example:
        >>> torch.distributed.fsdp.MixedPrecision(param_dtype=torch.bfloat16).param_dtype
        torch.bfloat16
    """

    # Dtypes.
    param_dtype: torch.dtype | None = None
    reduce_dtype: torch.dtype | None = None
    buffer_dtype: torch.dtype | None = None
    # What is cast.
    keep_low_precision_grads: bool = False
    cast_forward_inputs: bool = False
    cast_root_forward_inputs: bool = True
    _module_classes_to_ignore: Sequence[type[Any]] = _batch_norms()


@dataclass
class CPUOffload:
    """Whether parameters are on the CPU between steps, where this library computes in any case.

    Args:
        offload_params (bool, default False): whether they are

    Example:
        >>> torch.distributed.fsdp.CPUOffload(offload_params=True).offload_params
        True
    """

    offload_params: bool = False


@dataclass
class StateDictConfig:
    """Of a state dictionary: whether its tensors are on the CPU.

    Args:
        offload_to_cpu (bool, default False): of no effect: tensors are on the CPU

    Example:
        >>> torch.distributed.fsdp.StateDictConfig().offload_to_cpu
        False
    """

    offload_to_cpu: bool = False


@dataclass
class FullStateDictConfig(StateDictConfig):
    """Of whole tensors: whether only rank 0 gets them.

    Args:
        offload_to_cpu (bool, default False): of no effect: tensors are on the CPU
        rank0_only (bool, default False): whether only rank 0 gets them

    Example:
        >>> torch.distributed.fsdp.FullStateDictConfig().offload_to_cpu
        False
    """

    rank0_only: bool = False


@dataclass
class LocalStateDictConfig(StateDictConfig):
    """Of flat parts.

    Args:
        offload_to_cpu (bool, default False): of no effect: tensors are on the CPU

    Example:
        >>> torch.distributed.fsdp.LocalStateDictConfig().offload_to_cpu
        False
    """


@dataclass
class ShardedStateDictConfig(StateDictConfig):
    """Of DTensors.

    Args:
        offload_to_cpu (bool, default False): of no effect: tensors are on the CPU

    Example:
        >>> torch.distributed.fsdp.ShardedStateDictConfig().offload_to_cpu
        False
    """

    _use_dtensor: bool = False


@dataclass
class OptimStateDictConfig:
    """Of an optimizer's state: whether its tensors are on the CPU.

    Args:
        offload_to_cpu (bool, default True): of no effect: tensors are on the CPU

    Example:
        >>> torch.distributed.fsdp.OptimStateDictConfig().offload_to_cpu
        True
    """

    offload_to_cpu: bool = True


@dataclass
class FullOptimStateDictConfig(OptimStateDictConfig):
    """Of whole tensors: whether only rank 0 gets them.

    Args:
        offload_to_cpu (bool, default True): of no effect: tensors are on the CPU
        rank0_only (bool, default False): whether only rank 0 gets them

    Example:
        >>> torch.distributed.fsdp.FullOptimStateDictConfig().offload_to_cpu
        True
    """

    rank0_only: bool = False


@dataclass
class LocalOptimStateDictConfig(OptimStateDictConfig):
    """Of flat parts.

    Args:
        offload_to_cpu (bool, default False): of no effect: tensors are on the CPU

    Example:
        >>> torch.distributed.fsdp.LocalOptimStateDictConfig().offload_to_cpu
        False
    """

    offload_to_cpu: bool = False


@dataclass
class ShardedOptimStateDictConfig(OptimStateDictConfig):
    """Of DTensors.

    Args:
        offload_to_cpu (bool, default True): of no effect: tensors are on the CPU

    Example:
        >>> torch.distributed.fsdp.ShardedOptimStateDictConfig().offload_to_cpu
        True
    """

    _use_dtensor: bool = False


@dataclass
class StateDictSettings:
    """What `state_dict` gives.

    Args:
        state_dict_type (StateDictType): whole tensors or DTensors
        state_dict_config (StateDictConfig): settings of it
        optim_state_dict_config (OptimStateDictConfig): settings of the optimizer's

    Example:
        >>> torch.distributed.fsdp.StateDictSettings.__name__
        'StateDictSettings'
    """

    state_dict_type: StateDictType
    state_dict_config: StateDictConfig
    optim_state_dict_config: OptimStateDictConfig
