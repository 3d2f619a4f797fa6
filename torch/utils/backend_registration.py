"""Third-party backends: the name of PrivateUse1 devices, and the methods and module with that name."""

from __future__ import annotations

from collections.abc import Iterable
from types import ModuleType
from typing import Any

import torch

__all__ = ["rename_privateuse1_backend", "generate_methods_for_privateuse1_backend"]


def rename_privateuse1_backend(backend_name: str) -> None:
    """Calls PrivateUse1 devices by the name of their backend: `torch.device("npu")`.

    Args:
        backend_name (str): lower-case letters, digits and underscores; no other device's name

    Raises:
        RuntimeError: the name is not valid, or the backend has another one already

    Example:
        >>> torch.utils.rename_privateuse1_backend("privateuseone_")  # doctest: +SKIP
        >>> torch.device("privateuseone_:1")  # doctest: +SKIP
        device(type='privateuseone_', index=1)
    """
    torch._C._rename_privateuse1_backend(backend_name)


def _register_device_module(device_type: str, module: ModuleType) -> None:
    """Makes a module `torch.<device_type>`, where programs for a device look for its functions.

    Args:
        device_type (str): "npu"
        module (module): with `is_available`, `device_count`, `current_device`, ...

    Raises:
        RuntimeError: there is such a module already
    """
    kind = torch.device(device_type).type
    if kind in vars(torch):
        raise RuntimeError(f"_register_device_module(): torch.{kind} is there already: {getattr(torch, kind)}")
    import sys

    setattr(torch, kind, module)
    sys.modules[f"torch.{kind}"] = module


def _device_for(name: str, device: Any) -> torch.device:
    """The device that `x.npu(device)` means: an index, a device of this kind, or the current one."""
    if device is None:
        return torch.device(name, torch._C._accelerator_current_device(name))
    if isinstance(device, int):
        return torch.device(name, device)
    found = torch.device(device)
    if found.type != name:
        raise RuntimeError(f"expected a device of type {name}, got {found}")
    return found


def _add(owner: type, name: str, value: object) -> None:
    if name in vars(owner):
        raise RuntimeError(f"generate_methods_for_privateuse1_backend(): {owner.__name__}.{name} is there already")
    setattr(owner, name, value)


def _tensor_methods(name: str) -> None:
    def is_on_device(self: torch.Tensor) -> bool:
        return self.device.type == name

    def to_device(self: torch.Tensor, device: Any = None, non_blocking: bool = False, **kwargs: Any) -> torch.Tensor:
        return self.to(device=_device_for(name, device), non_blocking=non_blocking, **kwargs)

    is_on_device.__doc__ = f"Whether the tensor is on a device of type {name}."
    to_device.__doc__ = f"The tensor on a device of type {name}: the current one unless another is given."
    _add(torch.Tensor, f"is_{name}", property(is_on_device))
    _add(torch.Tensor, name, to_device)


def _module_methods(name: str) -> None:
    def to_device(self: torch.nn.Module, device: Any = None) -> torch.nn.Module:
        return self._apply(lambda t: getattr(t, name)(device))

    to_device.__doc__ = f"Moves all parameters and buffers to a device of type {name}."
    _add(torch.nn.Module, name, to_device)


def _packed_sequence_methods(name: str) -> None:
    from torch.nn.utils.rnn import PackedSequence

    def is_on_device(self: PackedSequence) -> bool:
        return self.data.device.type == name

    def to_device(self: PackedSequence, *args: Any, **kwargs: Any) -> PackedSequence:
        device = _device_for(name, args[0] if args else kwargs.pop("device", None))
        return self.to(device, **kwargs)

    _add(PackedSequence, f"is_{name}", property(is_on_device))
    _add(PackedSequence, name, to_device)


def _storage_methods(name: str) -> None:
    for kind in (torch.UntypedStorage, torch.TypedStorage):

        def is_on_device(self: Any) -> bool:
            return self.device.type == name

        def to_device(self: Any, device: Any = None, non_blocking: bool = False) -> Any:
            return self.to(device=_device_for(name, device), non_blocking=non_blocking)

        if kind is torch.TypedStorage or not hasattr(kind, name):
            _add(kind, f"is_{name}", property(is_on_device))
            _add(kind, name, to_device)


def generate_methods_for_privateuse1_backend(
    for_tensor: bool = True,
    for_module: bool = True,
    for_packed_sequence: bool = True,
    for_storage: bool = False,
    unsupported_dtype: Iterable[torch.dtype] | None = None,
) -> None:
    """Adds `x.npu()` and `x.is_npu` to tensors, and the like to modules, packed sequences and storages.

    Args:
        for_tensor (bool, default True): to tensors
        for_module (bool, default True): to modules
        for_packed_sequence (bool, default True): to packed sequences
        for_storage (bool, default False): to storages
        unsupported_dtype (iterable of torch.dtype, optional): types that the backend's storages do not have

    Raises:
        RuntimeError: one of the names is there already

    Example:
        >>> torch.utils.generate_methods_for_privateuse1_backend()  # doctest: +SKIP
    """
    name = torch._C._get_privateuse1_backend_name()
    if for_tensor:
        _tensor_methods(name)
    if for_module:
        _module_methods(name)
    if for_storage:
        _storage_methods(name)
    if for_packed_sequence:
        _packed_sequence_methods(name)
