"""Samplers and iterators for jobs that go on where they ended."""

from torch.distributed.elastic.utils.data.cycling_iterator import CyclingIterator
from torch.distributed.elastic.utils.data.elastic_distributed_sampler import ElasticDistributedSampler

__all__ = ["CyclingIterator", "ElasticDistributedSampler"]
