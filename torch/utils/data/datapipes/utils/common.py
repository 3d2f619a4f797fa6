"""Columns of samples, files below a folder, and streams that close when they are read."""

from __future__ import annotations

import fnmatch
import inspect
import os
from collections.abc import Callable, Iterable, Iterator
from io import IOBase
from typing import Any

__all__ = [
    "StreamWrapper", "get_file_binaries_from_pathnames", "get_file_pathnames_from_root", "match_masks", "validate_input_col",
    "validate_pathname_binary_tuple",
]  # fmt: skip


def validate_input_col(fn: Callable[..., Any], input_col: Any) -> None:
    """Raise ValueError if a function cannot take as many arguments as there are columns (1 without any).

    Args:
        fn (function): one without a signature passes
        input_col (int, str, list or tuple): columns
    """
    try:
        parameters = inspect.signature(fn).parameters.values()
    except (TypeError, ValueError):  # many builtins have none
        return
    count = len(input_col) if isinstance(input_col, (list, tuple)) else 1
    name = getattr(fn, "__name__", str(fn))
    keywords = [p.name for p in parameters if p.kind is p.KEYWORD_ONLY and p.default is p.empty]
    if keywords:
        raise ValueError(f"The function {name} needs the keyword arguments {keywords}, which a pipe does not give")
    positional = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    required = sum(p.default is p.empty for p in positional)
    if required > count or len(positional) < count and not any(p.kind is p.VAR_POSITIONAL for p in parameters):
        raise ValueError(f"The function {name} takes {required} positional parameters, but the columns give {count}")


def match_masks(name: str, masks: str | list[str]) -> bool:
    """Whether a name fits one of the patterns; without any, it does."""
    return not masks or any(fnmatch.fnmatch(name, mask) for mask in ([masks] if isinstance(masks, str) else masks))


def get_file_pathnames_from_root(
    root: str, masks: str | list[str], recursive: bool = False, abspath: bool = False, non_deterministic: bool = False
) -> Iterator[str]:
    """The paths of files in a folder, sorted; or the path itself if it is a file."""

    def failed(error: OSError) -> None:
        raise error

    if os.path.isfile(root):
        path = os.path.abspath(root) if abspath else root
        if match_masks(os.path.basename(path), masks):
            yield path
        return
    for folder, folders, files in os.walk(root, onerror=failed):
        folder = os.path.abspath(folder) if abspath else folder
        if not non_deterministic:
            files.sort()
            folders.sort()
        yield from (os.path.join(folder, name) for name in files if match_masks(name, masks))
        if not recursive:
            return


def get_file_binaries_from_pathnames(
    pathnames: Iterable[str], mode: str, encoding: str | None = None
) -> Iterator[tuple[str, StreamWrapper]]:
    """Each path with its open file."""
    mode = "r" + mode if mode in ("b", "t") else mode
    for path in [pathnames] if isinstance(pathnames, str) else pathnames:
        if not isinstance(path, str):
            raise TypeError(f"Expected the name of a file as a str, got {type(path).__name__}")
        yield path, StreamWrapper(open(path, mode, encoding=encoding))


def validate_pathname_binary_tuple(data: Any) -> None:
    """Raise TypeError unless a sample is a pair of a path and a stream."""
    if not isinstance(data, tuple) or len(data) != 2:
        raise TypeError(f"Expected a pair of a path and a stream, got {type(data).__name__}")
    if not isinstance(data[0], str):
        raise TypeError(f"Expected a path as a str, got {type(data[0]).__name__}")
    if not isinstance(data[1], (IOBase, StreamWrapper)):
        raise TypeError(f"Expected a stream, got {type(data[1]).__name__}")


class StreamWrapper:
    """A file that closes when it is dropped, and closes the one that it came from with it.

    Args:
        file_obj (file): what is read
        parent_stream (StreamWrapper): an archive that it is in
        name (str): shown in errors
    """

    def __init__(self, file_obj: Any, parent_stream: Any = None, name: str | None = None) -> None:
        self.file_obj, self.parent_stream, self.name = file_obj, parent_stream, name
        self.child_counter, self.closed, self.close_on_last_child = 0, False, False
        if parent_stream is not None:
            if not isinstance(parent_stream, StreamWrapper):
                raise RuntimeError(f"Expected a StreamWrapper as parent_stream, got {type(parent_stream).__name__}")
            parent_stream.child_counter += 1

    def close(self, *args: Any, **kwargs: Any) -> None:
        """Close the file, and the one around it after its last child."""
        if self.closed:
            return
        self.closed = True
        self.file_obj.close(*args, **kwargs)
        parent = self.parent_stream
        if parent is not None:
            parent.child_counter -= 1
            if not parent.child_counter and parent.close_on_last_child:
                parent.close()

    def autoclose(self) -> None:
        """Close now, or after the last child."""
        self.close_on_last_child = True
        if self.child_counter == 0:
            self.close()

    def __getattr__(self, name: str) -> Any:
        return getattr(self.__dict__["file_obj"], name) if "file_obj" in self.__dict__ else object.__getattribute__(self, name)

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *dir(self.file_obj)})

    def __del__(self) -> None:
        if "file_obj" in self.__dict__ and not self.closed:
            try:
                self.close()
            except Exception:  # a file that cannot be closed while it is dropped concerns nobody
                pass

    def __iter__(self) -> Iterator[Any]:
        yield from self.file_obj

    def __next__(self) -> Any:
        return next(self.file_obj)

    def __repr__(self) -> str:
        return f"StreamWrapper<{self.file_obj!r}>" if self.name is None else f"StreamWrapper<{self.name},{self.file_obj!r}>"

    def __getstate__(self) -> Any:
        return self.file_obj

    def __setstate__(self, state: Any) -> None:
        self.__init__(state)  # type: ignore[misc]
