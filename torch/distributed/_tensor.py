"""The former place of torch.distributed.tensor."""

from torch.distributed.tensor import DeviceMesh, DTensor, Partial, Replicate, Shard, distribute_tensor  # noqa: F401
