"""Functional forms of the layers, by family.

Where an operator has the same arguments, it is the operator itself.

The examples of the docstrings assume `import torch` and `import torch.nn.functional as F`.
"""

from torch import _lazy
from torch.nn.functional._common import *  # noqa: F401,F403
from torch.nn.functional._legacy import *  # noqa: F401,F403
from torch.nn.functional.activation import *  # noqa: F401,F403
from torch.nn.functional.attention import *  # noqa: F401,F403
from torch.nn.functional.conv import *  # noqa: F401,F403
from torch.nn.functional.distance import *  # noqa: F401,F403
from torch.nn.functional.dropout import *  # noqa: F401,F403
from torch.nn.functional.embedding import *  # noqa: F401,F403
from torch.nn.functional.linear import *  # noqa: F401,F403
from torch.nn.functional.linear_loss import *  # noqa: F401,F403
from torch.nn.functional.loss import *  # noqa: F401,F403
from torch.nn.functional.loss_margin import *  # noqa: F401,F403
from torch.nn.functional.normalization import *  # noqa: F401,F403
from torch.nn.functional.normalization import _verify_batch_size  # noqa: F401
from torch.nn.functional.pooling import *  # noqa: F401,F403
from torch.nn.functional.pooling_average import *  # noqa: F401,F403
from torch.nn.functional.unpooling import *  # noqa: F401,F403
from torch.nn.functional.vision import *  # noqa: F401,F403

if TYPE_CHECKING:  # noqa: F405
    from torch.nn.functional.scaled import *  # noqa: F401,F403
_lazy.names_what_is_absent(__name__)
if not TYPE_CHECKING:  # noqa: F405
    for _function in list(globals().values()):
        # Pickles name functions by the module that other installations have.
        if getattr(_function, "__module__", "").startswith("torch.nn.functional.") and hasattr(_function, "__code__"):
            _function.__module__ = __name__
    # Of modules that import this package.
    _utils = dict.fromkeys(("_list_with_default", "_pair", "_single", "_triple"), "torch.nn.modules.utils")
    _scaled = dict.fromkeys(("ScalingType", "SwizzleType", "scaled_grouped_mm", "scaled_mm"), "torch.nn.functional.scaled")
    __getattr__ = _lazy.lazy(__name__, (), {"_Reduction": "torch.nn._reduction", **_utils, **_scaled})[0]
    del _function, _scaled, _utils
