"""DistributedDataParallel, which needs torch.distributed."""

from __future__ import annotations

from torch.nn.modules.module import Module

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from typing import Any

__all__ = ["DistributedDataParallel"]


class DistributedDataParallel(Module):
    """Averages gradients over processes. It cannot be made, because torch.distributed is not available.

    Programs may ask whether a module is one.

    Args:
        module (Module): the module
        *args, **kwargs: settings

    Raises:
        RuntimeError: always

    Example:
        >>> isinstance(nn.Linear(1, 1), torch.nn.parallel.DistributedDataParallel)
        False
        >>> torch.distributed.is_available()
        False
    """

    def __init__(self, module: Module, *args: Any, **kwargs: Any) -> None:
        raise RuntimeError(
            "DistributedDataParallel needs torch.distributed, which this version does not have "
            "(torch.distributed.is_available() is False); train in one process, without it"
        )
