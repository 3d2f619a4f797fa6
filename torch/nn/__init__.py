"""Neural networks: modules, their parameters, initialisation and functional forms."""

from __future__ import annotations

from torch._lazy import lazy as _lazy
from torch.nn import functional as functional
from torch.nn import init as init
from torch.nn import modules as modules
from torch.nn import parameter as parameter
from torch.nn.modules import *
from torch.nn.parameter import Buffer as Buffer
from torch.nn.parameter import Parameter as Parameter
from torch.nn.parameter import UninitializedBuffer as UninitializedBuffer
from torch.nn.parameter import UninitializedParameter as UninitializedParameter

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from typing import Any

    from torch.nn import attention as attention
    from torch.nn import grad as grad
    from torch.nn import parallel as parallel
    from torch.nn import utils as utils
    from torch.nn.modules.linear_cross_entropy import LinearCrossEntropyLoss as LinearCrossEntropyLoss
    from torch.nn.modules.linear_cross_entropy_options import LinearCrossEntropyOptions as LinearCrossEntropyOptions
    from torch.nn.parallel import DataParallel as DataParallel
else:
    __getattr__, __dir__ = _lazy(
        __name__,
        ("attention", "grad", "parallel", "quantized", "utils"),
        {
            "DataParallel": "torch.nn.parallel",
            "LinearCrossEntropyLoss": "torch.nn.modules.linear_cross_entropy",
            "LinearCrossEntropyOptions": "torch.nn.modules.linear_cross_entropy_options",
        },
    )


def factory_kwargs(kwargs: dict[str, Any] | None) -> dict[str, Any]:
    """The `device`, `dtype` and `memory_format` out of a module's keywords, merged with its `factory_kwargs`.

    Args:
        kwargs (dict or None): the keywords

    Returns:
        what goes to the functions that make the parameters

    Raises:
        TypeError: another keyword, or one that is given twice

    Example:
        >>> nn.factory_kwargs({"device": "cpu", "factory_kwargs": {"dtype": torch.float64}})
        {'dtype': torch.float64, 'device': 'cpu'}
    """
    if kwargs is None:
        return {}
    known = {"device", "dtype", "memory_format"}
    unknown = kwargs.keys() - known - {"factory_kwargs"}
    if unknown:
        raise TypeError(f"unexpected kwargs {unknown}")
    merged = dict(kwargs.get("factory_kwargs", {}))
    for name in known & kwargs.keys():
        if name in merged:
            raise TypeError(f"{name} specified twice, in **kwargs and in factory_kwargs")
        merged[name] = kwargs[name]
    return merged
