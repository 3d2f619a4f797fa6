"""What an exporter does with a module, and why it cannot."""

from __future__ import annotations

import sys
from collections.abc import Callable
from enum import Enum
from types import ModuleType
from typing import Any

from torch.package._graph import Graph
from torch.package.glob_group import GlobGroup

EXTENSION_SUFFIXES = (".so", ".pyd", ".dll", ".dylib")
# Modules of Python's library that give a package the run of the machine: they are not taken without being named.
POWERFUL = ("sys", "io")


class ModuleAction(Enum):
    """What happens to a module that matches a pattern."""

    INTERN = "intern"  # its source goes into the package
    EXTERN = "extern"  # it is imported from the loading program
    MOCK = "mock"  # a stand-in goes into the package
    DENY = "deny"  # it may not be needed


class PackagingErrorReason(Enum):
    """Why a module cannot be packaged."""

    NO_ACTION = "no pattern says what to do with the module: intern, extern or mock it"
    DENIED = "a pattern denies the module"
    IS_EXTENSION_MODULE = "the module is compiled; packages hold Python sources only"
    NO_DUNDER_FILE = "the module has no __file__"
    SOURCE_FILE_NOT_FOUND = "the source of the module was not found"
    DEPENDENCY_RESOLUTION_FAILED = "the imports of the module could not be read"
    MOCKED_BUT_STILL_USED = "the module is mocked, but an object in the package needs it: intern or extern it"


class EmptyMatchError(Exception):
    """A pattern with `allow_empty=False` matched no module.

    Example:
        >>> import io
        >>> exporter = torch.package.PackageExporter(io.BytesIO())
        >>> exporter.extern("numpy", allow_empty=False)
        >>> exporter.close()
        Traceback (most recent call last):
        torch.package._actions.EmptyMatchError: ...
    """


class PackagingError(Exception):
    """A package cannot be made: lists every module in the way, with the reason.

    Args:
        dependency_graph (Graph): the modules of the package; those that are in the way have an "error"
        debug (bool, default False): say how each is reached

    Example:
        >>> import io
        >>> exporter = torch.package.PackageExporter(io.BytesIO())
        >>> exporter.save_source_string("tool", "import numpy")
        >>> exporter.close()
        Traceback (most recent call last):
        torch.package._actions.PackagingError: ...
    """

    def __init__(self, dependency_graph: Graph, debug: bool = False) -> None:
        self.dependency_graph = dependency_graph
        lines = ["", "the package cannot be made"]
        for reason in PackagingErrorReason:
            names = [name for name, node in dependency_graph.nodes.items() if node.get("error") is reason]
            if names:
                lines.append(f"* {reason.value}:")
            for name in names:
                lines.append(f"    {name}")
                about = dependency_graph.nodes[name].get("error_context")
                if about:
                    lines.append(f"      {about}")
                if name in POWERFUL and reason is not PackagingErrorReason.DENIED:
                    lines.append(f"      {name} reaches the whole machine, so it must be named: PackageExporter.extern({name!r})")
                if debug:
                    lines.append("      needed by: " + " -> ".join(dependency_graph.first_path(name)))
        if not debug:
            lines.append("PackageExporter(..., debug=True) shows what needs these modules")
        super().__init__("\n".join(lines))


class Pattern:
    """A group of names with the action for it."""

    def __init__(self, action: ModuleAction, group: GlobGroup, allow_empty: bool) -> None:
        self.action, self.group, self.allow_empty = action, group, allow_empty
        self.was_matched = False


def is_implicit(name: str) -> bool:
    """Whether a module is taken from the loading program without a pattern: PyTorch's own, and those of Python's library."""
    top = name.partition(".")[0]
    return top == "torch" or (top in sys.stdlib_module_names and top not in POWERFUL)


def read_source(name: str, load: Callable[[str], ModuleType]) -> tuple[str | None, bool, dict[str, Any]]:
    """(source or None, whether it is a package, attributes of the node if there is no source)."""
    import linecache

    module = load(name)
    is_package = hasattr(module, "__path__")
    path = getattr(module, "__file__", None)
    if path is None:
        return None, is_package, {"error": PackagingErrorReason.NO_DUNDER_FILE}
    if path.endswith(EXTENSION_SUFFIXES):
        return None, is_package, {"error": PackagingErrorReason.IS_EXTENSION_MODULE}
    linecache.checkcache(path)
    source = "".join(linecache.getlines(path, vars(module)))
    import os

    if not source and not (os.path.isfile(path) and os.path.getsize(path) == 0) and not path.startswith("<torch_package_"):
        return None, is_package, {"error": PackagingErrorReason.SOURCE_FILE_NOT_FOUND, "error_context": path}
    return source, is_package, {}
