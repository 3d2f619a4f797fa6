"""PackageExporter: writes a zip file with pickles, resources, and the sources of the modules that they need."""

from __future__ import annotations

import contextlib
import io
import os
import platform
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from types import ModuleType
from typing import IO, Any

from torch.package import _actions
from torch.package._actions import EmptyMatchError, ModuleAction, PackagingError, PackagingErrorReason, Pattern
from torch.package._graph import Graph
from torch.package._pickling import PackagePickler
from torch.package.find_file_dependencies import find_files_source_depends_on
from torch.package.glob_group import GlobGroup
from torch.package.importer import Importer, OrderedImporter, sys_importer
from torch.serialization import _archive, _atomic_file, _layout, _legacy_format  # noqa: F401  (_layout registers itself)
from torch.serialization._locations import location_tag
from torch.utils.hooks import RemovableHandle

__all__ = ["EmptyMatchError", "PackageExporter", "PackagingError", "PackagingErrorReason"]

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from torch.package.glob_group import GlobPattern

_MOCKED_SOURCE = (
    "from _mock import MockedObject\n\n\ndef __getattr__(name):\n"
    "    return MockedObject(f'{__name__}.{name}', _suppress_err=True)\n"
)
_IMPORTER_OF_PACKAGE = "torch_package_importer"  # packaged code imports its own importer under this name


