"""Importers: where modules come from, and which name an object has there."""

from __future__ import annotations

import importlib
import pickle
from abc import ABC, abstractmethod
from types import ModuleType
from typing import Any

from torch.package._mangling import demangle, prefix_of

_ABSENT = object()


class ObjNotFoundError(Exception):
    """An importer has no object of this name: its module is not there, or does not define it.

    Example:
        >>> torch.package.sys_importer.get_name(lambda: None, "no_such_name")
        Traceback (most recent call last):
        torch.package.importer.ObjNotFoundError: ...
    """


class ObjMismatchError(Exception):
    """An importer has a different object of this name, such as a class of the same name from another package.

    Example:
        >>> from collections import OrderedDict
        >>> torch.package.sys_importer.get_name(OrderedDict, "namedtuple")
        Traceback (most recent call last):
        torch.package.importer.ObjMismatchError: ...
    """


def _place(prefix: str) -> str:
    return f"the package {prefix}" if prefix else "the running program"


class Importer(ABC):
    """Where a package exporter finds modules. A subclass defines `import_module`.

    Example:
        >>> class Shouting(torch.package.Importer):
        ...     def import_module(self, module_name):
        ...         print("IMPORT", module_name)
        ...         return torch.package.sys_importer.import_module(module_name)
        >>> from collections import OrderedDict
        >>> Shouting().get_name(OrderedDict)
        IMPORT collections
        ('collections', 'OrderedDict')
    """

    modules: dict[str, ModuleType]

    @abstractmethod
    def import_module(self, module_name: str) -> ModuleType:
        """Import a module.

        Args:
            module_name (str): its dotted name

        Returns:
            the module

        Raises:
            ModuleNotFoundError: it is not there
        """

    def get_name(self, obj: Any, name: str | None = None) -> tuple[str, str]:
        """The name by which this importer finds an object.

        Args:
            obj (Any): a class or function
            name (str, optional): its name in its module, if that is known

        Returns:
            the name of its module, and its name there

        Raises:
            ObjNotFoundError: there is no object of the name that it should have
            ObjMismatchError: the object of that name is a different one
        """
        if name is None:
            reduced = obj.__reduce__() if hasattr(obj, "__reduce__") and not isinstance(obj, type) and _is_global(obj) else None
            name = reduced if isinstance(reduced, str) else getattr(obj, "__qualname__", None) or obj.__name__
        full = self.whichmodule(obj, name)
        module_name = demangle(full)
        try:
            found: Any = self.import_module(module_name)
            for part in name.split("."):
                found = getattr(found, part)
        except (ImportError, KeyError, AttributeError) as problem:
            raise ObjNotFoundError(f"{obj!r} was not found as {module_name}.{name}") from problem
        if found is obj:
            return module_name, name
        wants, has = prefix_of(full), prefix_of(getattr(found, "__module__", None) or "")
        raise ObjMismatchError(
            f"{obj!r} is from {_place(wants)}, but {module_name}.{name} is imported from {_place(has)}"
            + (f": list the importer of {_place(wants)} before the other" if wants != has else ", which has another object there")
        )

    def whichmodule(self, obj: Any, name: str) -> str:
        """The name of the module that an object comes from.

        Args:
            obj (Any): a class or function
            name (str): its name there

        Returns:
            the name; "__main__" if nothing is known
        """
        found = getattr(obj, "__module__", None)
        if isinstance(found, str):
            return found
        for module_name, module in list(self.modules.items()):
            if module_name in ("__main__", "__mp_main__") or module is None:
                continue
            value: Any = module
            for part in name.split("."):
                value = getattr(value, part, _ABSENT)
            if value is obj:
                return module_name
        return "__main__"


def _is_global(obj: Any) -> bool:
    """Whether an object names itself in `__reduce__`, as constants such as torch.float32 do."""
    return not hasattr(obj, "__qualname__") and not hasattr(obj, "__name__")


class _SysImporter(Importer):
    """The modules of the running program."""

    def import_module(self, module_name: str) -> ModuleType:
        return importlib.import_module(module_name)

    def whichmodule(self, obj: Any, name: str) -> str:
        return pickle.whichmodule(obj, name)  # type: ignore[attr-defined,no-any-return]

    def __repr__(self) -> str:
        return "sys_importer"


sys_importer = _SysImporter()


class OrderedImporter(Importer):
    """Several importers; the first that has a module provides it.

    Args:
        *args (Importer): the importers

    Raises:
        TypeError: one of them is no importer

    Example:
        >>> importer = torch.package.OrderedImporter(torch.package.sys_importer)
        >>> importer.import_module("math").sqrt(4.0)
        2.0
    """

    def __init__(self, *args: Importer) -> None:
        for each in args:
            if not hasattr(each, "import_module") or not hasattr(each, "whichmodule"):
                raise TypeError(f"OrderedImporter: expected importers, got {type(each).__name__}")
        self._importers = args

    def import_module(self, module_name: str) -> ModuleType:
        """Import a module from the first importer that has it.

        Args:
            module_name (str): its dotted name

        Returns:
            the module

        Raises:
            ModuleNotFoundError: none has it
        """
        missing = None
        for each in self._importers:
            try:
                return each.import_module(module_name)
            except ModuleNotFoundError as problem:
                missing = problem
        raise missing or ModuleNotFoundError(f"no importer has the module {module_name!r}", name=module_name)

    def whichmodule(self, obj: Any, name: str) -> str:
        """The name of the module that an object comes from.

        Args:
            obj (Any): a class or function
            name (str): its name there

        Returns:
            the name; "__main__" if nothing is known
        """
        for each in self._importers:
            found = each.whichmodule(obj, name)
            if found != "__main__":
                return found
        return "__main__"
