"""Where the storages of a file come from, and where they are to go."""

import torch

_registry = []


def register_package(priority, tagger, deserializer):
    """Know one more kind of device: `tagger(storage)` names its location or returns None;
    `deserializer(storage, location)`
    brings a storage there or returns None. Lower priorities are asked first."""
    _registry.append((priority, tagger, deserializer))
    _registry.sort(key=lambda entry: entry[0])


def _cpu(storage, location):
    return storage if location == "cpu" else None


def _meta(storage, location):
    if location == "meta":
        return torch.UntypedStorage(storage.nbytes(), device="meta")
    return None


def _cuda(storage, location):
    if not location.startswith("cuda"):
        return None
    if not torch.cuda.is_available():
        raise RuntimeError("Attempting to deserialize object on a CUDA device but torch.cuda.is_available() "
                           "is False. If you are "
                           "running on a CPU-only machine, please use torch.load with "
                           "map_location=torch.device('cpu') to map "
                           "your storages to the CPU.")
    return storage.to(device=location) if hasattr(storage,
                                                  "to") else storage.cuda(torch.device(location).index)


def _device_tag(kind):
    return lambda storage: str(storage.device) if storage.device.type == kind else None


register_package(10, _device_tag("cpu"), _cpu)
register_package(20, _device_tag("cuda"), _cuda)
register_package(22, _device_tag("meta"), _meta)


def location_tag(storage):
    """The name of the place where a storage is."""
    for _, tagger, _ in _registry:
        tag = tagger(storage)
        if tag:
            return tag
    raise RuntimeError(f"don't know how to determine data location of {torch.typename(storage)}")


def default_restore_location(storage, location):
    """The storage at the place of that name."""
    for _, _, deserializer in _registry:
        placed = deserializer(storage, location)
        if placed is not None:
            return placed
    raise RuntimeError(f"don't know how to restore data location of {torch.typename(storage)} (tagged with "
                       f"{location})")


def restorer(map_location):
    """A function (storage, location) -> storage out of whatever `torch.load` was given."""
    if map_location is None:
        return default_restore_location
    if isinstance(map_location, dict):
        return lambda storage, location: default_restore_location(storage, map_location.get(location,
                                                                                            location))
    if isinstance(map_location, (str, bytes, torch.device)):
        place = map_location.decode("ascii") if isinstance(map_location, bytes) else str(map_location)
        return lambda storage, location: default_restore_location(storage, place)

    def ask(storage, location):
        placed = map_location(storage, location)
        return default_restore_location(storage, location) if placed is None else placed

    return ask
