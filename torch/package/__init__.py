"""Packages: a model, its resources and the source of its code in one file, which another program loads as it is.

A package is a zip file. Pickles and resources are stored by the dotted name of their place; modules are stored as sources;
`.data/N.storage` has the values of tensors, and `.data/extern_modules` the modules that the loading program provides.
"""

from __future__ import annotations

from types import ModuleType
from typing import Any

from torch._lazy import names_what_is_absent
from torch.package._mangling import prefix_of
from torch.package.file_structure_representation import Directory
from torch.package.glob_group import GlobGroup
from torch.package.importer import Importer, ObjMismatchError, ObjNotFoundError, OrderedImporter, sys_importer
from torch.package.package_exporter import EmptyMatchError, PackageExporter, PackagingError
from torch.package.package_importer import PackageImporter

__all__ = [
    "Directory", "EmptyMatchError", "GlobGroup", "Importer", "ObjMismatchError", "ObjNotFoundError", "OrderedImporter",
    "PackageExporter", "PackageImporter", "PackagingError", "is_from_package", "sys_importer",
]  # fmt: skip


def is_from_package(obj: Any) -> bool:
    """Whether a module, a class, or the class of an object was loaded from a package.

    Args:
        obj (Any): anything

    Returns:
        whether it was

    Example:
        >>> torch.package.is_from_package(torch.nn.Linear(1, 1))
        False
    """
    if isinstance(obj, ModuleType):
        return bool(prefix_of(obj.__name__))
    return bool(prefix_of(getattr(type(obj), "__module__", None) or ""))


names_what_is_absent(__name__)
