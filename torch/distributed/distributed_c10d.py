"""Functions of torch.distributed under the name of the module that PyTorch has them in."""

from torch.distributed import *  # noqa: F401,F403
from torch.distributed._not_there import not_there as _not_there

_missing = _not_there(__name__, globals())
_missing.refuses("_get_default_group _get_default_store _get_process_group_name")
_pg_map: dict = {}
