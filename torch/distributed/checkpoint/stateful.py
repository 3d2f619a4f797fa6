"""Objects that give and take their state."""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable


@runtime_checkable
class Stateful(Protocol):
    """An object with `state_dict()` and `load_state_dict(state)`, which `save` and `load` call.

    Example:
        >>> from torch.distributed.checkpoint.stateful import Stateful
        >>> isinstance(nn.Linear(1, 1), Stateful)
        True
    """

    def state_dict(self) -> dict[str, Any]:
        """The state."""
        ...

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Takes a state.

        Args:
            state_dict: the state
        """
        ...
