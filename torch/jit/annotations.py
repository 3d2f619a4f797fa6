"""Types that annotate functions for TorchScript."""

from typing import Any, Dict, List, Optional, Tuple, Union  # noqa: F401, UP035

from torch import Tensor  # noqa: F401
from torch._jit_internal import (  # noqa: F401
    BroadcastingList1,
    BroadcastingList2,
    BroadcastingList3,
    is_dict,
    is_list,
    is_optional,
    is_tuple,
    is_union,
)
from torch.futures import Future  # noqa: F401
