"""Modules whose parameters are spread over processes, which need the distributed package."""

import enum

from torch import _lazy
from torch.distributed._not_there import not_there as _not_there

_missing = _not_there(__name__, globals())
_missing.refused_classes(
    "CPUOffload CPUOffloadPolicy DataParallelMeshDims FSDPModule FullOptimStateDictConfig FullStateDictConfig "
    "FullyShardedDataParallel LocalOptimStateDictConfig LocalStateDictConfig MixedPrecision MixedPrecisionPolicy OffloadPolicy "
    "OptimStateDictConfig ShardedOptimStateDictConfig ShardedStateDictConfig StateDictConfig StateDictSettings UnshardHandle",
    "A part of sharded training, which needs several processes.",
)
_missing.refuses("fully_shard register_fsdp_forward_method share_comm_ctx")


class BackwardPrefetch(enum.Enum):
    """When parameters are fetched in backward."""

    BACKWARD_PRE = 1
    BACKWARD_POST = 2


class OptimStateKeyType(enum.Enum):
    """By what the state of an optimizer is named."""

    PARAM_NAME = 1
    PARAM_ID = 2


class ShardingStrategy(enum.Enum):
    """What is spread."""

    FULL_SHARD = 1
    SHARD_GRAD_OP = 2
    NO_SHARD = 3
    HYBRID_SHARD = 4
    _HYBRID_SHARD_ZERO2 = 5


class StateDictType(enum.Enum):
    """What a state dictionary has."""

    FULL_STATE_DICT = 1
    LOCAL_STATE_DICT = 2
    SHARDED_STATE_DICT = 3


__getattr__, __dir__ = _lazy.lazy(__name__, ("api", "fully_sharded_data_parallel"))
