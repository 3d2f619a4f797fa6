"""Datasets, samplers, and the loader that makes batches of them."""

from torch import _lazy
from torch.utils.data._collate import default_collate, default_convert  # noqa: F401
from torch.utils.data._worker_info import get_worker_info  # noqa: F401
from torch.utils.data.dataloader import DataLoader, _DatasetKind  # noqa: F401
from torch.utils.data.dataset import (  # noqa: F401
    ChainDataset,
    ConcatDataset,
    Dataset,
    IterableDataset,
    StackDataset,
    Subset,
    TensorDataset,
    random_split,
)
from torch.utils.data.distributed import DistributedSampler  # noqa: F401
from torch.utils.data.sampler import (  # noqa: F401
    BatchSampler,
    RandomSampler,
    Sampler,
    SequentialSampler,
    SubsetRandomSampler,
    WeightedRandomSampler,
)

__all__ = [
    "default_collate", "default_convert", "get_worker_info", "DataLoader", "_DatasetKind", "ChainDataset", "ConcatDataset",
    "Dataset", "IterableDataset", "StackDataset", "Subset", "TensorDataset", "random_split", "DistributedSampler",
    "BatchSampler", "RandomSampler", "Sampler", "SequentialSampler", "SubsetRandomSampler", "WeightedRandomSampler",
    "DFIterDataPipe", "DataChunk", "IterDataPipe", "MapDataPipe", "argument_validation", "functional_datapipe",
    "guaranteed_datapipes_determinism", "non_deterministic", "runtime_validation", "runtime_validation_disabled",
]  # fmt: skip

__getattr__, __dir__ = _lazy.lazy(
    __name__,
    ("backward_compatibility", "datapipes", "graph", "graph_settings"),
    {
        **dict.fromkeys(("DFIterDataPipe", "DataChunk", "IterDataPipe", "MapDataPipe"), "torch.utils.data.datapipes.datapipe"),
        **dict.fromkeys(
            ("argument_validation", "functional_datapipe", "guaranteed_datapipes_determinism", "non_deterministic",
             "runtime_validation", "runtime_validation_disabled"), "torch.utils.data.datapipes._decorator"),
    },
)  # fmt: skip
