"""DataParallel: a module whose batch is split over several GPUs of one process."""

from __future__ import annotations

import warnings
from itertools import chain

import torch
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
    """Splits each batch over several GPUs of this process. Without GPUs the module runs as it is, on all cores of the CPU.

    Each call copies the module to all GPUs, runs the copies on their parts of the batch, and joins the results; the gradients
    of the copies are added to the module's. `DistributedDataParallel`, with a process for each GPU, copies the module once.
    Names in the state dictionary begin with "module.".

    Args:
        module (Module): the module, on the first of the GPUs
        device_ids (Sequence[Any] or None): the GPUs; None: all
        output_device (int, torch.device or None): where the result is put together; None: the first of the GPUs
        dim (int, default 0): the dimension of the batch

    Attributes:
        module: the module
        device_ids: the numbers of the GPUs; none without GPUs

    Raises:
        RuntimeError: a GPU is not available, or, in a call, a parameter or buffer is not on the first of them

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
        self.module = module
        self.dim = dim
        self.device_ids = []
        if not torch.cuda.is_available():
            if device_ids is not None and len(device_ids) > 1:
                warnings.warn(
                    f"DataParallel: {len(device_ids)} devices are asked for, but there is the CPU only; the module runs on it",
                    stacklevel=2,
                )
            return
        devices = checked("DataParallel", range(torch.cuda.device_count()) if device_ids is None else device_ids)
        self.device_ids = [device.index for device in devices]
        self.output_device = checked("DataParallel", [devices[0] if output_device is None else output_device])[0].index
        self.src_device_obj = devices[0]
        if len(devices) == 1:
            self.module.to(devices[0])

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        """Calls the module, or its copies.

        Args:
            *inputs, **kwargs: those of the module; tensors are split, anything else goes to every copy

        Returns:
            what the module returns

        Raises:
            RuntimeError: a parameter or buffer is not on the first of the GPUs

        Example:
            >>> nn.DataParallel(nn.ReLU())(torch.tensor([-1., 2.]))
            tensor([0., 2.])
        """
        if not self.device_ids:
            return self.module(*inputs, **kwargs)
        for tensor in chain(self.module.parameters(), self.module.buffers()):
            if tensor.device != self.src_device_obj:
                raise RuntimeError(
                    f"DataParallel: expected the module on {self.src_device_obj}, the first of the devices, but found a "
                    f"parameter or buffer on {tensor.device}"
                )
        args, named = self.scatter(inputs, kwargs, self.device_ids)
        if len(args) <= 1:
            return self.module(*(args[0] if args else ()), **(named[0] if named else {}))
        replicas = self.replicate(self.module, self.device_ids[: len(args)])
        return self.gather(self.parallel_apply(replicas, args, named), self.output_device)

    def replicate(self, module: Module, device_ids: Sequence[Any]) -> list[Module]:
        """Copies of the module, for one call; classes override it, as the three that follow.

        Args:
            module (Module): the module
            device_ids (Sequence[Any]): where the copies go

        Returns:
            a copy for each device

        Example:
            >>> len(nn.DataParallel(nn.ReLU()).replicate(nn.ReLU(), ["cpu", "cpu"]))
            2
        """
        return replicate(module, device_ids, not torch.is_grad_enabled())

    def scatter(self, inputs: tuple[Any, ...], kwargs: dict[str, Any] | None, device_ids: Sequence[Any]) -> Any:
        """The arguments of each copy.

        Args:
            inputs (tuple[Any, ...]): the arguments
            kwargs (dict[str, Any] or None): the keyword arguments
            device_ids (Sequence[Any]): where the copies are

        Returns:
            (arguments, keyword arguments), each with one item for each copy

        Example:
            >>> nn.DataParallel(nn.ReLU()).scatter((torch.arange(2),), {}, ["cpu", "cpu"])
            (((tensor([0]),), (tensor([1]),)), ({}, {}))
        """
        return scatter_kwargs(inputs, kwargs, device_ids, self.dim)

    def parallel_apply(self, replicas: Sequence[Module], inputs: Sequence[Any], kwargs: Any) -> list[Any]:
        """The results of the copies.

        Args:
            replicas (Sequence[Module]): the copies
            inputs (Sequence[Any]): for each copy a tuple of arguments
            kwargs (Sequence[dict[str, Any]]): for each copy its keyword arguments

        Returns:
            a result for each copy

        Example:
            >>> nn.DataParallel(nn.ReLU()).parallel_apply([nn.ReLU()], [(torch.tensor(-1),)], [{}])
            [tensor(0)]
        """
        return parallel_apply(replicas, inputs, kwargs, self.device_ids[: len(replicas)] or None)

    def gather(self, outputs: Any, output_device: Any) -> Any:
        """The results, joined.

        Args:
            outputs (Any): those of the copies
            output_device (torch.device, int or str): where the result goes

        Returns:
            one result, of the form of each

        Example:
            >>> nn.DataParallel(nn.ReLU()).gather([torch.ones(1), torch.zeros(1)], "cpu")
            tensor([1., 0.])
        """
        return gather(outputs, output_device, self.dim)


def data_parallel(
    module: Module, inputs: Any, device_ids: Sequence[Any] | None = None, output_device: Any = None, dim: int = 0,
    module_kwargs: dict[str, Any] | None = None,
) -> Tensor:  # fmt: skip
    """Calls a module with its batch split over devices.

    Args:
        module (Module): the module
        inputs (Any): its arguments: a tuple, or a single one
        device_ids (Sequence[Any] or None): the devices; None: all GPUs, or the CPU where there are none
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
    if device_ids is None:
        device_ids = range(torch.cuda.device_count()) if torch.cuda.is_available() else ["cpu"]
    devices = checked("data_parallel", device_ids)
    args, kwargs = scatter_kwargs(positional, module_kwargs, devices, dim)
    if len(devices) == 1 or len(args) <= 1:
        return module(*(args[0] if args else ()), **(kwargs[0] if kwargs else {}))
    used = devices[: len(args)]
    outputs = parallel_apply(replicate(module, used), args, kwargs, used)
    return gather(outputs, devices[0] if output_device is None else output_device, dim)
