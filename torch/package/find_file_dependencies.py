"""Which modules a source file imports."""

from __future__ import annotations

import ast


class _Imports(ast.NodeVisitor):
    """Collects (module, name or None) of every import, also of those inside functions."""

    def __init__(self, package: str) -> None:
        self.package = package
        self.found: dict[tuple[str, str | None], None] = {}

    def visit_Import(self, node: ast.Import) -> None:
        for alias in node.names:
            self.found[alias.name, None] = None

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        module = node.module or ""
        if node.level:
            parts = self.package.split(".")
            if node.level > len(parts) or not self.package:
                raise ImportError(f"line {node.lineno}: a relative import goes beyond the package {self.package!r}")
            around = ".".join(parts[: len(parts) - node.level + 1])
            module = f"{around}.{module}" if module else around
        for alias in node.names:
            self.found[module, None if alias.name == "*" else alias.name] = None

    def visit_Call(self, node: ast.Call) -> None:
        called, first = node.func, node.args[0] if node.args else None
        if isinstance(called, ast.Name) and called.id == "__import__" and isinstance(first, ast.Constant):
            if isinstance(first.value, str) and first.value:
                self.found[first.value, None] = None
        self.generic_visit(node)


def find_files_source_depends_on(src: str, package: str) -> list[tuple[str, str | None]]:
    """The imports in a source.

    Args:
        src (str): the source
        package (str): the package that it belongs to, which relative imports start from

    Returns:
        (module, None) for `import module`, and (module, name) for `from module import name`

    Raises:
        SyntaxError: it is no Python
        ImportError: a relative import leaves the package

    Example:
        >>> from torch.package.find_file_dependencies import find_files_source_depends_on
        >>> find_files_source_depends_on("import math" + chr(10) + "from .parts import first", "tool")
        [('math', None), ('tool.parts', 'first')]
    """
    visitor = _Imports(package)
    visitor.visit(ast.parse(src))
    return list(visitor.found)
