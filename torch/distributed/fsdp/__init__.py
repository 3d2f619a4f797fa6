"""Modules whose parameters are spread over processes: fully_shard, and FullyShardedDataParallel."""

from __future__ import annotations

from torch import _lazy
from torch.distributed import is_available as _is_available

_SETTINGS = (
    "BackwardPrefetch CPUOffload FullOptimStateDictConfig FullStateDictConfig LocalOptimStateDictConfig LocalStateDictConfig "
    "MixedPrecision OptimStateDictConfig OptimStateKeyType ShardedOptimStateDictConfig ShardedStateDictConfig ShardingStrategy "
    "StateDictConfig StateDictSettings StateDictType"
)
_POLICIES = "CPUOffloadPolicy DataParallelMeshDims MixedPrecisionPolicy OffloadPolicy"
_FUNCTIONS = "fully_shard register_fsdp_forward_method share_comm_ctx"
_places = {
    **dict.fromkeys(_SETTINGS.split(), "torch.distributed.fsdp.api"),
    **dict.fromkeys(_POLICIES.split(), "torch.distributed.fsdp._policies"),
}
if _is_available():
    _places.update(dict.fromkeys([*_FUNCTIONS.split(), "FSDPModule", "UnshardHandle"], "torch.distributed.fsdp._fully_shard"))
    _places["FullyShardedDataParallel"] = "torch.distributed.fsdp.fully_sharded_data_parallel"
else:
    from torch.distributed._not_there import not_there as _not_there

    _missing = _not_there(__name__, globals())
    _missing.refused_classes("FSDPModule FullyShardedDataParallel UnshardHandle")
    _missing.refuses(_FUNCTIONS)

__all__ = [
    "BackwardPrefetch", "CPUOffload", "FullOptimStateDictConfig", "FullStateDictConfig", "FullyShardedDataParallel",
    "LocalOptimStateDictConfig", "LocalStateDictConfig", "MixedPrecision", "OptimStateDictConfig", "OptimStateKeyType",
    "ShardedOptimStateDictConfig", "ShardedStateDictConfig", "ShardingStrategy", "StateDictConfig", "StateDictSettings",
    "StateDictType", "CPUOffloadPolicy", "DataParallelMeshDims", "FSDPModule", "fully_shard", "MixedPrecisionPolicy",
    "OffloadPolicy", "register_fsdp_forward_method", "UnshardHandle", "share_comm_ctx",
]  # fmt: skip

__getattr__, __dir__ = _lazy.lazy(__name__, ("api", "fully_sharded_data_parallel", "sharded_grad_scaler", "wrap"), _places)
