"""Per-thread settings of `torch.save` and `torch.load`."""

from __future__ import annotations

import threading

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from typing import Any


class Settings(threading.local):
    mmap_default = False
    crc = True
    endianness = None
    skip_data = False


config = Settings()


def set_default_mmap_options(flags: int) -> _Restore:
    """Set how `load` maps files, for programs that do.

    Args:
        flags (int): of the module mmap; kept, but a mapped file is always private to the process

    Returns:
        a context manager that puts the flags back

    Example:
        >>> import mmap
        >>> with torch.serialization.set_default_mmap_options(mmap.MAP_PRIVATE):
        ...     pass
    """
    return _Restore("mmap_flags", flags)


def get_default_mmap_options() -> int:
    """The flags that `set_default_mmap_options` was given.

    Returns:
        the flags, mmap.MAP_PRIVATE at the start

    Example:
        >>> import mmap
        >>> torch.serialization.get_default_mmap_options() == mmap.MAP_PRIVATE
        True
    """
    import mmap

    return getattr(config, "mmap_flags", mmap.MAP_PRIVATE)


class _Restore:
    """A setting that a `with` block restores at its end."""

    def __init__(self, name: str, value: Any) -> None:
        self.name, self.before = name, getattr(config, name, None)
        setattr(config, name, value)

    def __enter__(self) -> _Restore:
        return self

    def __exit__(self, *problem: object) -> None:
        setattr(config, self.name, self.before)


def set_crc32_options(compute_crc32: bool) -> None:
    """Set whether `save` is to compute checksums.

    Args:
        compute_crc32 (bool): kept for programs that ask; files always have them

    Example:
        >>> torch.serialization.set_crc32_options(True)
    """
    config.crc = compute_crc32


def get_crc32_options() -> bool:
    """What `set_crc32_options` was given.

    Returns:
        True at the start

    Example:
        >>> torch.serialization.get_crc32_options()
        True
    """
    return config.crc


def set_default_load_endianness(endianness: Any) -> None:
    """Set the byte order of files that do not name theirs.

    Args:
        endianness (LoadEndianness or None): kept for programs that ask; such files are read in the machine's order

    Example:
        >>> torch.serialization.set_default_load_endianness(None)
    """
    config.endianness = endianness


def get_default_load_endianness() -> Any:
    """What `set_default_load_endianness` was given.

    Returns:
        None at the start

    Example:
        >>> torch.serialization.get_default_load_endianness() is None
        True
    """
    return config.endianness


class skip_data:
    """A block in which files are written and read without tensor data.

    `save` keeps room for the data, and `load` leaves it unset.

    Args:
        materialize_fake_tensors (bool, default False): accepted for compatibility

    Example:
        >>> import io
        >>> file = io.BytesIO()
        >>> with torch.serialization.skip_data():
        ...     torch.save(torch.ones(3), file)
        >>> torch.load(io.BytesIO(file.getvalue()))
        tensor([0., 0., 0.])
    """

    def __init__(self, materialize_fake_tensors: bool = False) -> None:
        self.materialize_fake_tensors = materialize_fake_tensors

    def __enter__(self) -> None:
        self.before, config.skip_data = config.skip_data, True

    def __exit__(self, *problem: object) -> None:
        config.skip_data = self.before
