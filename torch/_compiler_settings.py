"""Settings of a compiler that is not there: they can be read and set, so that programs run, and have no effect."""

from __future__ import annotations

import contextlib
import copy
from collections.abc import Iterator
from types import ModuleType
from typing import Any


class Settings(ModuleType):
    """A module of settings; unknown names are refused.

    Args:
        name (str): the module's name
        values (dict): name -> default
    """

    def __init__(self, name: str, values: dict[str, Any]) -> None:
        super().__init__(name, "Settings of PyTorch's compiler. They are kept, and have no effect: there is no compiler.")
        self.__dict__.update(values)
        self.__dict__["_names"] = frozenset(values)

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in self._names and not name.startswith("__"):
            raise AttributeError(f"{self.__name__}.{name} is no setting")
        self.__dict__[name] = value

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"{self.__name__}.{name} is no setting")

    def get_config_copy(self) -> dict[str, Any]:
        """All settings, in a dictionary."""
        return copy.deepcopy({name: self.__dict__[name] for name in self._names})

    save_config_portable = get_config_copy

    def load_config(self, config: dict[str, Any]) -> None:
        """Set all that a dictionary has."""
        for name, value in config.items():
            setattr(self, name, value)

    @contextlib.contextmanager
    def _patched(self, changes: dict[str, Any]) -> Iterator[None]:
        before = {name: getattr(self, name) for name in changes}
        self.load_config(changes)
        try:
            yield
        finally:
            self.load_config(before)

    def patch(self, arg1: Any = None, arg2: Any = None, **kwargs: Any) -> Any:
        """A block, or a decorator of functions, with other settings.

        Args:
            arg1 (str or dict, optional): a name, or a dictionary
            arg2 (Any, optional): the value, after a name
            **kwargs (Any): name=value
        """
        changes = dict(kwargs)
        if isinstance(arg1, dict):
            changes.update(arg1)
        elif arg1 is not None:
            changes[arg1] = arg2
        return self._patched(changes)
