"""PackageImporter: loads objects and modules from a package, apart from those of the program."""

from __future__ import annotations

import builtins
import importlib
import importlib.machinery
import io
import linecache
import os
import pickle
from collections.abc import Callable, Iterable
from types import ModuleType
from typing import IO, Any, NoReturn

import torch
from torch.package import _records
from torch.package._mangling import demangle, new_prefix
from torch.package._pickling import PROBLEMS, PackageUnpickler
from torch.package.file_structure_representation import Directory, directory_of
from torch.package.glob_group import GlobGroup
from torch.package.importer import Importer
from torch.serialization import _layout, _legacy_format  # noqa: F401  (_layout registers itself)
from torch.serialization._locations import _get_restore_location

__all__ = ["PackageImporter"]

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from torch.package.glob_group import GlobPattern

_ORIGIN = "<package_importer>"


class PackageImporter(Importer):
    """Loads what a `PackageExporter` wrote. Loading runs code of the package: load only packages that you trust.

    The modules of a package are its own: they are not in `sys.modules`, and two packages may have modules of the same name.
    Modules that the package left to the program that loads are imported from it.

    Args:
        file_or_buffer (str, PathLike, file or PyTorchFileReader): the package, or a folder into which it was unpacked
        module_allowed (function, optional): gets the name of each module that the package takes from this program; where it
            returns False, the package is refused

    Raises:
        RuntimeError: it is no package
        ImportError: a module is not allowed

    Example:
        >>> import io
        >>> file = io.BytesIO()
        >>> with torch.package.PackageExporter(file) as exporter:
        ...     exporter.save_source_string("shapes.square", "def area(side): return side * side")
        >>> importer = torch.package.PackageImporter(io.BytesIO(file.getvalue()))
        >>> importer.import_module("shapes.square").area(3)
        9
    """

    def __init__(
        self,
        file_or_buffer: str | os.PathLike[str] | IO[bytes] | torch.PyTorchFileReader,
        module_allowed: Callable[[str], bool] = lambda module_name: True,
    ) -> None:
        self._prefix = new_prefix()
        self.zip_reader, self.filename = _records.opened(file_or_buffer)
        if not self.zip_reader.has_record(".data/extern_modules"):
            raise RuntimeError(f"{self.filename} is no package: it has no record '.data/extern_modules'")
        self._files = [name for name in self.zip_reader.get_all_records() if not name.endswith("/")]
        self._sources, self._packages = self._modules_of(self._files)
        self.extern_modules = self._text(".data/extern_modules").split()
        for name in self.extern_modules:
            if not module_allowed(name):
                raise ImportError(f"the package {self.filename} needs the module {name!r}, which is not allowed", name=name)
        self.modules: dict[str, ModuleType] = {"torch_package_importer": self}  # type: ignore[dict-item]
        self._builtins = {**vars(builtins), "__import__": self._import}

    @staticmethod
    def _modules_of(files: list[str]) -> tuple[dict[str, str], set[str]]:
        """(source file of each module, folders): a folder without `__init__.py` is a package, too."""
        sources, folders = {}, set()
        for path in files:
            *around, file = path.split("/")
            if path.startswith(".data/"):
                continue
            folders.update(".".join(around[:end]) for end in range(1, len(around) + 1))
            if file == "__init__.py":
                sources[".".join(around)] = path
            elif file.endswith(".py"):
                sources.setdefault(".".join([*around, file[:-3]]), path)
        return sources, folders

    def _text(self, record: str) -> str:
        return str(self.zip_reader.get_record(record).decode("utf-8"))

    def id(self) -> str:
        """The name of this importer, which the names of its modules begin with.

        Returns:
            the name, such as "<torch_package_0>"
        """
        return self._prefix

    def __repr__(self) -> str:
        return f"PackageImporter({self.filename!r})"

    def python_version(self) -> str | None:
        """The version of Python that wrote the package.

        Returns:
            the version, or None if the package does not say
        """
        record = ".data/python_version"
        return self._text(record).strip() if self.zip_reader.has_record(record) else None

    def file_structure(self, *, include: GlobPattern = "**", exclude: GlobPattern = ()) -> Directory:
        """The files of the package.

        Args:
            include (str or iterable of str, default "**"): patterns of paths; see `GlobGroup`
            exclude (str or iterable of str, default ()): patterns of exceptions

        Returns:
            a tree that can be printed
        """
        group = GlobGroup(include, exclude=exclude, separator="/")
        return directory_of(self.filename, self.zip_reader.get_all_records(), group)

    # Objects and resources.

    def _resource(self, package: str, resource: str) -> str:
        package = demangle(package)
        self._check_is_here(package)
        return f"{package.replace('.', '/')}/{resource}"

    def _check_is_here(self, package: str) -> None:
        if package not in self._packages and package not in self._sources:
            self._missing(package)

    def load_binary(self, package: str, resource: str) -> bytes:
        """Read a file of the package.

        Args:
            package (str): where it is: a dotted name
            resource (str): its name there

        Returns:
            its bytes

        Raises:
            ModuleNotFoundError: there is no such place
            RuntimeError: there is no such file
        """
        return bytes(self.zip_reader.get_record(self._resource(package, resource)))

    def load_text(self, package: str, resource: str, encoding: str = "utf-8", errors: str = "strict") -> str:
        """Read a file of the package as text.

        Args:
            package (str): where it is: a dotted name
            resource (str): its name there
            encoding (str, default "utf-8"): of the text
            errors (str, default "strict"): what to do about bytes that are no text; see `bytes.decode`

        Returns:
            the text

        Raises:
            ModuleNotFoundError: there is no such place
            RuntimeError: there is no such file
        """
        return self.load_binary(package, resource).decode(encoding, errors)

    def load_pickle(self, package: str, resource: str, map_location: Any = None) -> Any:
        """Load an object.

        Args:
            package (str): where it is: a dotted name
            resource (str): its name there
            map_location (device, str, dict or function, optional): as in `torch.load`

        Returns:
            the object

        Raises:
            ModuleNotFoundError: there is no such place, or a module is missing that it needs
            RuntimeError: there is no such file
            pickle.UnpicklingError: the file is damaged
        """
        restore = _get_restore_location(map_location)
        storages: dict[str, Any] = {}
        rebuilt: dict[Any, Any] = {}

        def storage(pid: Any) -> Any:
            dtype, key, location, count, _ = _legacy_format.check_pid(pid, 5)
            if key not in storages:
                nbytes = count * dtype.itemsize
                found = torch.UntypedStorage(nbytes, device="meta") if location == "meta" else None
                storages[key] = restore(
                    found if found is not None else _records.storage_of(self.zip_reader, key, nbytes, dtype), location
                )
            return torch.storage.TypedStorage(wrap_storage=storages[key], dtype=dtype, _internal=True)

        def persistent_load(pid: Any) -> Any:
            if isinstance(pid, tuple) and pid and pid[0] == "reduce_package" and len(pid) in (3, 4):
                *key, function, arguments = pid[1:]
                if not key:
                    return function(self, *arguments)
                if key[0] not in rebuilt:
                    rebuilt[key[0]] = function(self, *arguments)
                return rebuilt[key[0]]
            return storage(pid)

        data = self.load_binary(package, resource)
        unpickler = PackageUnpickler(self, io.BytesIO(data))
        unpickler.persistent_load = persistent_load  # type: ignore[method-assign]
        try:
            return unpickler.load()
        except PROBLEMS as problem:
            raise pickle.UnpicklingError(f"the pickle {package}.{resource} of {self.filename} is damaged: {problem}") from None

    # Modules.

    def import_module(self, name: str, package: str | None = None) -> ModuleType:
        """Import a module of the package, or one that it takes from this program.

        Args:
            name (str): its dotted name; with leading dots, from `package`
            package (str, optional): where a name with leading dots starts

        Returns:
            the module

        Raises:
            ModuleNotFoundError: the package has no such module, and may not take it from this program
        """
        if not isinstance(name, str) or not name:
            raise ValueError(f"import_module: expected the name of a module, got {name!r}")
        if name.startswith("."):
            level = len(name) - len(name.lstrip("."))
            name = self._absolute(name[level:], package or "", level)
        return self._module(demangle(name))

    def _absolute(self, name: str, package: str, level: int) -> str:
        parts = package.split(".")
        if not package or level > len(parts):
            raise ImportError(f"a relative import of {name!r} goes beyond the package {package!r}", name=name)
        around = ".".join(parts[: len(parts) - level + 1])
        return f"{around}.{name}" if name else around

    def _is_extern(self, name: str) -> bool:
        parts = name.split(".")
        return any(".".join(parts[:end]) in self.extern_modules for end in range(1, len(parts) + 1))

    def _missing(self, name: str) -> NoReturn:
        raise ModuleNotFoundError(
            f"the package {self.filename} has no module {name!r}, and may not import it from this program: "
            f"it takes only {self.extern_modules}",
            name=name,
        )

    def _module(self, name: str) -> ModuleType:
        found = self.modules.get(name)
        if found is not None:
            return found
        parent, _, last = name.rpartition(".")
        is_here = name in self._sources or name in self._packages
        # A package around a module of this program is that of this program, unless the package has one of its own.
        around_extern = not is_here and any(each.startswith(name + ".") for each in self.extern_modules)
        if name in self.extern_modules or around_extern or (not is_here and self._is_extern(name)):
            module = self.modules[name] = importlib.import_module(name)
            return module
        around = self._module(parent) if parent else None
        if name in self.modules:  # importing the package around it imported it
            return self.modules[name]
        if not is_here:
            self._missing(name)
        module = self._executed(name)
        if around is not None:
            setattr(around, last, module)
        return module

    def _executed(self, name: str) -> ModuleType:
        path = self._sources.get(name)
        is_package = path is None or path.endswith("/__init__.py")
        mangled = f"{self._prefix}.{name}"
        module = ModuleType(mangled)
        spec = importlib.machinery.ModuleSpec(name, self, origin=_ORIGIN, is_package=is_package)  # type: ignore[arg-type]
        module.__spec__ = spec
        module.__loader__ = self  # type: ignore[assignment]
        module.__package__ = name if is_package else name.rpartition(".")[0]
        module.__file__ = f"{self._prefix}.{path}" if path is not None else None
        if is_package:
            module.__path__ = []
        space = vars(module)
        space["__builtins__"] = self._builtins
        space["__torch_package__"] = True
        self.modules[name] = module
        if path is None:
            return module
        try:
            filename = f"{self._prefix}.{path}"
            linecache.lazycache(filename, space)  # tracebacks show the lines of the package
            exec(compile(self._text(path), filename, "exec", dont_inherit=True), space)
        except BaseException:
            self.modules.pop(name, None)
            raise
        return self.modules.get(name, module)

    def _import(
        self, name: str, globals: Any = None, locals: Any = None, fromlist: Iterable[str] | None = (), level: int = 0
    ) -> ModuleType:  # fmt: skip
        """The import statement of modules of the package."""
        if level:
            space = globals or {}
            name = self._absolute(name, demangle(space.get("__package__") or ""), level)
        module = self._module(demangle(name))
        if not fromlist:
            return self._module(name.partition(".")[0]) if not level else module
        for item in fromlist:
            names = getattr(module, "__all__", ()) if item == "*" else (item,)
            for each in names:
                full = f"{name}.{each}"
                if each != "*" and not hasattr(module, each) and (full in self._sources or full in self._packages):
                    self._module(full)
        return module

    def get_source(self, module_name: str) -> str:
        """The source of a module.

        Args:
            module_name (str): its name

        Returns:
            the source; empty for a folder without `__init__.py`

        Raises:
            ModuleNotFoundError: the package does not hold it
        """
        name = demangle(module_name)
        self._check_is_here(name)
        return self._text(self._sources[name]) if name in self._sources else ""

    def get_resource_reader(self, fullname: str) -> Any:
        """What `importlib.resources` reads the files of a package with.

        Args:
            fullname (str): the package

        Returns:
            a reader; None for a module that is no package
        """
        from torch.package._resources import ResourceReader

        name = demangle(fullname)
        return ResourceReader(self, name) if name in self._packages else None
