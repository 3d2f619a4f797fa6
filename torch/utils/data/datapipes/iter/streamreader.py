"""Bytes of open files."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from torch.utils.data.datapipes._decorator import functional_datapipe
from torch.utils.data.datapipes.datapipe import IterDataPipe

__all__ = ["StreamReaderIterDataPipe"]


@functional_datapipe("read_from_stream")
class StreamReaderIterDataPipe(IterDataPipe[Any]):
    """Pairs of a path and what was read from its stream, which is closed at its end.

    Args:
        datapipe (IterDataPipe): pairs of a path and a stream
        chunk (int, optional): how much to read at once; default: everything

    Example:
        >>> import io
        >>> from torch.utils.data.datapipes.iter import IterableWrapper
        >>> list(IterableWrapper([("a", io.BytesIO(b"12345"))]).read_from_stream(3))
        [('a', b'123'), ('a', b'45')]
    """

    def __init__(self, datapipe: IterDataPipe[Any], chunk: int | None = None) -> None:
        self.datapipe, self.chunk = datapipe, chunk

    def __iter__(self) -> Iterator[Any]:
        for path, stream in self.datapipe:
            while data := stream.read(self.chunk):
                yield path, data
                if self.chunk is None:
                    break
            stream.close()
