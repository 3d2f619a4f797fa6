"""Open files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from torch.utils.data.datapipes._decorator import functional_datapipe
from torch.utils.data.datapipes.datapipe import IterDataPipe
from torch.utils.data.datapipes.utils.common import get_file_binaries_from_pathnames

__all__ = ["FileOpenerIterDataPipe"]


@functional_datapipe("open_files")
class FileOpenerIterDataPipe(IterDataPipe[Any]):
    """Pairs of a path and the open file.

    Args:
        datapipe (Iterable[str]): paths
        mode (str, default "r"): "r", "b" for bytes, "t" for text, or both letters
        encoding (str, optional): of texts
        length (int, default -1): what len() says; -1: nothing

    Example:
        >>> from torch.utils.data.datapipes.iter import FileOpener, IterableWrapper
        >>> opened = FileOpener(IterableWrapper(["a.txt"]), mode="b")
    """

    def __init__(self, datapipe: Iterable[str], mode: str = "r", encoding: str | None = None, length: int = -1) -> None:
        super().__init__()
        if mode not in ("b", "t", "rb", "rt", "r"):
            raise ValueError(f"FileOpener: expected the mode r, b, t, rb or rt, got {mode!r}")
        if "b" in mode and encoding is not None:
            raise ValueError("FileOpener: bytes have no encoding")
        self.datapipe, self.mode, self.encoding, self.length = datapipe, mode, encoding, length

    def __iter__(self) -> Iterator[Any]:
        yield from get_file_binaries_from_pathnames(self.datapipe, self.mode, self.encoding)

    def __len__(self) -> int:
        if self.length == -1:
            raise TypeError(f"{type(self).__name__} instance doesn't have valid length")
        return self.length
