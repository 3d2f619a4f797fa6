"""Where the storages of a file come from, and where they are loaded to."""

from __future__ import annotations

import torch

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

_registry = []


def register_package(priority: int, tagger: Callable[[Any], str | None], deserializer: Callable[[Any, str], Any]) -> None:
    """Know one more kind of device in files.

    Args:
        priority (int): lower ones are asked first
        tagger (function): storage -> the name of its location, or None if it is not there
        deserializer (function): (storage, location) -> the storage at that location, or None if it is none of its kind

    Example:
        >>> torch.serialization.register_package(100, lambda storage: None, lambda storage, location: None)
    """
    _registry.append((priority, tagger, deserializer))
    _registry.sort(key=lambda entry: entry[0])


def _cpu(storage: Any, location: str) -> Any:
    return storage if location == "cpu" else None


def _meta(storage: Any, location: str) -> Any:
    if location == "meta":
        return torch.UntypedStorage(storage.nbytes(), device="meta")
    return None


def _cuda(storage: Any, location: str) -> Any:
    if not location.startswith("cuda"):
        return None
    if not torch.cuda.is_available():
        raise RuntimeError(
            "Attempting to deserialize object on a CUDA device but torch.cuda.is_available() is False. If you are "
            "running on a CPU-only machine, please use torch.load with map_location=torch.device('cpu') to map "
            "your storages to the CPU."
        )
    return storage.to(device=location) if hasattr(storage, "to") else storage.cuda(torch.device(location).index)


def _privateuse1(storage: Any, location: str) -> Any:
    name = torch._C._get_privateuse1_backend_name()
    if not location.startswith(name):
        return None
    index = torch.device(location).index or 0
    count = torch._C._accelerator_device_count(name)
    if index >= count:
        raise RuntimeError(
            f"the file has a storage of {location}, but there are {count} {name} devices. Load it with "
            "map_location='cpu', or name a device that is there"
        )
    return storage.to(torch.device(name, index))


def _privateuse1_tag(storage: Any) -> str | None:
    return str(storage.device) if storage.device.type == torch._C._get_privateuse1_backend_name() else None


def _device_tag(kind: str) -> Callable[[Any], str | None]:
    return lambda storage: str(storage.device) if storage.device.type == kind else None


register_package(10, _device_tag("cpu"), _cpu)
register_package(20, _device_tag("cuda"), _cuda)
register_package(22, _device_tag("meta"), _meta)
register_package(23, _privateuse1_tag, _privateuse1)


def location_tag(storage: Any) -> str:
    """The name of the place where a storage is.

    Args:
        storage (UntypedStorage or TypedStorage): the storage

    Returns:
        what files say, such as "cpu"

    Raises:
        RuntimeError: nobody knows its device

    Example:
        >>> torch.serialization.location_tag(torch.ones(2).untyped_storage())
        'cpu'
    """
    for _, tagger, _ in _registry:
        tag = tagger(storage)
        if tag:
            return tag
    raise RuntimeError(f"don't know how to determine data location of {torch.typename(storage)}")


def default_restore_location(storage: Any, location: str) -> Any:
    """The storage at the place of that name.

    Args:
        storage (UntypedStorage): as it was read
        location (str): what the file says

    Returns:
        a storage there; the same one if it is there already

    Raises:
        RuntimeError: nobody knows the place, or the device is not there

    Example:
        >>> storage = torch.ones(2).untyped_storage()
        >>> torch.serialization.default_restore_location(storage, "meta").device
        device(type='meta')
    """
    for _, _, deserializer in _registry:
        placed = deserializer(storage, location)
        if placed is not None:
            return placed
    raise RuntimeError(f"don't know how to restore data location of {torch.typename(storage)} (tagged with {location})")


def _get_restore_location(map_location: Any) -> Callable[[Any, str], Any]:
    """A function (storage, location) -> storage, made from the map_location of `torch.load`."""
    if map_location is None:
        return default_restore_location
    if isinstance(map_location, dict):
        return lambda storage, location: default_restore_location(storage, map_location.get(location, location))
    if isinstance(map_location, (str, bytes, torch.device)):
        place = map_location.decode("ascii") if isinstance(map_location, bytes) else str(map_location)
        return lambda storage, location: default_restore_location(storage, place)

    def ask(storage: Any, location: str) -> Any:
        placed = map_location(storage, location)
        return default_restore_location(storage, location) if placed is None else placed

    return ask
