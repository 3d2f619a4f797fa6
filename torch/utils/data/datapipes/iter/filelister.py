"""Paths of files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from torch.utils.data.datapipes._decorator import functional_datapipe
from torch.utils.data.datapipes.datapipe import IterDataPipe
from torch.utils.data.datapipes.iter.utils import IterableWrapperIterDataPipe
from torch.utils.data.datapipes.utils.common import get_file_pathnames_from_root

__all__ = ["FileListerIterDataPipe"]


@functional_datapipe("list_files")
class FileListerIterDataPipe(IterDataPipe[str]):
    """The paths of the files in folders.

    Args:
        root (str, list or IterDataPipe, default "."): the folders
        masks (str or list[str], optional): patterns of names; default: all
        recursive (bool, default False): folders inside too
        abspath (bool, default False): absolute paths
        non_deterministic (bool, default False): in the order of the file system, instead of sorted
        length (int, default -1): what len() says; -1: nothing

    Example:
        >>> from torch.utils.data.datapipes.iter import FileLister
        >>> pictures = FileLister("pictures", ["*.png"], recursive=True)
    """

    def __init__(
        self, root: str | Sequence[str] | IterDataPipe[str] = ".", masks: str | list[str] = "", *, recursive: bool = False,
        abspath: bool = False, non_deterministic: bool = False, length: int = -1,
    ) -> None:  # fmt: skip
        super().__init__()
        roots: Any = [root] if isinstance(root, str) else root
        self.datapipe = roots if isinstance(roots, IterDataPipe) else IterableWrapperIterDataPipe(roots)
        self.masks, self.recursive, self.abspath = masks, recursive, abspath
        self.non_deterministic, self.length = non_deterministic, length

    def __iter__(self) -> Iterator[str]:
        for path in self.datapipe:
            yield from get_file_pathnames_from_root(path, self.masks, self.recursive, self.abspath, self.non_deterministic)

    def __len__(self) -> int:
        if self.length == -1:
            raise TypeError(f"{type(self).__name__} instance doesn't have valid length")
        return self.length
