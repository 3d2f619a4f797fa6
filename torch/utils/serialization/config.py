"""Settings of `torch.save` (`save`) and `torch.load` (`load`): those that functions of torch.serialization set, too."""

from __future__ import annotations

from typing import Any

from torch.serialization import _archive, _options

__all__ = ["load", "save"]


def _setting(name: str, doc: str) -> Any:
    def get(self: object) -> Any:
        return getattr(_options.config, name)

    def put(self: object, value: Any) -> None:
        setattr(_options.config, name, value)

    return property(get, put, doc=doc)


class _Load:
    mmap = _setting("mmap_default", "Whether files are mapped unless the call says otherwise.")
    endianness = _setting("endianness", "The order of bytes in files that do not say; None: this machine's.")
    mmap_flags = property(
        lambda self: _options.get_default_mmap_options(),
        lambda self, flags: setattr(_options.config, "mmap_flags", flags),
        doc="Kept, and of no effect: a mapped file is always private to the process.",
    )
    calculate_storage_offsets = False  # offsets are always read from the file


class _Save:
    compute_crc32 = _setting("crc", "Whether a checksum is written for each record.")
    storage_alignment = property(lambda self: _archive.ALIGNMENT, doc="Where records start: a multiple of this many bytes.")
    use_pinned_memory_for_d2h = False  # there is no device to copy from


load = _Load()
save = _Save()
