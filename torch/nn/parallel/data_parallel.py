"""DataParallel: a module whose batch is split over several GPUs; here it runs as it is."""

from __future__ import annotations

import warnings

from torch.nn.modules.module import Module
from torch.nn.parallel._devices import checked
from torch.nn.parallel.parallel_apply import parallel_apply
from torch.nn.parallel.replicate import replicate
from torch.nn.parallel.scatter_gather import gather, scatter_kwargs

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from torch import Tensor
else:  # typing.get_type_hints() of classes needs them
    Any = object


__all__ = ["DataParallel", "data_parallel"]


class DataParallel(Module):
    """Splits each batch over several GPUs. There are none here, so the module runs as it is, on all cores of the CPU.

    Names in the state dictionary begin with "module.", as with GPUs.

    Args:
        module (Module): the module
        device_ids (Sequence[Any] or None): the GPUs; more than one of them gives a warning
        output_device (int, torch.device or None): where the result is put together; of no effect
        dim (int, default 0): the dimension of the batch

    Attributes:
        module: the module
        device_ids: the GPUs that are used: none

    Example:
        >>> m = nn.DataParallel(nn.Linear(2, 3))
        >>> m(torch.ones(4, 2)).shape, list(m.state_dict())
        (torch.Size([4, 3]), ['module.weight', 'module.bias'])
    """

    module: Module
    device_ids: list[Any]

    def __init__(
        self, module: Module, device_ids: Sequence[Any] | None = None, output_device: Any = None, dim: int = 0
    ) -> None:  # fmt: skip
        super().__init__()
        if device_ids is not None and len(device_ids) > 1:
            warnings.warn(
                f"DataParallel: {len(device_ids)} devices are asked for, but there is the CPU only; the module runs on it",
                stacklevel=2,
            )
        self.module = module
        self.device_ids = []
        self.dim = dim

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        """Calls the module.

        Args:
            *inputs, **kwargs: those of the module

        Returns:
            what the module returns

        Example:
            >>> nn.DataParallel(nn.ReLU())(torch.tensor([-1., 2.]))
            tensor([0., 2.])
        """
        return self.module(*inputs, **kwargs)


def data_parallel(
    module: Module, inputs: Any, device_ids: Sequence[Any] | None = None, output_device: Any = None, dim: int = 0,
    module_kwargs: dict[str, Any] | None = None,
) -> Tensor:  # fmt: skip
    """Calls a module with its batch split over devices.

    Args:
        module (Module): the module
        inputs (Any): its arguments: a tuple, or a single one
        device_ids (Sequence[Any] or None): the devices; None: the CPU
        output_device (torch.device or None): where the result is put together; None: the first device
        dim (int, default 0): the dimension of the batch
        module_kwargs (dict[str, Any] or None): keyword arguments of the module

    Returns:
        what the module returns

    Raises:
        RuntimeError: a device is not available

    Example:
        >>> torch.nn.parallel.data_parallel(nn.ReLU(), torch.tensor([[-1.], [2.]]), ["cpu", "cpu"])
        tensor([[0.],
                [2.]])
    """
    positional = inputs if isinstance(inputs, tuple) else () if inputs is None else (inputs,)
    devices = checked("data_parallel", ["cpu"] if device_ids is None else device_ids)
    args, kwargs = scatter_kwargs(positional, module_kwargs, devices, dim)
    if len(devices) == 1 or len(args) <= 1:
        return module(*(args[0] if args else ()), **(kwargs[0] if kwargs else {}))
    used = devices[: len(args)]
    outputs = parallel_apply(replicate(module, used), args, kwargs, used)
    return gather(outputs, devices[0] if output_device is None else output_device, dim)
