"""The meshes whose `with` blocks a thread is in."""

from __future__ import annotations

import threading
from typing import Any


class _MeshEnv(threading.local):
    def __init__(self) -> None:
        self.mesh_stack: list[Any] = []

    def get_current_mesh(self) -> Any:
        """The mesh of the innermost block.

        Raises:
            RuntimeError: there is none
        """
        if not self.mesh_stack:
            raise RuntimeError("there is no device mesh: pass one, or use it as a block, `with mesh:`")
        return self.mesh_stack[-1]

    def get_root_mesh(self, device_mesh: Any) -> Any:
        """The mesh that another one is a slice of."""
        return device_mesh._get_root_mesh()


_mesh_resources = _MeshEnv()
