"""Functions that need libraries which this build lacks; calling one raises an error."""

from __future__ import annotations

import os

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from typing import Any, Literal, NoReturn


class emit_itt:
    """Marks operators for VTune: needs Intel's ITT library, which this build lacks.

    Args:
        enabled (bool, default True): False makes the block do nothing
        record_shapes (bool, default False): of no effect

    Raises:
        RuntimeError: when it is entered

    Example:
        >>> with torch.autograd.profiler.emit_itt(enabled=False):
        ...     x = torch.ones(2)
    """

    def __init__(self, enabled: bool = True, record_shapes: bool = False) -> None:
        self.enabled, self.record_shapes = enabled, record_shapes

    def __enter__(self) -> emit_itt:
        if self.enabled:
            raise RuntimeError("emit_itt: this build has no ITT library; torch.profiler.profile writes traces without it")
        return self

    def __exit__(self, *exc: object) -> Literal[False]:
        return False


class EnforceUnique:
    """Finds keys that come twice.

    Example:
        >>> unique = torch.autograd.profiler.EnforceUnique()
        >>> unique.see("first")
        >>> unique.see("first")
        Traceback (most recent call last):
        RuntimeError: duplicate key: ('first',)
    """

    def __init__(self) -> None:
        self.seen: set[Any] = set()

    def see(self, *key: Any) -> None:
        """Takes a key.

        Args:
            *key: its parts

        Raises:
            RuntimeError: it came before
        """
        if key in self.seen:
            raise RuntimeError(f"duplicate key: {key}")
        self.seen.add(key)


def parse_nvprof_trace(path: str) -> NoReturn:
    """Refused: reads files of nvprof, which went out with CUDA 13.

    Args:
        path (str): the file

    Raises:
        FileNotFoundError: there is none
        NotImplementedError: there is one

    Example:
        >>> torch.autograd.profiler.parse_nvprof_trace("no such file")
        Traceback (most recent call last):
        FileNotFoundError: parse_nvprof_trace: no such file: no such file
    """
    if not os.path.exists(path):
        raise FileNotFoundError(f"parse_nvprof_trace: no such file: {path}")
    raise NotImplementedError("parse_nvprof_trace: files of nvprof are not read here; export_chrome_trace writes traces")


def load_nvprof(path: str) -> NoReturn:
    """Refused like parse_nvprof_trace.

    Args:
        path (str): the file

    Raises:
        FileNotFoundError: there is none
        NotImplementedError: there is one

    Example:
        >>> torch.autograd.profiler.load_nvprof("no such file")
        Traceback (most recent call last):
        FileNotFoundError: parse_nvprof_trace: no such file: no such file
    """
    parse_nvprof_trace(path)
