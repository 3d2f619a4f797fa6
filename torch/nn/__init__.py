"""Neural networks: modules, their parameters, initialisation and functional forms."""

from torch._lazy import lazy as _lazy
from torch.nn import functional, init, modules, parameter  # noqa: F401
from torch.nn.modules import *  # noqa: F401,F403
from torch.nn.parameter import Buffer, Parameter, UninitializedBuffer, UninitializedParameter  # noqa: F401

TYPE_CHECKING = False  # a type checker takes it for true
if TYPE_CHECKING:
    from torch.nn import utils  # noqa: F401
else:
    __getattr__, __dir__ = _lazy(__name__, ("utils",))


def factory_kwargs(kwargs):
    """The `device`, `dtype` and `memory_format` out of a module's keywords, merged with its
    `factory_kwargs`."""
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
