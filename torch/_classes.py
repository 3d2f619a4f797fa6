"""torch.classes: classes of C++ extensions, by library and name. This version registers none."""

from __future__ import annotations

from types import ModuleType
from typing import Any, NoReturn


class _ClassNamespace(ModuleType):
    """The classes of one library."""

    def __init__(self, name: str) -> None:
        super().__init__(f"torch.classes.{name}")
        self.name = name

    def __getattr__(self, name: str) -> NoReturn:
        if name[:2] == "__":
            raise AttributeError(f"torch.classes.{self.name} has no attribute {name!r}")
        raise RuntimeError(
            f"torch.classes.{self.name}.{name}: there is no such class; this version cannot register classes of C++"
        )


class _Classes(ModuleType):
    """The namespaces, created on first use."""

    __file__ = "_classes.py"

    def __init__(self) -> None:
        super().__init__("torch.classes", __doc__)

    def __getattr__(self, name: str) -> Any:
        if name[:2] == "__":
            raise AttributeError(f"torch.classes has no attribute {name!r}")
        space = _ClassNamespace(name)
        setattr(self, name, space)
        return space

    @property
    def loaded_libraries(self) -> set[str]:
        """The paths of libraries that `load_library` has loaded."""
        import torch

        found: set[str] = torch.ops.loaded_libraries
        return found

    def load_library(self, path: str) -> None:
        """Load a shared library.

        Args:
            path (str): the file

        Raises:
            OSError: it cannot be loaded
        """
        import torch

        torch.ops.load_library(path)


classes = _Classes()
