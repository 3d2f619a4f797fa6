"""Pickles of a package: names of classes and functions are those that an importer has for them.

The pickler is Python's own slow one, because the fast one cannot be told how to write a global name.
"""

from __future__ import annotations

import io
import pickle
import struct
from types import FunctionType
from typing import Any

from torch.package._mangling import demangle
from torch.package.importer import Importer, ObjMismatchError, ObjNotFoundError


class PackagePickler(pickle._Pickler):  # type: ignore[name-defined,misc]
    """Writes a pickle, and remembers which names it refers to.

    Args:
        importer (Importer): gives the names
        file (file): where to write
        protocol (int): version of the pickle
    """

    dispatch = pickle._Pickler.dispatch.copy()  # type: ignore[attr-defined]

    def __init__(self, importer: Importer, file: io.BytesIO, protocol: int) -> None:
        self.importer = importer
        self.globals: dict[tuple[str, str], None] = {}
        super().__init__(file, protocol)

    def save_global(self, obj: Any, name: str | None = None) -> None:
        try:
            module, qualified = self.importer.get_name(obj, name)
        except (ObjNotFoundError, ObjMismatchError) as problem:
            raise pickle.PicklingError(f"Can't pickle {obj!r}: {problem}") from None
        self.globals[module, qualified] = None
        if self.proto >= 4:
            self.save(module)
            self.save(qualified)
            self.write(pickle.STACK_GLOBAL)
        elif "." in qualified:
            parent: Any = self.importer.import_module(module)
            *path, last = qualified.split(".")
            for part in path:
                parent = getattr(parent, part)
            self.save_reduce(getattr, (parent, last))
        else:
            encoding = "utf-8" if self.proto >= 3 else "ascii"
            self.write(pickle.GLOBAL + module.encode(encoding) + b"\n" + qualified.encode(encoding) + b"\n")
        self.memoize(obj)

    def save_type(self, obj: Any) -> None:
        if obj in (type(None), type(NotImplemented), type(...)):
            single = {type(None): None, type(NotImplemented): NotImplemented, type(...): ...}[obj]
            self.save_reduce(type, (single,), obj=obj)
        else:
            self.save_global(obj)

    dispatch[FunctionType] = save_global
    dispatch[type] = save_type


class PackageUnpickler(pickle.Unpickler):
    """Reads a pickle whose names an importer resolves.

    Args:
        importer (Importer): has the modules
        file (file): the pickle
    """

    def __init__(self, importer: Importer, file: io.BytesIO) -> None:
        self.importer = importer
        super().__init__(file)

    def find_class(self, module: str, name: str) -> Any:
        if module in ("__builtin__", "copy_reg"):  # of protocols before 3
            return super().find_class(module, name)
        found: Any = self.importer.import_module(demangle(module))
        for part in name.split("."):
            found = getattr(found, part)
        return found


PROBLEMS = (pickle.UnpicklingError, EOFError, struct.error, IndexError, UnicodeDecodeError)
