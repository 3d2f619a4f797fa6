"""Which module is at work while a function is recorded."""

from __future__ import annotations

from typing import Any


class Scope:
    """The module at work: its path from the root, and its class.

    Args:
        module_path (str): such as "layers.0"
        module_type (type or None): its class
    """

    def __init__(self, module_path: str, module_type: Any) -> None:
        self.module_path, self.module_type = module_path, module_type


class ScopeContextManager:
    """Sets a scope to another one for the duration of a `with` block.

    Args:
        scope (Scope): which is set
        current_scope (Scope): to what
    """

    def __init__(self, scope: Scope, current_scope: Scope) -> None:
        self._scope = scope
        self._before = scope.module_path, scope.module_type
        scope.module_path, scope.module_type = current_scope.module_path, current_scope.module_type

    def __enter__(self) -> Scope:
        return self._scope

    def __exit__(self, *problem: object) -> None:
        self._scope.module_path, self._scope.module_type = self._before
