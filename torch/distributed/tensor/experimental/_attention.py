"""Where PyTorch has the parts of `context_parallel`."""

from torch.distributed.tensor.experimental._context_parallel._context import (
    _context_parallel_shard,
    context_parallel,
    context_parallel_unshard,
)
from torch.distributed.tensor.experimental._context_parallel._load_balance import _HeadTailLoadBalancer, _LoadBalancer
from torch.distributed.tensor.experimental._context_parallel._options import _cp_options, _RotateMethod, set_rotate_method

__all__ = [
    "_context_parallel_shard", "_cp_options", "_HeadTailLoadBalancer", "_LoadBalancer", "_RotateMethod", "context_parallel",
    "context_parallel_unshard", "set_rotate_method",
]  # fmt: skip
