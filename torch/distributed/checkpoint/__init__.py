"""Checkpoints that several processes write and read together, in any layout."""

from __future__ import annotations

from torch import _lazy
from torch.distributed import is_available as _is_available

_TABLE = {
    "api": "CheckpointException",
    "metadata": "BytesStorageMetadata ChunkStorageMetadata Metadata TensorStorageMetadata",
    "planner": "LoadPlan LoadPlanner ReadItem SavePlan SavePlanner WriteItem",
    "storage": "StorageReader StorageWriter",
    "default_planner": "DefaultLoadPlanner DefaultSavePlanner",
    "filesystem": "FileSystemReader FileSystemWriter",
    "state_dict_saver": "async_save save save_state_dict",
    "state_dict_loader": "load load_state_dict",
    "hf_storage": "HuggingFaceStorageReader HuggingFaceStorageWriter",
}
if _is_available():
    _places = {name: f"{__name__}.{module}" for module, names in _TABLE.items() for name in names.split()}
    __all__ = [*_places]
    _modules = (*_TABLE, "format_utils", "optimizer", "staging", "state_dict", "stateful")
else:
    from torch.distributed._not_there import not_there as _not_there

    _missing = _not_there(__name__, globals())
    _missing.refuses("async_save load load_state_dict save save_state_dict")
    _missing.refused_classes(" ".join(v for k, v in _TABLE.items() if "state_dict" not in k))
    _places, _modules = {}, ("metadata", "planner", "stateful", "api")

__getattr__, __dir__ = _lazy.lazy(__name__, _modules, _places)
