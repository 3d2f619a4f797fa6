"""What a package would need, and where modules that cannot be packaged are first used."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from typing import Any

from torch.package._actions import PackagingError

__all__ = ["find_first_use_of_broken_modules", "trace_dependencies"]


def find_first_use_of_broken_modules(exc: PackagingError) -> dict[str, list[str]]:
    """A shortest way to each module that keeps a package from being made.

    Args:
        exc (PackagingError): what closing the exporter raised

    Returns:
        the names on the way, by module

    Raises:
        TypeError: it is a different exception

    Example:
        >>> import io, torch.package.analyze
        >>> exporter = torch.package.PackageExporter(io.BytesIO())
        >>> exporter.save_source_string("tool", "import numpy")
        >>> try:
        ...     exporter.close()
        ... except torch.package.PackagingError as problem:
        ...     torch.package.analyze.find_first_use_of_broken_modules(problem)
        {'numpy': ['tool', 'numpy']}
    """
    if not isinstance(exc, PackagingError):
        raise TypeError(f"find_first_use_of_broken_modules: expected a PackagingError, got {type(exc).__name__}")
    graph = exc.dependency_graph
    return {name: graph.first_path(name) for name, node in graph.nodes.items() if node.get("error")}


def trace_dependencies(callable: Callable[..., Any], inputs: Iterable[tuple[Any, ...]]) -> list[str]:
    """The modules whose functions run when a function is called.

    Args:
        callable (function): the function
        inputs (iterable of tuple): its arguments, for each call

    Returns:
        names of modules, in order

    Example:
        >>> import torch.package.analyze
        >>> import colorsys
        >>> torch.package.analyze.trace_dependencies(colorsys.rgb_to_hsv, [(0.5, 0.5, 0.5)])
        ['colorsys']
    """
    found = set()

    def watch(frame: Any, event: str, argument: Any) -> None:
        name = frame.f_globals.get("__name__") if event == "call" else None
        if name and name != __name__:
            found.add(name)

    before = sys.getprofile()
    sys.setprofile(watch)
    try:
        for arguments in inputs:
            callable(*arguments)
    finally:
        sys.setprofile(before)
    return sorted(found)