class PackageExporter:
    """Writes a package: a file with objects, and with the code that they need, which other programs load.

    Patterns say what becomes of each module that is needed: `intern` puts its source into the package, `extern` leaves it to
    the program that loads, `mock` puts a stand-in in its place, `deny` forbids it. The first pattern that matches counts.
    Modules of torch and of Python's library are left to the program that loads; any other module without a pattern is an
    error when the package is closed. Nothing is checked before that.

    Args:
        f (str, PathLike or file): a path, or an object with `write`
        importer (Importer or sequence of Importer): where modules come from, the first that has one counts
        debug (bool, default False): errors say how the module is reached

    Raises:
        PackagingError: on closing: modules that no pattern matches, or that cannot be packaged
        EmptyMatchError: on closing: a pattern that must match did not

    Example:
        >>> import io
        >>> file = io.BytesIO()
        >>> with torch.package.PackageExporter(file) as exporter:
        ...     exporter.save_source_string("tool", "def double(x): return 2 * x")
        ...     exporter.save_pickle("model", "weights.pkl", {"w": torch.ones(2)})
        >>> importer = torch.package.PackageImporter(io.BytesIO(file.getvalue()))
        >>> importer.import_module("tool").double(importer.load_pickle("model", "weights.pkl")["w"])
        tensor([2., 2.])
    """

    def __init__(
        self, f: str | os.PathLike[str] | IO[bytes], importer: Importer | Sequence[Importer] = sys_importer, debug: bool = False
    ) -> None:  # fmt: skip
        self.debug = debug
        self.importer: Importer = importer if isinstance(importer, Importer) else OrderedImporter(*importer)
        self.dependency_graph = Graph()
        self.patterns: list[Pattern] = []
        self._hooks: dict[ModuleAction, dict[int, Callable[[PackageExporter, str], None]]] = {
            action: {} for action in (ModuleAction.INTERN, ModuleAction.EXTERN, ModuleAction.MOCK)
        }
        self._unique_id = 0
        self._storages: dict[int, tuple[int, Any]] = {}
        self._reduced: dict[int, tuple[tuple[Any, ...], Any]] = {}
        self._written: set[str] = set()
        self._resources = contextlib.ExitStack()
        if isinstance(f, (str, os.PathLike)):
            name = os.path.splitext(os.path.basename(os.fspath(f)))[0] or "archive"
            target = self._resources.enter_context(_atomic_file.replacing(f))
        else:
            if not hasattr(f, "write"):
                raise AttributeError(f"PackageExporter: expected a path or a file to write, got {type(f).__name__}")
            name, target = "archive", f
        self._archive: Any = _archive.Writer(_atomic_file.Complete(target), name)

    # What goes into the package.

    def save_source_file(self, module_name: str, file_or_directory: str, dependencies: bool = True) -> None:
        """Put a source file, or all sources of a folder, into the package.

        Args:
            module_name (str): the name of the module; the folder is a package of this name
            file_or_directory (str): the path
            dependencies (bool, default True): also what they import

        Raises:
            FileNotFoundError: there is no such file
        """
        path = Path(file_or_directory)
        if not path.is_dir():
            self.save_source_string(module_name, path.read_text(), False, dependencies)
            return
        for file in sorted(path.rglob("*.py")):
            parts = list(file.relative_to(path).with_suffix("").parts)
            is_package = parts[-1] == "__init__"
            name = ".".join([module_name, *(parts[:-1] if is_package else parts)])
            self.save_source_string(name, file.read_text(), is_package, dependencies)

    def save_source_string(self, module_name: str, src: str, is_package: bool = False, dependencies: bool = True) -> None:
        """Put a module into the package whose source is a string.

        Args:
            module_name (str): its name
            src (str): its source
            is_package (bool, default False): whether it has modules in it
            dependencies (bool, default True): also what it imports
        """
        self.dependency_graph.add_node(
            module_name, source=src, is_package=is_package, provided=True, action=ModuleAction.INTERN, error=None
        )
        if dependencies:
            self._add_imports_of(module_name, src, is_package)

    def save_module(self, module_name: str, dependencies: bool = True) -> None:
        """Put a module into the package, whatever the patterns say.

        Args:
            module_name (str): its name
            dependencies (bool, default True): also what it imports

        Raises:
            TypeError: the name is no string
            ModuleNotFoundError: there is no such module
        """
        if not isinstance(module_name, str):
            raise TypeError(f"save_module: expected the name of a module, got {type(module_name).__name__}")
        self._intern(module_name, dependencies)

    def save_pickle(
        self, package: str, resource: str, obj: Any, dependencies: bool = True, pickle_protocol: int = 3
    ) -> None:  # fmt: skip
        """Put an object into the package. Tensors keep sharing their storages, also with other pickles of the package.

        Args:
            package (str): where: a dotted name
            resource (str): the name of the file there
            obj (Any): the object
            dependencies (bool, default True): also the modules of its classes and functions
            pickle_protocol (int, default 3): version of the pickle

        Raises:
            pickle.PicklingError: an object has no name by which it can be imported
        """
        self._check_name(package, resource)
        out = io.BytesIO()
        pickler = PackagePickler(self.importer, out, pickle_protocol)
        pickler.persistent_id = self._persistent_id
        pickler.dump(obj)
        node = f"<{package}.{resource}>"
        self.dependency_graph.add_node(node, action=ModuleAction.INTERN, provided=True, is_pickle=True)
        if dependencies:
            used: dict[str, list[str]] = {}
            for module, name in pickler.globals:
                used.setdefault(module, []).append(name)
            for module, names in used.items():
                self.dependency_graph.add_edge(node, module)
                self.add_dependency(module)
                if self.dependency_graph.nodes[module].get("action") is ModuleAction.MOCK:
                    self.dependency_graph.add_node(
                        module,
                        error=PackagingErrorReason.MOCKED_BUT_STILL_USED,
                        error_context=f"{', '.join(names)}: in the resource {resource!r} of {package!r}",
                    )
        self._write(self._path(package, resource), out.getvalue())

    def save_text(self, package: str, resource: str, text: str) -> None:
        """Put a text into the package, in UTF-8.

        Args:
            package (str): where: a dotted name
            resource (str): the name of the file there
            text (str): the text

        Raises:
            AttributeError: it is no text
        """
        self.save_binary(package, resource, text.encode("utf-8"))

    def save_binary(self, package: str, resource: str, binary: bytes) -> None:
        """Put bytes into the package.

        Args:
            package (str): where: a dotted name
            resource (str): the name of the file there
            binary (bytes): the bytes

        Raises:
            ValueError: the package has such a file already
        """
        self._check_name(package, resource)
        self._write(self._path(package, resource), binary)

    def get_unique_id(self) -> str:
        """A number that this exporter gives only once, for names of files.

        Returns:
            the number, as text
        """
        self._unique_id += 1
        return str(self._unique_id - 1)

    # What becomes of modules.

    def intern(self, include: GlobPattern, *, exclude: GlobPattern = (), allow_empty: bool = True) -> None:
        """Put the sources of modules into the package, if something in it needs them.

        Args:
            include (str or iterable of str): patterns of their names; see `GlobGroup`
            exclude (str or iterable of str, default ()): patterns of exceptions
            allow_empty (bool, default True): whether it is fine that nothing matches
        """
        self._add_pattern(ModuleAction.INTERN, include, exclude, allow_empty)

    def extern(self, include: GlobPattern, *, exclude: GlobPattern = (), allow_empty: bool = True) -> None:
        """Leave modules to the program that loads the package.

        Args:
            include (str or iterable of str): patterns of their names; see `GlobGroup`
            exclude (str or iterable of str, default ()): patterns of exceptions
            allow_empty (bool, default True): whether it is fine that nothing matches
        """
        self._add_pattern(ModuleAction.EXTERN, include, exclude, allow_empty)

    def mock(self, include: GlobPattern, *, exclude: GlobPattern = (), allow_empty: bool = True) -> None:
        """Put stand-ins in the place of modules: they can be imported, and using what they hold is an error.

        Args:
            include (str or iterable of str): patterns of their names; see `GlobGroup`
            exclude (str or iterable of str, default ()): patterns of exceptions
            allow_empty (bool, default True): whether it is fine that nothing matches
        """
        self._add_pattern(ModuleAction.MOCK, include, exclude, allow_empty)

    def deny(self, include: GlobPattern, *, exclude: GlobPattern = ()) -> None:
        """Make it an error that the package needs some modules.

        Args:
            include (str or iterable of str): patterns of their names; see `GlobGroup`
            exclude (str or iterable of str, default ()): patterns of exceptions
        """
        self._add_pattern(ModuleAction.DENY, include, exclude, True)

    def _add_pattern(self, action: ModuleAction, include: GlobPattern, exclude: GlobPattern, allow_empty: bool) -> None:
        self.patterns.append(Pattern(action, GlobGroup(include, exclude=exclude), allow_empty))

    def register_intern_hook(self, hook: Callable[[PackageExporter, str], None]) -> RemovableHandle:
        """Call a function for each module whose source is written.

        Args:
            hook (function): gets the exporter and the module's name

        Returns:
            a handle whose `remove` ends it
        """
        return self._register(ModuleAction.INTERN, hook)

    def register_extern_hook(self, hook: Callable[[PackageExporter, str], None]) -> RemovableHandle:
        """Call a function for each module that is left to the program that loads.

        Args:
            hook (function): gets the exporter and the module's name

        Returns:
            a handle whose `remove` ends it
        """
        return self._register(ModuleAction.EXTERN, hook)

    def register_mock_hook(self, hook: Callable[[PackageExporter, str], None]) -> RemovableHandle:
        """Call a function for each module that a stand-in replaces.

        Args:
            hook (function): gets the exporter and the module's name

        Returns:
            a handle whose `remove` ends it
        """
        return self._register(ModuleAction.MOCK, hook)

    def _register(self, action: ModuleAction, hook: Callable[[PackageExporter, str], None]) -> RemovableHandle:
        handle = RemovableHandle(self._hooks[action])
        self._hooks[action][handle.id] = hook
        return handle

    # Questions about the modules.

    def interned_modules(self) -> list[str]:
        """The modules whose sources are in the package, in order.

        Returns:
            their names
        """
        return self._modules_with(ModuleAction.INTERN)

    def externed_modules(self) -> list[str]:
        """The modules that are left to the program that loads, in order.

        Returns:
            their names
        """
        return self._modules_with(ModuleAction.EXTERN)

    def mocked_modules(self) -> list[str]:
        """The modules with a stand-in, in order.

        Returns:
            their names
        """
        return self._modules_with(ModuleAction.MOCK)

    def denied_modules(self) -> list[str]:
        """The modules that a pattern denies, in order.

        Returns:
            their names
        """
        return self._modules_with(ModuleAction.DENY)

    def _modules_with(self, action: ModuleAction) -> list[str]:
        nodes = self.dependency_graph.nodes.items()
        return sorted(name for name, node in nodes if node.get("action") is action and not node.get("is_pickle"))

    def get_rdeps(self, module_name: str) -> list[str]:
        """The modules and pickles that need a module directly.

        Args:
            module_name (str): its name

        Returns:
            their names; none for a module that the package does not have
        """
        return list(self.dependency_graph.predecessors.get(module_name, ()))

    def all_paths(self, src: str, dst: str) -> str:
        """Everything between one module and another that it needs.

        Args:
            src (str): the module at the start
            dst (str): the module at the end

        Returns:
            a graph in the language of Graphviz

        Raises:
            ValueError: the package has no such module
        """
        return self.dependency_graph.between(src, dst).to_dot()

    def dependency_graph_string(self) -> str:
        """Which module needs which.

        Returns:
            a graph in the language of Graphviz
        """
        return self.dependency_graph.to_dot()

    def add_dependency(self, module_name: str, dependencies: bool = True) -> None:
        """Add a module by what the patterns say.

        Args:
            module_name (str): its name
            dependencies (bool, default True): also what it imports, if its source goes into the package
        """
        if "action" in self.dependency_graph.nodes.get(module_name, {}) or module_name == _IMPORTER_OF_PACKAGE:
            return
        if _actions.is_implicit(module_name):
            self.dependency_graph.add_node(module_name, action=ModuleAction.EXTERN, provided=True)
            return
        for pattern in self.patterns:
            if pattern.group.matches(module_name):
                pattern.was_matched = True
                if pattern.action is ModuleAction.INTERN:
                    self._intern(module_name, dependencies)
                    return
                denied = PackagingErrorReason.DENIED if pattern.action is ModuleAction.DENY else None
                self.dependency_graph.add_node(module_name, action=pattern.action, error=denied)
                return
        self.dependency_graph.add_node(module_name, action=None, error=PackagingErrorReason.NO_ACTION)

    def _intern(self, name: str, dependencies: bool) -> None:
        self.dependency_graph.add_node(name, action=ModuleAction.INTERN)
        source, is_package, problem = _actions.read_source(name, self.importer.import_module)
        self.dependency_graph.add_node(name, source=source, is_package=is_package, error=None)
        self.dependency_graph.add_node(name, **problem)
        if source is not None and dependencies:
            self._add_imports_of(name, source, is_package)

    def _add_imports_of(self, name: str, source: str, is_package: bool) -> None:
        try:
            imports = find_files_source_depends_on(source, name if is_package else name.rpartition(".")[0])
        except (SyntaxError, ImportError, ValueError, RecursionError) as problem:
            reason = PackagingErrorReason.DEPENDENCY_RESOLUTION_FAILED
            self.dependency_graph.add_node(name, error=reason, error_context=f"{type(problem).__name__}: {problem}")
            return
        for module, item in imports:
            used = f"{module}.{item}" if item is not None and self._is_module(f"{module}.{item}") else module
            if used != _IMPORTER_OF_PACKAGE and used != name:
                self.dependency_graph.add_edge(name, used)
                self.add_dependency(used)

    def _is_module(self, name: str) -> bool:
        if "source" in self.dependency_graph.nodes.get(name, {}):
            return True
        try:
            return isinstance(self.importer.import_module(name), ModuleType)
        except Exception:  # whatever a foreign module raises: its name then counts as one of an object
            return False

    # Writing.

    @staticmethod
    def _check_name(package: str, resource: str) -> None:
        if not isinstance(package, str) or not isinstance(resource, str) or not resource:
            raise TypeError(f"the place of a resource must be two strings, got {package!r} and {resource!r}")

    @staticmethod
    def _path(package: str, resource: str) -> str:
        return f"{package.replace('.', '/')}/{resource}"

    def _write(self, path: str, data: str | bytes | memoryview) -> None:
        if self._archive is None:
            raise ValueError("the package is closed")
        if path in self._written:
            raise ValueError(f"the package has a file {path!r} already")
        self._archive.write(path, data)
        self._written.add(path)

    def _persistent_id(self, value: Any) -> tuple[Any, ...] | None:
        """How pickles refer to storages, and to objects that know packages."""
        storage, kind, dtype = _legacy_format.describe_storage(value)
        if storage is not None:
            if storage._cdata not in self._storages:
                number = len(self._storages)
                self._storages[storage._cdata] = number, storage  # kept alive, so that its address stays its own
                self._write(f".data/{number}.storage", _archive.storage_bytes(storage.cpu()))
            return "storage", kind, self._storages[storage._cdata][0], location_tag(storage), storage.nbytes() // dtype.itemsize
        if hasattr(value, "__reduce_package__") and not isinstance(value, type):
            if id(value) not in self._reduced:
                self._reduced[id(value)] = ("reduce_package", id(value), *value.__reduce_package__(self)), value
            return self._reduced[id(value)][0]
        return None

    def _call_hooks(self, action: ModuleAction, name: str) -> None:
        for hook in list(self._hooks[action].values()):
            hook(self, name)

    def _check(self) -> None:
        if any(node.get("error") for node in self.dependency_graph.nodes.values()):
            raise PackagingError(self.dependency_graph, self.debug)
        for pattern in self.patterns:
            if not pattern.allow_empty and not pattern.was_matched:
                raise EmptyMatchError(f"no module matches {pattern.group}, which has allow_empty=False")

    def _write_modules(self) -> None:
        extern = []
        for name, node in self.dependency_graph.nodes.items():
            action = node.get("action")
            if action is ModuleAction.EXTERN:
                extern.append(name)
            elif action is ModuleAction.MOCK:
                if "_mock.py" not in self._written:
                    self._write("_mock.py", Path(__file__).with_name("_mock.py").read_text())
                self._write(name.replace(".", "/") + "/__init__.py", _MOCKED_SOURCE)
            elif not node.get("is_pickle"):
                self._write(name.replace(".", "/") + ("/__init__.py" if node["is_package"] else ".py"), node["source"])
            if action is not None:
                self._call_hooks(action, name)
        self._write(".data/extern_modules", "".join(name + "\n" for name in extern))
        self._write(".data/python_version", platform.python_version())

    def close(self) -> None:
        """Check the package and write the rest of it. The `with` statement does the same at its end.

        Raises:
            PackagingError: modules that no pattern matches, or that cannot be packaged
            EmptyMatchError: a pattern that must match did not
        """
        if self._archive is None:
            return
        try:
            self._check()
            self._write_modules()
            self._archive.write("byteorder", sys.byteorder)
            self._archive.close(".data/version", "6\n")
            self._archive = None
            self._resources.close()
        except BaseException:
            self._abandon(*sys.exc_info())
            raise

    def _abandon(self, *problem: Any) -> None:
        """Leave the file as it was before."""
        self._archive = None
        with contextlib.suppress(type(problem[1]) if problem[1] is not None else ()):
            self._resources.__exit__(*problem)

    def __enter__(self) -> PackageExporter:
        return self

    def __exit__(self, exc_type: Any, exc_value: Any, exc_traceback: Any) -> None:
        if exc_type is None:
            self.close()
        else:
            self._abandon(exc_type, exc_value, exc_traceback)
