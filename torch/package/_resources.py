"""The files beside a module of a package, for `importlib.resources`."""

from __future__ import annotations

import io
from collections.abc import Iterable
from importlib.abc import ResourceReader as _Base
from typing import TYPE_CHECKING, BinaryIO

if TYPE_CHECKING:
    from torch.package.package_importer import PackageImporter


class ResourceReader(_Base):
    """Reads the files in one folder of a package.

    Args:
        importer (PackageImporter): has the package
        name (str): the dotted name of the folder
    """

    def __init__(self, importer: PackageImporter, name: str) -> None:
        self.importer, self.name = importer, name
        self._folder = name.replace(".", "/") + "/"

    def open_resource(self, resource: str) -> BinaryIO:
        if not self.is_resource(resource):
            raise FileNotFoundError(f"the package has no file {self._folder}{resource}")
        return io.BytesIO(self.importer.load_binary(self.name, resource))

    def resource_path(self, resource: str) -> str:
        raise FileNotFoundError(f"{self._folder}{resource} is inside a package: open_resource reads it")

    def is_resource(self, path: str) -> bool:
        return "/" not in path and self._folder + path in self.importer._files

    def contents(self) -> Iterable[str]:
        below = (path.removeprefix(self._folder) for path in self.importer._files if path.startswith(self._folder))
        yield from dict.fromkeys(path.split("/")[0] for path in below)
