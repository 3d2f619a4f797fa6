"""Where earlier versions of PyTorch had `fully_shard`."""

from torch.distributed._not_there import not_there as _not_there

_missing = _not_there(__name__, globals())
_missing.refuses("checkpoint contract replicate")
