"""Copies of a module on several devices, whose parameters follow the module's."""

from __future__ import annotations

from torch.nn.parallel._devices import checked

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, TypeVar

    from torch.nn import Module

    _M = TypeVar("_M", bound=Module)

__all__ = ["replicate"]


def replicate(network: _M, devices: Sequence[Any], detach: bool = False) -> list[_M]:
    """Copies a module to devices, for one forward. Gradients of the copies reach the module's parameters.

    Args:
        network (_M): the module
        devices (Sequence[Any]): the devices
        detach (bool, default False): copies that give no gradients

    Returns:
        the copies; they have no parameters of their own

    Raises:
        RuntimeError: a device is not available

    Example:
        >>> m = nn.Linear(2, 1)
        >>> (copy,) = torch.nn.parallel.replicate(m, ["cpu"])
        >>> copy(torch.ones(1, 2)).sum().backward()
        >>> m.weight.grad
        tensor([[1., 1.]])
    """
    return [_copy(network, device, detach, {}) for device in checked("replicate", devices)]


def _copy(module: Any, device: Any, detach: bool, memo: dict[int, Any]) -> Any:
    known = memo.get(id(module))
    if known is not None:
        return known
    replica = memo[id(module)] = type(module).__new__(type(module))
    space = replica.__dict__
    space.update(module.__dict__)
    space["_is_replica"] = True
    space["_parameters"], space["_former_parameters"] = {}, {}
    space["_buffers"] = {
        name: None if buffer is None else buffer.detach().to(device) for name, buffer in module._buffers.items()
    }  # fmt: skip
    for name, parameter in module._parameters.items():
        if parameter is None:
            space["_parameters"][name] = None
            continue
        # A view is no leaf, so it is a plain attribute of the copy.
        moved = (parameter.detach() if detach else parameter.view_as(parameter)).to(device)
        space[name] = space["_former_parameters"][name] = moved
    space["_modules"] = {
        name: None if child is None else _copy(child, device, detach, memo) for name, child in module._modules.items()
    }  # fmt: skip
    return replica
