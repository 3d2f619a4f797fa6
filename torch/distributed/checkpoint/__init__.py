"""Checkpoints that several processes write together, which are not there yet."""

from torch.distributed._not_there import not_there as _not_there

_missing = _not_there(__name__, globals())
_missing.refuses("async_save load load_state_dict save save_state_dict")
_missing.refused_classes(
    "CheckpointException DefaultLoadPlanner DefaultSavePlanner FileSystemReader FileSystemWriter LoadPlan LoadPlanner ReadItem "
    "SavePlan SavePlanner StorageReader StorageWriter WriteItem"
)
