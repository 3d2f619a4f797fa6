"""Extensions of checkpoints: they change the bytes of pieces on their way to storage and back, such as by compression."""

from __future__ import annotations

import abc
import importlib.util
import io
from collections.abc import Sequence
from typing import IO, Any

__all__ = ["Extension", "StreamTransformExtension", "ZStandard", "ExtensionRegistry"]


class Extension(abc.ABC):
    """An extension. A checkpoint has its descriptor, by which a reader makes it again."""

    @staticmethod
    @abc.abstractmethod
    def registry_name() -> str:
        """Its name."""

    @staticmethod
    @abc.abstractmethod
    def from_descriptor(version: str) -> Extension:
        """Makes it for reading.

        Args:
            version (str): what follows the name and a slash in the descriptor
        """

    @abc.abstractmethod
    def get_descriptor(self) -> str:
        """The name, a slash and a version, as in "name/1"."""


class StreamTransformExtension(Extension):
    """An extension that changes bytes."""

    @abc.abstractmethod
    def transform_to(self, output: IO[bytes]) -> IO[bytes]:
        """A stream whose bytes go changed into another one. It is closed at the end of each piece.

        Args:
            output (stream): where they go, which may be closed together with it
        """

    @abc.abstractmethod
    def transform_from(self, input: IO[bytes]) -> IO[bytes]:
        """A stream with the bytes as they were before `transform_to`.

        Args:
            input (stream): the changed bytes
        """


class ZStandard(StreamTransformExtension):
    """Compression by the package zstandard or pyzstd."""

    def __init__(self) -> None:
        if not self.is_available():
            raise ValueError("ZStandard: expected the package zstandard or pyzstd; neither is installed")

    @staticmethod
    def is_available() -> bool:
        """Whether one of the packages is installed."""
        return any(importlib.util.find_spec(name) is not None for name in ("zstandard", "pyzstd"))

    @staticmethod
    def from_descriptor(version: str) -> ZStandard:
        """Makes it for reading.

        Args:
            version (str): "1"

        Raises:
            ValueError: another version
        """
        if version.partition(".")[0] != "1":
            raise ValueError(f"ZStandard: expected version 1, got {version!r}")
        return ZStandard()

    @staticmethod
    def registry_name() -> str:
        """Its name."""
        return "stream.zstd"

    def get_descriptor(self) -> str:
        """Its name and version."""
        return f"{self.registry_name()}/1"

    def transform_to(self, output: IO[bytes]) -> IO[bytes]:
        """A stream that compresses.

        Args:
            output (stream): where the compressed bytes go
        """
        if importlib.util.find_spec("zstandard") is not None:
            import zstandard

            return zstandard.ZstdCompressor().stream_writer(output)  # type: ignore[no-any-return]
        import pyzstd

        return pyzstd.ZstdFile(output, "wb")  # type: ignore[no-any-return]

    def transform_from(self, input: IO[bytes]) -> IO[bytes]:
        """A stream with the bytes of compressed ones.

        Args:
            input (stream): the compressed bytes
        """
        if importlib.util.find_spec("zstandard") is not None:
            import zstandard

            return zstandard.ZstdDecompressor().stream_reader(input)  # type: ignore[no-any-return]
        import pyzstd

        return pyzstd.ZstdFile(input, "rb")  # type: ignore[no-any-return]


class ExtensionRegistry:
    """The extensions that a reader knows."""

    def __init__(self) -> None:
        self.extensions: dict[str, type[Extension]] = {ZStandard.registry_name(): ZStandard}

    def register(self, cls: type[Extension]) -> None:
        """Adds an extension.

        Args:
            cls (type): its class
        """
        self.extensions[cls.registry_name()] = cls

    def from_descriptor_list(self, descriptors: Sequence[str]) -> list[Extension]:
        """Makes extensions for reading.

        Args:
            descriptors (list of str): their descriptors

        Returns:
            the extensions

        Raises:
            ValueError: an extension that is not registered
        """
        made = []
        for descriptor in descriptors:
            name, _, version = descriptor.partition("/")
            if name not in self.extensions:
                raise ValueError(
                    f"checkpoint: the extension {descriptor!r} is not registered; there are {sorted(self.extensions)}"
                )
            made.append(self.extensions[name].from_descriptor(version))
        return made


class _StaysOpen(io.BytesIO):
    """Memory that a stream around it cannot close."""

    def close(self) -> None:
        pass


def transformed(extensions: Sequence[StreamTransformExtension], data: bytes | memoryview) -> memoryview:
    """The bytes of a piece after all extensions. As in PyTorch, the last one of the list changes them first."""
    for extension in reversed(extensions):
        target = _StaysOpen()
        stream = extension.transform_to(target)
        stream.write(data)
        if stream is target:
            stream.flush()
        else:
            stream.close()
        data = target.getbuffer()
    return memoryview(data)


def descriptors_of(extensions: Sequence[Extension]) -> list[str] | None:
    """What a checkpoint says of a piece's extensions, in the order in which they changed it."""
    return [extension.get_descriptor() for extension in reversed(extensions)] or None


def restored(extensions: Sequence[Any], data: bytes) -> bytes:
    """The bytes of a piece before its extensions, which are given in the order in which they changed them."""
    for extension in reversed(extensions):
        data = extension.transform_from(io.BytesIO(data)).read()
    return data
