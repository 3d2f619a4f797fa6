"""The files of a package as a tree that can be printed and searched."""

from __future__ import annotations

from collections.abc import Iterable

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from torch.package.glob_group import GlobGroup


class Directory:
    """A folder of a package, or a file in it. Printing one shows the tree below it.

    Args:
        name (str): the name, without the folders around it
        is_dir (bool): whether it is a folder

    Example:
        >>> import io
        >>> file = io.BytesIO()
        >>> with torch.package.PackageExporter(file) as exporter:
        ...     exporter.save_text("notes", "first.txt", "hello")
        >>> tree = torch.package.PackageImporter(io.BytesIO(file.getvalue())).file_structure(include="notes/*")
        >>> tree.has_file("notes/first.txt"), tree.has_file("notes/second.txt")
        (True, False)
        >>> print(str(tree).strip())
        ─── <binary>
            └── notes
                └── first.txt
    """

    def __init__(self, name: str, is_dir: bool) -> None:
        self.name = name
        self.is_dir = is_dir
        self.children: dict[str, Directory] = {}

    def _add_file(self, path: str) -> None:
        here = self
        *folders, name = path.split("/")
        for folder in folders:
            here = here.children.setdefault(folder, Directory(folder, True))
        here.children[name] = Directory(name, False)

    def has_file(self, filename: str) -> bool:
        """Whether a file or a folder is there.

        Args:
            filename (str): its path, from this folder, with slashes

        Returns:
            whether it is
        """
        here: Directory | None = self
        for part in filename.split("/"):
            here = here.children.get(part) if here is not None else None
        return here is not None

    def _lines(self) -> Iterable[str]:
        children = sorted(self.children.values(), key=lambda child: (not child.is_dir, child.name))
        for place, child in enumerate(children, 1):
            last = place == len(children)
            yield ("└── " if last else "├── ") + child.name
            for line in child._lines():
                yield ("    " if last else "│   ") + line

    def __str__(self) -> str:
        return "\n".join(["─── " + self.name, *("    " + line for line in self._lines()), ""])


def directory_of(name: str, files: Iterable[str], group: GlobGroup) -> Directory:
    """The tree of those files that a group of patterns with the separator "/" has.

    Args:
        name (str): what to call the top
        files (iterable of str): paths
        group (GlobGroup): the patterns

    Returns:
        the tree
    """
    top = Directory(name, True)
    for path in files:
        if group.matches(path):
            top._add_file(path)
    return top
